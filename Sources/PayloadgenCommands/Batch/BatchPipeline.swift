// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit
import SourceText

/// Renders the blocks of an input on several threads and writes their records in the order of the input.
///
/// Each thread reads a block and renders it. The thread whose block is next writes its records and those of later blocks
/// that wait for it. A thread never waits for a slower one until too many blocks wait: then the input is faster than the
/// output. Unchecked, as two locks guard what is shared.
final class BatchPipeline: @unchecked Sendable {
    private let renderer: CampaignRenderer
    private let settings: BatchSettings
    private var input: BatchInput
    /// Guards the input.
    private let reading = NSLock()
    private let writer: RecordWriter
    private let progress: BatchProgress?
    private let warn: @Sendable (String) -> Void

    /// Guards everything below.
    private let turns = NSCondition()
    private var turn = 0
    /// What is rendered before its turn, by the numbers of the blocks.
    private var waiting: [Int: BlockRecords] = [:]
    /// Memory of blocks that are written.
    private var spare: [BlockRecords] = []
    private var failure: CommandFailure?
    private var report = BatchReport()

    /// The records of a block.
    private final class BlockRecords {
        var written = WrittenRecords()
    }

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - renderer: renders the campaign.
    ///   - settings: what is the same for all profiles.
    ///   - sources: the profiles.
    ///   - writer: writes the records.
    ///   - progress: shows how many there are; nil for nobody.
    ///   - warn: shows at once what is wrong with all of the first profiles.
    init(
        _ renderer: CampaignRenderer,
        _ settings: BatchSettings,
        _ sources: [ProfileSource],
        to writer: RecordWriter,
        _ progress: BatchProgress?,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.renderer = renderer
        self.settings = settings
        input = BatchInput(sources)
        self.progress = progress
        self.writer = writer
        self.warn = warn
    }

    /// Renders everything.
    ///
    /// - Parameter skipped: how many records were written before and are passed over.
    /// - Returns: what became of the profiles that were not passed over.
    /// - Throws: the first failure of input or output; all records before it are written.
    func run(skipping skipped: Int) throws(CommandFailure) -> BatchReport {
        var skipped = skipped
        // How many records the first blocks hold is only known one after the other.
        if skipped > 0 { work(skipping: &skipped, whileSkipping: true) }
        if skipped > 0, failure == nil {
            throw CommandFailure(.unreadableInput, "the partial output holds more records than the input gives")
        }
        DispatchQueue.concurrentPerform(iterations: settings.jobs) { _ in
            var none = 0
            self.work(skipping: &none, whileSkipping: false)
        }
        progress?.clear()
        if let failure { throw failure }
        return report
    }

    private func work(skipping skipped: inout Int, whileSkipping: Bool) {
        var session = BatchSession(renderer, settings)
        var block = LineBlock()
        var records = BlockRecords()
        while !whileSkipping || skipped > 0, let number = nextBlock(&block) {
            session.render(block, skipping: &skipped, into: &records.written)
            if number == 0 { checkIDs(of: block, records.written.report) }
            guard let next = finish(number, records) else { return }
            records = next
        }
    }

    /// Warns where the field that should give the ids gives none in the whole first block.
    private func checkIDs(of block: borrowing LineBlock, _ report: BatchReport) {
        guard let field = settings.idField, report.lacksIDs else { return }
        if let explanation = block.missingIDs(field, records: report.profiles) { warn(explanation) }
    }

    private func nextBlock(_ block: inout LineBlock) -> Int? {
        do throws(CommandFailure) {
            reading.lock()
            defer { reading.unlock() }
            let number = try input.fill(&block)
            progress?.note(bytes: input.readCount)
            return number
        } catch {
            fail(error)
            return nil
        }
    }

    /// Keeps the first failure; blocks that were read before are still written.
    private func fail(_ failure: CommandFailure) {
        turns.lock()
        defer { turns.unlock() }
        if self.failure == nil { self.failure = failure }
    }

    /// Takes the records of a block, writes those whose turn it is, and gives empty ones for the next block.
    ///
    /// - Returns: nil where nothing can be written any more.
    private func finish(_ number: Int, _ records: BlockRecords) -> BlockRecords? {
        turns.lock()
        defer { turns.unlock() }
        waiting[number] = records
        while turn >= 0, let next = waiting.removeValue(forKey: turn) { write(next) }
        turns.broadcast()
        while turn >= 0, waiting.count > waitingLimit { turns.wait() }
        guard turn >= 0 else { return nil }
        return spare.popLast() ?? BlockRecords()
    }

    private func write(_ records: BlockRecords) {
        do throws(CommandFailure) {
            try writer.write(records.written.json.buffer)
            report.add(records.written.report)
            turn += 1
            progress?.show(profiles: report.profiles)
        } catch {
            // What failed to be read before matters less: the output is not whole either way.
            failure = error
            turn = -1
        }
        records.written.removeAll()
        spare.append(records)
    }

    /// How many blocks may wait for their turn: a few milliseconds' worth, in memory that does not grow with the threads.
    private var waitingLimit: Int { min(64, 4 * settings.jobs) }
}
