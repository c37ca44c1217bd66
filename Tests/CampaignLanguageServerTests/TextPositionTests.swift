// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadgenTestData
import Testing

@testable import CampaignLanguageServer

@Suite struct TextPositionTests {
    private static let parts = [
        "a", "key: ", "\t", " ", "\n", "\r\n", "\r", "é", "e\u{301}", "日本", "😀", "👩🏽‍🚀", "\u{FEFF}", "\u{2028}", "🇩🇪",
        "\u{0}",
    ]

    /// The position after some scalars, computed scalar by scalar in the simplest way.
    private func simple(_ scalars: ArraySlice<Unicode.Scalar>, next: Unicode.Scalar?, _ isUTF8: Bool) -> TextPosition {
        var position = TextPosition(line: 0, character: 0)
        for (index, scalar) in scalars.enumerated() {
            let following = index + 1 < scalars.count ? scalars[scalars.startIndex + index + 1] : next
            if scalar == "\n" || scalar == "\r" && following != "\n" {
                position = TextPosition(line: position.line + 1, character: 0)
            } else {
                position.character += isUTF8 ? UTF8.width(scalar) : UTF16.width(scalar)
            }
        }
        return position
    }

    @Test(arguments: [PositionEncoding.utf8, .utf16])
    func `positions and offsets are those of a simple count`(encoding: PositionEncoding) {
        var random = SplitMix(seed: 7)
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0...30, using: &random))
                .map { _ in Self.parts.randomElement(using: &random) ?? "" }.joined()
            let file = SourceFile(path: "a", text: text)
            let scalars = Array(text.unicodeScalars)
            var offset = 0
            for index in 0...scalars.count {
                let next = index < scalars.count ? scalars[index] : nil
                let expected = simple(scalars[..<index], next: next, encoding == .utf8)
                #expect(file.position(of: offset, encoding) == expected, "\(text.debugDescription) at \(offset)")
                // An offset between CR and LF counts as the end of the line.
                let isInBreak = index > 0 && scalars[index - 1] == "\r" && next == "\n"
                let back = file.offset(of: expected, encoding)
                #expect(back == (isInBreak ? offset - 1 : offset), "\(text.debugDescription) at \(offset)")
                if let next { offset += UTF8.width(next) }
            }
        }
    }

    @Test func `positions outside the text are at the ends of lines`() {
        let file = SourceFile(path: "a", text: "ab\r\n😀c\n")
        #expect(file.offset(of: TextPosition(line: 0, character: 99), .utf16) == 2)
        #expect(file.offset(of: TextPosition(line: 1, character: 1), .utf16) == 4)
        #expect(file.offset(of: TextPosition(line: 1, character: 2), .utf16) == 8)
        #expect(file.offset(of: TextPosition(line: 1, character: 3), .utf8) == 4)
        #expect(file.offset(of: TextPosition(line: 2, character: 0), .utf16) == 10)
        #expect(file.offset(of: TextPosition(line: 99, character: 5), .utf16) == 10)
    }

    @Test func `changes of ranges make the text of the client`() throws {
        var random = SplitMix(seed: 3)
        for encoding in [PositionEncoding.utf8, .utf16] {
            var expected = Array("title: \"Hi 😀 é\"\r\n\tbody: x\n".unicodeScalars)
            let uri = "file:///a"
            var text = try #require(
                OpenText(.of(#"{"uri":"\#(uri)","version":1,"text":\#(String(scalars: expected).json)}"#)))
            for version in 2..<400 {
                let start = Int.random(in: 0...expected.count, using: &random)
                let end = min(expected.count, start + Int.random(in: 0...4, using: &random))
                let new = Array((Self.parts.randomElement(using: &random) ?? "").unicodeScalars)
                func position(_ index: Int) -> TextPosition {
                    simple(expected[..<index], next: index < expected.count ? expected[index] : nil, encoding == .utf8)
                }
                // No client sends a position between CR and LF.
                func isInBreak(_ index: Int) -> Bool {
                    index > 0 && index < expected.count && expected[index - 1] == "\r" && expected[index] == "\n"
                }
                if isInBreak(start) || isInBreak(end) { continue }
                let (from, to) = (position(start), position(end))
                text.change(
                    .of(
                        """
                        {"textDocument":{"version":\(version)},"contentChanges":[{"range":
                        {"start":{"line":\(from.line),"character":\(from.character)},
                        "end":{"line":\(to.line),"character":\(to.character)}},"text":\(String(scalars: new).json)}]}
                        """), encoding)
                expected.replaceSubrange(start..<end, with: new)
                #expect(text.file.bytes == Array(String(scalars: expected).utf8))
                #expect(text.version == version)
            }
        }
    }

    @Test(
        arguments: [
            ("file:///a/b%20c.yml", "/a/b c.yml"), ("FILE://localhost/a/%C3%A9", "/a/é"),
            ("file:///a/./b/../c", "/a/c"),
            ("file:///a%2", "/a%2"),
        ]
    )
    func `addresses of files`(uri: String, path: String) {
        #expect(FileURI.path(uri) == path)
        #expect(FileURI.path(FileURI.uri(path)) == path)
    }

    @Test(arguments: ["untitled:Untitled-1", "file://host/a", "http://a/b", "file:", "file://", "file:///a%00b", ""])
    func `addresses of nothing that can be read`(uri: String) { #expect(FileURI.path(uri) == nil) }
}

extension String {
    fileprivate init(scalars: [Unicode.Scalar]) {
        self.init(String.UnicodeScalarView(scalars))
    }
}
