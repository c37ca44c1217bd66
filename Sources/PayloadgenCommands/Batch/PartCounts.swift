// SPDX-License-Identifier: MIT

import JSON
import Linting
import PayloadKit
import SourceText

/// The counts of parts of a batch that several processes have rendered.
///
/// `--counts` writes one JSON object, on one line, which `--merge` reads. It is for the build that wrote it: the
/// identity in it has a hash of the build, as two builds may count differently.
struct PartCounts {
    /// The sum of the counts.
    private(set) var report = BatchReport()

    /// The arms that the messages have taken.
    private(set) var coverage: Coverage

    /// The names of the profiles, each once.
    private(set) var profiles: [String] = []

    /// The clock of the parts, in seconds since 1970; nil where they have none in common.
    private(set) var now: Int?

    private let identity: BatchIdentity
    private let rules = Dictionary(RuleDescription.all.map { ($0.id.name, $0.id) }) { first, _ in first }
    private var isEmpty = true

    /// The inputs of the parts, and where each was read.
    private var inputs: [(input: Input, place: String)] = []

    /// What a part has read: no user may be in two parts.
    struct Input: Equatable {
        /// The names of its profiles.
        let profiles: [String]

        /// The number of its first line.
        let firstLine: Int

        /// The number of lines.
        let lineCount: Int

        /// The shard of the lines that was rendered; nil for all.
        let shard: Shard?

        /// The name of standard input, which may be another one for each part.
        private static let unnamed = "-"

        /// Whether the two parts have a user in common.
        func overlaps(_ other: Input) -> Bool {
            if let shard, let otherShard = other.shard, shard.count == otherShard.count, shard != otherShard {
                return false
            }
            guard profiles.contains(where: { $0 != Self.unnamed && other.profiles.contains($0) }) else { return false }
            guard profiles.count == 1, other.profiles.count == 1 else { return true }
            return firstLine < other.firstLine + other.lineCount && other.firstLine < firstLine + lineCount
        }

        /// The lines, and into how many shards they are divided.
        struct Lines: Hashable {
            let profiles: [String]
            let firstLine: Int
            let shardCount: Int?
        }

        var lines: Lines { Lines(profiles: profiles, firstLine: firstLine, shardCount: shard?.count) }
    }

    // MARK: - Writing

    /// Writes the counts of a part.
    ///
    /// - Parameters:
    ///   - report: the counts.
    ///   - coverage: the arms that its messages have taken.
    ///   - identity: the identity of the batch.
    ///   - input: what was read.
    ///   - target: the file.
    /// - Throws: why it cannot be written.
    static func write(
        _ report: BatchReport,
        _ coverage: Coverage,
        of identity: BatchIdentity,
        _ input: Input,
        to target: OutputTarget
    ) throws(CommandFailure) {
        var json = JSONWriter()
        json.beginObject()
        identity.write(to: &json)
        json.key("profiles")
        json.beginArray()
        for name in input.profiles { json.string(name) }
        json.endArray()
        json.member("first_line", input.firstLine)
        json.member("lines", input.lineCount)
        json.key("counts")
        report.writeCounts(to: &json)
        json.key("coverage")
        json.beginObject()
        json.member("messages", coverage.messages)
        write("times", coverage.times, to: &json)
        write("takers", coverage.takers, to: &json)
        json.endObject()
        json.endObject()
        json.buffer.append("\n")
        try target.write(json.buffer)
        try target.finish()
    }

    private static func write(_ key: String, _ numbers: [Int], to json: inout JSONWriter) {
        json.key(key)
        json.beginArray()
        for number in numbers { json.integer(number) }
        json.endArray()
    }

    // MARK: - Reading

    /// Adds the counts of files, each with one part on each line.
    ///
    /// - Parameters:
    ///   - paths: the files, in the order of the profiles; `-` is standard input.
    ///   - identity: the identity of the batch, without profiles.
    ///   - map: the arms of its campaign.
    /// - Throws: which part cannot be read, is of another batch, has users of an earlier one, or is missing.
    init(merging paths: [String], of identity: BatchIdentity, _ map: CoverageMap) throws(CommandFailure) {
        self.identity = identity
        coverage = Coverage(map)
        for path in paths {
            let file = try Inputs.file(path)
            for number in 1...file.lineCount {
                let line = file.line(number)
                if line.isEmpty { continue }
                try add(SourceFile(path: file.path, line: number, bytes: Array(line)), "'\(file.path)', line \(number)")
            }
        }
        if isEmpty {
            throw CommandFailure(.unreadableInput, "found no counts in --merge, expected what --counts has written")
        }
        try requireAllShards()
        if report.readsClock, now == nil {
            throw CommandFailure(
                .unreadableInput,
                "templates use the current time, and the parts were rendered at different times: give all of them one --now"
            )
        }
    }

    private mutating func add(_ line: SourceFile, _ place: String) throws(CommandFailure) {
        guard let root = (try? JSONDocument(line))?.root, BatchIdentity.isKnown(root), let now = root["now"]?.integer
        else {
            throw CommandFailure(
                .unreadableInput,
                "\(place): not the counts of a batch, expected what --counts of this version has written"
            )
        }
        let changes = identity.changes(from: root, in: BatchIdentity.Part.shared)
        guard changes.isEmpty else {
            throw CommandFailure(
                .unreadableInput,
                "\(place): counts of a batch with \(changes.joined(separator: " and ")), expected those of this one")
        }
        guard let counts = root["counts"], let report = BatchReport(counts: counts, rule: { [rules] in rules[$0] }),
            let covered = root["coverage"], let messages = covered["messages"]?.countNumber,
            let times = covered["times"].flatMap({ $0.numbers($0.count) }),
            let takers = covered["takers"].flatMap({ $0.numbers($0.count) }),
            let coverage = Coverage(coverage.map, messages: messages, times: times, takers: takers),
            let names = root["profiles"]?.elements.map(\.string), !names.contains(nil),
            let firstLine = root["first_line"]?.countNumber, let lineCount = root["lines"]?.countNumber,
            let shard = root["shard"]?.string
        else {
            throw CommandFailure(.unreadableInput, "\(place): counts that were changed after --counts had written them")
        }
        let profiles = names.compactMap(\.self)
        let input = Input(
            profiles: profiles, firstLine: firstLine, lineCount: lineCount, shard: Shard(argument: shard))
        if let (earlier, earlierPlace) = inputs.first(where: { input.overlaps($0.input) }) {
            let relation = input == earlier ? "the same part as in" : "has users of the part in"
            throw CommandFailure(
                .unreadableInput, "\(place): \(relation) \(earlierPlace): its users would be counted twice")
        }
        inputs.append((input, place))
        self.report.add(report)
        self.coverage.add(coverage)
        for name in profiles where !self.profiles.contains(name) { self.profiles.append(name) }
        self.now = isEmpty || self.now == now ? now : nil
        isEmpty = false
    }

    /// Requires that all shards of the same lines are there, each as often as the others: of standard input without a
    /// name it is not known whether the lines are the same.
    ///
    /// - Throws: the first shard that is missing.
    private func requireAllShards() throws(CommandFailure) {
        var counts: [Input.Lines: [Int: Int]] = [:]
        for (input, _) in inputs {
            if let shard = input.shard { counts[input.lines, default: [:]][shard.index, default: 0] += 1 }
        }
        for (input, place) in inputs {
            guard let shard = input.shard, let found = counts.removeValue(forKey: input.lines) else { continue }
            let most = found.values.max() ?? 0
            guard let missing = (1...shard.count).first(where: { found[$0] ?? 0 < most }) else { continue }
            throw CommandFailure(
                .unreadableInput,
                "\(place): found the shard \(shard.index)/\(shard.count) without \(missing)/\(shard.count), whose users would not be counted"
            )
        }
    }
}
