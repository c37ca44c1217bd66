// SPDX-License-Identifier: MIT

import LiquidTemplates
import Testing

/// The parts of a template that editors colour.
@Suite struct TokenTests {
    @Test func `each part of a template has the colour of its kind`() throws {
        let text = "{% if plan contains 'a' and n >= 1 %}{{ plan | upcase }}{% # b %}{% endif %}"
        let tokens = try Template(text).tokens.map { token in
            "\(token.kind) " + String(decoding: Array(text.utf8)[token.range.offsets], as: UTF8.self)
        }
        #expect(
            tokens.filter { !["{%", "%}", "{{", "}}"].contains($0.suffix(2)) } == [
                "keyword if", "name plan", "keyword contains", "string 'a'", "keyword and", "name n",
                "punctuation >=", "number 1", "name plan", "punctuation |", "filter upcase", "comment # b ",
                "keyword endif",
            ])
    }
}
