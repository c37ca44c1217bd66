// SPDX-License-Identifier: MIT

package import DiagnosticSources
import Foundation
import POSIXFiles

/// The input and the output of a batch.
package protocol BatchPort: AnyObject, Sendable {
    /// The error that ends the batch.
    associatedtype Failure: Error

    /// Reads the next block; only one worker at a time calls it.
    ///
    /// - Parameter block: receives the lines.
    /// - Returns: whether there was a block.
    /// - Throws: the reason that the input cannot be read; the records of earlier blocks are still taken.
    func read(_ block: inout LineBlock) throws(Failure) -> Bool

    /// The findings in a block that was rendered; several workers may call it at once.
    func findings(in block: borrowing LineBlock, _ session: inout BatchSession) -> [Diagnostic]

    /// Takes the records of the next block, in the order of the input; only one worker at a time calls it.
    ///
    /// - Throws: the reason that no more records are taken.
    func take(_ records: borrowing BlockRecords) throws(Failure)
}

/// Renders the blocks of an input with several workers, and gives their records to the output in the order of the
/// input.
///
/// Each worker reads a block and renders it. The worker whose block is next in order gives its records to the output,
/// and the records of later blocks that are already finished. A worker waits for a slower one only when too many
/// finished blocks are waiting, so that memory does not grow. The conformance is unchecked: locks guard everything that
/// is shared.
package final class BatchScheduler<Port: BatchPort>: @unchecked Sendable {
    /// The input and the output.
    package let port: Port

    private let renderer: CampaignRenderer
    private let settings: BatchSettings
    private let keepsValues: Bool
    private let isCancelled: @Sendable () -> Bool
    private let workers: Locked<[Worker?]>

    /// Guards the input.
    private let reading = NSLock()
    /// The number of blocks that were read.
    private var readCount = 0

    /// Guards all members below.
    private let writing = NSCondition()
    /// The number of the next block to take; -1 after a failure of the output.
    private var nextNumber = 0
    /// Finished blocks that wait for an earlier one to be taken, by their numbers.
    private var waiting: [Int: FinishedBlock] = [:]
    /// Empty records of blocks that were taken, to be reused.
    private var spare: [FinishedBlock] = []
    private var failure: Port.Failure?

    private final class FinishedBlock {
        var records: BlockRecords

        init(keepsValues: Bool) { records = BlockRecords(keepsValues: keepsValues) }
    }

    /// The session and the block that one thread at a time uses.
    private final class Worker: @unchecked Sendable {
        var session: BatchSession
        var block = LineBlock()

        init(_ renderer: CampaignRenderer, _ settings: BatchSettings) { session = BatchSession(renderer, settings) }
    }

    /// Prepares a batch.
    ///
    /// - Parameters:
    ///   - renderer: renders the campaign.
    ///   - settings: the settings of the batch.
    ///   - port: gives the lines and takes the records.
    ///   - keepsValues: whether the records are kept as values instead of JSON.
    ///   - isCancelled: is called before each line; true to stop.
    package init(
        _ renderer: CampaignRenderer,
        _ settings: BatchSettings,
        _ port: Port,
        keepsValues: Bool = false,
        until isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.renderer = renderer
        self.settings = settings
        self.port = port
        self.keepsValues = keepsValues
        self.isCancelled = isCancelled
        workers = Locked(Array(repeating: nil, count: max(1, settings.jobs)))
    }

    /// Renders the whole input, with a thread for each worker.
    ///
    /// - Parameter count: the number of records to skip, because an earlier run has written them.
    /// - Throws: the first failure of the input, or the failure of the output; all records before it were taken.
    package func run(skipping count: Int) throws(Port.Failure) {
        var skipped = count
        // The number of a block's records is known only after rendering it, so blocks are skipped one by one.
        if skipped > 0 { work(0, skipping: &skipped) }
        if nextNumber >= 0 {
            LargeStack.concurrently(max(1, settings.jobs)) { worker in
                var none = 0
                self.work(worker, skipping: &none)
            }
        }
        if let failure { throw failure }
    }

    /// Renders what can be read without waiting, with a task for each of the first `count` workers.
    func run(workers count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 1..<max(1, count) {
                group.addTask {
                    var none = 0
                    self.work(worker, skipping: &none)
                }
            }
            var none = 0
            self.work(0, skipping: &none)
        }
    }

    /// The branches that the messages have taken; nil if they are not counted.
    package var coverage: Coverage? {
        var sum: Coverage?
        for case let worker? in workers.withLock(\.self) {
            guard let counted = worker.session.coverage else { continue }
            if sum == nil { sum = counted } else { sum?.add(counted) }
        }
        return sum
    }

    /// The search for a few profiles that take every branch that any profile takes; nil if it was not asked for.
    package var sample: BranchSample? {
        var all: BranchSample?
        for case let worker? in workers.withLock(\.self) {
            guard let found = worker.session.sample else { continue }
            if all == nil { all = found } else { all?.add(found) }
        }
        return all
    }

    // MARK: - Workers

    /// Renders all remaining blocks or, if records have to be skipped, only as many blocks as contain them.
    private func work(_ index: Int, skipping skipped: inout Int) {
        let worker = worker(index)
        let isSkipping = skipped > 0
        var finished = FinishedBlock(keepsValues: keepsValues)
        while !isSkipping || skipped > 0, let number = readBlock(&worker.block) {
            worker.session.blockNumber = number
            worker.session.render(worker.block, skipping: &skipped, into: &finished.records, until: isCancelled)
            finished.records.findings = port.findings(in: worker.block, &worker.session)
            guard let next = finish(number, finished) else { return }
            finished = next
        }
    }

    private func worker(_ index: Int) -> Worker {
        if let known = workers.withLock({ $0[index] }) { return known }
        // Created outside the lock, so that the workers copy the templates at the same time.
        let worker = Worker(renderer, settings)
        workers.withLock { $0[index] = worker }
        return worker
    }

    /// Reads the next block, and returns its number; nil at the end, and after a failure.
    private func readBlock(_ block: inout LineBlock) -> Int? {
        reading.lock()
        defer { reading.unlock() }
        do throws(Port.Failure) {
            guard try port.read(&block) else { return nil }
            defer { readCount += 1 }
            return readCount
        } catch {
            writing.lock()
            defer { writing.unlock() }
            if failure == nil { failure = error }
            return nil
        }
    }

    /// Adds a finished block, and takes all blocks that are next in order.
    ///
    /// - Returns: empty records for the next block; nil after a failure of the output.
    private func finish(_ number: Int, _ block: FinishedBlock) -> FinishedBlock? {
        writing.lock()
        defer { writing.unlock() }
        waiting[number] = block
        while nextNumber >= 0, let next = waiting.removeValue(forKey: nextNumber) { take(next) }
        writing.broadcast()
        while nextNumber >= 0, waiting.count > waitingLimit { writing.wait() }
        guard nextNumber >= 0 else { return nil }
        return spare.popLast() ?? FinishedBlock(keepsValues: keepsValues)
    }

    private func take(_ block: FinishedBlock) {
        do throws(Port.Failure) {
            try port.take(block.records)
            nextNumber += 1
        } catch {
            // This may replace a failure of the input; the output is incomplete either way.
            failure = error
            nextNumber = -1
        }
        block.records.removeAll()
        spare.append(block)
    }

    /// The maximum number of finished blocks that may wait: the work of a few milliseconds, and at most 64.
    private var waitingLimit: Int { min(64, 4 * settings.jobs) }
}
