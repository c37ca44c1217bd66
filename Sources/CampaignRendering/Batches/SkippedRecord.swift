// SPDX-License-Identifier: MIT

import JSONTexts

/// A record of the input that is not rendered, because an earlier run has written it.
package struct SkippedRecord: Sendable {
    /// The id of the user; nil where the profile has none or is invalid.
    package let id: String?

    /// The `file` of the record; nil where it has none.
    package let file: String?

    /// The line of the profile in its file.
    package let line: Int
}

/// Compares the records that an earlier run has written with the records that are now skipped.
package struct SkippedRecordCheck: ~Copyable {
    /// The expected start of a record, whose memory is reused.
    private var start = JSONWriter(into: ByteBuffer(capacity: 256))

    private static let status = Array(#","status":""#.utf8)

    /// Creates a check.
    package init() {}

    /// Whether a line is the complete record that is expected.
    ///
    /// - Parameters:
    ///   - text: the bytes of the line, without its line break.
    ///   - record: the expected record.
    /// - Returns: whether the line is valid JSON and begins as this record does.
    package mutating func isWhole(_ text: UnsafeBufferPointer<UInt8>, _ record: SkippedRecord) -> Bool {
        start.removeAll()
        Record.begin(record.id, record.file, line: record.line, &start)
        let count = start.buffer.count
        let begins = start.buffer.withUnsafeBytes { text.starts(with: $0) } && text[count...].starts(with: Self.status)
        guard begins else { return false }
        var json = JSONReader(text)
        do throws(JSONError) {
            try json.skipValue()
            try json.finish()
            return true
        } catch {
            return false
        }
    }
}
