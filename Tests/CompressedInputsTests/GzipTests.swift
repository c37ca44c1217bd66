// SPDX-License-Identifier: MIT

import PayloadgenTestSupport
import Testing

@testable import CompressedInputs

@Suite
struct GzipTests {
    private static let text = Array((0..<5_000).map { "{\"external_id\":\"user-\($0)\"}\n" }.joined().utf8)

    @Test(arguments: [1, 7, 1 << 20])
    func `what was packed comes out again, however it is cut`(piece: Int) throws {
        #expect(try Self.unpacked(packed(Self.text), piece: piece) == Self.text)
    }

    @Test(arguments: [1, 4_096])
    func `members in a row are one text`(piece: Int) throws {
        let file = packed(Self.text) + packed([]) + packed(Array("end".utf8)) + [0, 0, 0]
        #expect(try Self.unpacked(file, piece: piece) == Self.text + Array("end".utf8))
    }

    @Test(arguments: [1, 10, 100])
    func `what is cut off is refused`(missing: Int) {
        #expect {
            try Self.unpacked(packed(Self.text).dropLast(missing), piece: 512)
        } throws: {
            ($0 as? ArchiveError)?.message == "is cut off: the end of the gzip data is missing"
        }
    }

    @Test(arguments: [512, 1 << 20], [(6, "incorrect data check"), (2, "incorrect length check")])
    func `a wrong checksum or length is refused`(piece: Int, fault: (offset: Int, message: String)) {
        for text in [Self.text, Array("a".utf8)] {
            var file = packed(text)
            file[file.count - fault.offset] ^= 1
            #expect {
                try Self.unpacked(file, piece: piece)
            } throws: {
                ($0 as? ArchiveError)?.message == "is damaged: " + fault.message
            }
        }
    }

    @Test func `a bomb is refused`() {
        var limit = ExpansionLimit()
        limit.freeBytes = 1 << 20
        #expect {
            try Self.unpacked(packed([UInt8](repeating: 0, count: 2 << 20)), piece: 512, limit: limit)
        } throws: {
            ($0 as? ArchiveError)?.message.hasPrefix("unpacks to more than 400 times its size") == true
        }
    }

    private static func unpacked(
        _ file: some Collection<UInt8>,
        piece: Int,
        limit: ExpansionLimit = ExpansionLimit()
    ) throws(ArchiveError) -> [UInt8] {
        var decoder = try GzipDecoder(limit: limit)
        var result: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
        defer { room.deallocate() }
        var rest = Array(file)[...]
        while !rest.isEmpty {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: min(piece, rest.count), alignment: 1)
            defer { bytes.deallocate() }
            bytes.copyBytes(from: rest.prefix(bytes.count))
            rest = rest.dropFirst(bytes.count)
            var input = UnsafeRawBufferPointer(bytes)
            while true {
                let count = try decoder.decode(&input, into: room)
                if count == 0 { break }
                result += room[..<count]
            }
        }
        try decoder.finish()
        return result
    }
}
