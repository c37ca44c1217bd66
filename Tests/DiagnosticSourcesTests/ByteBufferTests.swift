// SPDX-License-Identifier: MIT

import DiagnosticSources
import Testing

@Suite struct ByteBufferTests {
    @Test(arguments: 0..<40)
    func `a run of any length is appended after what was written`(count: Int) {
        let run = (0..<count).map { UInt8($0 + 1) }
        var buffer = ByteBuffer(capacity: 16)
        buffer.append("a")
        run.withUnsafeBufferPointer { buffer.append($0) }
        buffer.append("z")
        let written = buffer.withUnsafeBytes { Array($0) }
        #expect(written == [UInt8(ascii: "a")] + run + [UInt8(ascii: "z")])
    }
}
