// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import JSONTexts

/// The records of a block of lines: as JSON with their counts, or as values.
package struct BlockRecords: ~Copyable {
    /// The records as JSON, one on each line; empty if they are kept as values.
    package private(set) var json: JSONWriter

    /// The counts of the records; empty if they are kept as values.
    package private(set) var report = BatchReport(isOfBlock: true)

    /// The records as values; empty if they are written.
    private(set) var values: [Record] = []

    /// The records that an earlier run has written.
    package internal(set) var skipped: [SkippedRecord] = []

    /// The path of the input, as findings show it.
    package internal(set) var path = ""

    /// Whether all lines of the block were read; false if the batch was cancelled before the last one.
    package internal(set) var isWhole = true

    /// The finding that the field for ids gives no id in the first block; nil if it gives one.
    package internal(set) var missingIDs: Diagnostic?

    /// The findings of ``BatchPort/findings(in:_:)``.
    package internal(set) var findings: [Diagnostic] = []

    private let keepsValues: Bool

    /// Creates an empty list.
    init(keepsValues: Bool) {
        self.keepsValues = keepsValues
        json = JSONWriter(into: ByteBuffer(capacity: keepsValues ? 0 : 1 << 16))
    }

    /// Adds the record of a message that is sent; its payload is in the session that rendered it.
    mutating func add(
        rendered session: borrowing RenderSession,
        _ parts: RenderSession.WrittenPayload,
        of profile: Profile,
        line: Int,
        of block: borrowing LineBlock
    ) {
        guard !keepsValues else {
            let payload = session.payload(parts, recipient: profile.externalID)
            var record = Record(id: profile.id, file: block.file, line: line, outcome: .rendered(payload))
            record.connectedContentCalls = payload.connectedContentCalls
            record.writesCalls = session.renderer.options.connectedContentTrace == .recorded
            return values.append(record)
        }
        Record.write(rendered: session, id: profile.id, line: line, of: block, into: &json)
        report.count(rendered: session, parts, id: profile.id, line: line, of: block)
        endLine()
    }

    /// Adds the record of a message that is aborted or fails.
    mutating func add(
        ended record: Record,
        _ session: borrowing RenderSession,
        _ parts: RenderSession.WrittenPayload?,
        of block: borrowing LineBlock
    ) {
        if keepsValues { return values.append(record) }
        record.write(into: &json)
        report.count(ended: record, session, parts, inputNumber: block.inputNumber)
        endLine()
    }

    private mutating func endLine() {
        json.endValue()
        json.buffer.append(UInt8(ascii: "\n"))
    }

    /// Removes everything and keeps the memory.
    mutating func removeAll() {
        json.removeAll()
        report.removeAll()
        values.removeAll()
        skipped.removeAll()
        isWhole = true
        missingIDs = nil
        findings = []
    }
}

/// A record that is not rendered, because an earlier run has written it.
package struct SkippedRecord: Sendable {
    /// The id of the user; nil if the profile has none or is invalid.
    package let id: String?

    /// The `file` of the record; nil if it has none.
    let file: String?

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
