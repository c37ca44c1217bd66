// SPDX-License-Identifier: MIT

import CArchiveZlib
import POSIXFiles

/// Reads one member of a zip archive piece by piece, and checks its size and checksum at the end.
package struct ZipMemberReader: ~Copyable {
    private let member: ZipArchive.Member
    private let descriptor: Int32
    private let limit: ExpansionLimit
    private var inflater: Inflater
    private var input = [UInt8](repeating: 0, count: 1 << 16)
    private var inputRange = 0..<0
    /// The offset in the file of the next packed byte that has not been read yet.
    private var next: Int
    private let end: Int
    private var readCount = 0
    private var outputCount = 0
    private var checksum: UInt = 0
    private var isAtEnd = false

    /// Opens a member.
    ///
    /// - Parameters:
    ///   - member: the member.
    ///   - descriptor: the descriptor of the open archive, which has to outlive the reader.
    ///   - limit: how much the member may expand.
    /// - Throws: that the member is not at its offset.
    package init(
        _ member: ZipArchive.Member,
        descriptor: Int32,
        limit: ExpansionLimit = ExpansionLimit()
    ) throws(ArchiveError) {
        let header = try PositionedBytes(descriptor, at: member.headerOffset, count: 30)
        guard header.number32(0) == 0x0403_4B50 else {
            throw ArchiveError("is damaged: '\(member.name)' is not where its directory says")
        }
        let inflater = try Inflater(.none)
        self.inflater = inflater
        self.member = member
        self.descriptor = descriptor
        self.limit = limit
        next = member.headerOffset + 30 + header.number16(26) + header.number16(28)
        end = next + member.packedCount
    }

    /// Returns the number of packed bytes read since the last call, for progress reports.
    package mutating func takeReadCount() -> Int {
        defer { readCount = 0 }
        return readCount
    }

    /// Reads and unpacks the next bytes.
    ///
    /// - Parameter output: the memory to write to.
    /// - Returns: the number of bytes written; 0 at the end.
    /// - Throws: what is damaged or missing.
    package mutating func read(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while !isAtEnd {
            if inputRange.isEmpty, next < end { try fill() }
            let written = try unpack(into: output)
            outputCount += written
            checksum = crc32(checksum, output.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(written))
            try limit.check(input: member.packedCount, output: outputCount)
            if isAtEnd { try checkWhole() }
            if written > 0 { return written }
        }
        return 0
    }

    private mutating func fill() throws(ArchiveError) {
        let wanted = min(input.count, end - next)
        let read = input.withUnsafeMutableBytes { bytes in
            Descriptor.read(descriptor, at: next, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
        }
        guard read > 0 else { throw ArchiveError("is cut off inside of '\(member.name)'") }
        next += read
        readCount += read
        inputRange = 0..<read
    }

    private mutating func unpack(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let range = inputRange
        let isLast = next == end
        guard member.isDeflated else {
            let count = min(range.count, output.count)
            input.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range].prefix(count))) }
            inputRange = range.lowerBound + count..<range.upperBound
            isAtEnd = isLast && inputRange.isEmpty
            return count
        }
        let result: Result<(written: Int, used: Int, isAtEnd: Bool), ArchiveError> = input.withUnsafeBytes { bytes in
            var packed = UnsafeRawBufferPointer(rebasing: bytes[range])
            do throws(ArchiveError) {
                let (written, isAtEnd) = try inflater.inflate(&packed, into: output)
                return .success((written, range.count - packed.count, isAtEnd))
            } catch {
                return .failure(error)
            }
        }
        let (written, used, isDone): (Int, Int, Bool)
        switch result {
        case .success(let step): (written, used, isDone) = step
        case .failure(let error): throw ArchiveError("holds '\(member.name)', which \(error.message)")
        }
        inputRange = range.lowerBound + used..<range.upperBound
        isAtEnd = isDone
        if !isDone, written == 0, used == 0, isLast {
            throw ArchiveError("is damaged: the end of '\(member.name)' is missing")
        }
        return written
    }

    private func checkWhole() throws(ArchiveError) {
        guard outputCount == member.count, UInt32(truncatingIfNeeded: checksum) == member.checksum else {
            throw ArchiveError(
                "is damaged: '\(member.name)' does not have the checksum and size that its directory says"
            )
        }
    }
}
