// SPDX-License-Identifier: MIT

import DiagnosticSources
import ExtensionAnalytics
import Foundation
import LiquidTemplates
import POSIXFiles
import PlistDocuments

/// The preferences of an app group (`UserDefaults`), in which the code of Braze's guides keeps records.
///
/// The numbers of the array elements are stored beside the file, in `FILE.payloadgen.json`, which is locked while
/// either file is written. The app does not use that lock; if it replaces the preferences in the meantime, they are
/// read again.
struct DefaultsSource: PendingSource {
    /// The maximum number of times that the preferences are read again because they have changed meanwhile.
    private static let attemptLimit = 10

    private static let numberingByteLimit = 1 << 28

    /// The suffix that is added to the path of the preferences for the file with the numbering.
    private static let suffix = ".payloadgen.json"

    /// The path, as the user gave it.
    private let path: String

    /// The path after symbolic links are followed.
    ///
    /// A link is kept, and the numbering is beside its target.
    private let target: String

    /// The time of all records; nil to use the modification time of the file in which each record was first seen.
    private let time: Date?

    private var numberingPath: String { target + Self.suffix }

    /// Finds the file of the preferences; it is read later, when its records are needed.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - time: the time of all records; nil to use the modification time of the file in which each record was first
    ///     seen.
    /// - Throws: an error if there is no such file, or the path is `-`.
    init(_ path: String, time: Time?) throws(CommandFailure) {
        guard path != "-" else {
            throw CommandFailure(
                .usage,
                "found --defaults -, expected a file: the numbers of its records are kept beside it"
            )
        }
        guard let target = path.realPath else { throw CommandFailure(FileError(.read, path, number: errno), path) }
        self.path = path
        self.target = target
        self.time = time.map { Date(timeIntervalSince1970: Double($0.seconds)) }
    }

    func forEachBatch(
        of limit: Int,
        _ body: ([PendingRecord], PendingFaults) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let (found, misspelt, isForeign) = try imported()
        let keys = DefaultsImport.Key.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let foreign =
            "warning: '\(path)' has none of the keys \(keys), and never had one, so there are no requests; expected the preferences of the app group"
        let places = found.faults.map { ($0.place, $0.reason) } + misspelt
        let faults = PendingFaults(
            unreadable: places.map { place, reason in "warning: '\(path)': \(place) was left in place: \(reason)" },
            omissions: found.omissions.map { "warning: '\(path)': \($0.place): \($0.reason)" },
            notes: isForeign && misspelt.isEmpty ? [foreign] : []
        )
        try body(found.records, faults)
    }

    /// The records in the preferences.
    ///
    /// The numbers of the records are saved before any record is returned.
    ///
    /// - Returns: the records; the keys that are probably misspelt, each with the reason that nothing is read from it;
    ///   and whether the file has none of the keys of Braze's guides, and never had any.
    private func imported() throws(CommandFailure) -> (
        found: DefaultsImport, misspelt: [(String, String)], isForeign: Bool
    ) {
        // Preferences that cannot be read must not get a file with a numbering.
        let first = try Snapshot(path, target)
        return try withLock { lock throws(CommandFailure) in
            let snapshot = first.isCurrent(target) ? first : try Snapshot(path, target)
            let numbering = try updateNumbering(snapshot, &lock)
            let isForeign = !numbering.hasNumbers && !snapshot.hasKeys
            return (DefaultsImport(snapshot.elements, numbering, time: time), snapshot.misspeltKeys, isForeign)
        }
    }

    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> PendingRemoval {
        var next: Snapshot? = try Snapshot(path, target)
        return try withLock { lock throws(CommandFailure) in
            for _ in 0..<Self.attemptLimit {
                let snapshot: Snapshot
                if let next, next.isCurrent(target) { snapshot = next } else { snapshot = try Snapshot(path, target) }
                next = nil
                var numbering = try updateNumbering(snapshot, &lock)
                let (removal, positions) = Self.removal(of: ids, numbering)
                if positions.isEmpty { return removal }
                let rest = try rest(of: snapshot, without: positions)
                let result = Snapshot.source(rest, snapshot.modified)
                numbering.beginRemoval(of: positions, source: snapshot.source, result: result)
                try save(numbering, &lock)
                do throws(CommandFailure) {
                    let isDone = try replace(snapshot, by: rest)
                    numbering.finishRemoval(of: isDone ? positions : [:])
                    try save(numbering, &lock)
                    if isDone { return removal }
                } catch {
                    numbering.finishRemoval(of: [:])
                    try? save(numbering, &lock)
                    throw error
                }
            }
            throw CommandFailure(.unwritableOutput, "cannot write '\(path)': it keeps changing")
        }
    }

    /// The result of removing the records with some ids, and the positions of their elements.
    private static func removal(
        of ids: Set<UUID>,
        _ numbering: DefaultsNumbering
    ) -> (PendingRemoval, [DefaultsImport.Key: Set<Int>]) {
        var removal = PendingRemoval()
        var positions: [DefaultsImport.Key: Set<Int>] = [:]
        for id in ids {
            switch numbering.occurrence(id) {
            case .element(let key, let position):
                positions[key, default: []].insert(position)
                removal.removed += 1
            case .removed: removal.absent += 1
            case .cleared(let key): removal.refusals[id] = .cleared(key)
            case .unknown: removal.refusals[id] = .unknown
            }
        }
        return (removal, positions)
    }

    /// The preferences after some elements are removed.
    private func rest(
        of snapshot: Snapshot,
        without positions: [DefaultsImport.Key: Set<Int>]
    ) throws(CommandFailure) -> [UInt8] {
        let names = Dictionary(uniqueKeysWithValues: positions.map { ($0.key.rawValue, $0.value) })
        do throws(PreferencesError) {
            return try snapshot.preferences.removing(names)
        } catch {
            throw CommandFailure(error, path)
        }
    }

    /// Replaces the file of the preferences; returns false if the app has replaced it meanwhile.
    private func replace(_ snapshot: Snapshot, by rest: [UInt8]) throws(CommandFailure) -> Bool {
        do throws(FileError) {
            var replacement = try FileReplacement.begin(target)
            try replacement.write(rest)
            // The file keeps its modification time, which is the time of the newest records.
            try replacement.setModificationTime(snapshot.modified)
            guard snapshot.isCurrent(target) else { return false }
            try replacement.commit()
            return true
        } catch {
            throw CommandFailure(error, path)
        }
    }
}

/// Reads and writes the file with the numbering, beside the preferences.
extension DefaultsSource {
    private func withLock<Result>(
        _ body: (inout FileLock) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        var lock: FileLock
        do throws(FileError) {
            lock = try FileLock(numberingPath, waits: true)
        } catch {
            throw CommandFailure(error, path + Self.suffix)
        }
        return try body(&lock)
    }

    /// Adds new elements to the stored numbering, saves it if it has changed, and returns it.
    private func updateNumbering(
        _ snapshot: Snapshot,
        _ lock: inout FileLock
    ) throws(CommandFailure) -> DefaultsNumbering {
        let stored = try storedNumbering()
        var numbering = stored ?? DefaultsNumbering()
        numbering.update(snapshot.elements, time: snapshot.time, source: snapshot.source)
        if numbering != stored { try save(numbering, &lock) }
        return numbering
    }

    private func storedNumbering() throws(CommandFailure) -> DefaultsNumbering? {
        let shown = path + Self.suffix
        let bytes = try orFail(
            file: OpenFile(numberingPath).bytes(limit: Self.numberingByteLimit), shownAs: shown)
        // The file is empty if this process has created it to lock it, or if another one ended before it wrote.
        if bytes.isEmpty { return nil }
        do throws(InputError) {
            return try DefaultsNumbering(SourceFile(path: shown, bytes: bytes))
        } catch {
            var findings = error.diagnostics
            findings[0].message +=
                "; without the file the records get new ids, and lines that 'track' has printed remove nothing"
            throw CommandFailure(.unreadableInput, .findings(findings))
        }
    }

    private func save(_ numbering: DefaultsNumbering, _ lock: inout FileLock) throws(CommandFailure) {
        try orFail(file: lock.replaceContents(numbering.json), shownAs: path + Self.suffix)
    }
}

/// Preferences as they were read, with the state of their file at that time.
private struct Snapshot {
    let preferences: Preferences
    let elements: DefaultsElements

    /// The modification time of the file.
    let time: Date

    /// A text that identifies the state of the file: a hash of its bytes and the time of its last change.
    let source: String

    private let status: FileStatus

    var modified: Int { status.modified }

    init(_ path: String, _ target: String) throws(CommandFailure) {
        let file = try orFail(file: OpenFile(target), shownAs: path)
        status = file.status
        let bytes = try orFail(file: file.bytes(limit: Preferences.byteLimit), shownAs: path)
        do throws(PreferencesError) {
            preferences = try Preferences(path: path, bytes: bytes)
        } catch {
            throw CommandFailure(error, path)
        }
        let preferences = preferences
        elements = DefaultsElements { preferences.values(of: $0.rawValue) }
        time = Date(timeIntervalSince1970: Double(status.modified) / 1e9)
        source = Self.source(bytes, status.modified)
    }

    /// Keys of arrays that are probably misspelt keys of Braze's guides, each with the reason that nothing is read from
    /// it.
    ///
    /// Such a key differs by case, hyphens or underscores, or by one letter. If the correct key has elements too, only
    /// arrays with elements of the same kind count.
    var misspeltKeys: [(String, String)] {
        let keys = preferences.keysOfArrays
        return keys.compactMap { key in
            guard DefaultsImport.Key(rawValue: key) == nil,
                let meant = DefaultsImport.Key.allCases.first(where: { meant in
                    editDistance(plainName(key), plainName(meant.rawValue)) <= 1
                        && (!keys.contains(meant.rawValue) || meant.mayHold(elementsOf: preferences.values(of: key)))
                })
            else { return nil }
            return ("'\(key)'", "no record is read from this key, did you mean '\(meant.rawValue)'?")
        }
    }

    /// Whether the preferences have one of the guides' keys, whatever its value is.
    var hasKeys: Bool { DefaultsImport.Key.allCases.contains { !preferences.values(of: $0.rawValue).isEmpty } }

    /// Whether the file has not changed since it was read.
    func isCurrent(_ path: String) -> Bool { FileStatus(path: path) == status }

    /// The text that identifies the state of a file, made from its bytes and the time of its last change.
    static func source(_ bytes: [UInt8], _ modified: Int) -> String {
        var hash = StableHash()
        hash.add(bytes[...])
        return hash.value.hexadecimal() + "-" + String(modified)
    }
}

extension CommandFailure {
    fileprivate init(_ error: PreferencesError, _ path: String) {
        switch error {
        case .message(let message): self.init(.unreadableInput, "cannot read '\(path)': \(message)")
        case .findings(let findings): self.init(.unreadableInput, .findings(Array(findings.prefix(20))))
        }
    }
}

extension DefaultsImport.Fault {
    /// The place of the element in words, such as `pending_custom_events[0]`.
    fileprivate var place: String { index.map { "\(key.rawValue)[\($0)]" } ?? key.rawValue }
}
