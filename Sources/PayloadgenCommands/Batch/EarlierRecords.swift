// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadKit

/// The records that an earlier run of a batch has written.
struct EarlierRecords: Equatable {
    /// The number of records.
    var count = 0

    /// The number of aborted messages.
    var aborted = 0

    /// The number of failed messages.
    var failed = 0

    /// Whether there was an error in the inputs, such as a field of profiles that is not read.
    var hasInputErrors = false

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

    init(count: Int = 0, aborted: Int = 0, failed: Int = 0, hasInputErrors: Bool = false) {
        self.count = count
        self.aborted = aborted
        self.failed = failed
        self.hasInputErrors = hasInputErrors
    }

    /// Adds the records that this run has written.
    mutating func add(_ report: BatchReport) {
        count += report.profiles
        aborted += report.aborted
        failed += report.failed
        hasInputErrors = hasInputErrors || report.inputs.contains { $0.severity == .error }
    }

    /// Counts records in pieces of any length.
    struct Scanner {
        private(set) var records = EarlierRecords()

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
                // A comma occurs in ``key`` only at its start, so a mismatch restarts there.
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
