// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import JSONTexts
import LiquidTemplates
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Identifies a batch by everything that determines its records.
///
/// The identity is stored beside the output, so that only the same batch can be resumed.
struct BatchIdentity {
    /// A part of the identity; the raw value is its key in the stored JSON.
    enum Part: String, CaseIterable {
        case campaign, app, options, shard, input, build
        /// The times when the input files were last changed, including changes of their names or permissions.
        case inputTimes = "input_times"

        /// The parts that are the same for all processes that together render one batch.
        static let shared: [Part] = [.campaign, .app, .options, .build]

        /// The words for a part that has changed, such as `another campaign`.
        var other: String {
            switch self {
            case .campaign: "another campaign"
            case .app: "another app"
            case .options: "other options"
            case .shard: "another --shard"
            case .input, .inputTimes: "another input"
            case .build: "another build of payloadgen"
            }
        }
    }

    /// The hash of each part.
    private var hashes: [Part: String] = [:]

    /// The time of `now`, in seconds since 1970.
    private(set) var now: Int

    /// Whether `now` was read from the clock; a resumed batch then uses the stored time.
    private let isNowFromClock: Bool

    /// The version of the stored JSON.
    private static let version = 3

    /// Computes the identity of a batch.
    ///
    /// - Parameters:
    ///   - inputs: all inputs except profiles.
    ///   - options: the options of rendering.
    ///   - settings: the settings of the batch.
    ///   - sources: the profiles.
    ///   - isNowFromClock: whether `now` was read from the clock.
    /// - Throws: an error if the program's own file cannot be read.
    init(
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        _ settings: BatchSettings,
        _ sources: [ProfileSource],
        isNowFromClock: Bool
    ) throws(CommandFailure) {
        now = options.now.seconds
        self.isNowFromClock = isNowFromClock
        hashes[.campaign] = ContentHash.text { $0.add(inputs.files.campaign) }
        hashes[.app] = ContentHash.text { hash in
            for app in inputs.apps {
                hash.add(app.name)
                hash.add(app.json(relativeTo: .workingFolder))
                for file in app.files { hash.add(file.bytes) }
            }
        }
        hashes[.options] = ContentHash.text { hash in
            hash.add(inputs.files.options)
            hash.add("\(options.seed) \(options.errorMode) \(options.missingPolicy) \(options.budget)")
            hash.add("\(options.overridesNow) \(isNowFromClock ? "" : "\(options.now.seconds)")")
            for limit in Limit.allCases { hash.add("\(limit.rawValue) \(options.limits[limit])") }
            hash.add(settings.idField ?? "")
            for category in options.externalCategories { hash.add(category) }
            hash.add(options.connectedContentTrace == .recorded ? "trace" : "")
            for levels in options.rules.variants {
                for (rule, level) in levels.changed { hash.add("\(rule.name) \(level)") }
            }
            for override in options.rules.overrides { hash.add(override.paths.joined(separator: " ")) }
        }
        hashes[.shard] = settings.shard.map { "\($0.index)/\($0.count)" } ?? ""
        hashes[.input] = ContentHash.text { hash in
            for source in sources {
                hash.add("\(source.path) \(source.count ?? -1)")
                hash.add(source.edges)
            }
        }
        hashes[.inputTimes] = ContentHash.text { hash in
            for source in sources { hash.add("\(source.status.changed)") }
        }
        hashes[.build] = try BuildIdentity.text()
    }

    // MARK: - Beside an unfinished output

    /// Stores the identity beside a new output.
    ///
    /// - Parameter target: the output.
    /// - Throws: the reason that the identity cannot be written.
    func write(beside target: OutputTarget) throws(CommandFailure) {
        guard let path = target.unfinishedPath.map(Self.path) else { return }
        var json = JSONWriter()
        json.beginObject()
        write(to: &json)
        json.endObject()
        json.buffer.append("\n")
        // The stored identity of an earlier run is replaced, but a symbolic link in its place is not followed.
        if let kind = FileStatus(path: path, followsLink: false)?.kind, kind != .regular {
            throw CommandFailure(FileError(.write, path, .unexpected(kind)))
        }
        let bytes = json.buffer.withUnsafeBytes { Array($0) }
        try orFail(file: FileReplacement.write(bytes, to: path))
    }

    /// Removes the stored identity once the output is complete.
    ///
    /// - Parameter unfinishedPath: the path of the output while it was unfinished.
    static func remove(beside unfinishedPath: String) { unlink(path(unfinishedPath)) }

    /// Compares the batch with the identity stored beside an unfinished output, and adopts the time stored there.
    ///
    /// - Parameters:
    ///   - target: the output.
    ///   - path: the path of the finished output, for messages.
    /// - Returns: true if all input files have the same times as when the output was begun; otherwise their contents
    ///   may have changed in the middle.
    /// - Throws: an error that says what has changed since the output was begun.
    mutating func resume(_ target: OutputTarget, _ path: String) throws(CommandFailure) -> Bool {
        let record = Self.path(target.unfinishedPath ?? path)
        guard FileStatus(path: record, followsLink: false) != nil else {
            throw CommandFailure(
                .missingInput,
                """
                found '\(path).partial' without '\(path).partial.json', which identifies its batch: start again \
                without --resume
                """
            )
        }
        let file = try Inputs.file(record)
        guard let root = (try? JSONDocument(file))?.root, Self.isKnown(root), useTime(of: root) else {
            throw CommandFailure(
                .unreadableInput,
                "'\(path).partial.json' is not in a form that this version of payloadgen reads: start again without --resume"
            )
        }
        let changed = changes(from: root)
        let others = changed.filter { $0 != .inputTimes }.map(\.other)
        guard others.isEmpty else {
            throw CommandFailure(
                .unreadableInput,
                """
                '\(path).partial' was started with \(others.joined(separator: " and ")): start again without --resume
                """
            )
        }
        return changed.isEmpty
    }

    /// Adopts the stored time instead of the time of the clock; returns false if no time is stored.
    mutating func useTime(of root: JSONNode) -> Bool {
        guard let now = root["now"]?.integer else { return false }
        if isNowFromClock { self.now = now }
        return true
    }

    /// The parts that differ from the stored identity.
    func changes(from root: JSONNode, in parts: [Part] = Part.allCases) -> [Part] {
        parts.filter { root[$0.rawValue]?.string != hashes[$0] }
    }

    /// Whether the stored JSON has the version that this build writes.
    static func isKnown(_ root: JSONNode) -> Bool { root["version"]?.integer == version }

    /// Writes the identity as members of the current JSON object.
    func write(to json: inout JSONWriter) {
        json.member("version", Self.version)
        for part in Part.allCases { json.member(part.rawValue, hashes[part] ?? "") }
        json.member("now", now)
    }

    private static func path(_ unfinishedPath: String) -> String { unfinishedPath + ".json" }
}

/// The identity of a finished batch, stored in an extended attribute of its output, so that `--resume` does not render
/// the batch again.
///
/// A copy of the file may lose the attribute, and an edited file no longer matches it; neither is recognized.
enum FinishedBatch {
    private static let attribute = "user.payloadgen.batch"

    /// Foundation's key for the extended attributes of a file.
    private static let attributes = FileAttributeKey(rawValue: "NSFileExtendedAttributes")

    /// Stores the identity in an output before it is renamed.
    ///
    /// Nothing is reported if the file system does not support extended attributes.
    static func note(_ identity: BatchIdentity, _ records: RecordCounts, in target: OutputTarget) {
        guard let path = target.unfinishedPath, let status = FileStatus(descriptor: target.descriptor) else { return }
        var json = JSONWriter()
        json.beginObject()
        identity.write(to: &json)
        json.member("size", status.size)
        json.member("modified", status.modified)
        json.member("records", records.count)
        json.member("aborted", records.aborted)
        json.member("failed", records.failed)
        json.key("input_errors")
        json.bool(records.hasInputErrors)
        json.endObject()
        let value = json.buffer.withUnsafeBytes { Data($0) }
        try? FileManager.default.setAttributes([attributes: [attribute: value]], ofItemAtPath: path)
    }

    /// The counts of the records in a finished output of the same batch; nil for any other file.
    ///
    /// If the output is of the same batch, `identity` adopts its time.
    static func records(of identity: inout BatchIdentity, in path: String) -> RecordCounts? {
        guard let path = path.realPath, let status = FileStatus(path: path), status.kind == .regular,
            let all = try? FileManager.default.attributesOfItem(atPath: path)[attributes] as? [String: Data],
            let value = all[attribute],
            let root = (try? JSONDocument(SourceFile(path: path, bytes: Array(value))))?.root,
            root["size"]?.integer == status.size, root["modified"]?.integer == status.modified,
            identity.changes(from: root).isEmpty, let count = root["records"]?.integer,
            let aborted = root["aborted"]?.integer, let failed = root["failed"]?.integer,
            let hasInputErrors = root["input_errors"]?.bool, identity.useTime(of: root)
        else { return nil }
        return RecordCounts(count: count, aborted: aborted, failed: failed, hasInputErrors: hasInputErrors)
    }
}

/// A hash of several parts; the length of each part is included, so that the boundaries between parts matter.
struct ContentHash {
    private var hash = StableHash()

    /// The hash of everything that `body` adds, in hexadecimal digits.
    static func text(_ body: (inout ContentHash) -> Void) -> String {
        var hash = ContentHash()
        body(&hash)
        return hash.text
    }

    /// The hash of everything that was added, in hexadecimal digits.
    var text: String { hash.value.hexadecimal(digits: 16) }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hash.add($0.bindMemory(to: UInt8.self)) }
        hash.add(bytes)
    }

    mutating func add(_ bytes: [UInt8]) { add(bytes[...]) }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ files: ReadFiles) {
        for file in files.files {
            add(file.name)
            add(file.bytes)
        }
    }
}

extension App {
    /// The files that declare the app, each only once.
    ///
    /// The texts of the files are a part of the identity, because findings name their lines.
    var files: [SourceFile] {
        var places = [place] + (appGroups ?? []).map(\.place)
        for candidate in extensions {
            places.append(candidate.place)
            places += candidate.categories.map(\.place) + (candidate.appGroups ?? []).map(\.place)
            places += (candidate.extras ?? []).map(\.place)
        }
        var files: [SourceFile] = []
        for case let place? in places where !files.contains(where: { $0 === place.file }) { files.append(place.file) }
        return files
    }
}
