// SPDX-License-Identifier: MIT

public import Foundation
import POSIXFiles

/// A batch of records from a store, in the order in which they were saved.
public struct PendingBatch: Sendable {
    /// A file that should contain a record but cannot be read as one.
    public struct Unreadable: Sendable, Hashable {
        /// The name of the file.
        public let name: String

        /// Why the file does not contain a record: lower case, no full stop.
        public let reason: String

        /// Whether the file was moved to quarantine.
        ///
        /// A file with unknown contents is moved there. A file that the system cannot read stays in place and is tried
        /// again in the next pass, because files of a locked device can be read later.
        public let isQuarantined: Bool
    }

    /// The records of the batch, in the order in which they were saved.
    public fileprivate(set) var records: [PendingRecord] = []

    /// The files that were found while this batch was read, but could not be read as records.
    public fileprivate(set) var unreadable: [Unreadable] = []

    /// The names of the records' files, in the same order as the records.
    fileprivate(set) var names: [String] = []
}

/// A pass over the records of a store in batches, beginning with the oldest record.
///
/// Records that are saved during the pass are part of this pass or the next. A pass keeps only a few thousand names in
/// memory, however many records there are.
public struct PendingBatches: Sendable {
    private static let windowCount = 4_096

    private let store: PendingStore
    private let limit: Int
    private var window: ArraySlice<String> = []
    /// The name of the last file that was returned; at first the empty name, after which every name sorts.
    private var last = ""

    fileprivate init(_ store: PendingStore, limit: Int) {
        self.store = store
        self.limit = max(1, limit)
    }

    /// The next records; nil if no file is left.
    ///
    /// - Throws: why the folder cannot be read.
    public mutating func next() throws(PendingStoreError) -> PendingBatch? {
        var batch = PendingBatch()
        while batch.records.count < limit, let name = try nextName() {
            switch store.read(name) {
            case .record(let record):
                batch.records.append(record)
                batch.names.append(name)
            case .unreadable(let unreadable): batch.unreadable.append(unreadable)
            case .gone: break
            }
        }
        return batch.records.isEmpty && batch.unreadable.isEmpty ? nil : batch
    }

    private mutating func nextName() throws(PendingStoreError) -> String? {
        if window.isEmpty { window = try store.names(after: last, limit: Self.windowCount)[...] }
        guard let name = window.popFirst() else {
            try store.removeAbandonedFiles()
            return nil
        }
        last = name
        return name
    }
}

extension PendingStore {
    /// Begins a pass over the records, starting with the oldest.
    ///
    /// ```swift
    /// var batches = store.batches(of: 75)
    /// while let batch = try batches.next() {
    ///     try await send(batch.records)
    ///     try store.acknowledge(batch)
    /// }
    /// ```
    ///
    /// - Parameter limit: the maximum number of records in a batch.
    /// - Returns: the pass.
    public func batches(of limit: Int) -> PendingBatches {
        PendingBatches(self, limit: limit)
    }

    /// Removes the records of a batch from the store, because they have been received.
    ///
    /// It is not an error if another process has removed a record in the meantime.
    ///
    /// - Throws: why a record cannot be removed; the other records are removed nonetheless.
    public func acknowledge(_ batch: PendingBatch) throws(PendingStoreError) {
        try remove(batch.names)
    }

    /// Removes the records with the given ids from the store, because they have been received.
    ///
    /// - Returns: the ids that were found.
    /// - Throws: why the folder cannot be read, or why a record cannot be removed; the others are removed nonetheless.
    @discardableResult
    public func acknowledge(ids: Set<UUID>) throws(PendingStoreError) -> Set<UUID> {
        var names: [String] = []
        var found: Set<UUID> = []
        try forEachName { name in
            guard let id = FileName(name)?.id, ids.contains(id) else { return }
            names.append(name)
            found.insert(id)
        }
        try remove(names)
        return found
    }

    /// The ids of all records.
    func ids() throws(PendingStoreError) -> Set<UUID> {
        var ids: Set<UUID> = []
        try forEachName { name in
            if let id = FileName(name)?.id { ids.insert(id) }
        }
        return ids
    }

    private func remove(_ names: [String]) throws(PendingStoreError) {
        var fault: PendingStoreError?
        for name in names where unlink(path(name)) != 0 && errno != ENOENT {
            fault = fault ?? PendingStoreError(.remove, path(name), errno)
        }
        if let fault { throw fault }
    }

    /// The maximum number of bytes of a record's file: many times what Braze accepts, but little compared with a
    /// device's memory.
    private static let recordByteLimit = 1 << 24

    fileprivate enum Reading {
        case record(PendingRecord)
        case unreadable(PendingBatch.Unreadable)
        /// The file no longer exists, because another process has acknowledged the record.
        case gone
    }

    fileprivate func read(_ name: String) -> Reading {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try OpenFile(path(name)).bytes(limit: Self.recordByteLimit)
        } catch {
            switch error.reason {
            case .missing: return .gone
            case .unexpected, .tooLarge: return quarantined(name, "\(error)")
            default: return .unreadable(.init(name: name, reason: "\(error)", isQuarantined: false))
            }
        }
        do throws(StoredRecordError) {
            let record = try PendingRecord(stored: bytes)
            guard FileName(name)?.id == record.id else {
                throw StoredRecordError("the file name is not that of the record")
            }
            return .record(record)
        } catch {
            return quarantined(name, error.reason)
        }
    }

    private func quarantined(_ name: String, _ reason: String) -> Reading {
        let fault = moveToQuarantine(name)
        if fault == ENOENT { return .gone }
        return .unreadable(.init(name: name, reason: reason, isQuarantined: fault == 0))
    }
}
