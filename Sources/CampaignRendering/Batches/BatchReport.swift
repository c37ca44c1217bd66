// SPDX-License-Identifier: MIT

import BrazeLiquid
package import DiagnosticSources
package import JSONTexts

/// The counts of a batch, or of one of its blocks: how many messages are sent, and why the rest are not.
package struct BatchReport: Sendable {
    /// A message that the report shows.
    package struct Message: Sendable {
        /// The size of its payload.
        package let size: SizeBudget

        /// The name of its record in findings and reports, such as the user's id in quotes.
        package let example: String

        /// The place of its profile.
        fileprivate(set) var position: ProfilePosition

        let fields: [Payload.Field]
        let payload: [UInt8]

        /// Its parts, described for reports.
        package var description: MessageDescription { MessageDescription(payload, fields, size) }

        init(
            size: SizeBudget, example: String, position: ProfilePosition, fields: [Payload.Field], payload: [UInt8]
        ) {
            self.size = size
            self.example = example
            self.position = position
            self.fields = fields
            self.payload = payload
        }

        /// Copies the message that a session has written.
        fileprivate init(
            _ session: borrowing RenderSession, _ parts: RenderSession.WrittenPayload, example: String,
            position: ProfilePosition
        ) {
            size = parts.size
            self.example = example
            self.position = position
            fields = session.writer.fields
            payload = session.writer.buffer.withUnsafeBytes { Array($0) }
        }
    }

    /// How many messages are sent.
    package private(set) var rendered = 0

    /// How many messages were aborted.
    package private(set) var aborted = 0

    /// How many messages cannot be sent.
    package private(set) var failed = 0

    /// Whether a template asked for the time.
    package private(set) var readsClock = false

    /// The number of payloads by size in bytes.
    package private(set) var sizes = [Int](repeating: 0, count: SizeBudget.limit + 1)

    /// The bounds of a range that contains every size whose count in ``sizes`` is not 0.
    private var sizeBounds = (least: SizeBudget.limit, most: 0)

    /// How many of the payloads are over the campaign's budget.
    package private(set) var overBudget = 0

    /// The messages with the largest payloads, the largest first.
    package private(set) var largest: [Message] = []

    /// A payload of at most this size cannot be among the largest, because earlier blocks have enough that are at least
    /// as large.
    private var largeFloor = 0

    /// The first message of each range of payload sizes, ``binWidth`` bytes wide.
    private(set) var samples: [Message] = []

    /// The ranges that have a sample here or in an earlier block, one bit for each.
    private var sampledBins: UInt64 = 0

    /// The first message that cannot be sent, with its payload; nil if Liquid gave no payload, or if no message failed.
    private(set) var failedMessage: Message?

    /// How many records have no id.
    package private(set) var withoutID = 0

    /// The titles, bodies and key-value pairs that messages leave blank.
    package private(set) var blanks: KindCounts<TextKind>

    /// The reasons that messages were aborted.
    package private(set) var reasons: KindCounts<TextKind>

    /// The errors that keep messages from being sent.
    package private(set) var errors: KindCounts<FindingKind>

    /// The calls of connected content; a call that a message makes several times counts once.
    package private(set) var calls: KindCounts<TextKind>

    /// All findings about messages and their profiles.
    private(set) var findings: KindCounts<FindingKind>

    /// The findings about the inputs as a whole, such as a folder of profiles that is not read.
    package private(set) var inputs: [Diagnostic] = []

    /// Adds findings about the inputs as a whole, each only once, as the parts of a batch may share their inputs.
    package mutating func note(inputs findings: [Diagnostic]) {
        inputs += findings.withoutRepetitions(of: inputs)
    }

    /// Creates an empty report.
    ///
    /// - Parameter isOfBlock: whether the report is of a block. It then keeps all kinds, as the size of the block
    ///   limits their number.
    package init(isOfBlock: Bool = false) {
        blanks = KindCounts(isUnlimited: isOfBlock)
        reasons = KindCounts(isUnlimited: isOfBlock)
        errors = KindCounts(isUnlimited: isOfBlock)
        findings = KindCounts(isUnlimited: isOfBlock)
        calls = KindCounts(isUnlimited: isOfBlock)
    }

    /// Creates the report of a part of a batch from its counts; nil if they cannot be read.
    ///
    /// - Parameters:
    ///   - counts: the object written by ``writeCounts(to:)``.
    ///   - rule: returns the rule with a name.
    package init?(counts: JSONNode, rule: @escaping (String) -> RuleID?) {
        guard let reader = BatchCountsReader(counts, rule: rule), let rendered = reader.number("rendered"),
            let aborted = reader.number("aborted"), let failed = reader.number("failed"),
            let withoutID = reader.number("without_id"), let overBudget = reader.number("over_budget"),
            let readsClock = reader.flag("reads_clock"), let sizes = reader.sizes,
            let largest = reader.messages("largest"), let samples = reader.messages("samples"),
            let failedMessage = reader.messages("failed_message"),
            let blanks = reader.texts("blank"), let reasons = reader.texts("aborted_by_reason"),
            let calls = reader.texts("connected_content"), let errors = reader.findings("failed_by_error"),
            let findings = reader.findings("findings"), let inputs = reader.diagnostics("inputs")
        else { return nil }
        self.rendered = rendered
        self.aborted = aborted
        self.failed = failed
        self.withoutID = withoutID
        self.overBudget = overBudget
        self.readsClock = readsClock
        self.sizes = sizes
        sizeBounds = (0, SizeBudget.limit)
        self.largest = largest
        self.failedMessage = failedMessage.first
        self.blanks = blanks
        self.reasons = reasons
        self.calls = calls
        self.errors = errors
        self.findings = findings
        self.inputs = inputs
        for message in samples { sample(message) }
    }

    /// Appends the counts as an object, from which another process can recreate the report.
    package func writeCounts(to json: inout JSONWriter) { BatchCountsWriter.write(self, to: &json) }

    // MARK: - Counting

    /// Counts a message that is sent, from the session that rendered it.
    mutating func count(
        rendered session: borrowing RenderSession,
        _ parts: RenderSession.WrittenPayload,
        id: String?,
        line: Int,
        of block: borrowing LineBlock
    ) {
        rendered += 1
        if id == nil { withoutID += 1 }
        if session.readsClock { readsClock = true }
        let size = min(parts.size.bytes, SizeBudget.limit)
        sizes[size] += 1
        sizeBounds = (min(sizeBounds.least, size), max(sizeBounds.most, size))
        if parts.size.isOverBudget { overBudget += 1 }
        let position = ProfilePosition(inputIndex: block.inputNumber, line: line)
        if sampledBins & Self.bin(of: size) == 0 || takes(parts.size.bytes, position) {
            let example = Self.example(id, block.file, line)
            let message = Message(session, parts, example: example, position: position)
            sample(message)
            insert(message)
        }
        for name in session.writer.blank {
            blanks.note(TextKind(text: name), Self.example(id, block.file, line), at: position)
        }
        if session.engine.hasCalls { count(session.engine.calls, Self.example(id, block.file, line), position) }
        for warning in session.warnings { note(warning, Self.example(id, block.file, line), position) }
    }

    /// Counts a message that is not sent.
    mutating func count(
        ended record: Record,
        _ session: borrowing RenderSession,
        _ parts: RenderSession.WrittenPayload?,
        inputNumber: Int
    ) {
        let position = ProfilePosition(inputIndex: inputNumber, line: record.line ?? 0)
        func example() -> String { Self.example(record.id, record.file, record.line) }
        if record.id == nil { withoutID += 1 }
        count(record.connectedContentCalls, example(), position)
        for warning in record.fieldWarnings { note(warning, example(), position) }
        switch record.outcome {
        case .rendered: rendered += 1
        case .aborted(let reason):
            aborted += 1
            reasons.note(TextKind(text: reason), example(), at: position)
        case .failed(let error):
            if failed == 0, let parts {
                failedMessage = Message(session, parts, example: example(), position: position)
            }
            failed += 1
            for (index, diagnostic) in error.diagnostics.enumerated() {
                if index == 0 { errors.note(FindingKind(diagnostic).withoutInput, example(), at: position) }
                note(diagnostic, example(), position)
            }
        }
    }

    private mutating func note(
        _ finding: Diagnostic, _ example: @autoclosure () -> String, _ position: ProfilePosition
    ) {
        let kind = FindingKind(finding)
        findings.note(findings.isFull ? kind.withoutInput : kind, example(), at: position)
    }

    private mutating func count(
        _ made: [ConnectedContentCall], _ example: @autoclosure () -> String, _ position: ProfilePosition
    ) {
        guard !made.isEmpty else { return }
        var seen: Set<String> = []
        for call in made.map(\.summary) where seen.insert(call).inserted {
            calls.note(TextKind(text: call), example(), at: position)
        }
    }

    /// Adds the counts of another block, or of another part of the batch.
    package mutating func add(_ next: BatchReport) {
        rendered += next.rendered
        aborted += next.aborted
        if let first = next.errors.first, errors.first.map({ first.position < $0.position }) ?? true {
            failedMessage = next.failedMessage
        }
        failed += next.failed
        readsClock = readsClock || next.readsClock
        let bounds = next.sizeBounds
        for size in stride(from: bounds.least, through: bounds.most, by: 1) { sizes[size] += next.sizes[size] }
        sizeBounds = (min(sizeBounds.least, bounds.least), max(sizeBounds.most, bounds.most))
        overBudget += next.overBudget
        for message in next.largest { insert(message) }
        for message in next.samples { sample(message) }
        withoutID += next.withoutID
        note(inputs: next.inputs)
        blanks.add(next.blanks)
        reasons.add(next.reasons)
        errors.add(next.errors)
        calls.add(next.calls)
        for entry in next.findings.entries {
            findings.note(
                findings.isFull ? entry.kind.withoutInput : entry.kind,
                entry.example,
                at: entry.position,
                count: entry.count
            )
        }
    }

    /// Adds an offset to the input numbers of the profiles, before the counts are added to those of other inputs.
    package mutating func move(by offset: Int) {
        for index in largest.indices { largest[index].position.inputIndex += offset }
        for index in samples.indices { samples[index].position.inputIndex += offset }
        failedMessage?.position.inputIndex += offset
        blanks.move(by: offset)
        reasons.move(by: offset)
        errors.move(by: offset)
        calls.move(by: offset)
        findings.move(by: offset)
    }

    /// Removes all counts and keeps the memory, for the next block of the same batch.
    mutating func removeAll() {
        (rendered, aborted, failed, overBudget, withoutID) = (0, 0, 0, 0, 0)
        readsClock = false
        for size in stride(from: sizeBounds.least, through: sizeBounds.most, by: 1) { sizes[size] = 0 }
        sizeBounds = (SizeBudget.limit, 0)
        if largest.count == Self.largeLimit, let last = largest.last { largeFloor = max(largeFloor, last.size.bytes) }
        largest.removeAll(keepingCapacity: true)
        samples.removeAll(keepingCapacity: true)
        failedMessage = nil
        blanks.removeAll()
        reasons.removeAll()
        errors.removeAll()
        findings.removeAll()
        calls.removeAll()
    }

    /// The name of a record in findings: the id of the user, or the line.
    private static func example(_ id: String?, _ file: String?, _ line: Int?) -> String {
        if let id { return "'\(id)'" }
        guard let line else { return "a profile without id" }
        return "line \(line)" + (file.map { " of '\($0)'" } ?? "")
    }

    /// The number of largest payloads that are kept.
    private static var largeLimit: Int { 10 }

    /// Whether a payload of this size is among the largest; of payloads of the same size, the first ones are kept.
    private func takes(_ bytes: Int, _ position: ProfilePosition) -> Bool {
        guard largest.count == Self.largeLimit, let last = largest.last else { return bytes > largeFloor }
        return bytes > last.size.bytes || bytes == last.size.bytes && position < last.position
    }

    /// Inserts a payload in order, and drops the smallest one if there are too many.
    private mutating func insert(_ message: Message) {
        let (bytes, position) = (message.size.bytes, message.position)
        if !takes(bytes, position) { return }
        if largest.count == Self.largeLimit { largest.removeLast() }
        let index = largest.firstIndex { other in
            other.size.bytes < bytes || other.size.bytes == bytes && position < other.position
        }
        largest.insert(message, at: index ?? largest.count)
    }

    /// The width in bytes of the ranges of sizes that reports show; APNs' size limit is a multiple of it.
    package static var binWidth: Int { 64 }

    /// The bit of the range that a size is in.
    private static func bin(of bytes: Int) -> UInt64 { 1 << ((min(bytes, SizeBudget.limit) - 1) / binWidth) }

    /// Keeps the message if it is the first of its range of sizes.
    private mutating func sample(_ message: Message) {
        let bin = Self.bin(of: message.size.bytes)
        if sampledBins & bin == 0 {
            sampledBins |= bin
            samples.append(message)
        } else if let index = samples.firstIndex(where: { Self.bin(of: $0.size.bytes) == bin }),
            message.position < samples[index].position
        {
            samples[index] = message
        }
    }

    // MARK: - Reading

    /// The number of profiles.
    package var profiles: Int { rendered + aborted + failed }

    /// The findings, each with the number of profiles it is about and the first of these profiles.
    package var diagnostics: [Diagnostic] {
        findings.listing.entries.map { finding in
            var diagnostic = finding.kind.diagnostic
            diagnostic.message +=
                finding.count == 1
                ? "; in \(finding.example)"
                : "; in \(finding.count) of \(profiles) profiles, first in \(finding.example)"
            return diagnostic
        }
    }

    /// The most frequent findings that are not errors, each with its number of profiles and the first of them.
    package var warnings: [KindCounts<FindingKind>.Entry] {
        findings.listing.entries.filter { $0.kind.diagnostic.severity < .error }
    }

    /// A text about the findings that ``diagnostics`` leaves out; nil if it leaves out none.
    package var furtherDiagnostics: String? { findings.listing.rest }

    /// The percentile of the sizes: at least `hundredths` percent of the payloads have at most this size.
    package func percentile(_ hundredths: Int) -> Int {
        var rest = max(1, (rendered * hundredths + 99) / 100)
        for (size, count) in sizes.enumerated() {
            rest -= count
            if rest <= 0 { return size }
        }
        return 0
    }

    /// A message whose size differs from the median by less than ``binWidth`` bytes; nil if none is sent.
    package var median: Message? {
        let bin = Self.bin(of: percentile(50))
        return samples.first { Self.bin(of: $0.size.bytes) == bin }
    }

    /// The error of the first message that cannot be sent, the name of its record in findings, and the message with its
    /// payload, which is nil if Liquid gave none; nil if no message failed.
    package var firstFailure: (error: Diagnostic, example: String, message: Message?)? {
        errors.first.map { ($0.kind.diagnostic, $0.example, failedMessage) }
    }

    /// The size of the smallest payload; 0 without payloads.
    package var least: Int { sizes.firstIndex { $0 > 0 } ?? 0 }

    /// The average size of the payloads; 0 without payloads.
    package var mean: Int {
        var sum = 0
        for (size, count) in sizes.enumerated() { sum += size * count }
        return rendered > 0 ? sum / rendered : 0
    }
}
