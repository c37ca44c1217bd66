// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import PayloadKit
import PayloadLinting

/// The combined counts of the parts of a batch, each of which was rendered by its own process.
///
/// `--counts` writes the counts as one JSON object on one line, and `--merge` reads them. Only the same build may read
/// them, as two builds may count differently; the object therefore contains a hash of the build.
struct PartCounts {
    /// The sum of the parts' counts.
    private(set) var report = BatchReport()

    /// The branches that the messages have taken.
    private(set) var coverage: Coverage

    /// The names of the profile sources, each only once.
    private(set) var profiles: [String] = []
    private var knownProfiles: Set<String> = []

    /// The time of `now` in all parts, in seconds since 1970; nil if the parts differ.
    private(set) var now: Int?

    private let identity: BatchIdentity
    private let rules = Dictionary(Rule.ofCommands.map { ($0.id.name, $0.id) }) { first, _ in first }
    private var isEmpty = true

    /// The inputs of the parts, each with the place where its counts were read, for messages.
    private var inputs: [(input: Input, place: String)] = []

    /// For the lines of each input, the offset that is added to the numbers of its texts.
    private var textOffsets: [Input.Lines: Int] = [:]

    /// A number that is greater than the number of texts in any part.
    private static let textLimit = 1 << 32

    /// For each key of a source, the indices of the inputs with that source, in ascending order.
    private var inputIndices: [Input.Source.Key: [Int]] = [:]

    /// The input of one part; no user may be in two parts.
    struct Input {
        /// A file or stream with profiles.
        struct Source {
            /// The name as it was given, for reports.
            let name: String

            /// A hash of a file's size and of its first and last bytes; ``emptyContent`` for a file without a profile,
            /// nil for standard input and other streams.
            private(set) var content: String?

            /// Whether the name identifies the file that the users come from.
            ///
            /// The name of a stream does not: each part may read a different stream.
            let identifiesSource: Bool

            /// The ``content`` of all files without a profile, which cannot have users in common.
            private static let emptyContent = ""

            /// A key by which a source is found.
            ///
            /// Two files are compared by ``content``, as a file may have different paths on different machines. A file
            /// and a stream, or two streams, are compared by their names.
            enum Key: Hashable {
                case content(String)
                case file(name: String)
                case stream(name: String)
            }

            /// The keys of this source.
            var keys: [Key] {
                guard let content else { return identifiesSource ? [.stream(name: name)] : [] }
                if content == Self.emptyContent { return [] }
                return identifiesSource ? [.content(content), .file(name: name)] : [.content(content)]
            }

            /// Keys such that any source with the same users has at least one of them.
            var sameKeys: [Key] {
                keys.flatMap { key -> [Key] in
                    switch key {
                    case .content: [key]
                    case .file(let name): [.stream(name: name)]
                    case .stream(let name): [key, .file(name: name)]
                    }
                }
            }

            /// Records that the source contains no profile.
            ///
            /// A stream keeps being identified by its name, as its lines may be a part of a file.
            mutating func noteEmpty() {
                if content != nil { content = Self.emptyContent }
            }
        }

        /// The sources of the profiles.
        let sources: [Source]

        /// The number of the first line.
        let firstLine: Int

        /// The number of lines.
        let lineCount: Int

        /// The shard of the lines that was rendered; nil if all were.
        let shard: Shard?

        /// Whether two parts that share a source also share a user.
        func overlaps(_ other: Input) -> Bool {
            if let shard, let otherShard = other.shard, shard.count == otherShard.count, shard != otherShard {
                return false
            }
            guard sources.count == 1, other.sources.count == 1 else { return true }
            return firstLine < other.firstLine + other.lineCount && other.firstLine < firstLine + lineCount
        }

        /// The lines of an input, and the number of shards that they are divided into.
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

        /// Whether two parts have exactly the same users.
        func isSame(as other: Input) -> Bool {
            lines == other.lines && lineCount == other.lineCount && shard == other.shard
        }

        /// The file whose part was read from standard input; nil for any other input.
        var partialFile: String? {
            sources.count == 1
                ? sources.first.flatMap { $0.content == nil && $0.identifiesSource ? $0.name : nil } : nil
        }
    }

    // MARK: - Writing

    /// Writes the counts of a part.
    ///
    /// - Parameters:
    ///   - report: the counts.
    ///   - coverage: the branches that the part's messages have taken.
    ///   - identity: the identity of the batch.
    ///   - input: the input of the part.
    ///   - target: the output file.
    /// - Throws: the reason that the file cannot be written.
    static func write(
        _ report: BatchReport,
        _ coverage: Coverage,
        of identity: BatchIdentity,
        _ input: Input,
        to target: OutputTarget
    ) throws(CommandFailure) {
        var json = JSONWriter()
        json.object { json in
            identity.write(to: &json)
            json.objects("profiles", input.sources) { json, source in
                json.member("name", source.name)
                if let content = source.content { json.member("content", content) }
                json.member("named", source.identifiesSource)
            }
            json.member("first_line", input.firstLine)
            json.member("lines", input.lineCount)
            json.key("counts")
            report.writeCounts(to: &json)
            json.object("coverage") { json in
                json.member("messages", coverage.messages)
                json.array("times", coverage.times) { $0.integer($1) }
                json.array("takers", coverage.takers) { $0.integer($1) }
            }
        }
        json.buffer.append("\n")
        try target.complete(with: json.buffer)
    }

    // MARK: - Reading

    /// Adds up the counts in files, which contain the counts of one part on each line.
    ///
    /// - Parameters:
    ///   - paths: the paths of the files, in the order of the profiles; `-` for standard input.
    ///   - identity: the identity of the batch, without profiles.
    ///   - map: the branches of the batch's campaign.
    /// - Throws: an error about a part that cannot be read, belongs to another batch, shares users with an earlier one,
    ///   or is missing.
    init(merging paths: [String], of identity: BatchIdentity, _ map: CoverageMap) throws(CommandFailure) {
        self.identity = identity
        coverage = Coverage(map)
        for path in paths {
            for line in try Inputs.lines(path) { try add(line, "'\(line.path)', line \(line.firstLine)") }
        }
        if isEmpty {
            throw CommandFailure(.unreadableInput, "found no counts in --merge, expected a file that --counts wrote")
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
                "\(place): not the counts of a batch, expected a file that --counts of this version wrote"
            )
        }
        let changes = identity.changes(from: root, in: BatchIdentity.Part.shared)
        guard changes.isEmpty else {
            let others = changes.map(\.other).joined(separator: " and ")
            throw CommandFailure(
                .unreadableInput, "\(place): counts of a batch with \(others) than this command: render the part again")
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
            throw CommandFailure(
                .unreadableInput,
                "\(place): counts that were changed after --counts had written them: render the part again")
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
                .unreadableInput, "\(place): \(relation) \(earlierPlace): these users would be counted twice")
        }
        for key in input.sources.flatMap(\.keys) { inputIndices[key, default: []].append(inputs.count) }
        // Shards of the same lines share their texts; all other parts have texts of their own.
        let offset = textOffsets[input.lines] ?? textOffsets.count * Self.textLimit
        textOffsets[input.lines] = offset
        inputs.append((input, place))
        var moved = report
        moved.move(by: offset)
        self.report.add(moved)
        self.coverage.add(coverage)
        for source in input.sources where knownProfiles.insert(source.name).inserted { profiles.append(source.name) }
        self.now = isEmpty || self.now == now ? now : nil
        isEmpty = false
    }

    /// The first earlier part that shares users with an input.
    private func firstInput(overlapping input: Input) -> (input: Input, place: String)? {
        let found = input.sources.flatMap(\.sameKeys).compactMap { key in
            inputIndices[key]?.first { input.overlaps(inputs[$0].input) }
        }
        return found.min().map { inputs[$0] }
    }

    private static func source(_ node: JSONNode) -> Input.Source? {
        guard let name = node["name"]?.string, let identifiesSource = node["named"]?.bool else { return nil }
        return Input.Source(name: name, content: node["content"]?.string, identifiesSource: identifiesSource)
    }

    /// Requires that no lines are missing before any part of a file.
    ///
    /// Lines missing at the end cannot be noticed, as the length of the file is not known.
    ///
    /// - Throws: an error about the first missing lines.
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

    /// Requires that all shards of the same lines are present, and each the same number of times.
    ///
    /// A shard may occur several times, as different lines of unnamed standard input cannot be told apart.
    ///
    /// - Throws: an error about the first missing shard.
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
