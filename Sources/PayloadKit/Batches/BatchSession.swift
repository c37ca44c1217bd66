// SPDX-License-Identifier: MIT

import Liquid
import SourceText

/// Renders lines of profiles into lines of records, and keeps its memory from one to the next.
///
/// A session belongs to one thread at a time.
package struct BatchSession: ~Copyable {
    private let settings: BatchSettings
    private var session: RenderSession
    private var reader: ProfileReader
    /// The categories that passed the check against the app, with and without an image; nearly always one.
    private var fineCategories: [CheckedCategory] = []

    private struct CheckedCategory {
        let category: String?
        let hasImage: Bool

        func covers(_ parts: RenderSession.Parts) -> Bool {
            guard hasImage == parts.hasImage else { return false }
            guard let category, let other = parts.category else { return category == nil && parts.category == nil }
            return category.sameBytes(as: other)
        }
    }

    /// A line of input.
    private enum Line {
        case profile(Profile)
        case broken(Record)
        /// It belongs to another shard.
        case excluded
    }

    /// Creates a session.
    package init(_ renderer: CampaignRenderer, _ settings: BatchSettings) {
        var settings = settings
        var renderer = renderer
        if settings.jobs > 1 {
            renderer = renderer.detached()
            settings.triggerProperties = settings.triggerProperties.detached()
        }
        self.settings = settings
        session = renderer.session()
        var fields = renderer.profileFields
        fields.idField = settings.idField
        reader = ProfileReader(fields)
    }

    /// Renders the lines of a block.
    ///
    /// - Parameters:
    ///   - block: the lines.
    ///   - skipped: how many records are passed over, as they were written before; those of the block are taken off.
    ///   - json: gets the records, one a line.
    ///   - tally: counts them.
    package mutating func render(
        _ block: borrowing LineBlock,
        skipping skipped: inout Int,
        into json: inout JSONWriter,
        _ tally: inout BatchTally
    ) {
        if let line = block.oversized {
            guard let record = record(line, in: block) else { return }
            if skipped > 0 { return skipped -= 1 }
            return write(record, into: &json, &tally)
        }
        block.forEachLine(of: block.whole) { text, number in
            let line = read(text, number, of: block)
            if case .excluded = line { return }
            if skipped > 0 { return skipped -= 1 }
            switch line {
            case .profile(let profile): render(profile, number, of: block, into: &json, &tally)
            case .broken(let record): write(record, into: &json, &tally)
            case .excluded: return
            }
        }
    }

    /// Renders lines of a block and gives each record to `body`.
    mutating func records(of block: borrowing LineBlock, _ part: LineBlock.Part, _ body: (Record) -> Void) {
        if let line = block.oversized {
            if let record = record(line, in: block) { body(record) }
            return
        }
        block.forEachLine(of: part) { text, number in
            switch read(text, number, of: block) {
            case .profile(let profile): body(record(profile, number, of: block))
            case .broken(let record): body(record)
            case .excluded: return
            }
        }
    }

    // MARK: - Reading

    @inline(__always)
    private mutating func read(
        _ text: UnsafeBufferPointer<UInt8>,
        _ number: Int,
        of block: borrowing LineBlock
    ) -> Line {
        do throws(ProfileError) {
            let profile = try reader.read(text)
            guard let shard = settings.shard else { return .profile(profile) }
            let isIncluded = profile.id.map { shard.contains($0.utf8) } ?? shard.contains(text)
            return isIncluded ? .profile(profile) : .excluded
        } catch {
            guard settings.shard?.contains(text) ?? true else { return .excluded }
            var record = Record(broken: error, in: block.path, line: number, text: text)
            record.file = block.file
            return .broken(record)
        }
    }

    /// The record of a line that is too long; nil where it is blank or belongs to another shard.
    private func record(_ line: LineBlock.OversizedLine, in block: borrowing LineBlock) -> Record? {
        guard !line.isBlank, settings.shard?.contains(line.hash) ?? true else { return nil }
        return Record(oversized: block.firstLine, of: block.file)
    }

    // MARK: - Rendering

    private mutating func record(_ profile: Profile, _ line: Int, of block: borrowing LineBlock) -> Record {
        var record = Record(
            id: profile.id,
            file: block.file,
            line: line,
            outcome: session.render(profile, triggerProperties: settings.triggerProperties)
        )
        guard let app = settings.app, case .rendered(let payload) = record.outcome else { return record }
        let faults = session.renderer.options.rules.apply(to: app.check(payload)).filter { $0.severity == .error }
        if !faults.isEmpty { record.outcome = .failed(RenderError(faults)) }
        return record
    }

    /// Renders a profile, and writes what is sent from where it was rendered to.
    private mutating func render(
        _ profile: Profile,
        _ line: Int,
        of block: borrowing LineBlock,
        into json: inout JSONWriter,
        _ tally: inout BatchTally
    ) {
        let parts: RenderSession.Parts
        do throws(Interruption) {
            parts = try session.write(profile, settings.triggerProperties)
        } catch {
            let record = Record(id: profile.id, file: block.file, line: line, outcome: error.outcome)
            return write(record, into: &json, &tally)
        }
        if let error = session.error() ?? appError(parts, profile) {
            let record = Record(id: profile.id, file: block.file, line: line, outcome: .failed(error))
            return write(record, into: &json, &tally)
        }
        Record.write(rendered: session, id: profile.id, line: line, of: block, into: &json)
        tally.count(rendered: session, parts, id: profile.id, line: line, of: block)
        endLine(&json)
    }

    /// What the app has against a message; a category that it takes is asked for once.
    private mutating func appError(_ parts: RenderSession.Parts, _ profile: Profile) -> RenderError? {
        if settings.app == nil || fineCategories.contains(where: { $0.covers(parts) }) { return nil }
        guard let app = settings.app else { return nil }
        let payload = session.payload(parts, recipient: profile.externalID)
        let faults = session.renderer.options.rules.apply(to: app.check(payload)).filter { $0.severity == .error }
        guard faults.isEmpty else { return RenderError(faults) }
        if fineCategories.count < 8 {
            fineCategories.append(CheckedCategory(category: parts.category, hasImage: parts.hasImage))
        }
        return nil
    }

    private func write(_ record: Record, into json: inout JSONWriter, _ tally: inout BatchTally) {
        record.write(into: &json)
        tally.count(record)
        endLine(&json)
    }

    private func endLine(_ json: inout JSONWriter) {
        json.endValue()
        json.buffer.append(UInt8(ascii: "\n"))
    }
}

extension Record {
    /// The record of a line that is longer than any profile may be.
    init(oversized line: Int, of file: String?) {
        let megabytes = LineBlock.lineLimit >> 20
        let message = "the line has more than \(megabytes) MiB, expected one profile"
        self.init(id: nil, file: file, line: line, outcome: .failed(RenderError(message, rule: .profileSyntax)))
    }
}

extension RenderError {
    /// The error that findings of a check make of a message.
    init(_ findings: [Diagnostic]) {
        let first = findings.first
        self.init(first?.message ?? "", rule: first?.rule, at: first?.place)
        related = first?.related ?? []
        others = findings.dropFirst().map { RenderError([$0]) }
    }
}
