// SPDX-License-Identifier: MIT

import JSONTexts

/// A record of the input that is not rendered, because an earlier run has written it.
package struct SkippedRecord: Sendable {
    /// The id of the user; nil where the profile has none or is broken.
    package let id: String?

    /// The `file` of the record; nil for none.
    package let file: String?

    /// The number of its line.
    package let line: Int
}

/// Compares the records that an earlier run has written with those that are skipped for them.
package struct SkippedRecordCheck: ~Copyable {
    /// The expected start of a record, whose memory is reused.
    private var start = JSONWriter(into: ByteBuffer(capacity: 256))

    private static let status = Array(#","status":""#.utf8)

    /// Creates a check.
    package init() {}

    /// Whether a line is a whole record, and that of an id, a file and a line.
    ///
    /// - Parameters:
    ///   - text: the bytes of the line, without its line break.
    ///   - record: the record that is expected.
    /// - Returns: whether it is.
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
