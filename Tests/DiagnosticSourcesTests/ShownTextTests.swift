// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import Testing

/// Text from others can neither control a terminal or a CI service nor deceive a reader.
@Suite struct ShownTextTests {
    @Test(arguments: [
        ("plain text: [a] #1", "plain text: [a] #1"), ("日本語 é 👍🏽", "日本語 é 👍🏽"),
        ("\u{0}\u{1B}[31m\u{7F}\u{9B}", #"\u{0}\u{1B}[31m\u{7F}\u{9B}"#),
        ("a\r\nb\tc\u{B}\u{85}\u{2028}\u{2029}", #"a\r\nb\tc\u{B}\u{85}\u{2028}\u{2029}"#),
        ("\u{202E}a\u{2066}b\u{200F}\u{61C}", #"\u{202E}a\u{2066}b\u{200F}\u{61C}"#),
        // Invisible characters: zero-width space, word joiner, soft hyphen, byte order mark, fillers, tags, variation
        // selectors.
        ("a\u{200B}\u{2060}\u{AD}\u{FEFF}", #"a\u{200B}\u{2060}\u{AD}\u{FEFF}"#),
        ("a\u{115F}\u{3164}\u{FFA0}\u{34F}\u{17B4}", #"a\u{115F}\u{3164}\u{FFA0}\u{34F}\u{17B4}"#),
        ("a\u{E0041}\u{E0042}\u{FE00}\u{E0100}", #"a\u{E0041}\u{E0042}\u{FE00}\u{E0100}"#),
        ("first\u{200D}_name\u{200C}", #"first\u{200D}_name\u{200C}"#), ("level1\u{FE0F}", #"level1\u{FE0F}"#),
        ("\u{E000}\u{FFFE}", #"\u{E000}\u{FFFE}"#),
    ])
    func `what is not seen is escaped`(text: String, shown: String) {
        #expect(ShownText(text).text == shown)
    }

    @Test(arguments: [
        "👩\u{200D}💻", "❤\u{FE0F}\u{200D}🔥", "1\u{FE0F}\u{20E3}", "©\u{FE0F}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "क्\u{200D}ष", "می\u{200C}خواهم",
    ])
    func `parts of one character stay together`(text: String) {
        #expect(ShownText(text).text == text)
    }

    @Test(arguments: [
        ("::error::x", #":\u{3A}error::x"#), ("  \u{3000}::set-output", "  \u{3000}:\\u{3A}set-output"),
        (":::", #":\u{3A}:"#), ("a::b", "a::b"), (": :", ": :"),
        ("##[group]", #"##\u{5B}group]"#), ("a ###[x]", #"a ###\u{5B}x]"#), ("##vso[task]", #"##vso\u{5B}task]"#),
        ("##teamcity[x]", #"##teamcity\u{5B}x]"#), ("## [x] #[y] ##1[z]", "## [x] #[y] ##1[z]"),
    ])
    func `commands of CI services are escaped`(text: String, shown: String) {
        #expect(ShownText(text).text == shown)
        var buffer = ByteBuffer()
        buffer.append("a line before\n")
        buffer.appendShown(text)
        #expect(buffer.string() == "a line before\n" + shown)
    }

    @Test func `commands are escaped across the parts of a line`() {
        let (colon, hash) = (":", "#")
        let parts: ShownText = " \(colon)\(colon)error::\(hash)\(hash)\("[x]")"
        #expect(parts.text == #" :\u{3A}error::##\u{5B}x]"#)
        #expect(("a\n\(ShownText("  "))\("::b")" as ShownText).text == "a\n  :\\u{3A}b")
        #expect(("a \("::b")" as ShownText).text == "a ::b")
    }

    @Test func `literals and shown text are taken as they are`() {
        let name = "\u{1B}"
        let inner: ShownText = "\u{1B}[1m\(name)\n"
        #expect(inner.text == "\u{1B}[1m\\u{1B}\n")
        #expect(("\(inner)\(2)" as ShownText).text == inner.text + "2")
        #expect(ShownText.lines(of: "a\n\u{7}\n").map(\.text) == ["a", "\\u{7}", ""])
    }

    @Test func `columns are those of a terminal`() {
        #expect(ShownText("日本x").columnCount == 5)
        #expect(ShownText("👩\u{200D}💻e\u{301}").columnCount == 3)
        #expect(ShownText("日").padded(to: 4).text == "日  ")
        #expect(("a \u{1B}  \n" as ShownText).withoutTrailingBlanks.text == "a \u{1B}")
    }

    @Test func `the caret keeps its place after what is escaped`() throws {
        let keycap = "1\u{FE0F}\u{20E3}here"
        for line in ["::warning::here", "\t::warning::here", "  ##[group]here", "a\u{200D}b here", keycap] {
            let file = SourceFile(path: "t", text: line)
            let start = file.bytes.count - 4
            let place = SourcePlace(file, SourceRange(start, start + 4))
            let finding = Diagnostic(RuleID("r", .error, ""), "m", at: place)
            let text = DiagnosticRenderer().text(of: finding).split(separator: "\n")
            let shown = try #require(text[1].range(of: "here"))
            let before = ShownText(verbatim: String(text[1][..<shown.lowerBound]))
            #expect(text[2] == String(repeating: " ", count: before.columnCount) + "^~~~")
            #expect(!text[1].drop { $0 == " " }.hasPrefix("::"))
            #expect(!text[1].contains("##["))
        }
    }
}
