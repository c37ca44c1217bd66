// SPDX-License-Identifier: MIT

package import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Renders lines of profiles, and reuses its memory.
///
/// Only one thread at a time may use a session.
package struct BatchSession: ~Copyable {
    private let settings: BatchSettings
    private var session: RenderSession
    private var reader: ProfileReader
    /// The combinations of category and image that passed the check against the app.
    ///
    /// Nearly all campaigns have only one.
    private var passedCategories: [CheckedCategory] = []

    /// The search for a few profiles that take every branch that any profile takes; nil if it was not asked for.
    private(set) var sample: BranchSample?

    /// The number of the block that is being rendered, in the order of the input, from 0.
    var blockNumber = 0

    /// The branches that the messages have taken; nil if they are not counted.
    var coverage: Coverage? { session.coverage }

    private struct CheckedCategory {
        /// The category, as in ``RenderSession/WrittenPayload/renderedCategory``.
        let category: String?
        let hasImage: Bool

        func covers(_ parts: RenderSession.WrittenPayload) -> Bool {
            guard hasImage == parts.hasImage else { return false }
            guard let category, let other = parts.renderedCategory else {
                return category == nil && parts.renderedCategory == nil
            }
            return category.sameBytes(as: other)
        }
    }

    /// A line of input.
    private enum Line {
        case profile(Profile)
        case broken(Record)
        /// A line that belongs to another shard.
        case excluded

        /// The id of the line's record.
        var id: String? { if case .profile(let profile) = self { profile.id } else { nil } }
    }

    /// Creates a session.
    init(_ renderer: CampaignRenderer, _ settings: BatchSettings) {
        var settings = settings
        var renderer = settings.apps.reduce(renderer) { $0.requiring($1) }
        if settings.jobs > 1 {
            renderer = renderer.detached()
            settings.triggerProperties = settings.triggerProperties.detached()
        }
        self.settings = settings
        if let map = settings.coverageMap {
            session = renderer.session(counting: map)
            if settings.seeksOnePerBranch { sample = BranchSample(map) }
        } else {
            session = renderer.session()
        }
        session.reportsUnreadFields = true
        var fields = renderer.profileFields
        fields.idField = settings.idField
        reader = ProfileReader(fields)
    }

    /// Renders the lines of a block.
    ///
    /// - Parameters:
    ///   - block: the lines.
    ///   - skipped: the number of records to skip, because an earlier run has written them; reduced by each one skipped
    ///     in this block.
    ///   - records: receives the records.
    ///   - isCancelled: is called before each line; true to stop.
    mutating func render(
        _ block: borrowing LineBlock,
        skipping skipped: inout Int,
        into records: inout BlockRecords,
        until isCancelled: () -> Bool
    ) {
        records.path = block.path
        if let line = block.oversized {
            guard !line.isBlank, settings.shard?.contains(line.hash) ?? true else { return }
            if skipped > 0 {
                skipped -= 1
                records.skipped.append(SkippedRecord(id: nil, file: block.file, line: block.firstLine))
            } else {
                let record = Record(oversized: block.firstLine, in: block.path, of: block.file)
                records.add(ended: record, session, nil, of: block)
            }
        }
        records.isWhole = block.forEachLine(until: isCancelled) { text, number in
            let line = read(text, number, of: block)
            if case .excluded = line { return }
            if skipped > 0 {
                skipped -= 1
                return records.skipped.append(SkippedRecord(id: line.id, file: block.file, line: number))
            }
            switch line {
            case .profile(let profile):
                render(profile, text, number, of: block, into: &records)
                sample?.note(
                    text, branches: session.coverageRecorder?.lastBranches ?? [], block: blockNumber, line: number)
            case .broken(let record): records.add(ended: record, session, nil, of: block)
            case .excluded: return
            }
        }
        if blockNumber == 0, let field = settings.idField { records.missingIDs = block.missingIDs(field, records) }
    }

    /// The ranges of the values in a line that its record reports as not read; empty for a line that is not a profile.
    package mutating func unreadValues(in text: UnsafeBufferPointer<UInt8>) -> [SourceRange] {
        guard let profile = try? reader.read(text) else { return [] }
        return profile.unreadFields.places(in: text).map(\.range)
    }

    @inline(__always)
    private mutating func read(
        _ text: UnsafeBufferPointer<UInt8>,
        _ number: Int,
        of block: borrowing LineBlock
    ) -> Line {
        do throws(ProfileError) {
            let profile = try reader.read(text)
            guard let shard = settings.shard else { return .profile(profile) }
            let isIncluded = profile.id.map { shard.contains($0) } ?? shard.contains(text)
            return isIncluded ? .profile(profile) : .excluded
        } catch {
            guard settings.shard?.contains(text) ?? true else { return .excluded }
            var record = Record(broken: error, in: block.path, line: number, text: text)
            record.file = block.file
            return .broken(record)
        }
    }

    private mutating func render(
        _ profile: Profile,
        _ text: UnsafeBufferPointer<UInt8>,
        _ line: Int,
        of block: borrowing LineBlock,
        into records: inout BlockRecords
    ) {
        let outcome: Outcome
        var parts: RenderSession.WrittenPayload?
        do throws(Interruption) {
            let written = try session.write(profile, settings.triggerProperties)
            session.placeFindings(about: profile.unreadFields, in: text, line, of: block)
            guard let error = session.error() ?? appError(written, profile) else {
                return records.add(rendered: session, written, of: profile, line: line, of: block)
            }
            outcome = .failed(error)
            parts = written
        } catch {
            session.placeFindings(about: profile.unreadFields, in: text, line, of: block)
            // The message may have ended early because a field of the profile was not read.
            outcome = session.error(of: .profileField).map(Outcome.failed) ?? error.outcome
        }
        var record = Record(id: profile.id, file: block.file, line: line, outcome: outcome)
        record.fieldWarnings = profile.unreadFields.isEmpty ? [] : session.warnings.filter { $0.rule == .profileField }
        record.connectedContentCalls = session.engine.calls
        record.writesCalls = session.renderer.options.connectedContentTrace == .recorded
        records.add(ended: record, session, parts, of: block)
    }

    /// The error of a message that does not fit the app; nil if the message fits it.
    ///
    /// A category that passed once is not checked again for messages with the same category and image. If the category
    /// is literal, rendering has already checked the key-value pairs; if the category or a key contains Liquid, the
    /// pairs are checked here for every message.
    private mutating func appError(_ parts: RenderSession.WrittenPayload, _ profile: Profile) -> RenderError? {
        if settings.apps.isEmpty || passedCategories.contains(where: { $0.covers(parts) }) { return nil }
        let payload = session.payload(parts, recipient: profile.externalID)
        let found = settings.apps.flatMap { $0.check(payload) }
        let faults = session.renderer.options.rules.apply(to: found).filter { $0.severity == .error }
        guard faults.isEmpty else { return RenderError(faults) }
        let message = session.renderer.message
        if !message.rendersCategory, !message.hasRenderedKeys, passedCategories.count < 8 {
            passedCategories.append(CheckedCategory(category: parts.renderedCategory, hasImage: parts.hasImage))
        }
        return nil
    }
}

extension RenderSession {
    /// Sets the places of the findings about unread fields, in the line of the profile.
    fileprivate mutating func placeFindings(
        about fields: UnreadFields,
        in text: UnsafeBufferPointer<UInt8>,
        _ line: Int,
        of block: borrowing LineBlock
    ) {
        if fields.isEmpty { return }
        let file = SourceFile(path: block.path, line: line, bytes: Array(text))
        for (message, range) in fields.places(in: text) {
            let place = SourcePlace(file, range)
            for index in faults.indices where faults[index].rule == .profileField && faults[index].message == message {
                faults[index].place = place
            }
            for index in warnings.indices
            where warnings[index].rule == .profileField && warnings[index].message == message {
                warnings[index].place = place
            }
        }
    }

    /// The error made of the faults that break a rule; nil if there are none.
    fileprivate func error(of rule: RuleID) -> RenderError? {
        let faults = faults.filter { $0.rule == rule }
        guard var error = faults.first else { return nil }
        error.others = Array(faults.dropFirst())
        return error
    }
}

extension Record {
    /// The record of a line that is longer than the limit, and whose bytes were not kept.
    init(oversized line: Int, in path: String, of file: String?) {
        let megabytes = LineBlock.lineLimit >> 20
        let message = "the line has more than \(megabytes) MiB, expected one profile"
        let place = SourcePlace(wholeFile: SourceFile(path: path, line: line, bytes: []))
        let error = RenderError(message, rule: .profileSyntax, at: place)
        self.init(id: nil, file: file, line: line, outcome: .failed(error))
    }
}

extension RenderError {
    /// Creates the error of a message from the findings of a check.
    init(_ findings: [Diagnostic]) {
        let first = findings.first
        self.init(first?.message ?? "", rule: first?.rule, at: first?.place)
        related = first?.related ?? []
        others = findings.dropFirst().map { RenderError([$0]) }
    }
}

extension LineBlock {
    /// The finding that no record of the block has an id, although a field is set that should give the ids.
    ///
    /// Its place is the first line of the block.
    ///
    /// - Parameters:
    ///   - field: the field that should give the ids.
    ///   - records: the records of the block.
    /// - Returns: the finding; nil if a record has an id, or no line is a profile, as the field is then not the cause.
    func missingIDs(_ field: String, _ records: borrowing BlockRecords) -> Diagnostic? {
        let missing = records.report.withoutID + records.skipped.count { $0.id == nil }
        let records = records.report.profiles + records.skipped.count
        guard records > 0, records == missing else { return nil }
        let names = fieldNames
        if names.isEmpty { return nil }
        let profiles = records == 1 ? "the first profile" : "the first \(records) profiles"
        if names.contains(where: { $0.utf8.elementsEqual(field.utf8) }) {
            return missingIDs("found no id in \(profiles), expected a text or a number in '\(field)'")
        }
        let near = nearestName(to: field, in: names)
        let known = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 8 ? ", …" : "")
        let hint = near.map { "did you mean '\($0)'?" } ?? "expected one of \(known)"
        return missingIDs("found no id in \(profiles): no field '\(field)', \(hint)")
    }

    private func missingIDs(_ message: String) -> Diagnostic {
        Diagnostic(.profileField, "--id-field: " + message, at: SourcePlace(wholeFile: firstLines(1)))
    }

    /// The names of the fields that the block's first profiles have, in the order of their first occurrence.
    private var fieldNames: [String] {
        var names: [String] = []
        var rest = 100
        forEachLine { text, _ in
            guard rest > 0 else { return }
            rest -= 1
            var json = JSONReader(text)
            // If the line has a fault, the fields before the fault are included.
            try? json.readFieldNames(into: &names, isRoot: true)
        }
        return names
    }
}

extension JSONReader {
    /// Reads the next object, which is an export or the user of the short form, and adds the names of its fields.
    fileprivate mutating func readFieldNames(into names: inout [String], isRoot: Bool) throws(JSONError) {
        let token = try readValue()
        guard token == .object else { return try skipRest(of: token) }
        while let key = try nextKey() {
            let name = string(key)
            if isRoot, name == "user" {
                return try readFieldNames(into: &names, isRoot: false)
            }
            if isRoot, name == "users" {
                guard try readValue() == .array, try nextElement() else { return }
                return try readFieldNames(into: &names, isRoot: false)
            }
            if names.count < 1_000, !names.contains(name) { names.append(name) }
            try skipValue()
        }
    }
}
