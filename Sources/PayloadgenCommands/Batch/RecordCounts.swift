// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadKit

/// The records that an earlier run of a batch has written.
struct RecordCounts: Equatable {
    /// The number of records.
    var count = 0

    /// The number of aborted messages.
    var aborted = 0

    /// The number of failed messages.
    var failed = 0

    /// Whether there was an error in the inputs, such as a field of profiles that is not read.
    var hasInputErrors = false

    /// Adds the records that this run has written.
    mutating func add(_ report: BatchReport) {
        count += report.profiles
        aborted += report.aborted
        failed += report.failed
        hasInputErrors = hasInputErrors || report.inputs.contains { $0.severity == .error }
    }

    /// Counts records in pieces of any length.
    struct Scanner {
        private(set) var records = RecordCounts()

        /// The offset after the last complete line.
        private(set) var end = 0

        private var offset = 0
        /// How many bytes of ``key`` the current line has matched so far; nil once the status was found.
        private var matched: Int? = 0
        private var status: UInt8 = 0

        /// The text before the status.
        ///
        /// It cannot occur inside a JSON string, where the quotes would be escaped.
        private static let key = Array(#","status":""#.utf8)

        mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
            var index = 0
            while index < bytes.count {
                if matched == nil {
                    let rest = UnsafeBufferPointer(rebasing: bytes[index...])
                    guard let base = rest.baseAddress, let found = memchr(base, 0x0A, rest.count) else { break }
                    index += UnsafeRawPointer(found) - UnsafeRawPointer(base)
                }
                let byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "\n") { endLine(at: offset + index) } else { match(byte) }
            }
            offset += bytes.count
        }

        private mutating func match(_ byte: UInt8) {
            guard let count = matched else { return }
            if count == Self.key.count {
                status = byte
                matched = nil
            } else if byte == Self.key[count] {
                matched = count + 1
            } else {
                // A comma occurs in ``key`` only at its start, so after a mismatch, only a comma can begin a match.
                matched = byte == Self.key[0] ? 1 : 0
            }
        }

        private mutating func endLine(at offset: Int) {
            end = offset
            records.count += 1
            switch status {
            case UInt8(ascii: "a"): records.aborted += 1
            case UInt8(ascii: "f"): records.failed += 1
            default: break
            }
            matched = 0
            status = 0
        }
    }
}

extension RecordCounts {
    /// Counts the records in an unfinished output, and removes an incomplete line at its end.
    ///
    /// - Parameters:
    ///   - target: the output; it is then positioned after its last record.
    ///   - path: the path of the output, for messages.
    /// - Throws: an error if the output cannot be read or shortened.
    init(cutting target: OutputTarget, path: String) throws(CommandFailure) {
        var scanner = Scanner()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = try Inputs.read(target.descriptor, into: &buffer, at: path)
            if count == 0 { break }
            buffer.withUnsafeBufferPointer { scanner.scan(UnsafeBufferPointer(rebasing: $0[..<count])) }
        }
        let end = off_t(scanner.end)
        guard ftruncate(target.descriptor, end) == 0, lseek(target.descriptor, end, SEEK_SET) >= 0 else {
            throw CommandFailure(.unwritableOutput, "cannot write '\(path)': \(systemMessage(errno))")
        }
        self = scanner.records
    }
}

/// The records in the unfinished output of an earlier run.
///
/// A resumed run skips the lines of the input that have these records, and checks that each record belongs to its line.
/// If the input may have changed, it renders the lines again and compares the records. After a system crash, or a
/// change by another program, records may be missing or damaged in the middle. The file is read independently of the
/// offset at which new records are written.
final class KeptRecords {
    /// The number of records.
    let count: Int

    /// Whether the lines of the records are rendered again instead of skipped.
    let areRenderedAgain: Bool

    private let descriptor: Int32
    private let path: String
    private var check = SkippedRecordCheck()
    private var checkedCount = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    /// The range of the buffer that was read but not compared yet.
    private var unread = 0..<0
    private var offset: off_t = 0
    /// The end of the records, after which new ones are written.
    private let end: off_t

    /// Whether all bytes of the records were compared.
    var areAllCompared: Bool { offset == end && unread.isEmpty }

    /// Creates the comparison.
    ///
    /// - Parameters:
    ///   - records: the counts of the records.
    ///   - target: the unfinished output.
    ///   - path: the path of the output, for messages.
    ///   - areRenderedAgain: whether the lines of the records are rendered again.
    init(_ records: RecordCounts, in target: OutputTarget, path: String, areRenderedAgain: Bool) {
        count = records.count
        descriptor = target.descriptor
        end = off_t(FileStatus(descriptor: descriptor)?.size ?? 0)
        self.path = path
        self.areRenderedAgain = areRenderedAgain
    }

    /// Compares the next bytes of the output with records that were rendered again.
    ///
    /// - Parameter records: complete lines.
    /// - Returns: the number of their bytes that the output already contains.
    /// - Throws: an error about the first line that differs, or the reason that the output cannot be read.
    func compare(_ records: borrowing ByteBuffer) throws(CommandFailure) -> Int {
        try records.withUnsafeBytes { records throws(CommandFailure) in
            var compared = 0
            while compared < records.count {
                if unread.isEmpty, try !fill() { break }
                let count = min(unread.count, records.count - compared)
                let next = UnsafeBufferPointer(rebasing: records[compared..<compared + count])
                let isSame = buffer.withUnsafeBufferPointer { known in
                    guard let known = known.baseAddress, let base = next.baseAddress else { return true }
                    return memcmp(known + unread.lowerBound, base, count) == 0
                }
                guard isSame else { throw changed(next) }
                checkedCount += next.count { $0 == UInt8(ascii: "\n") }
                unread = unread.lowerBound + count..<unread.upperBound
                compared += count
            }
            return compared
        }
    }

    private func changed(_ records: UnsafeBufferPointer<UInt8>) -> CommandFailure {
        let same = zip(buffer[unread], records).prefix { $0 == $1 }
        let line = checkedCount + same.count { $0.0 == UInt8(ascii: "\n") } + 1
        return CommandFailure(
            .unreadableInput,
            """
            '\(path)', line \(line): not the record that the profiles give now: the profiles or this file were changed \
            after the record was written; start again without --resume
            """
        )
    }

    /// Compares the next record of the output with the record that this run skips because the output has it.
    ///
    /// - Parameters:
    ///   - record: the record that is skipped.
    ///   - input: the path of the record's input, for messages.
    /// - Throws: an error if they differ, or the reason that the output cannot be read.
    func check(_ record: SkippedRecord, _ input: String) throws(CommandFailure) {
        checkedCount += 1
        guard let line = try nextLine() else { throw changed(record, input) }
        let isWhole = buffer.withUnsafeBufferPointer { check.isWhole(.init(rebasing: $0[line]), record) }
        if !isWhole { throw changed(record, input) }
    }

    private func changed(_ record: SkippedRecord, _ input: String) -> CommandFailure {
        let id = record.id.map { ", '\($0)'" } ?? ""
        return CommandFailure(
            .unreadableInput,
            """
            '\(path)', line \(checkedCount): not the record of line \(record.line) of '\(input)'\(id): the file was \
            damaged or changed after it had been written; start again without --resume
            """
        )
    }

    /// The range of the next line in the buffer; nil if there are no more lines.
    private func nextLine() throws(CommandFailure) -> Range<Int>? {
        var searched = 0
        while true {
            let found = buffer.withUnsafeBufferPointer { bytes in
                bytes[unread.dropFirst(searched)].firstIndex(of: UInt8(ascii: "\n"))
            }
            if let found {
                defer { unread = found + 1..<unread.upperBound }
                return unread.lowerBound..<found
            }
            searched = unread.count
            if try !fill() { return nil }
        }
    }

    /// Reads more bytes after the unread ones in the buffer; returns false at the end of the records.
    private func fill() throws(CommandFailure) -> Bool {
        if unread.lowerBound > 0 {
            buffer.replaceSubrange(0..<unread.count, with: Array(buffer[unread]))
            unread = 0..<unread.count
        }
        if unread.count == buffer.count { buffer += repeatElement(0, count: buffer.count) }
        let start = unread.upperBound
        let count = buffer.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            return pread(descriptor, room.baseAddress, min(room.count, Int(end - offset)), offset)
        }
        guard count >= 0 else { throw CommandFailure(FileError(.read, path, number: errno)) }
        offset += off_t(count)
        unread = unread.lowerBound..<start + count
        return count > 0
    }
}
