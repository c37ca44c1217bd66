// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadgenTestSupport
import Testing

@Suite struct SourceFileTests {
    @Test func `columns count code points, and CR, LF and CR LF end lines`() {
        let file = SourceFile(path: "t", text: "aé日\r\nb\rc\nd")
        #expect(file.lineCount == 4)
        #expect(file.position(of: 6) == SourcePosition(offset: 6, line: 1, column: 4))
        #expect(file.position(of: 8) == SourcePosition(offset: 8, line: 2, column: 1))
        #expect(file.position(of: 12) == SourcePosition(offset: 12, line: 4, column: 1))
        #expect(file.position(of: 99).column == 2)
        #expect(String(decoding: file.line(1), as: UTF8.self) == "aé日")
    }

    @Test(arguments: [TextEncoding.utf16LittleEndian, .utf16BigEndian])
    func `offsets count stored bytes in UTF-16, lines and columns do not`(encoding: TextEncoding) {
        let text = "\u{FEFF}aé\n" + String(repeating: "日😀", count: 2000) + "x"
        let bytes = text.utf16.flatMap { unit in
            let pair = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
            return encoding == .utf16BigEndian ? pair : pair.reversed()
        }
        let file = SourceFile(path: "t", bytes: bytes, encoding: encoding)
        #expect(file.position(of: 2) == SourcePosition(offset: 2, line: 1, column: 1))
        #expect(file.position(of: 8) == SourcePosition(offset: 8, line: 2, column: 1))
        #expect(file.position(of: bytes.count - 2) == SourcePosition(offset: bytes.count - 2, line: 2, column: 4001))
        #expect(file.storedOffset(ofUTF8: file.utf8.count) == bytes.count)
        #expect(file.offset(ofLine: 2) == 8)
        #expect(file.text(in: SourceRange(4, 6)) == "é")
        #expect(file.firstInvalidOffset == nil)
    }

    @Test func `a byte order mark takes no column, and what is no character is found`() {
        let file = SourceFile(path: "t", text: "\u{FEFF}ab")
        #expect(file.position(of: 4) == SourcePosition(offset: 4, line: 1, column: 2))
        #expect(Array(file.line(1)) == Array("ab".utf8))
        #expect(SourceFile(path: "t", bytes: [0x61, 0xE9, 0x62]).firstInvalidOffset == 1)
        #expect(SourceFile(path: "t", bytes: [0x61, 0xE9], encoding: .latin1).text(in: SourceRange(0, 2)) == "aé")
        #expect(SourceFile(path: "t", bytes: [0x80, 0x81], encoding: .windows1252).firstInvalidOffset == 3)
        #expect(SourceFile(path: "t", bytes: [0, 0xD8, 0x61, 0], encoding: .utf16LittleEndian).firstInvalidOffset == 0)
    }

    @Test(arguments: [TextEncoding.utf8, .latin1])
    func `lines and columns of any mixture of line ends are those that counting gives`(encoding: TextEncoding) {
        var random = SplitMix(seed: 7)
        for count in Array(0..<24) + [1_100, 2_300] {
            let bytes = (0..<count).compactMap { _ in Array("\r\n\nxé".utf8).randomElement(using: &random) }
            let file = SourceFile(path: "t", bytes: bytes, encoding: encoding)
            let last = bytes.last.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? false
            #expect(file.lineCount == file.position(of: max(0, bytes.count - 1)).line + (last ? 1 : 0), "\(bytes)")
            var (line, column) = (1, 1)
            for (offset, byte) in bytes.enumerated() {
                guard file.position(of: offset) == SourcePosition(offset: offset, line: line, column: column) else {
                    Issue.record("\(file.position(of: offset)), expected \(line):\(column) in \(bytes)")
                    return
                }
                let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
                let endsLine = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n")
                let isCounted = encoding == .latin1 || byte & 0xC0 != 0x80
                (line, column) = endsLine ? (line + 1, 1) : (line, column + (isCounted ? 1 : 0))
            }
        }
    }

    @Test func `a pattern is found at its first place, up to the end`() {
        let bytes = Array("xaabab".utf8)[1...]
        let places: [(String, Int?)] = [
            ("", 1), ("a", 1), ("ab", 2), ("bab", 3), ("aabab", 1), ("b", 3), ("aababx", nil), ("xa", nil), ("bb", nil),
        ]
        for (pattern, place) in places {
            let range = bytes.firstRange(ofBytes: pattern.utf8)
            #expect(range == place.map { $0..<$0 + pattern.utf8.count }, "\(pattern)")
        }
        #expect([UInt8]()[...].firstRange(ofBytes: "a".utf8) == nil)
    }

    @Test func `a buffer refuses what passes its limit and says so`() {
        var buffer = ByteBuffer(capacity: 1, limit: 20)
        buffer.append(decimal: -120)
        buffer.append("ab")
        #expect(buffer.string() == "-120ab")
        buffer.append("0123456789012345")
        let isOverLimit = buffer.isOverLimit
        #expect(isOverLimit)
        #expect(buffer.string() == "-120ab")
    }

    @Test func `columns are right in a line of any length`() {
        let file = SourceFile(path: "t", text: "x\n" + String(repeating: "é", count: 3_000) + "y")
        #expect(file.position(of: 2 + 2 * 1_000).column == 1_001)
        #expect(file.position(of: 2 + 2 * 3_000) == SourcePosition(offset: 6_002, line: 2, column: 3_001))
        #expect(file.position(of: 9_999) == SourcePosition(offset: 6_003, line: 2, column: 3_002))
    }
}
