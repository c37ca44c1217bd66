// SPDX-License-Identifier: MIT

import DiagnosticSources
import Testing

@Suite struct DiagnosticRendererTests {
    /// The excerpt and the caret line of a finding about the first occurrence of `part` in a text.
    private func excerpt(_ part: String, in text: String) throws -> [String] {
        let file = SourceFile(path: "t", text: text)
        let place = try #require(self.place(of: part, in: file))
        let diagnostic = Diagnostic(RuleID("r", .error, ""), "m", at: place)
        return DiagnosticRenderer().text(of: diagnostic).split(separator: "\n").dropFirst().map(String.init)
    }

    private func place(of part: String, in file: SourceFile) -> SourcePlace? {
        let part = Array(part.utf8)
        let start = file.bytes.indices.first { file.bytes[$0...].starts(with: part) }
        return start.map { SourcePlace(file, SourceRange($0, $0 + part.count)) }
    }

    @Test func `a finding shows its place, its line, further places and fixes`() throws {
        let file = SourceFile(path: "App/Info.plist", text: "<dict>\n\t<key>A</key>\n\t<key>A</key>\n</dict>\n")
        let diagnostic = Diagnostic(
            RuleID("duplicate-key", .error, ""),
            "the key 'A' stands twice",
            at: SourcePlace(file, SourceRange(27, 28)),
            related: [.init("first defined here", at: SourcePlace(file, SourceRange(13, 14)))],
            fixes: [FixIt("remove the pair", edits: [])]
        )
        #expect(
            DiagnosticRenderer().text(of: diagnostic) == """
                App/Info.plist:3:7: error: the key 'A' stands twice (duplicate-key)
                        <key>A</key>
                             ^
                App/Info.plist:2:7: note: first defined here
                        <key>A</key>
                             ^
                fix: remove the pair

                """
        )
    }

    @Test func `colour adds sequences and nothing else`() {
        let file = SourceFile(path: "t", text: "abc")
        let diagnostic = Diagnostic(RuleID("r", .warning, ""), "m", at: SourcePlace(file, SourceRange(1, 3)))
        #expect(
            DiagnosticRenderer(isColored: true).text(of: diagnostic)
                == "\u{1B}[1mt:1:2:\u{1B}[0m \u{1B}[1;33mwarning:\u{1B}[0m m (r)\n    abc\n     \u{1B}[1;32m^~\u{1B}[0m\n"
        )
    }

    @Test func `a finding about no file has no place`() {
        let diagnostic = Diagnostic(RuleID("usage", .info, ""), "m", at: nil)
        #expect(DiagnosticRenderer().text(of: diagnostic) == "info: m (usage)\n")
    }

    @Test(arguments: [
        ("日本x", "x", "        ^"), ("e\u{301}x", "x", "     ^"), ("👩\u{200D}💻x", "x", "      ^"),
        ("👍🏽x", "x", "      ^"),
        ("a\tx", "x", "        ^"), ("\tx", "x", "        ^"), ("한x", "x", "      ^"), ("ｘx", "x", "      ^"),
        ("日本語", "日本", "    ^~~~"),
    ])
    func `the caret stands under what was found, whatever precedes it`(text: String, part: String, caret: String) throws
    {
        #expect(try excerpt(part, in: text).last == caret)
    }

    @Test func `no input steers the terminal`() throws {
        let file = SourceFile(path: "a\u{1B}[2J\nb", text: "x\u{1B}[31m\u{9B}\u{202E}\u{200B}!")
        let diagnostic = Diagnostic(
            RuleID("r\u{7}", .error, ""),
            "found '\u{1B}]0;t\u{7}\r\n'",
            at: place(of: "!", in: file)
        )
        #expect(
            DiagnosticRenderer().text(of: diagnostic) == #"""
                a\u{1B}[2J\nb:1:10: error: found '\u{1B}]0;t\u{7}\r\n' (r\u{7})
                    x\u{1B}[31m\u{9B}\u{202E}\u{200B}!
                                                     ^

                """#
        )
    }

    @Test func `bytes that are not UTF-8 take one column each`() {
        let file = SourceFile(path: "t", bytes: [0xFF, 0xE2, 0x82, 0x78])
        let diagnostic = Diagnostic(RuleID("r", .error, ""), "m", at: SourcePlace(file, SourceRange(3, 4)))
        #expect(DiagnosticRenderer().text(of: diagnostic).hasSuffix("    \u{FFFD}\u{FFFD}\u{FFFD}x\n       ^\n"))
    }

    @Test func `the caret counts characters in a file of another encoding`() {
        let bytes: [UInt8] = [0xFF, 0xFE, 0x0A, 0, 0xE9, 0, 0x62, 0, 0x63, 0]
        let file = SourceFile(path: "t", bytes: bytes, encoding: .utf16LittleEndian)
        let place = SourcePlace(file, SourceRange(6, 10))
        let diagnostic = Diagnostic(RuleID("r", .error, ""), "m", at: place)
        #expect(DiagnosticRenderer().text(of: diagnostic) == "t:2:2: error: m (r)\n    ébc\n     ^~\n")
    }

    @Test func `of a long line the part around the caret is shown`() throws {
        let text = String(repeating: "a", count: 150) + "X" + String(repeating: "b", count: 5_000)
        let lines = try excerpt("X", in: text)
        #expect(lines[0] == "    …" + String(repeating: "a", count: 30) + "X" + String(repeating: "b", count: 69) + "…")
        #expect(lines[1] == String(repeating: " ", count: 35) + "^")
        let atEnd = try excerpt("X", in: String(repeating: "a", count: 5_000) + "X")
        #expect(atEnd[0] == "    …" + String(repeating: "a", count: 99) + "X")
        #expect(atEnd[1] == String(repeating: " ", count: 104) + "^")
        let wide = try excerpt(
            "X",
            in: String(repeating: "日", count: 3_000) + "X" + String(repeating: "本", count: 3_000)
        )
        #expect(wide[0].hasPrefix("    …日") && wide[0].hasSuffix("本…"))
        #expect(wide[1] == String(repeating: " ", count: 35) + "^")
    }

    @Test func `a finding over several lines is underlined to the end of its first`() throws {
        #expect(try excerpt("b\nc", in: "ab\ncd") == ["    ab", "     ^"])
        #expect(try excerpt("\n", in: "ab\ncd") == ["    ab", "      ^"])
    }

    @Test func `findings are ordered by path, position and rule`() {
        let files = [SourceFile(path: "b", text: "xx"), SourceFile(path: "a", text: "xx")]
        func finding(_ rule: String, _ file: Int?, _ start: Int) -> Diagnostic {
            let place = file.map { SourcePlace(files[$0], SourceRange(start, start + 1)) }
            return Diagnostic(RuleID(rule, .info, ""), "", at: place)
        }
        let all = [
            finding("z", 0, 0), finding("y", 1, 1), finding("x", 1, 1), finding("w", 1, 0), finding("v", nil, 0),
        ]
        #expect(all.inReportOrder().map(\.rule.name) == ["v", "w", "x", "y", "z"])
    }
}
