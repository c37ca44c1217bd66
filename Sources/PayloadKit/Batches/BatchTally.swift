// SPDX-License-Identifier: MIT

import SourceText

/// What became of the profiles of one block, in the order of the input.
package struct BatchTally: Sendable {
    /// What was found in some profiles, told once with the first of them.
    package struct Finding: Sendable {
        /// What was found in the first of them.
        package let diagnostic: Diagnostic

        /// The number of profiles.
        package internal(set) var count = 1

        /// The first of them.
        package let example: String
    }

    /// What ended or left blank some messages, by a text, with the first of them.
    package struct Group: Sendable {
        /// The reason, or the field.
        package let text: String

        /// The number of messages.
        package internal(set) var count = 1

        /// The first of them.
        package let example: String
    }

    /// One of the largest payloads.
    package struct Large: Sendable {
        /// What it weighs.
        package let size: SizeBudget

        /// Whose it is.
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
    private(set) var largest: [Large] = []
    private(set) var blanks: [Group] = []
    private(set) var reasons: [Group] = []
    private(set) var errors: [Finding] = []
    private(set) var findings: [Finding] = []
    private(set) var readsClock = false

    /// Creates an empty tally.
    package init() {}

    /// Forgets everything and keeps the memory.
    package mutating func removeAll() {
        sizes.removeAll(keepingCapacity: true)
        (aborted, failed, overBudget) = (0, 0, 0)
        largest.removeAll(keepingCapacity: true)
        blanks.removeAll(keepingCapacity: true)
        reasons.removeAll(keepingCapacity: true)
        errors.removeAll(keepingCapacity: true)
        findings.removeAll(keepingCapacity: true)
        readsClock = false
    }

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
        for warning in session.warnings { findings.note(warning, Self.example(id, block.file, line)) }
    }

    /// Counts a record.
    mutating func count(_ record: Record) {
        func example() -> String { Self.example(record.id, record.file, record.line) }
        switch record.outcome {
        case .rendered(let payload):
            if payload.readsClock { readsClock = true }
            largest.insert(
                Large(size: payload.size, example: example(), fields: payload.fields, payload: payload.bytes)
            )
            count(size: payload.size, payload.fields, example)
            for warning in payload.warnings { findings.note(warning, example()) }
        case .aborted(let reason):
            aborted += 1
            reasons.note(reason, example())
        case .failed(let error):
            failed += 1
            let diagnostics = error.diagnostics
            if let first = diagnostics.first { errors.note(first, example()) }
            for diagnostic in diagnostics { findings.note(diagnostic, example()) }
        }
    }

    private mutating func count(size: SizeBudget, _ fields: [Payload.Field], _ example: () -> String) {
        sizes.append(UInt16(clamping: size.bytes))
        if size.isOverBudget { overBudget += 1 }
        for index in fields.indices where fields[index].isBlank {
            blanks.note(fields[index].name, example())
        }
    }

    /// A record in the words of a finding.
    private static func example(_ id: String?, _ file: String?, _ line: Int?) -> String {
        if let id { return "'\(id)'" }
        guard let line else { return "a profile without id" }
        return "line \(line)" + (file.map { " of '\($0)'" } ?? "")
    }
}

/// More different things than anyone reads; further ones are counted in the records alone.
private let kindLimit = 50

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

extension [BatchTally.Finding] {
    /// Counts what was found.
    mutating func note(_ diagnostic: Diagnostic, _ example: @autoclosure () -> String, count: Int = 1) {
        if let index = firstIndex(where: { $0.diagnostic.isAlike(diagnostic) }) {
            self[index].count += count
        } else if self.count < kindLimit {
            append(BatchTally.Finding(diagnostic: diagnostic, count: count, example: example()))
        }
    }
}

extension [BatchTally.Group] {
    /// Counts a message.
    mutating func note(_ text: String, _ example: @autoclosure () -> String, count: Int = 1) {
        if let index = firstIndex(where: { $0.text.utf8.elementsEqual(text.utf8) }) {
            self[index].count += count
        } else if self.count < kindLimit {
            append(BatchTally.Group(text: text, count: count, example: example()))
        }
    }
}

extension Diagnostic {
    /// Whether both tell of the same thing at the same place; the words may differ by a user's own values.
    fileprivate func isAlike(_ other: Diagnostic) -> Bool {
        guard rule == other.rule, severity == other.severity else { return false }
        guard let place, let others = other.place else { return message == other.message }
        return place.range == others.range && place.file.path == others.file.path
    }
}
