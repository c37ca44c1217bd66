// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import PayloadKit
import PayloadLinting

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
    private var knownProfiles: Set<String> = []

    /// The clock of the parts, in seconds since 1970; nil where they have none in common.
    private(set) var now: Int?

    private let identity: BatchIdentity
    private let rules = Dictionary(RuleDescription.all.map { ($0.id.name, $0.id) }) { first, _ in first }
    private var isEmpty = true

    /// The inputs of the parts, and where each was read.
    private var inputs: [(input: Input, place: String)] = []

    /// The indices of the inputs with a source, in ascending order, by the keys of the source.
    private var inputIndices: [Input.Source.Key: [Int]] = [:]

    /// What a part has read: no user may be in two parts.
    struct Input {
        /// A file or stream with profiles.
        struct Source {
            /// The name as it was given, for reports.
            let name: String

            /// The hash of the contents of a file; ``emptyContent`` for a file without a profile, nil for standard
            /// input and other streams.
            private(set) var content: String?

            /// Whether the name says which file the users are of: it does not for a stream, which may be another one
            /// for each part.
            let isNamed: Bool

            /// The ``content`` of files without a profile: they have no users in common.
            private static let emptyContent = ""

            /// What a source is found by.
            ///
            /// Two files are compared by their contents, as the same file may have another path on another machine; a
            /// file and a stream, or two streams, by their names.
            enum Key: Hashable {
                case content(String)
                case file(name: String)
                case stream(name: String)
            }

            /// The keys of this source.
            var keys: [Key] {
                guard let content else { return isNamed ? [.stream(name: name)] : [] }
                if content == Self.emptyContent { return [] }
                return isNamed ? [.content(content), .file(name: name)] : [.content(content)]
            }

            /// The keys of which a source with the same users has one.
            var sameKeys: [Key] {
                keys.flatMap { key -> [Key] in
                    switch key {
                    case .content: [key]
                    case .file(let name): [.stream(name: name)]
                    case .stream(let name): [key, .file(name: name)]
                    }
                }
            }

            /// Notes that no profile was found in the source.
            ///
            /// A stream is still recognized by its name, as its lines may be a part of a file.
            mutating func noteEmpty() {
                if content != nil { content = Self.emptyContent }
            }
        }

        /// The profiles.
        let sources: [Source]

        /// The number of its first line.
        let firstLine: Int

        /// The number of lines.
        let lineCount: Int

        /// The shard of the lines that was rendered; nil for all.
        let shard: Shard?

        /// Whether the two parts, which have a source in common, have a user in common.
        func overlaps(_ other: Input) -> Bool {
            if let shard, let otherShard = other.shard, shard.count == otherShard.count, shard != otherShard {
                return false
            }
            guard sources.count == 1, other.sources.count == 1 else { return true }
            return firstLine < other.firstLine + other.lineCount && other.firstLine < firstLine + lineCount
        }

        /// The lines, and into how many shards they are divided.
        struct Lines: Hashable {
            let names: [String?]
            let contents: [String?]
            let firstLine: Int
            let shardCount: Int?
        }

        var lines: Lines {
            Lines(
                names: sources.map { $0.content == nil ? $0.name : nil },
                contents: sources.map(\.content),
                firstLine: firstLine,
                shardCount: shard?.count
            )
        }

        /// Whether the two parts have the same users.
        func isSame(as other: Input) -> Bool {
            lines == other.lines && lineCount == other.lineCount && shard == other.shard
        }

        /// The file of which standard input was a part; nil for other inputs.
        var partialFile: String? {
            sources.count == 1 ? sources.first.flatMap { $0.content == nil && $0.isNamed ? $0.name : nil } : nil
        }
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
        for source in input.sources {
            json.beginObject()
            json.member("name", source.name)
            if let content = source.content { json.member("content", content) }
            json.member("named", source.isNamed)
            json.endObject()
        }
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
            for line in try Inputs.lines(path) { try add(line, "'\(line.path)', line \(line.firstLine)") }
        }
        if isEmpty {
            throw CommandFailure(.unreadableInput, "found no counts in --merge, expected what --counts has written")
        }
        try requireAllShards()
        try requireAllLines()
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
            let others = changes.map(\.other).joined(separator: " and ")
            throw CommandFailure(
                .unreadableInput, "\(place): counts of a batch with \(others), expected those of this one")
        }
        guard let counts = root["counts"], let report = BatchReport(counts: counts, rule: { [rules] in rules[$0] }),
            let covered = root["coverage"], let messages = covered["messages"]?.countNumber,
            let times = covered["times"].flatMap({ $0.numbers($0.count) }),
            let takers = covered["takers"].flatMap({ $0.numbers($0.count) }),
            let coverage = Coverage(coverage.map, messages: messages, times: times, takers: takers),
            let sources = root["profiles"]?.elements.map(Self.source), !sources.contains(where: { $0 == nil }),
            let firstLine = root["first_line"]?.countNumber, let lineCount = root["lines"]?.countNumber,
            let shard = root["shard"]?.string
        else {
            throw CommandFailure(.unreadableInput, "\(place): counts that were changed after --counts had written them")
        }
        let input = Input(
            sources: sources.compactMap(\.self),
            firstLine: firstLine,
            lineCount: lineCount,
            shard: Shard(argument: shard)
        )
        if let (earlier, earlierPlace) = firstInput(overlapping: input) {
            let relation = input.isSame(as: earlier) ? "the same part as in" : "has users of the part in"
            throw CommandFailure(
                .unreadableInput, "\(place): \(relation) \(earlierPlace): its users would be counted twice")
        }
        for key in input.sources.flatMap(\.keys) { inputIndices[key, default: []].append(inputs.count) }
        inputs.append((input, place))
        self.report.add(report)
        self.coverage.add(coverage)
        for source in input.sources where knownProfiles.insert(source.name).inserted { profiles.append(source.name) }
        self.now = isEmpty || self.now == now ? now : nil
        isEmpty = false
    }

    /// The first earlier part with users of another one.
    private func firstInput(overlapping input: Input) -> (input: Input, place: String)? {
        let found = input.sources.flatMap(\.sameKeys).compactMap { key in
            inputIndices[key]?.first { input.overlaps(inputs[$0].input) }
        }
        return found.min().map { inputs[$0] }
    }

    private static func source(_ node: JSONNode) -> Input.Source? {
        guard let name = node["name"]?.string, let isNamed = node["named"]?.bool else { return nil }
        return Input.Source(name: name, content: node["content"]?.string, isNamed: isNamed)
    }

    /// Requires that no lines are missing before parts of a file.
    ///
    /// Where the file ends is not known.
    ///
    /// - Throws: the first lines that are missing.
    private func requireAllLines() throws(CommandFailure) {
        var ends: [String: Int] = [:]
        for (input, place) in inputs.sorted(by: { $0.input.firstLine < $1.input.firstLine }) {
            guard let file = input.partialFile else { continue }
            let end = ends[file] ?? 1
            guard input.firstLine <= end else {
                let last = input.firstLine - 1
                let lines = end == last ? "line \(end)" : "lines \(end) to \(last)"
                throw CommandFailure(
                    .unreadableInput,
                    "\(place): found the lines of '\(file)' from \(input.firstLine) without \(lines), whose users would not be counted"
                )
            }
            ends[file] = max(end, input.firstLine + input.lineCount)
        }
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
