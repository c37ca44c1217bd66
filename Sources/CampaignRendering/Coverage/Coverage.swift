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
        times = Array(repeating: 0, count: map.armCount)
        takers = times
    }

    /// Creates the coverage of messages that another process has rendered; nil where it does not match the branches of
    /// the map.
    package init?(_ map: CoverageMap, messages: Int, times: [Int], takers: [Int]) {
        guard times.count == map.armCount, takers.count == map.armCount else { return nil }
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
    public var armCount: Int { map.arms.count }

    /// The number of branches that at least one message has taken.
    public var takenCount: Int { map.arms.reduce(0) { $0 + (takers[$1] > 0 ? 1 : 0) } }

    /// The branches that no message has taken.
    public var missing: [Int] { map.arms.filter { takers[$0] == 0 } }

    mutating func beginMessage() { messages += 1 }

    mutating func count(_ arm: Int, times count: Int, isFirst: Bool) {
        times[arm] += count
        if isFirst { takers[arm] += 1 }
    }
}

/// Counts the branches that the messages of one session take.
struct CoverageRecorder {
    let recorder: Recorder
    private(set) var coverage: Coverage

    /// The branches that the last message has taken, in the order in which it took each first.
    private(set) var lastArms: [Int] = []

    /// The recorder's templates, each with its index in the map's texts; nil for a template that is not part of the
    /// campaign.
    private var sheets: [(template: Template, text: Int?)] = []

    /// The index in the map of the branch for each count of the recorder; negative for a branch that is not part of the
    /// campaign.
    private var arms: [Int] = []

    /// The indices in the map's texts of the templates of the message.
    private let own: [ObjectIdentifier: Int]

    /// For each branch, the number of the last message that has taken it.
    private var lastMessages: [Int]

    init(_ map: CoverageMap, _ message: CompiledMessage, recordsSpans: Bool) {
        recorder = Recorder(recordsSpans: recordsSpans)
        coverage = Coverage(map)
        own = map.indices(of: message)
        lastMessages = Array(repeating: 0, count: map.armCount)
    }

    /// The index in the map's texts of a template of the recorder; nil for a template that is not part of the campaign.
    func text(ofSheet index: Int) -> Int? { sheets.indices.contains(index) ? sheets[index].text : nil }

    /// Looks up the templates that the recorder has added since the last call, or all of them if it has started over.
    private mutating func updateSheets() {
        let known = recorder.sheets
        if zip(sheets, known).contains(where: { $0.template !== $1.template }) || sheets.count > known.count {
            sheets = []
            arms = []
        }
        for sheet in known.dropFirst(sheets.count) {
            let text = own[ObjectIdentifier(sheet.template)] ?? coverage.map.index(ofBlock: sheet.template)
            sheets.append((sheet.template, text))
            let first = text.map { coverage.map.texts[$0].firstArm }
            for arm in 0..<sheet.armCount { arms.append(first.map { $0 + arm } ?? -1) }
        }
    }

    /// Counts the branches that a message has taken.
    mutating func endMessage() {
        updateSheets()
        coverage.beginMessage()
        lastArms.removeAll(keepingCapacity: true)
        let number = coverage.messages
        for index in recorder.taken {
            let arm = arms[index]
            guard arm >= 0 else { continue }
            let isFirst = lastMessages[arm] != number
            if isFirst {
                lastMessages[arm] = number
                lastArms.append(arm)
            }
            coverage.count(arm, times: recorder.counts[index], isFirst: isFirst)
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
