// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import Testing

@Suite struct JSONDocumentTests {
    private func document(_ text: String) throws -> JSONDocument {
        try JSONDocument(SourceFile(path: "t.json", text: text))
    }

    @Test func `members and elements are walked in their order, with their places`() throws {
        let root = try document("{\"b\": [1, {\"x\": true}, \"s\"],\n \"a\": -2.5, \"n\": null}").root
        #expect(root.kind == .object)
        #expect(root.members.map(\.key) == ["b", "a", "n"])
        #expect(root["b"]?.elements.map(\.source) == ["1", "{\"x\": true}", "\"s\""])
        #expect(root["b"]?.elements.map(\.kind) == [.number, .object, .string])
        #expect(root["b"]?.count == 3)
        #expect(root["a"]?.double == -2.5)
        #expect(root["a"]?.integer == nil)
        #expect(root["a"]?.keyPlace.start == SourcePosition(offset: 30, line: 2, column: 2))
        #expect(root["a"]?.place.start.column == 7)
        #expect(root["n"]?.isNull == true)
        #expect(root["missing"] == nil)
        #expect(root["a"]?["x"] == nil)
        #expect(Array(try document("[]").root.members).isEmpty)
    }

    @Test func `a key that occurs twice is reported with both places, and the last value counts`() throws {
        let document = try document(#"{"a": 1, "b": {"a": 1}, "\u0061": 2, "e\u0301": 1, "é": 2}"#)
        #expect(document.duplicateKeys.map(\.key) == ["a"])
        #expect(document.duplicateKeys.first?.place.range == SourceRange(24, 32))
        #expect(document.duplicateKeys.first?.first.range == SourceRange(1, 4))
        #expect(document.root["a"]?.integer == 2)
    }

    @Test func `offsets in a string lead back to the file, and escapes are taken whole`() throws {
        let text = #"["é\n{{ \u00e9 }}\ud83d\ude00!"]"#
        let node = try #require(try document(text).root.elements.first { _ in true })
        let (string, map) = try #require(node.stringWithMap)
        #expect(string == "é\n{{ é }}😀!")
        func source(_ part: String) -> String? {
            guard let range = string.range(of: part) else { return nil }
            return node.document.file.text(in: map.fileRange(of: SourceRange(range)))
        }
        #expect(source("é\n") == #"é\n"#)
        #expect(source("{{ é }}") == #"{{ \u00e9 }}"#)
        #expect(source("😀") == #"\ud83d\ude00"#)
        #expect(source("!") == "!")
        #expect(map.fileOffset(of: string.utf8.count) == text.utf8.count - 2)
    }

    @Test func `keys are templates too and have a map`() throws {
        let root = try document(#"{"a\tb": 1}"#).root
        let (key, map) = try #require(root.members.first { _ in true }?.keyWithMap)
        #expect(key == "a\tb")
        #expect(map.fileRange(of: SourceRange(2, 3)) == SourceRange(5, 6))
    }

    @Test func `a broken file is a finding at its place`() throws {
        let file = SourceFile(path: "t.json", text: "{\n  \"a\": 1,\n}")
        let error = try #require(throws: JSONError.self) { try JSONDocument(file) }
        let diagnostic = error.diagnostic(rule: .jsonSyntax, in: file)
        #expect(diagnostic.message == "found '}' after a comma: JSON has no trailing comma")
        #expect(diagnostic.place?.start == SourcePosition(offset: 12, line: 3, column: 1))
    }
}

extension String {
    fileprivate func range(of part: String) -> Range<Int>? {
        let (text, part) = (Array(utf8), Array(part.utf8))
        for start in text.indices where text[start...].starts(with: part) { return start..<start + part.count }
        return nil
    }
}
