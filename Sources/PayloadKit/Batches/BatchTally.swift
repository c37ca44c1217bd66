// SPDX-License-Identifier: MIT

import SourceText

/// What became of the profiles of one block, in the order of the input.
package struct BatchTally: Sendable {
    /// One of the largest payloads.
    package struct Large: Sendable {
        /// What it takes.
        package let size: SizeBudget

        /// The record that it is of.
        package let example: String

        let fields: [Payload.Field]
        let payload: [UInt8]

        /// The message for people.
        package var description: MessageDescription { MessageDescription(payload, fields, size) }
    }

    /// The bytes of each payload.
    private(set) var sizes: [UInt16] = []
    private(set) var aborted = 0
    private(set) var failed = 0
    private(set) var overBudget = 0

    /// The number of records without id.
    private(set) var withoutID = 0

    private(set) var largest: [Large] = []
    private(set) var blanks = KindCounts<TextKind>(isUnlimited: true)
    private(set) var reasons = KindCounts<TextKind>(isUnlimited: true)
    private(set) var errors = KindCounts<FindingKind>(isUnlimited: true)
    private(set) var findings = KindCounts<FindingKind>(isUnlimited: true)
    private(set) var readsClock = false

    /// Creates an empty tally.
    package init() {}

    /// Forgets everything and keeps the memory.
    package mutating func removeAll() {
        sizes.removeAll(keepingCapacity: true)
        (aborted, failed, overBudget, withoutID) = (0, 0, 0, 0)
        largest.removeAll(keepingCapacity: true)
        blanks.removeAll()
        reasons.removeAll()
        errors.removeAll()
        findings.removeAll()
        readsClock = false
    }

    /// The number of records.
    package var records: Int { sizes.count + aborted + failed }

    /// Whether there are records and none of them has an id.
    package var lacksIDs: Bool { withoutID > 0 && withoutID == records }

    /// Counts a record that is sent, from where it was rendered to.
    mutating func count(
        rendered session: borrowing RenderSession,
        _ parts: RenderSession.Parts,
        id: String?,
        line: Int,
        of block: borrowing LineBlock
    ) {
        if session.readsClock { readsClock = true }
        if largest.takes(parts.size) {
            largest.insert(
                Large(
                    size: parts.size,
                    example: Self.example(id, block.file, line),
                    fields: session.writer.fields,
                    payload: session.writer.buffer.withUnsafeBytes { Array($0) }
                )
            )
        }
        count(size: parts.size, session.writer.fields) { Self.example(id, block.file, line) }
        if id == nil { withoutID += 1 }
        for warning in session.warnings { findings.note(FindingKind(warning), Self.example(id, block.file, line)) }
    }

    /// Counts a record.
    mutating func count(_ record: Record) {
        func example() -> String { Self.example(record.id, record.file, record.line) }
        if record.id == nil { withoutID += 1 }
        switch record.outcome {
        case .rendered(let payload):
            if payload.readsClock { readsClock = true }
            largest.insert(
                Large(size: payload.size, example: example(), fields: payload.fields, payload: payload.bytes)
            )
            count(size: payload.size, payload.fields, example)
            for warning in payload.warnings { findings.note(FindingKind(warning), example()) }
        case .aborted(let reason):
            aborted += 1
            reasons.note(TextKind(text: reason), example())
        case .failed(let error):
            failed += 1
            for (index, diagnostic) in error.diagnostics.enumerated() {
                let kind = FindingKind(diagnostic)
                if index == 0 { errors.note(kind.withoutInput, example()) }
                findings.note(findings.isFull ? kind.withoutInput : kind, example())
            }
        }
    }

    private mutating func count(size: SizeBudget, _ fields: [Payload.Field], _ example: () -> String) {
        sizes.append(UInt16(clamping: size.bytes))
        if size.isOverBudget { overBudget += 1 }
        for index in fields.indices where fields[index].isBlank {
            blanks.note(TextKind(text: fields[index].name), example())
        }
    }

    /// A record in the words of a finding.
    private static func example(_ id: String?, _ file: String?, _ line: Int?) -> String {
        if let id { return "'\(id)'" }
        guard let line else { return "a profile without id" }
        return "line \(line)" + (file.map { " of '\($0)'" } ?? "")
    }
}

/// How many of the largest payloads are kept.
private let largeLimit = 10

extension [BatchTally.Large] {
    /// Whether a payload of this size is one of the largest; of those of one size, the first count.
    func takes(_ size: SizeBudget) -> Bool { count < largeLimit || size.bytes > last?.size.bytes ?? 0 }

    /// Puts a payload where it belongs, and drops the smallest where there are too many.
    mutating func insert(_ large: BatchTally.Large) {
        if !takes(large.size) { return }
        if count == largeLimit { removeLast() }
        insert(large, at: firstIndex { $0.size.bytes < large.size.bytes } ?? count)
    }
}
