// SPDX-License-Identifier: MIT

import POSIXFiles

/// The members of a zip archive, in the order of its central directory.
///
/// Folders, hidden members and the `__MACOSX` folder of macOS are left out. Zip64 is supported; archives on several
/// disks, encryption, and methods other than stored and deflate are refused.
///
/// Source: PKWARE, "APPNOTE.TXT", sections 4.3 to 4.5.
package struct ZipArchive {
    /// A file in the archive.
    package struct Member: Sendable {
        package let name: String
        package let packedCount: Int
        package let count: Int
        let isDeflated: Bool
        let checksum: UInt32
        let headerOffset: Int
    }

    /// The members that are files and not hidden.
    package let members: [Member]

    /// The maximum number of bytes that the directory may have: more than any export needs, but few enough to fit into
    /// memory.
    private static let directoryLimit = 64 << 20

    /// Reads the directory.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor of an open file that can be read at any offset.
    ///   - limit: how much a member may expand.
    /// - Throws: why the file is not a zip archive, or why its members cannot be read.
    package init(descriptor: Int32, limit: ExpansionLimit = ExpansionLimit()) throws(ArchiveError) {
        guard let status = FileStatus(descriptor: descriptor) else { throw ArchiveError("cannot be read") }
        let directory = try Self.directory(descriptor, status.size)
        guard directory.count <= Self.directoryLimit else {
            throw ArchiveError("lists more than \(Self.directoryLimit >> 20) MiB of members")
        }
        let bytes = try PositionedBytes(descriptor, at: directory.offset, count: directory.count)
        var all: [Member] = []
        var place = 0
        var memberCount = 0
        while place < bytes.count {
            guard bytes.count - place >= 46, bytes.number32(place) == 0x0201_4B50 else {
                throw ArchiveError("is damaged: its directory of members is broken")
            }
            let lengths = (bytes.number16(place + 28), bytes.number16(place + 30), bytes.number16(place + 32))
            let end = place + 46 + lengths.0 + lengths.1 + lengths.2
            guard end <= bytes.count else { throw ArchiveError("is damaged: its directory of members is cut off") }
            if let member = try Self.member(bytes, place, nameCount: lengths.0, extraCount: lengths.1) {
                try limit.check(input: member.packedCount, output: member.count)
                all.append(member)
            }
            place = end
            memberCount += 1
        }
        // Archives without zip64 records store only the number of members modulo 65,536.
        guard memberCount & 0xFFFF == directory.memberCount & 0xFFFF else {
            throw ArchiveError(
                "is damaged: its directory has \(memberCount) members, and \(directory.memberCount) are expected"
            )
        }
        try Self.checkOverlaps(all, before: directory.offset)
        members = all
    }

    /// Refuses members that share bytes: they would let a small archive expand to any size.
    private static func checkOverlaps(_ members: [Member], before end: Int) throws(ArchiveError) {
        var start = 0
        for member in members.sorted(by: { $0.headerOffset < $1.headerOffset }) {
            guard member.headerOffset >= start, member.headerOffset + 30 + member.packedCount <= end else {
                throw ArchiveError("has members that overlap, as in a damaged or malicious archive, and is refused")
            }
            start = member.headerOffset + 30 + member.packedCount
        }
    }

    // MARK: - The directory

    private static func directory(_ descriptor: Int32, _ fileCount: Int) throws(ArchiveError) -> (
        offset: Int, count: Int, memberCount: Int
    ) {
        let tailCount = min(fileCount, 22 + 0xFFFF)
        let tailStart = fileCount - tailCount
        let tail = try PositionedBytes(descriptor, at: tailStart, count: tailCount)
        var place = tailCount - 22
        // The record ends with a comment that reaches to the end of the file; this check skips false records inside the
        // comment.
        while place >= 0, tail.number32(place) != 0x0605_4B50 || place + 22 + tail.number16(place + 20) != tailCount {
            place -= 1
        }
        guard place >= 0 else {
            throw ArchiveError(
                "is cut off, or has something after its end: the directory at the end of the zip archive is missing"
            )
        }
        var end = tailStart + place
        var memberCount = tail.number16(place + 10)
        var count = tail.number32(place + 12)
        var offset = tail.number32(place + 16)
        var disks = [tail.number16(place + 4), tail.number16(place + 6)]
        if count == 0xFFFF_FFFF || offset == 0xFFFF_FFFF || tail.number16(place + 10) == 0xFFFF, place >= 20,
            tail.number32(place - 20) == 0x0706_4B50
        {
            let record = try PositionedBytes(descriptor, at: tail.number64(place - 12), count: 56)
            guard record.number32(0) == 0x0606_4B50 else {
                throw ArchiveError("is damaged: its zip64 directory is missing")
            }
            disks = [record.number32(16), record.number32(20)]
            memberCount = record.number64(32)
            count = record.number64(40)
            offset = record.number64(48)
            end = tail.number64(place - 12)
        }
        guard disks.allSatisfy({ $0 == 0 || $0 == 0xFFFF }) else {
            throw ArchiveError("is one part of a split archive, expected a zip archive in one file")
        }
        guard offset <= fileCount, count <= fileCount - offset else {
            throw ArchiveError("is damaged: its directory is outside of the file")
        }
        // Two archives in one file, or a directory that lacks members, would otherwise silently leave out profiles.
        guard offset + count == end else {
            throw ArchiveError(
                "is damaged: its directory does not end where it says, or something is before the archive"
            )
        }
        return (offset, count, memberCount)
    }

    private static func member(
        _ bytes: PositionedBytes,
        _ place: Int,
        nameCount: Int,
        extraCount: Int
    ) throws(ArchiveError) -> Member? {
        let name = bytes.text(place + 46, count: nameCount)
        var sizes = [bytes.number32(place + 24), bytes.number32(place + 20), bytes.number32(place + 42)]
        try readZip64(bytes, place + 46 + nameCount, count: extraCount, into: &sizes)
        if name.hasSuffix("/") || isHidden(name) { return nil }
        let method = bytes.number16(place + 10)
        if bytes.number16(place + 8) & 1 != 0 {
            throw ArchiveError("holds '\(name)', which is encrypted: unpack it first")
        }
        guard method == 0 || method == 8 else {
            throw ArchiveError(
                "holds '\(name)', packed by method \(method), expected stored (0) or deflate (8): unpack it first"
            )
        }
        return Member(
            name: name,
            packedCount: sizes[1],
            count: sizes[0],
            isDeflated: method == 8,
            checksum: UInt32(truncatingIfNeeded: bytes.number32(place + 16)),
            headerOffset: sizes[2]
        )
    }

    /// Whether a member is ignored: a part of its path starts with a dot (`.DS_Store`), ends with `~` (a backup copy of
    /// an editor), or is `__MACOSX`.
    package static func isHidden(_ path: String) -> Bool {
        path.split(separator: "/").contains { name in
            name == "__MACOSX" || name.hasPrefix(".") && name != "." && name != ".."
                || name.hasSuffix("~") && name != "~"
        }
    }

    /// Reads the size, packed size and offset of a member from its zip64 record, which has only those that do not fit
    /// into 32 bits.
    private static func readZip64(
        _ bytes: PositionedBytes,
        _ start: Int,
        count: Int,
        into sizes: inout [Int]
    ) throws(ArchiveError) {
        guard sizes.contains(0xFFFF_FFFF) else { return }
        var place = start
        while place + 4 <= start + count {
            let end = place + 4 + bytes.number16(place + 2)
            guard end <= start + count else { break }
            if bytes.number16(place) == 1 {
                var next = place + 4
                for index in sizes.indices where sizes[index] == 0xFFFF_FFFF && next + 8 <= end {
                    sizes[index] = bytes.number64(next)
                    next += 8
                }
                return
            }
            place = end
        }
        throw ArchiveError("is damaged: the sizes of a member are missing")
    }
}

/// Bytes read from a file, with functions that decode the little-endian numbers in them.
struct PositionedBytes {
    private let bytes: [UInt8]

    init(_ descriptor: Int32, at offset: Int, count: Int) throws(ArchiveError) {
        var done = 0
        bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            done = Descriptor.read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            initialized = done
        }
        if done < count { throw ArchiveError("is cut off") }
    }

    var count: Int { bytes.count }

    func number16(_ place: Int) -> Int { number(place, 2) }
    func number32(_ place: Int) -> Int { number(place, 4) }

    /// The 64-bit number at an offset; a number of 2⁵⁶ or more becomes `Int.max >> 8`, which is larger than any file
    /// but cannot overflow when added to an offset.
    func number64(_ place: Int) -> Int {
        let (low, high) = (number(place, 4), number(place + 4, 4))
        return high >> 24 != 0 ? Int.max >> 8 : high << 32 | low
    }

    func text(_ place: Int, count: Int) -> String { String(decoding: bytes[place..<place + count], as: UTF8.self) }

    private func number(_ place: Int, _ count: Int) -> Int {
        var number = 0
        for index in (0..<count).reversed() { number = number << 8 | Int(bytes[place + index]) }
        return number
    }
}
