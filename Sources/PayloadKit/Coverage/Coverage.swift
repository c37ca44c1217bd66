// SPDX-License-Identifier: MIT

import LiquidTemplates

/// How often, and by how many messages of a campaign, each arm of its templates was taken.
///
/// Coverages of the same map can be added in any order, so that the result is the same for any number of threads.
public struct Coverage: Sendable {
    /// The templates and their arms.
    public let map: CoverageMap

    /// The number of messages, whether they are sent or not.
    public private(set) var messages = 0

    /// For each arm, how many times it was taken.
    public private(set) var times: [Int]

    /// For each arm, how many messages have taken it.
    public private(set) var takers: [Int]

    /// Creates a coverage without messages.
    public init(_ map: CoverageMap) {
        self.map = map
        times = Array(repeating: 0, count: map.armCount)
        takers = times
    }

    /// Creates the coverage of messages that another process has rendered; nil where it is not of the map's arms.
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

    /// The number of arms.
    public var armCount: Int { map.arms.count }

    /// The number of arms that at least one message has taken.
    public var takenCount: Int { map.arms.reduce(0) { $0 + (takers[$1] > 0 ? 1 : 0) } }

    /// The arms that no message has taken.
    public var missing: [Int] { map.arms.filter { takers[$0] == 0 } }

    mutating func beginMessage() { messages += 1 }

    mutating func count(_ arm: Int, times count: Int, isFirst: Bool) {
        times[arm] += count
        if isFirst { takers[arm] += 1 }
    }
}

/// Counts the arms that the messages of one session take.
struct CoverageRecorder {
    let recorder: Recorder
    private(set) var coverage: Coverage

    /// The arms of the last message, in the order of their first times.
    private(set) var lastArms: [Int] = []

    /// The recorder's templates, each with its index in the map; nil for one that is not of the campaign.
    private var sheets: [(template: Template, text: Int?)] = []

    /// For each count of the recorder, the index of its arm in the map; negative for an arm that is not of the
    /// campaign.
    private var arms: [Int] = []

    /// The places of the templates of the message.
    private let own: [ObjectIdentifier: Int]

    /// For each arm, the number of the last message that has taken it.
    private var lastMessages: [Int]

    init(_ map: CoverageMap, _ message: CompiledMessage, recordsSpans: Bool) {
        recorder = Recorder(recordsSpans: recordsSpans)
        coverage = Coverage(map)
        own = map.indices(of: message)
        lastMessages = Array(repeating: 0, count: map.armCount)
    }

    /// The index, in the map's texts, of the template of a recorder's sheet; nil for one that is not of the campaign.
    func text(ofSheet index: Int) -> Int? { sheets.indices.contains(index) ? sheets[index].text : nil }

    /// Looks up the sheets that the recorder has added, or has since it forgot the others.
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

    /// Counts the arms that a message has taken.
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
    /// Creates a session that counts the arms that messages take.
    ///
    /// - Parameters:
    ///   - map: the arms of this campaign.
    ///   - recordsSpans: whether ``RenderSession/record(_:triggerProperties:)`` is to be used.
    /// - Returns: the session.
    public func session(counting map: CoverageMap, recordsSpans: Bool = false) -> RenderSession {
        RenderSession(self, coverage: CoverageRecorder(map, message, recordsSpans: recordsSpans))
    }
}
