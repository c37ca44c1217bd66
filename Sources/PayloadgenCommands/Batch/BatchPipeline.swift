// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Renders the blocks of an input on several threads and writes their records in the order of the input.
///
/// Each thread reads a block and renders it. The thread whose block is next in order writes its records, and those of
/// later blocks that are finished. A thread waits for a slower one only when too many finished blocks are waiting, so
/// that memory does not grow. The conformance is unchecked: two locks guard everything that is shared.
final class BatchPipeline: @unchecked Sendable {
    private let renderer: CampaignRenderer
    private let settings: BatchSettings
    private var input: BatchInput
    /// Guards the input.
    private let reading = NSLock()
    private var writer: RecordWriter
    private let progress: BatchProgress?
    private let profileFindings: ProfileFindings
    private let warn: @Sendable (Diagnostic) -> Void
    /// Whether all profiles are rendered even if nobody reads the records, as reports about them are wanted.
    private let needsAll: Bool

    /// Guards everything below.
    private let writing = NSCondition()
    /// The number of the block that is written next; -1 after a failure of the output.
    private var nextNumber = 0
    /// Finished blocks that wait for an earlier one, by their numbers.
    private var waiting: [Int: BlockRecords] = [:]
    /// Records of written blocks, to be reused.
    private var spare: [BlockRecords] = []
    private var failure: CommandFailure?
    /// The records of an earlier run with which the first records are compared; nil for none.
    private var compared: KeptRecords?
    /// Whether the reader of the records has closed the pipe, so that no more are written.
    private var isUnread = false
    /// The counts of the profiles so far.
    private(set) var report = BatchReport()
    /// The findings in the first profiles of the inputs, by the numbers of their blocks.
    private var findingsByBlock: [Int: [Diagnostic]] = [:]
    /// The finding that the field for the ids gives no id in the first block; nil where it gives any.
    private(set) var missingIDs: Diagnostic?
    /// The arms that the messages have taken; nil where they are not counted.
    private(set) var coverage: Coverage?
    /// The profiles of which some take every arm; nil where they are not sought.
    private(set) var sample: BranchSample?

    /// The records of a block.
    private final class BlockRecords {
        var written = WrittenRecords()

        /// Whether all lines of the block have their records.
        var isWhole = true
    }

    /// The records of a block, also those that are skipped, and how many of them have no id.
    private struct IDCounts {
        private(set) var records = 0
        private(set) var missing = 0

        mutating func note(_ record: SkippedRecord) {
            records += 1
            if record.id == nil { missing += 1 }
        }

        mutating func add(_ report: BatchReport) {
            records += report.profiles
            missing += report.withoutID
        }
    }

    /// The names of the inputs in which no profile was found.
    var emptyInputs: [String] { input.emptyPaths }

    /// The indices of the sources with a profile.
    var filledSources: Set<Int> { input.filledSources }

    /// The number of lines that were read.
    var lineCount: Int { input.lineCount }

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - renderer: renders the campaign.
    ///   - settings: the settings of the batch.
    ///   - sources: the profiles.
    ///   - writer: writes the records.
    ///   - progress: shows the progress; nil for none.
    ///   - profileFindings: finds fields of profiles that are left out.
    ///   - needsAll: whether all profiles are rendered even if nobody reads the records.
    ///   - warn: shows a finding about all profiles of the first block at once.
    init(
        _ renderer: CampaignRenderer,
        _ settings: BatchSettings,
        _ sources: [ProfileSource],
        to writer: RecordWriter,
        _ progress: BatchProgress?,
        _ profileFindings: ProfileFindings,
        needsAll: Bool,
        warn: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.renderer = renderer
        self.settings = settings
        input = BatchInput(sources)
        self.progress = progress
        self.writer = writer
        self.profileFindings = profileFindings
        self.needsAll = needsAll
        self.warn = warn
    }

    /// Renders everything.
    ///
    /// - Parameter kept: the records that an earlier run has written, which are skipped or compared; nil for none.
    /// - Returns: the counts of the profiles that were not skipped.
    /// - Throws: the first failure of input or output; all records before it are written.
    func run(after kept: KeptRecords?) throws(CommandFailure) -> BatchReport {
        if let kept, kept.areRenderedAgain {
            compared = kept
        } else if let kept {
            var skipped = kept.count
            // The number of records of a block is known only after it is rendered, so blocks are skipped one by one.
            if skipped > 0 { work(skipping: &skipped, kept) }
            if let failure = kept.failure {
                progress?.clear()
                throw failure
            }
            if skipped > 0, failure == nil { throw Self.tooManyRecords }
        }
        LargeStack.concurrently(settings.jobs) { _ in
            var none = 0
            self.work(skipping: &none, nil)
        }
        progress?.clear()
        if let failure { throw failure }
        if let compared, !compared.areAllCompared { throw Self.tooManyRecords }
        for (_, findings) in findingsByBlock.sorted(by: { $0.key < $1.key }) { report.note(inputs: findings) }
        return report
    }

    private static let tooManyRecords =
        CommandFailure(.unreadableInput, "the partial output has more records than the input")

    /// Renders blocks: all that remain, or those with records that are skipped.
    private func work(skipping skipped: inout Int, _ kept: KeptRecords?) {
        var session = BatchSession(renderer, settings)
        var block = LineBlock()
        var records = BlockRecords()
        while kept == nil || skipped > 0, let (number, isSampled) = nextBlock(&block) {
            session.blockNumber = number
            var ids = IDCounts()
            records.isWhole = session.render(
                block, skipping: &skipped, into: &records.written, until: { InterruptSignal.wasSent }
            ) { record in
                ids.note(record)
                kept?.check(record, block.path)
            }
            if kept?.failure != nil { return }
            ids.add(records.written.report)
            if number == 0 { checkIDs(of: block, ids) }
            if isSampled {
                let lines = block.firstLines(20)
                note(profileFindings.about(linesOf: lines) { session.unreadValues(in: $0) }, ofProfilesIn: number)
            }
            guard let next = finish(number, records) else { return }
            records = next
        }
        add(session.coverage, session.sample)
    }

    /// Adds what one thread has counted; the order of the threads changes nothing.
    private func add(_ counted: Coverage?, _ found: BranchSample?) {
        writing.lock()
        defer { writing.unlock() }
        if let counted {
            var sum = coverage ?? Coverage(counted.map)
            sum.add(counted)
            coverage = sum
        }
        if let found {
            var all = sample ?? found
            if sample != nil { all.add(found) }
            sample = all
        }
    }

    /// Warns if the field for the ids gives no id in the first block.
    private func checkIDs(of block: borrowing LineBlock, _ ids: IDCounts) {
        guard let field = settings.idField, ids.records > 0, ids.records == ids.missing else { return }
        guard let finding = block.missingIDs(field, records: ids.records) else { return }
        warn(finding)
        writing.lock()
        defer { writing.unlock() }
        missingIDs = finding
    }

    /// Notes what was found in the first profiles of an input, whose fields the others mostly have too.
    private func note(_ findings: [Diagnostic], ofProfilesIn number: Int) {
        if findings.isEmpty { return }
        writing.lock()
        defer { writing.unlock() }
        findingsByBlock[number] = findings
    }

    /// Reads the next block.
    ///
    /// - Returns: its number, and whether the fields of its first profiles are checked: those of the first 50 inputs
    ///   are, as a folder may have a file for each profile.
    private func nextBlock(_ block: inout LineBlock) -> (number: Int, isSampled: Bool)? {
        do throws(CommandFailure) {
            reading.lock()
            defer { reading.unlock() }
            let number = try input.fill(&block)
            progress?.note(bytes: input.readCount)
            return number.map { ($0, block.firstLine == 1 && input.textNumber <= 50) }
        } catch {
            fail(error)
            return nil
        }
    }

    /// Stores the first failure; blocks that were read before it are still written.
    private func fail(_ failure: CommandFailure) {
        writing.lock()
        defer { writing.unlock() }
        if self.failure == nil { self.failure = failure }
    }

    /// Adds the records of a block, and writes all blocks that are next in order.
    ///
    /// - Returns: empty records for the next block; nil after a failure of the output.
    private func finish(_ number: Int, _ records: BlockRecords) -> BlockRecords? {
        writing.lock()
        defer { writing.unlock() }
        waiting[number] = records
        while nextNumber >= 0, let next = waiting.removeValue(forKey: nextNumber) { write(next) }
        writing.broadcast()
        while nextNumber >= 0, waiting.count > waitingLimit { writing.wait() }
        guard nextNumber >= 0 else { return nil }
        return spare.popLast() ?? BlockRecords()
    }

    private func write(_ records: BlockRecords) {
        do throws(CommandFailure) {
            try writeIfRead(records.written.json.buffer)
            report.add(records.written.report)
            nextNumber += 1
            progress?.show(profiles: report.profiles)
            // Nothing is written after the lines that are left out.
            if !records.isWhole { throw .interrupted }
        } catch {
            if error.isClosedPipe { report.add(records.written.report) }
            // This replaces a failure of the input: the output is incomplete in both cases.
            failure = error
            nextNumber = -1
        }
        records.written.removeAll()
        spare.append(records)
    }

    /// Writes lines that the output does not have, unless their reader has closed the pipe and only the reports are
    /// still wanted.
    private func writeIfRead(_ lines: borrowing ByteBuffer) throws(CommandFailure) {
        if isUnread { return }
        let start = try compared?.compare(lines) ?? 0
        do throws(CommandFailure) { try writer.write(lines, from: start) } catch {
            guard needsAll, error.isClosedPipe else { throw error }
            isUnread = true
        }
    }

    /// The most finished blocks that may wait: those of a few milliseconds, at most 64 with any number of threads.
    private var waitingLimit: Int { min(64, 4 * settings.jobs) }
}
