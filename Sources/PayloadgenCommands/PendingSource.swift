// SPDX-License-Identifier: MIT

import Analytics
import Foundation
import Liquid
import SourceText

/// Where `track` takes pending records from.
protocol PendingSource {
    /// Calls `body` with records, and with what is to be told of those that cannot be read.
    func forEachBatch(
        of limit: Int,
        _ body: ([PendingRecord], [String]) throws(CommandFailure) -> Void
    ) throws(CommandFailure)

    /// Removes records, and gives the ids that were found.
    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> Set<UUID>
}

/// A pending store.
struct StoreSource: PendingSource {
    private let store: PendingStore

    init(_ path: String) throws(CommandFailure) {
        do throws(PendingStoreError) {
            store = try PendingStore(existing: URL(filePath: path, directoryHint: .isDirectory))
        } catch {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw isThere
                ? CommandFailure(.unreadableInput, "'\(path)' is no pending store: it has no folder 'quarantine'")
                : CommandFailure(.missingInput, "no folder '\(path)'")
        }
    }

    func forEachBatch(
        of limit: Int,
        _ body: ([PendingRecord], [String]) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        do {
            var batches = store.batches(of: limit)
            while let batch = try batches.next() {
                try body(
                    batch.records,
                    batch.unreadable.map {
                        "warning: '\($0.name)' \($0.isQuarantined ? "was put into quarantine" : "was left"): \($0.reason)"
                    }
                )
            }
        } catch let error as PendingStoreError {
            throw CommandFailure(.missingInput, error.description)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(.internalError, "\(error)")
        }
    }

    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> Set<UUID> {
        do throws(PendingStoreError) {
            return try store.acknowledge(ids: ids)
        } catch {
            throw CommandFailure(.unwritableOutput, error.description)
        }
    }
}

/// The preferences of an app group, as Braze's guides keep records in them.
struct DefaultsSource: PendingSource {
    private let path: String
    private let preferences: Data
    private let time: Date

    /// Reads preferences; their records happened at `time`, or at the latest when the file was written.
    init(_ path: String, time: Time?) throws(CommandFailure) {
        self.path = path
        preferences = Data(try Inputs.file(path).bytes)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        self.time =
            time.map { Date(timeIntervalSince1970: Double($0.seconds)) } ?? attributes?[.modificationDate] as? Date
            ?? Date()
    }

    func forEachBatch(
        of limit: Int,
        _ body: ([PendingRecord], [String]) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let found: DefaultsImport
        do throws(DefaultsImportError) {
            found = try DefaultsImport(preferences, time: time)
        } catch {
            throw CommandFailure(.unreadableInput, "cannot read '\(path)': \(error.reason)")
        }
        try body(
            found.records,
            found.faults.map { fault in
                let place = fault.index.map { "\(fault.key.rawValue)[\($0)]" } ?? fault.key.rawValue
                return "warning: '\(path)': \(place) was left: \(fault.reason)"
            }
        )
    }

    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> Set<UUID> {
        let (rest, found): (Data, Set<UUID>)
        do throws(DefaultsImportError) {
            (rest, found) = try DefaultsImport.removing(ids, from: preferences)
        } catch {
            throw CommandFailure(.unreadableInput, "cannot read '\(path)': \(error.reason)")
        }
        if found.isEmpty { return found }
        do {
            try rest.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure(.unwritableOutput, "cannot write '\(path)': \(error.localizedDescription)")
        }
        return found
    }
}

/// The ids in lines that `track` has printed.
struct Acknowledgement {
    let ids: Set<UUID>

    /// Reads all lines before anything is removed.
    init(_ path: String) throws(CommandFailure) {
        let file = try Inputs.file(path)
        var ids: Set<UUID> = []
        for (index, bytes) in file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        where !bytes.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) {
            let line = SourceFile(path: file.path, line: index + 1, bytes: Array(bytes))
            ids.formUnion(try Self.ids(of: line))
        }
        self.ids = ids
    }

    private static func ids(of line: SourceFile) throws(CommandFailure) -> [UUID] {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument(line).root
        } catch {
            throw CommandFailure(.unreadableInput, .findings([error.diagnostic(rule: "json-syntax", in: line)]))
        }
        guard let list = root["ids"], list.kind == .array else {
            throw unreadable("expected an object with 'ids', as track prints it", at: root.place)
        }
        var ids: [UUID] = []
        for node in list.elements {
            guard let id = node.string.flatMap(UUID.init(uuidString:)) else {
                throw unreadable("found \(node.source), expected the id of a record", at: node.place)
            }
            ids.append(id)
        }
        return ids
    }

    private static func unreadable(_ message: String, at place: SourcePlace) -> CommandFailure {
        CommandFailure(
            .unreadableInput,
            .findings([Diagnostic(rule: "acknowledgement", severity: .error, message: message, at: place)])
        )
    }
}
