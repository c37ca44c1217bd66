// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidDocumentValues
import PayloadKit
import Testing

/// Where the bytes of YAML scalars come from.
@Suite struct YAMLSourceTests {
    /// Every letter of a text has to be found at the place in the file that the map gives.
    private func expectLettersInPlace(_ yaml: String, _ expected: [String: String]) throws {
        let file = SourceFile(path: "a.yml", text: yaml)
        let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
        for (key, text) in expected {
            let scalar = try #require(root[key]?.scalar, "no '\(key)'")
            #expect(scalar.text == text, "\(key)")
            for (offset, byte) in scalar.text.utf8.enumerated() {
                let found = file.bytes[scalar.map.fileOffset(of: offset)]
                let isLetter = byte > 0x20
                #expect(!isLetter || found == byte || found == UInt8(ascii: "\\"), "\(key), byte \(offset)")
            }
        }
    }

    @Test func `plain, quoted and block scalars lead back to the file`() throws {
        try expectLettersInPlace(
            """
            plain: Well done, Ana
            folded plain: one
              two

              three
            single: 'it''s
              done'
            double: "a\\tb \\u00e9\\
              joined
              folded \\"x\\""
            literal: |
              first
                second

              third
            folded: >-
              one
              two

              three
                kept
              four
            keep: |+
              x

            last: y
            """,
            [
                "plain": "Well done, Ana", "folded plain": "one two\nthree", "single": "it's done",
                "double": "a\tb éjoined folded \"x\"", "literal": "first\n  second\n\nthird\n",
                "folded": "one two\nthree\n  kept\nfour", "keep": "x\n\n", "last": "y",
            ]
        )
    }

    @Test func `explicit indentation counts from the mapping that the block stands in`() throws {
        let file = SourceFile(path: "a.yml", text: "push:\n  body: |2\n     indented\n    flush\n")
        let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
        let scalar = try #require(root["push"]?["body"]?.scalar)
        #expect(scalar.text == " indented\nflush\n")
        #expect(file.bytes[scalar.map.fileOffset(of: 1)] == UInt8(ascii: "i"))
    }

    @Test(arguments: ["\r\n", "\r", "\n", "\u{85}", "\u{2028}"])
    func `each line break of YAML keeps the map`(lineBreak: String) throws {
        let lines = ["a: &anchor one", "b: |", "  two", "  three", "c: !!str", "  \"four\\", "  five\"", "é: six", ""]
        try expectLettersInPlace(
            lines.joined(separator: lineBreak),
            [
                "a": "one", "c": "fourfive", "é": "six",
                "b": lineBreak == "\u{2028}" ? "two\u{2028}three\u{2028}" : "two\nthree\n",
            ]
        )
    }

    @Test func `an escape is mapped as a whole`() throws {
        let file = SourceFile(path: "a.yml", text: #"a: "x\u201Cy""#)
        let scalar = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax)?["a"]?.scalar)
        #expect(scalar.map.fileRange(of: SourceRange(1, 4)) == SourceRange(5, 11))
    }

    @Test func `plain scalars follow the core schema where types are asked for`() throws {
        let file = SourceFile(
            path: "a.yml",
            text: "[true, False, yes, 010, 1_000, 0x1F, 12:30, -7, 1.5, .5, 1e3, ~, null, '3', 2026-11-20, '', 1.e, -]"
        )
        let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
        let described = try #require(root.elements).map { "\($0.value)" }
        #expect(
            described == [
                "bool(true)", "bool(false)", "string(\"yes\")", "integer(10)", "string(\"1_000\")", "string(\"0x1F\")",
                "string(\"12:30\")", "integer(-7)", "float(1.5)", "float(0.5)", "float(1000.0)", "null", "null",
                "string(\"3\")", "string(\"2026-11-20\")", "string(\"\")", "string(\"1.e\")", "string(\"-\")",
            ]
        )
    }

    @Test func `a number that no value holds is text, and all digits of others are kept`() throws {
        let digits = String(repeating: "9", count: 10_001)
        let texts = ["1e400", "-1e400", digits, "-" + digits, "+12345678901234567890123", "00\(digits.dropLast())"]
        let file = SourceFile(path: "a.yml", text: "[\(texts.joined(separator: ", "))]")
        let values = try #require(DocumentNode.yaml(file, rule: .jsonSyntax)?.elements).map(\.value.text)
        #expect(values == texts.prefix(4) + ["12345678901234567890123", String(digits.dropLast())])
    }

    @Test func `random scalars are mapped as the parser reads them`() throws {
        var random = Random(seed: 7)
        let pieces = [
            "a", "bc", " ", "  ", "\n", "\n  ", "\n\n  ", "\t", "é", "😀", "''", "\\n", "\\\"", "\\u0041", ":", "-",
        ]
        var checked = 0
        for _ in 0..<3000 {
            let body = (0..<random.next(12)).map { _ in pieces[random.next(pieces.count)] }.joined()
            let source: String
            switch random.next(5) {
            case 0: source = "'\(body)'"
            case 1: source = "\"\(body)\""
            case 2: source = ["|", "|-", "|+", "|1"][random.next(4)] + "\n  " + body
            case 3: source = [">", ">-", ">+", ">2"][random.next(4)] + "\n  " + body
            default: source = "x" + body
            }
            let file = SourceFile(path: "a.yml", text: "k: " + source)
            guard let root = try? DocumentNode.yaml(file, rule: .jsonSyntax), let scalar = root["k"]?.scalar else {
                continue
            }
            checked += 1
            for (offset, byte) in scalar.text.utf8.enumerated() where byte > 0x20 && byte < 0x7F {
                let found = file.bytes[scalar.map.fileOffset(of: offset)]
                #expect(found == byte || found == UInt8(ascii: "\\"), "\(source.debugDescription), byte \(offset)")
            }
        }
        #expect(checked > 1000)
    }
}

/// A small generator, the same in every run.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % max(bound, 1)
    }
}
