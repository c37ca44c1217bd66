// SPDX-License-Identifier: MIT

/// A rule of an earlier version: its id stays reserved, and naming it is no error.
public struct RetiredRule: Sendable {
    /// The id.
    public let name: String

    /// What became of it.
    public let reason: String

    /// The retired rules, in the order of their names.
    public static let all: [RetiredRule] = [
        RetiredRule("assigned-to-itself", noSource),
        RetiredRule("blank-in-branch", "'missing-value' reports the gap when a message is rendered"),
        RetiredRule("captured-spaces", noSource),
        RetiredRule("date-order", noSource),
        RetiredRule("draft-text", noSource),
        RetiredRule("empty-branches", noSource),
        RetiredRule("empty-output", noSource),
        RetiredRule("encoded-text", noSource),
        RetiredRule("filter-outside", noSource),
        RetiredRule("garbled-text", noSource),
        RetiredRule("literal-liquid", noSource),
        RetiredRule("loop-use", noSource),
        RetiredRule("overwritten-assign", noSource),
        RetiredRule("same-branches", noSource),
        RetiredRule("text-before-when", noSource),
        RetiredRule("trimmed-space", noSource),
        RetiredRule("unread-response", noSource),
        RetiredRule("version-order", noSource),
    ]

    private static let noSource = "removed, as nobody was found who makes this mistake"

    private init(_ name: String, _ reason: String) {
        self.name = name
        self.reason = reason
    }

    /// The retired rule with an id; nil for every other id.
    public static func named(_ name: String) -> RetiredRule? { all.first { $0.name == name } }

    /// The note about a use of the id.
    public var message: String { "the rule '\(name)' was retired and reports nothing: \(reason); remove it here" }
}
