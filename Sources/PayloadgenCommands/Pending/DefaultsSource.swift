// SPDX-License-Identifier: MIT

import DiagnosticSources
import ExtensionAnalytics
import Foundation
import LiquidTemplates
import POSIXFiles
import PlistDocuments

/// The preferences of an app group, as Braze's guides keep records in them.
///
/// The numbers of the elements are stored beside the file in `FILE.payloadgen.json`, which is locked while either file
/// is written. The app does not use that lock: preferences that it replaces meanwhile are read again.
struct DefaultsSource: PendingSource {
    /// How often preferences are read again if they change meanwhile.
    private static let attemptLimit = 10

    private static let numberingByteLimit = 1 << 28

    /// The suffix of the file's name for its numbering.
    private static let suffix = ".payloadgen.json"

    /// The path as it was given.
    private let path: String

    /// The path after symbolic links: a link is kept, and the numbering is beside its target.
    private let target: String

    /// The time of the records; nil for the time of the file when each was first seen.
    private let time: Date?

    private var numberingPath: String { target + Self.suffix }

    /// Finds the file; it is read with its records.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - time: the time of its records; nil for the time of the file when each was first seen.
    /// - Throws: that there is no such file.
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
            "warning: '\(path)' has none of the keys \(keys), and never had: nothing is sent; expected the preferences of the app group"
        let places = found.faults.map { ($0.place, $0.reason) } + misspelt
        let faults = PendingFaults(
            unreadable: places.map { place, reason in "warning: '\(path)': \(place) was left in place: \(reason)" },
            omissions: found.omissions.map { "warning: '\(path)': \($0.place): \($0.reason)" },
            notes: isForeign && misspelt.isEmpty ? [foreign] : []
        )
        try body(found.records, faults)
    }

    /// The records, the keys that are probably misspelt, with the reasons why nothing is read from them, and whether the
    /// file has no key of the guides and had none before.
    ///
    /// The numbers of the records are on the disk before any record is returned.
    private func imported() throws(CommandFailure) -> (
        found: DefaultsImport, misspelt: [(String, String)], isForeign: Bool
    ) {
        // Preferences that cannot be read get no numbering.
        let first = try Snapshot(path, target)
        return try whileLocked { lock throws(CommandFailure) in
            let snapshot = first.isCurrent(target) ? first : try Snapshot(path, target)
            let numbering = try numbered(snapshot, &lock)
            let isForeign = !numbering.hasNumbers && !snapshot.hasKeys
            return (DefaultsImport(snapshot.elements, numbering, time: time), snapshot.misspeltKeys, isForeign)
        }
    }

    func remove(_ ids: Set<UUID>) throws(CommandFailure) -> PendingRemoval {
        var next: Snapshot? = try Snapshot(path, target)
        return try whileLocked { lock throws(CommandFailure) in
            for _ in 0..<Self.attemptLimit {
                let snapshot: Snapshot
                if let next, next.isCurrent(target) { snapshot = next } else { snapshot = try Snapshot(path, target) }
                next = nil
                var numbering = try numbered(snapshot, &lock)
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

    /// The result for ids, and the positions of the elements that they name.
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

    /// The preferences without some elements.
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

    /// Replaces the file of preferences; false where the app has replaced it before.
    private func replace(_ snapshot: Snapshot, by rest: [UInt8]) throws(CommandFailure) -> Bool {
        do throws(FileError) {
            var replacement = try FileReplacement.begin(target)
            try replacement.write(rest)
            // The time of the file is kept, as it is the time of the newest records.
            try replacement.keepTime(snapshot.modified)
            guard snapshot.isCurrent(target) else { return false }
            try replacement.commit()
            return true
        } catch {
            throw CommandFailure(error, path)
        }
    }
}

/// The numbering beside the preferences.
extension DefaultsSource {
    private func whileLocked<Result>(
        _ body: (inout FileLock) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        var lock = try locked()
        return try body(&lock)
    }

    private func locked() throws(CommandFailure) -> FileLock {
        do throws(FileError) {
            return try FileLock(numberingPath, waits: true)
        } catch {
            throw CommandFailure(error, path + Self.suffix)
        }
    }

    /// The numbering, extended by the new elements and saved.
    private func numbered(_ snapshot: Snapshot, _ lock: inout FileLock) throws(CommandFailure) -> DefaultsNumbering {
        let stored = try storedNumbering()
        var numbering = stored ?? DefaultsNumbering()
        numbering.update(snapshot.elements, time: snapshot.time, source: snapshot.source)
        if numbering != stored { try save(numbering, &lock) }
        return numbering
    }

    private func storedNumbering() throws(CommandFailure) -> DefaultsNumbering? {
        let shown = path + Self.suffix
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try OpenFile(numberingPath).bytes(limit: Self.numberingByteLimit)
        } catch {
            throw CommandFailure(error, shown)
        }
        // The file is empty if locking has just created it, or if a process ended before it wrote to it.
        if bytes.isEmpty { return nil }
        do throws(InputError) {
            return try DefaultsNumbering(SourceFile(path: shown, bytes: bytes))
        } catch {
            var findings = error.diagnostics
            findings[0].message +=
                "; without the file the records get new ids, and lines that were printed remove nothing"
            throw CommandFailure(.unreadableInput, .findings(findings))
        }
    }

    private func save(_ numbering: DefaultsNumbering, _ lock: inout FileLock) throws(CommandFailure) {
        do throws(FileError) {
            try lock.replaceContents(numbering.json)
        } catch {
            throw CommandFailure(error, path + Self.suffix)
        }
    }
}

/// Preferences as they were read, with the state of their file.
private struct Snapshot {
    let preferences: Preferences
    let elements: DefaultsElements

    /// When the file was written.
    let time: Date

    /// Identifies the state of the file: the digest of its bytes and the time of its last change.
    let source: String

    private let status: FileStatus

    var modified: Int { status.modified }

    init(_ path: String, _ target: String) throws(CommandFailure) {
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try OpenFile(target)
            status = file.status
            bytes = try file.bytes(limit: Preferences.byteLimit)
        } catch {
            throw CommandFailure(error, path)
        }
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

    /// The keys of arrays that differ from a key of the guides by their case, hyphens or underscores, or by one letter;
    /// each with the reason why nothing is read from it.
    ///
    /// Where the key of the guides has elements too, only arrays that hold elements of its kind count.
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

    /// Whether a key of the guides is there, whatever its value.
    var hasKeys: Bool { DefaultsImport.Key.allCases.contains { !preferences.values(of: $0.rawValue).isEmpty } }

    /// Whether the file is unchanged.
    func isCurrent(_ path: String) -> Bool { FileStatus(path: path) == status }

    /// The identity of a file with some bytes and the time of its last change.
    static func source(_ bytes: [UInt8], _ modified: Int) -> String {
        var hash = StableHash()
        hash.add(bytes[...])
        return hash.value.hexadecimal() + "-" + String(modified)
    }
}

extension CommandFailure {
    /// The failure of a file, under the path that was given.
    fileprivate init(_ error: FileError, _ path: String) {
        self.init(FileError(error.operation, path, error.reason))
    }

    fileprivate init(_ error: PreferencesError, _ path: String) {
        switch error {
        case .message(let message): self.init(.unreadableInput, "cannot read '\(path)': \(message)")
        case .findings(let findings): self.init(.unreadableInput, .findings(Array(findings.prefix(20))))
        }
    }
}

extension DefaultsImport.Fault {
    /// The element, such as `pending_custom_events[0]`.
    fileprivate var place: String { index.map { "\(key.rawValue)[\($0)]" } ?? key.rawValue }
}
