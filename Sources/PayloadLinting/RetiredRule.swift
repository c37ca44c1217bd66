// SPDX-License-Identifier: MIT

/// A rule of an earlier version.
///
/// Its id stays reserved, and naming it is not an error.
public struct RetiredRule: Sendable {
    /// The id of the rule.
    public let name: String

    /// Why the rule was retired.
    public let reason: String

    /// The retired rules, in the order of their names.
    public static let all: [RetiredRule] =
        (withoutSource.map { RetiredRule($0, noSource) } + [
            RetiredRule("blank-in-branch", "'missing-value' reports the gap when a message is rendered")
        ]).sorted { $0.name < $1.name }

    private static let withoutSource = [
        "assigned-to-itself", "captured-spaces", "date-order", "draft-text", "empty-branches", "empty-output",
        "encoded-text", "filter-outside", "garbled-text", "literal-liquid", "loop-use", "overwritten-assign",
        "same-branches", "text-before-when", "trimmed-space", "unread-response", "version-order",
    ]

    private static let noSource = "removed, as nobody was found who makes this mistake"

    private init(_ name: String, _ reason: String) {
        self.name = name
        self.reason = reason
    }

    /// The retired rule with an id; nil for every other id.
    public static func named(_ name: String) -> RetiredRule? { all.first { $0.name == name } }

    /// The note for a configuration or a comment that names the rule.
    public var message: String { "the rule '\(name)' was retired and reports nothing: \(reason); remove it here" }
}
