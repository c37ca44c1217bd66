// SPDX-License-Identifier: MIT

/// Limits on what a rendering uses, as the reference implementation counts it; nil for no limit.
package struct ScoreLimits: Sendable, Equatable {
    /// The most nodes of blocks that one template may render.
    package var nodes: Int?

    /// The most nodes for a template and its partials together.
    package var totalNodes: Int?

    /// The largest total size of assigned values in one template: a string counts its bytes, any other value one.
    package var assigned: Int?

    /// The largest total size of assigned values for a template and its partials together.
    package var totalAssigned: Int?
}

/// What a rendering has used so far, as the reference implementation counts it.
struct Scores {
    /// The two quantities that are counted.
    private struct Counts {
        var nodes = 0
        var assigned = 0
    }

    let countsNodes: Bool
    /// Whether assigned values are counted.
    let countsAssigned: Bool
    /// The counts since the last template or partial began.
    private var own = Counts()
    private var total = Counts()
    private let limits: ScoreLimits

    init(_ limits: ScoreLimits) {
        self.limits = limits
        countsNodes = limits.nodes != nil || limits.totalNodes != nil
        countsAssigned = limits.assigned != nil || limits.totalAssigned != nil
    }

    /// Begins a rendering.
    mutating func begin() {
        own = Counts()
        total = Counts()
    }

    /// Begins a partial; as in the reference implementation, the counts of the surrounding template are not restored
    /// after it.
    mutating func beginPartial() throws(LiquidError) {
        own = Counts()
        // If an earlier partial exceeded a total limit, only that partial ended, so this one has to fail too.
        try add(nodes: 0)
        try add(assigned: 0)
    }

    /// Counts the nodes of a block.
    mutating func add(nodes: Int) throws(LiquidError) {
        own.nodes += nodes
        total.nodes += nodes
        try check(own.nodes, limits.nodes, "render score")
        try check(total.nodes, limits.totalNodes, "total render score")
    }

    /// Counts the size of an assigned value; see ``Value/assignScore``.
    mutating func add(assigned size: Int) throws(LiquidError) {
        own.assigned += size
        total.assigned += size
        try check(own.assigned, limits.assigned, "assign score")
        try check(total.assigned, limits.totalAssigned, "total assign score")
    }

    private func check(_ score: Int, _ limit: Int?, _ name: String) throws(LiquidError) {
        guard let limit, score > limit else { return }
        throw LiquidError(
            .memory,
            topic: .score,
            "the rendering passes the limit '\(name)' of \(limit)",
            referenceText: "Memory limits exceeded"
        )
    }
}

extension LiquidError.Topic {
    /// The topic of errors about a score that exceeds its limit.
    static let score = LiquidError.Topic(rawValue: "score")
}

extension Value {
    /// The size of an assigned value as the reference implementation counts it: a string counts its bytes, any other
    /// value one plus the sizes of its parts.
    var assignScore: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .array(let elements): elements.reduce(1) { $0 + $1.assignScore }
        case .object(let object):
            zip(object.keys, object.values).reduce(1) { $0 + $1.0.utf8.count + $1.1.assignScore }
        default: 1
        }
    }
}
