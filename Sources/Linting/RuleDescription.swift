// SPDX-License-Identifier: MIT

public import SourceText

/// The documentation of a rule.
///
/// The examples are the rule's documentation and its tests.
public struct RuleDescription: Sendable {
    /// The id, with the severity when nothing else is configured and a summary of what the rule finds.
    public let id: RuleID

    /// The name, such as `Boolean type`.
    public let name: String

    /// Why it matters, and when the rule reports nothing.
    public let rationale: String

    /// What `--fix` does; nil where there is no automatic fix.
    public let fix: String?

    /// Inputs with findings, each at a marked place.
    ///
    /// Empty for rules that need more than files.
    public var failing: [RuleExample] { makeFailing() }

    /// Inputs without findings.
    public var passing: [RuleExample] { makePassing() }

    // Every command looks at ids and severities; examples are made for those who read them.
    private let makeFailing: @Sendable () -> [RuleExample]
    private let makePassing: @Sendable () -> [RuleExample]

    /// Describes a rule.
    public init(
        _ id: RuleID,
        name: String,
        rationale: String,
        fix: String? = nil,
        failing: @autoclosure @escaping @Sendable () -> [RuleExample] = [],
        passing: @autoclosure @escaping @Sendable () -> [RuleExample] = []
    ) {
        self.id = id
        self.name = name
        self.rationale = rationale
        self.fix = fix
        makeFailing = failing
        makePassing = passing
    }
}
