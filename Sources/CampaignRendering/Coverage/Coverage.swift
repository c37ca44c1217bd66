// SPDX-License-Identifier: MIT

import LiquidTemplates

/// For each branch of a campaign's templates, how often it was taken and by how many messages.
///
/// Coverages of the same map can be added in any order, so the result does not depend on the number of threads.
public struct Coverage: Sendable {
    /// The templates and their branches.
    public let map: CoverageMap

    /// The number of messages, including messages that are not sent.
    public private(set) var messages = 0

    /// How many times each branch was taken.
    public private(set) var times: [Int]

    /// How many messages have taken each branch.
    public private(set) var takers: [Int]

    /// Creates a coverage without messages.
    public init(_ map: CoverageMap) {
        self.map = map
        times = Array(repeating: 0, count: map.branchCount)
        takers = times
    }

    /// Creates the coverage of messages that another process has rendered; nil if it does not match the branches of the
    /// map.
    package init?(_ map: CoverageMap, messages: Int, times: [Int], takers: [Int]) {
        guard times.count == map.branchCount, takers.count == map.branchCount else { return nil }
        self.map = map
        self.messages = messages
        self.times = times
        self.takers = takers
    }

    /// Adds the messages of another coverage, which must be of the same campaign.
    public mutating func add(_ other: Coverage) {
        messages += other.messages
        for index in times.indices where other.times.indices.contains(index) {
            times[index] += other.times[index]
            takers[index] += other.takers[index]
        }
    }

    /// The number of branches.
    public var branchCount: Int { map.branches.count }

    /// The number of branches that at least one message has taken.
    public var takenCount: Int { map.branches.reduce(0) { $0 + (takers[$1] > 0 ? 1 : 0) } }

    /// The branches that no message has taken.
    public var missing: [Int] { map.branches.filter { takers[$0] == 0 } }

    mutating func beginMessage() { messages += 1 }

    mutating func count(_ branch: Int, times count: Int, isFirst: Bool) {
        times[branch] += count
        if isFirst { takers[branch] += 1 }
    }
}

/// Counts the branches that the messages of one session take.
struct CoverageRecorder {
    let recorder: Recorder
    private(set) var coverage: Coverage

    /// The branches that the last message has taken, in the order in which it took each first.
    private(set) var lastBranches: [Int] = []

    /// The recorder's templates, each with its index in the map's texts; nil for a template that is not part of the
    /// campaign.
    private var templates: [(template: Template, text: Int?)] = []

    /// For each count of the recorder, the index of its branch in the map; negative for a branch that is not part of
    /// the campaign.
    private var branches: [Int] = []

    /// The indices in the map's texts of the templates of the message.
    private let own: [ObjectIdentifier: Int]

    /// For each branch, the number of the last message that has taken it.
    private var lastMessages: [Int]

    init(_ map: CoverageMap, _ message: CompiledMessage, recordsSpans: Bool) {
        recorder = Recorder(recordsSpans: recordsSpans)
        coverage = Coverage(map)
        own = map.indices(of: message)
        lastMessages = Array(repeating: 0, count: map.branchCount)
    }

    /// The index in the map's texts of a template of the recorder; nil for a template that is not part of the campaign.
    func text(ofTemplate index: Int) -> Int? { templates.indices.contains(index) ? templates[index].text : nil }

    /// Looks up the templates that the recorder has added since the last call, or all of them if it has started over.
    private mutating func updateTemplates() {
        let known = recorder.templates
        if zip(templates, known).contains(where: { $0.template !== $1.template }) || templates.count > known.count {
            templates = []
            branches = []
        }
        for recorded in known.dropFirst(templates.count) {
            let text = own[ObjectIdentifier(recorded.template)] ?? coverage.map.index(ofBlock: recorded.template)
            templates.append((recorded.template, text))
            let first = text.map { coverage.map.texts[$0].firstBranch }
            for branch in 0..<recorded.branchCount { branches.append(first.map { $0 + branch } ?? -1) }
        }
    }

    /// Counts the branches that a message has taken.
    mutating func endMessage() {
        updateTemplates()
        coverage.beginMessage()
        lastBranches.removeAll(keepingCapacity: true)
        let number = coverage.messages
        for index in recorder.taken {
            let branch = branches[index]
            guard branch >= 0 else { continue }
            let isFirst = lastMessages[branch] != number
            if isFirst {
                lastMessages[branch] = number
                lastBranches.append(branch)
            }
            coverage.count(branch, times: recorder.counts[index], isFirst: isFirst)
        }
        recorder.begin()
    }
}

extension CampaignRenderer {
    /// Creates a session that counts the branches that messages take.
    ///
    /// - Parameters:
    ///   - map: the branches of this campaign.
    ///   - recordsSpans: whether the session will be used for ``RenderSession/record(_:triggerProperties:)``.
    /// - Returns: the session.
    public func session(counting map: CoverageMap, recordsSpans: Bool = false) -> RenderSession {
        RenderSession(self, coverage: CoverageRecorder(map, message, recordsSpans: recordsSpans))
    }
}
