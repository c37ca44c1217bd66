// SPDX-License-Identifier: MIT

import CArchiveZlib

/// Packs bytes as gzip (window bits 31) or as bare deflate (-15).
package func packed(_ bytes: [UInt8], windowBits: Int32 = 31) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var bytes = bytes
    var result = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let count = bytes.withUnsafeMutableBufferPointer { input in
        result.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            deflate(&stream, Z_FINISH)
            return Int(stream.total_out)
        }
    }
    return Array(result[..<count])
}

/// A zip archive whose parts can be wrong or unusual.
package struct ZipFile {
    package struct Member: Sendable, CustomStringConvertible {
        package var name: String
        package var bytes: [UInt8]
        package var isDeflated = true
        /// Whether size and checksum come after the data and are in the directory only.
        package var hasDescriptor = false
        /// Whether the directory gives the sizes in 64 bits.
        package var isZip64 = false
        package var flags = 0
        package var method: Int?
        package var checksum: UInt?

        package init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }

        package var description: String { "\(name), \(bytes.count) bytes" }

        /// The member after a change.
        package func with(_ change: (inout Member) -> Void) -> Member {
            var member = self
            change(&member)
            return member
        }
    }

    package var members: [Member]

    package init(_ members: [Member]) { self.members = members }

    package var bytes: [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for member in members {
            let data = member.isDeflated ? packed(member.bytes, windowBits: -15) : member.bytes
            let checksum = Int(member.checksum ?? crc32(0, member.bytes, UInt32(member.bytes.count)))
            let method = member.method ?? (member.isDeflated ? 8 : 0)
            let flags = member.flags | (member.hasDescriptor ? 8 : 0)
            let sizes = member.hasDescriptor ? [0, 0, 0] : [checksum, data.count, member.bytes.count]
            let offset = file.count
            file += little([(0x0403_4B50, 4), (20, 2), (flags, 2), (method, 2), (0, 4)])
            file += little(sizes.map { ($0, 4) } + [(member.name.utf8.count, 2), (0, 2)]) + member.name.utf8 + data
            if member.hasDescriptor {
                file += little([(0x0807_4B50, 4), (checksum, 4), (data.count, 4), (member.bytes.count, 4)])
            }
            let full = [member.bytes.count, data.count, offset]
            let extra = member.isZip64 ? little([(1, 2), (24, 2)] + full.map { ($0, 8) }) : []
            let given = member.isZip64 ? [0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF] : full
            directory += little([(0x0201_4B50, 4), (20, 2), (20, 2), (flags, 2), (method, 2), (0, 4), (checksum, 4)])
            directory += little([(given[1], 4), (given[0], 4), (member.name.utf8.count, 2), (extra.count, 2), (0, 2)])
            directory += little([(0, 2), (0, 2), (0, 4), (given[2], 4)]) + member.name.utf8 + extra
        }
        let end = little([(0x0605_4B50, 4), (0, 4), (members.count, 2), (members.count, 2), (directory.count, 4)])
        return file + directory + end + little([(file.count, 4), (0, 2)])
    }
}

private func little(_ numbers: [(value: Int, count: Int)]) -> [UInt8] {
    numbers.flatMap { number in (0..<number.count).map { UInt8(truncatingIfNeeded: number.value >> (8 * $0)) } }
}
