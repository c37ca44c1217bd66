// SPDX-License-Identifier: MIT

import DiagnosticSources
import ExtensionAnalytics
import Foundation

/// Where the command `track` finds the records that extensions have saved.
protocol PendingSource {
    /// Calls `body` with batches of up to `limit` records, and with the warnings about records.
    func forEachBatch(
        of limit: Int,
        _ body: ([PendingRecord], PendingFaults) throws(CommandFailure) -> Void
    ) throws(CommandFailure)

    /// Removes the records with these ids, and no others.
    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> PendingRemoval
}

/// Warnings about saved records, each on one line.
struct PendingFaults {
    /// The warnings about records that cannot be read in this run.
    var unreadable: [String] = []

    /// The number of records that earlier runs could not read, with one warning about all of them; nil if there are
    /// none.
    var earlier: (count: Int, warning: String)?

    /// The warnings about members that were left out of records.
    var omissions: [String] = []

    /// The warnings about the source as a whole, which do not change the exit status.
    var notes: [String] = []
}

/// The result of removing records that Braze has received.
struct PendingRemoval {
    /// Why an id cannot belong to a record of the source.
    enum Refusal: Hashable {
        /// The app has since cleared the array that contained the record.
        case cleared(DefaultsImport.Key)
        /// No record of this source ever had the id.
        case unknown
    }

    /// The number of records that were removed.
    var removed = 0

    /// The number of records that had already been removed.
    var absent = 0

    /// The ids that cannot belong to a record, with the reasons.
    var refusals: [UUID: Refusal] = [:]
}

/// The store of the library `ExtensionAnalytics` as a source of records.
struct StoreSource: PendingSource {
    private let store: PendingStore
    /// The path of the folder to which records that cannot be read are moved.
    private let quarantine: String

    init(_ path: String) throws(CommandFailure) {
        do throws(PendingStoreError) {
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            store = try PendingStore(existing: folder)
            quarantine = folder.appendingPathComponent("quarantine").relativePath
        } catch {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw isThere
                ? CommandFailure(.unreadableInput, "'\(path)' is not a pending store: it has no folder 'quarantine'")
                : CommandFailure(.missingInput, "no folder '\(path)'")
        }
    }

    func forEachBatch(
        of limit: Int,
        _ body: ([PendingRecord], PendingFaults) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        do {
            let count = try store.quarantineCount()
            if count > 0 {
                let warning =
                    "warning: '\(quarantine)' contains \(counted(count, "file")) that earlier runs could not read, and whose "
                    + "records are not sent: correct them and move them back, or remove them"
                try body([], PendingFaults(earlier: (count, warning)))
            }
            var batches = store.batches(of: limit)
            while let batch = try batches.next() {
                let unreadable = batch.unreadable.map {
                    "warning: '\($0.name)' \($0.isQuarantined ? "was put into quarantine" : "was left in place"): \($0.reason)"
                }
                try body(batch.records, PendingFaults(unreadable: unreadable))
            }
        } catch let error as PendingStoreError {
            throw CommandFailure(.missingInput, error.description)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(.internalError, "\(error)")
        }
    }

    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> PendingRemoval {
        do throws(PendingStoreError) {
            let found = try store.acknowledge(ids: ids)
            return PendingRemoval(removed: found.count, absent: ids.count - found.count)
        } catch {
            throw CommandFailure(.unwritableOutput, error.description)
        }
    }
}
