// SPDX-License-Identifier: MIT

import SourceText
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
}
