// SPDX-License-Identifier: MIT

import CompressedInputs
import Foundation
import POSIXFiles
import PayloadKit

/// Reads and unpacks the texts of one source of profiles: the file itself, or the members of a zip archive.
///
/// The source is opened once. Its first bytes determine its format, and the remaining bytes are read from the same
/// descriptor, as a pipe can be read only once.
struct ProfileStream: ~Copyable {
    /// The name of a text in records and messages.
    struct Text {
        let path: String

        /// The `file` of the text's records; nil for none.
        let file: String?

        /// The number of the text's first line.
        var firstLine = 1
    }

    private let source: ProfileSource
    private let file: OpenFile
    /// Bytes that were read but not used yet: the first bytes of the source, and packed bytes.
    private var input: [UInt8]
    private var inputRange = 0..<0
    private var gzip: GzipDecoder?
    private var zstd: ZstdReader?
    /// The remaining members of a zip archive; nil for a file that is a single text.
    private var members: ArraySlice<ZipArchive.Member>?
    private var member: ZipMemberReader?
    /// How messages name a packed text, until its format was checked; then nil.
    private var uncheckedName: UncheckedName?
    /// The words before the form of a text in a message, until the form was checked; then nil.
    private var uncheckedForm: String?
    private var isBegun = false

    private struct UncheckedName {
        let start: String
        let name: String?
    }

    /// The number of bytes, before unpacking, that were read since the last call of ``takeReadCount()``.
    private var readCount = 0

    private static let packedCount = 1 << 16

    /// Opens a source.
    ///
    /// - Throws: the reason that it cannot be opened.
    init(_ source: ProfileSource) throws(CommandFailure) {
        self.source = source
        file = try source.open()
        input = [UInt8](repeating: 0, count: FileFormat.prefixCount)
    }

    /// Determines the format from the first bytes.
    private mutating func begin() throws(CommandFailure) {
        // A zip archive is read from its end, so on standard input it has to be a file that has not been read yet.
        let isSeekable = file.status.kind == .regular && lseek(file.descriptor, 0, SEEK_CUR) == 0
        while !FileFormat.isEnough(input[inputRange]), try fill() > 0 {}
        do throws(ArchiveError) {
            switch try FileFormat(start: input[inputRange], name: source.path) {
            case nil: break
            case .gzip?:
                gzip = try GzipDecoder()
                uncheckedName = UncheckedName(start: "holds", name: nil)
                input += repeatElement(0, count: Self.packedCount - input.count)
            case .zstd? where isSeekable:
                guard let program = ZstdReader.program else { throw FileFormat.zstd.refusal() }
                zstd = try ZstdReader(program, descriptor: file.descriptor)
                inputRange = 0..<0
                uncheckedName = UncheckedName(start: "holds", name: nil)
            case .zip?:
                guard isSeekable else {
                    throw ArchiveError("is a zip archive, which cannot be read from a pipe: give the path of the file")
                }
                let members = try ZipArchive(descriptor: file.descriptor).members
                if members.isEmpty { throw ArchiveError("holds no file, expected a zip archive of profiles") }
                self.members = members[...]
            case let format?: throw format.refusal()
            }
        } catch {
            throw CommandFailure(error, in: file.path)
        }
    }

    /// Moves to the next text; returns nil at the end.
    ///
    /// - Throws: the reason that the text cannot be read, such as an unsupported format.
    mutating func nextText() throws(CommandFailure) -> Text? {
        let isFirst = !isBegun
        if isFirst { try begin() }
        isBegun = true
        readCount += member?.takeReadCount() ?? 0
        guard let next = members?.popFirst() else {
            member = nil
            guard isFirst else {
                try source.requireUnchanged(FileStatus(descriptor: file.descriptor))
                return nil
            }
            // The form is not checked for a part of a file, because the part may begin in the middle of the file.
            if source.part == nil { uncheckedForm = gzip == nil && zstd == nil ? "is" : "holds" }
            return Text(
                path: source.part?.file ?? file.path,
                file: source.part?.file ?? (source.recordsHaveFile ? source.path : nil),
                firstLine: source.part?.firstLine ?? 1
            )
        }
        do throws(ArchiveError) {
            member = try ZipMemberReader(next, descriptor: file.descriptor)
        } catch {
            throw CommandFailure(error, in: file.path)
        }
        uncheckedName = UncheckedName(start: "holds '\(next.name)', which is", name: next.name)
        uncheckedForm = "holds '\(next.name)', which is"
        return Text(
            path: "\(source.part?.file ?? file.path)!\(next.name)",
            file: "\(source.part?.file ?? source.path)!\(next.name)"
        )
    }

    /// Reads the next bytes of the text.
    ///
    /// - Parameter output: the memory for the bytes, with room for at least ``FileFormat/prefixCount``.
    /// - Returns: the number of bytes; 0 at the end of the text.
    /// - Throws: the reason that the text cannot be read.
    mutating func read(into output: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        var count = try readChecked(into: output)
        guard let start = uncheckedForm else { return count }
        uncheckedForm = nil
        var isWhole = count == 0
        while true {
            let portion = ProfileForm.Portion(isWhole: isWhole, isLast: isWhole || count == output.count)
            switch ProfileForm(UnsafeBufferPointer(rebasing: output.bindMemory(to: UInt8.self)[..<count]), portion) {
            case .lines: return count
            case .other(let form): throw CommandFailure(ArchiveError("\(start) \(form)"), in: file.path)
            case .undecided:
                let more = try readUnpacked(into: UnsafeMutableRawBufferPointer(rebasing: output[count...]))
                isWhole = more == 0
                count += more
            }
        }
    }

    /// Reads the next bytes of the text; of a packed text, first checks that it is not packed again.
    private mutating func readChecked(into output: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        guard let unchecked = uncheckedName else { return try readUnpacked(into: output) }
        uncheckedName = nil
        var count = 0
        while !FileFormat.isEnough(output[..<count]) {
            let more = try readUnpacked(into: UnsafeMutableRawBufferPointer(rebasing: output[count...]))
            if more == 0 { break }
            count += more
        }
        if let format = try orFail(archive: FileFormat(start: output[..<count], name: unchecked.name), in: file.path) {
            throw CommandFailure(format.refusal(unchecked.start), in: file.path)
        }
        return count
    }

    /// The number of bytes that were read since the last call.
    mutating func takeReadCount() -> Int {
        readCount += (member?.takeReadCount() ?? 0) + (zstd?.takeReadCount() ?? 0)
        defer { readCount = 0 }
        return readCount
    }

    // MARK: - Bytes

    private mutating func readUnpacked(into output: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        if let count = try orFail(archive: member?.read(into: output), in: file.path) { return count }
        if gzip != nil { return try unpack(into: output) }
        if let zstd {
            let count = try zstd.read(into: output, at: file.path)
            if count == 0 { try source.requireUnchanged(FileStatus(descriptor: file.descriptor)) }
            return count
        }
        guard inputRange.isEmpty else { return giveInput(to: output) }
        let count = try Inputs.read(file.descriptor, into: output, at: file.path)
        try note(count)
        return count
    }

    /// Counts bytes that were read; at the end, requires that the file has not changed in the meantime.
    private mutating func note(_ count: Int) throws(CommandFailure) {
        readCount += count
        if count == 0 { try source.requireUnchanged(FileStatus(descriptor: file.descriptor)) }
    }

    /// Appends more bytes to the input.
    private mutating func fill() throws(CommandFailure) -> Int {
        if inputRange.isEmpty { inputRange = 0..<0 }
        let end = inputRange.upperBound
        let count = try Inputs.read(file.descriptor, into: &input, from: end, at: file.path)
        try note(count)
        inputRange = inputRange.lowerBound..<end + count
        return count
    }

    private mutating func giveInput(to output: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(inputRange.count, output.count)
        output.copyBytes(from: input[inputRange].prefix(count))
        inputRange = inputRange.lowerBound + count..<inputRange.upperBound
        return count
    }

    private mutating func unpack(into output: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        while true {
            if inputRange.isEmpty, try fill() == 0 {
                try orFail(archive: gzip?.finish(), in: file.path)
                return 0
            }
            let range = inputRange
            var used = 0
            do throws(ArchiveError) {
                let written = try input.withUnsafeBufferPointer { bytes throws(ArchiveError) in
                    var packed = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range]))
                    let written = try gzip?.decode(&packed, into: output) ?? 0
                    used = range.count - packed.count
                    return written
                }
                inputRange = range.lowerBound + used..<range.upperBound
                if written > 0 { return written }
            } catch {
                throw CommandFailure(error, in: file.path)
            }
        }
    }
}
