// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Renders the blocks of an input on several threads, and writes their records in the order of the input.
///
/// Each thread reads a block and renders it. The thread whose block is next in order writes its records, and the
/// records of later blocks that are already finished. A thread waits for a slower one only when too many finished
/// blocks are waiting, so that memory does not grow. The conformance is unchecked: two locks guard everything that is
/// shared.
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
    /// Whether all profiles are rendered even if nobody reads the records, because reports about them are wanted.
    private let needsAll: Bool

    /// Guards all members below.
    private let writing = NSCondition()
    /// The number of the next block to write; -1 after a failure of the output.
    private var nextNumber = 0
    /// Finished blocks that wait for an earlier one to be written, by their numbers.
    private var waiting: [Int: BlockRecords] = [:]
    /// Empty records of written blocks, to be reused.
    private var spare: [BlockRecords] = []
    private var failure: CommandFailure?
    /// The records of an earlier run that the first records are compared with; nil for none.
    private var compared: KeptRecords?
    /// Whether the reader of the records has closed the pipe, so that no more records are written.
    private var isUnread = false
    /// The counts of the profiles so far.
    private(set) var report = BatchReport()
    /// The findings in the first profiles of each input, by the number of the block.
    private var findingsByBlock: [Int: [Diagnostic]] = [:]
    /// The finding that the field for ids gives no id in the first block; nil where it gives one.
    private(set) var missingIDs: Diagnostic?
    /// The branches that the messages have taken; nil where they are not counted.
    private(set) var coverage: Coverage?
    /// The search for a few profiles that take every branch that any profile takes; nil if it was not asked for.
    private(set) var sample: BranchSample?

    private final class BlockRecords {
        var written = WrittenRecords()

        /// Whether every line of the block has its record.
        var isWhole = true
    }

    /// The number of records of a block, including skipped ones, and of records without an id.
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

    /// The paths of the inputs that contain no profile.
    var emptyInputs: [String] { input.emptyPaths }

    /// The indices of the sources that contain a profile.
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
    ///   - profileFindings: finds faults in profiles, such as fields that are not read.
    ///   - needsAll: whether all profiles are rendered even if nobody reads the records.
    ///   - warn: immediately shows a finding that concerns all profiles of the first block.
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

    /// Renders the whole input.
    ///
    /// - Parameter kept: the records that an earlier run has written, which are skipped or compared; nil for none.
    /// - Returns: the counts of the profiles that were not skipped.
    /// - Throws: the first failure of input or output; all records before it were written.
    func run(after kept: KeptRecords?) throws(CommandFailure) -> BatchReport {
        if let kept, kept.areRenderedAgain {
            compared = kept
        } else if let kept {
            var skipped = kept.count
            // The number of a block's records is known only after rendering it, so blocks are skipped one by one.
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

    /// Renders all remaining blocks or, with `kept`, only as long as records are skipped.
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

    /// Adds the counts of one thread; the order of the threads makes no difference.
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

    /// Warns if the field for ids gives no id in the first block.
    private func checkIDs(of block: borrowing LineBlock, _ ids: IDCounts) {
        guard let field = settings.idField, ids.records > 0, ids.records == ids.missing else { return }
        guard let finding = block.missingIDs(field, records: ids.records) else { return }
        warn(finding)
        writing.lock()
        defer { writing.unlock() }
        missingIDs = finding
    }

    /// Keeps the findings in the first profiles of an input; most of its other profiles have the same fields.
    private func note(_ findings: [Diagnostic], ofProfilesIn number: Int) {
        if findings.isEmpty { return }
        writing.lock()
        defer { writing.unlock() }
        findingsByBlock[number] = findings
    }

    /// Reads the next block.
    ///
    /// - Returns: the number of the block, and whether to check the fields of its first profiles. Only the first 50
    ///   inputs are checked, as a folder may have a file for each profile.
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

    /// Stores the first failure; blocks that were read before the failure are still written.
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
            try writeUnlessClosed(records.written.json.buffer)
            report.add(records.written.report)
            nextNumber += 1
            progress?.show(profiles: report.profiles)
            // Nothing may be written after the missing lines.
            if !records.isWhole { throw .interrupted }
        } catch {
            if error.isClosedPipe { report.add(records.written.report) }
            // This may replace a failure of the input; the output is incomplete either way.
            failure = error
            nextNumber = -1
        }
        records.written.removeAll()
        spare.append(records)
    }

    /// Writes lines that the output does not contain yet; does nothing once the reader has closed the pipe and only the
    /// reports are still wanted.
    private func writeUnlessClosed(_ lines: borrowing ByteBuffer) throws(CommandFailure) {
        if isUnread { return }
        let start = try compared?.compare(lines) ?? 0
        do throws(CommandFailure) { try writer.write(lines, from: start) } catch {
            guard needsAll, error.isClosedPipe else { throw error }
            isUnread = true
        }
    }

    /// The maximum number of finished blocks that may wait: the work of a few milliseconds, and at most 64.
    private var waitingLimit: Int { min(64, 4 * settings.jobs) }
}
