// SPDX-License-Identifier: MIT

import Testing

@testable import LiquidTemplates

/// The table by which tags and filters are found.
@Suite struct WordTableTests {
    @Test func `each word has its index, and of equal words the last counts`() {
        let words = ["", "a", "b", "ab", "ba", "aab", "abb", "date", "append", "newline_to_br", "a", "ab"]
        let table = WordTable(words)
        for word in words { #expect(table.find(word) == words.lastIndex(of: word)) }
        #expect(table.sorted == ["", "a", "aab", "ab", "abb", "append", "b", "ba", "date", "newline_to_br"])
        for word in ["c", "bb", "aba", "dates", "dat", "newline_to_bR", "Newline_to_br"] {
            #expect(table.find(word) == nil)
        }
    }

    @Test func `long words that begin and end alike are different`() {
        let words = ["base64_url_safe_encode", "base64_url_SAFE_encode", "base64_u_safe_encode"]
        let table = WordTable(words)
        for (index, word) in words.enumerated() { #expect(table.find(word) == index) }
        #expect(table.find("base64_url_safe-encode") == nil)
        #expect(table.find("base64_ufe_encode") == nil)
    }

    @Test func `names of a program that begin and end alike are different`() throws {
        let names = (0..<12).map { "a_long_name_\($0 % 10)\($0 / 10)_of_a_variable" }
        let source = names.map { "{{ \($0) }}," }.joined() + names.map { "{{ x.\($0) }}" }.joined()
        let template = try Template(source)
        #expect(template.program.names.count == names.count + 1)
        #expect(template.program.keys.count == names.count)
        for (index, name) in names.enumerated() {
            #expect(template.program.names[index].text == name)
            #expect(template.program.keys[index].text == name)
        }
    }
}
