// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit
import SourceText
import Synchronization

/// Renders the blocks of an input on several threads and writes their records in the order of the input.
///
/// Each thread reads a block, renders it, waits for its turn and writes: who reads faster than the output takes waits
/// there, so that there are never more blocks than threads. Unchecked, as what is shared lies behind two locks.
final class BatchPipeline: @unchecked Sendable {
    private let renderer: CampaignRenderer
    private let settings: BatchSettings
    private let input: Mutex<BatchInput>
    private let target: OutputTarget
    private let progress: BatchProgress?

    /// Guards everything below.
    private let turns = NSCondition()
    private var turn = 0
    private var failure: CommandFailure?
    private var report = BatchReport()

    init(
        _ renderer: CampaignRenderer,
        _ settings: BatchSettings,
        _ sources: [ProfileSource],
        to target: OutputTarget,
        _ progress: BatchProgress?
    ) {
        self.renderer = renderer
        self.settings = settings
        input = Mutex(BatchInput(sources))
        self.progress = progress
        self.target = target
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
        var json = JSONWriter(into: ByteBuffer(capacity: 1 << 16))
        var tally = BatchTally()
        while !whileSkipping || skipped > 0, let number = nextBlock(&block) {
            json.buffer.removeAll()
            tally.removeAll()
            session.render(block, skipping: &skipped, into: &json, &tally)
            guard finish(number, json.buffer, tally) else { return }
        }
    }

    private func nextBlock(_ block: inout LineBlock) -> Int? {
        do throws(CommandFailure) {
            return try input.withLock { input throws(CommandFailure) in
                let number = try input.fill(&block)
                progress?.note(bytes: input.readCount)
                return number
            }
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

    /// Writes the records of a block when it is its turn; false where nothing can be written any more.
    private func finish(_ number: Int, _ records: borrowing ByteBuffer, _ tally: BatchTally) -> Bool {
        turns.lock()
        defer {
            turns.broadcast()
            turns.unlock()
        }
        while turn != number, turn >= 0 { turns.wait() }
        guard turn >= 0 else { return false }
        do throws(CommandFailure) {
            try target.write(records)
            report.add(tally)
            turn += 1
            progress?.show(profiles: report.profiles)
            return true
        } catch {
            // What failed to be read before matters less: the output is not whole either way.
            failure = error
            turn = -1
            return false
        }
    }
}
