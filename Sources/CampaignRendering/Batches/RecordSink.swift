// SPDX-License-Identifier: MIT

import DiagnosticSources
package import JSONTexts

/// Receives the results of the profiles of a batch, in order.
protocol RecordSink: ~Copyable {
    /// Adds a message that is sent; its payload is in the session that rendered it.
    mutating func add(
        rendered session: borrowing RenderSession,
        _ parts: RenderSession.Parts,
        of profile: Profile,
        line: Int,
        of block: borrowing LineBlock
    )

    /// Adds the record of a message that is aborted or fails.
    mutating func add(ended record: Record, _ session: borrowing RenderSession, _ parts: RenderSession.Parts?)
}

/// Records written as JSON, one on each line, with their counts.
package struct WrittenRecords: ~Copyable, RecordSink {
    /// The records.
    package private(set) var json = JSONWriter(into: ByteBuffer(capacity: 1 << 16))

    /// The counts of the records.
    package private(set) var report = BatchReport(isOfBlock: true)

    /// Creates an empty list.
    package init() {}

    mutating func add(
        rendered session: borrowing RenderSession,
        _ parts: RenderSession.Parts,
        of profile: Profile,
        line: Int,
        of block: borrowing LineBlock
    ) {
        Record.write(rendered: session, id: profile.id, line: line, of: block, into: &json)
        report.count(rendered: session, parts, id: profile.id, line: line, of: block)
        endLine()
    }

    mutating func add(ended record: Record, _ session: borrowing RenderSession, _ parts: RenderSession.Parts?) {
        record.write(into: &json)
        report.count(ended: record, session, parts)
        endLine()
    }

    private mutating func endLine() {
        json.endValue()
        json.buffer.append(UInt8(ascii: "\n"))
    }

    /// Removes all records and keeps the memory.
    package mutating func removeAll() {
        json.removeAll()
        report.removeAll()
    }
}

/// Collects the records as values.
struct RecordList: RecordSink {
    private(set) var records: [Record] = []

    mutating func add(
        rendered session: borrowing RenderSession,
        _ parts: RenderSession.Parts,
        of profile: Profile,
        line: Int,
        of block: borrowing LineBlock
    ) {
        let payload = session.payload(parts, recipient: profile.externalID)
        var record = Record(id: profile.id, file: block.file, line: line, outcome: .rendered(payload))
        record.connectedContentCalls = payload.connectedContentCalls
        record.writesCalls = session.renderer.options.connectedContentTrace == .recorded
        records.append(record)
    }

    mutating func add(ended record: Record, _ session: borrowing RenderSession, _ parts: RenderSession.Parts?) {
        records.append(record)
    }
}
