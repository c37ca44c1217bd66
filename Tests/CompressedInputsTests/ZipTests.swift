// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@testable import CompressedInputs

@Suite
struct ZipTests {
    private static let text = Array((0..<9_000).map { "{\"external_id\":\"user-\($0)\"}\n" }.joined().utf8)

    @Test func `members come in the order of the directory, folders and what macOS adds left out`() throws {
        let file = ZipFile([
            ZipFile.Member("b/", []),
            ZipFile.Member("b/2.txt", Self.text),
            ZipFile.Member("__MACOSX/b/._2.txt", [1, 2, 3]),
            ZipFile.Member("a.txt", Array("stored".utf8)).with { $0.isDeflated = false },
        ])
        let members = try Self.members(of: file.bytes)
        #expect(members.map(\.name) == ["b/2.txt", "a.txt"])
        #expect(members.map(\.bytes) == [Self.text, Array("stored".utf8)])
    }

    @Test func `an empty file in an archive is not taken for one that is cut off`() throws {
        let empty = ZipFile.Member("a.ndjson", []).with { $0.isDeflated = false }
        let members = try Self.members(of: ZipFile([empty, ZipFile.Member("b", Self.text)]).bytes)
        #expect(members.map(\.bytes) == [[], Self.text])
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func `sizes behind the data and sizes of 64 bits are read`(hasDescriptor: Bool, isZip64: Bool) throws {
        let member = ZipFile.Member("a", Self.text).with { ($0.hasDescriptor, $0.isZip64) = (hasDescriptor, isZip64) }
        let file = ZipFile([member, ZipFile.Member("b", Array("b".utf8))])
        #expect(try Self.members(of: file.bytes).map(\.bytes) == [Self.text, Array("b".utf8)])
    }

    @Test(arguments: [
        (
            ZipFile.Member("a", text).with { $0.flags = 1 },
            "holds 'a', which is encrypted: unpack it first"
        ),
        (
            ZipFile.Member("a", text).with { $0.method = 14 },
            "holds 'a', packed by method 14, expected stored (0) or deflate (8): unpack it first"
        ),
        (
            ZipFile.Member("a", text).with { $0.checksum = 1 },
            "is damaged: 'a' does not have the checksum and size that its directory says"
        ),
        (
            ZipFile.Member("a", [UInt8](repeating: 0, count: 2 << 20)),
            "unpacks to more than 400 times its size, which no export of profiles does, and is refused"
        ),
    ])
    func `what cannot be read is refused with its reason`(member: ZipFile.Member, message: String) {
        #expect(throws: ArchiveError(message)) { try Self.members(of: ZipFile([member]).bytes) }
    }

    @Test func `what is cut off or overlaps is refused`() {
        let file = ZipFile([ZipFile.Member("a", Array(Self.text.prefix(3_000)))]).bytes
        let cutOff = ArchiveError(
            "is cut off, or has something after its end: the directory at the end of the zip archive is missing"
        )
        #expect(throws: cutOff) { try Self.members(of: file.dropLast(30)) }
        #expect(throws: cutOff) { try Self.members(of: file + [0]) }
        #expect(throws: ArchiveError.self) { try Self.members(of: file + file) }
        #expect(throws: ArchiveError.self) { try Self.members(of: file.dropFirst(30)) }
        for place in file.indices {
            var broken = file
            broken[place] ^= 0xFF
            _ = try? Self.members(of: broken)
        }
    }

    private static func members(of bytes: some Collection<UInt8>) throws -> [(name: String, bytes: [UInt8])] {
        var limit = ExpansionLimit()
        limit.freeBytes = 1 << 20
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).zip")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
        defer { room.deallocate() }
        return try ZipArchive(descriptor: descriptor, limit: limit).members.map { member in
            var reader = try ZipMemberReader(member, descriptor: descriptor, limit: limit)
            var bytes: [UInt8] = []
            while true {
                let count = try reader.read(into: room)
                if count == 0 { return (member.name, bytes) }
                bytes += room[..<count]
            }
        }
    }
}
