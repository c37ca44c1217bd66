// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The documentation of a rule.
///
/// The examples are the rule's documentation and its tests.
public struct RuleDescription: Sendable {
    /// The ID, with the default severity and a summary of what the rule finds.
    public let id: RuleID

    /// The name, such as `Boolean type`: the ID in words.
    public var name: String {
        let words = id.name.split(separator: "-").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The page, report or case that shows what the rule finds.
    public let source: RuleSource

    /// Why the finding matters, and the cases in which the rule reports nothing.
    public let rationale: String

    /// The address of the rule's page.
    public var page: String { Self.pages + id.name }

    /// The folder of the pages of rules on the site that `make docs` builds: set it before the first release, which
    /// refuses this placeholder.
    private static let pages = "https://payloadgen.example/rules/"

    /// The effect of `--fix`; nil if there is no automatic fix.
    public let fix: String?

    /// Inputs with findings, each at a marked place.
    ///
    /// Empty for rules that need more than files.
    public var failing: [RuleExample] { makeFailing() }

    /// Inputs without findings.
    public var passing: [RuleExample] { makePassing() }

    // Built only when they are read: every command uses IDs and severities, but few use examples.
    private let makeFailing: @Sendable () -> [RuleExample]
    private let makePassing: @Sendable () -> [RuleExample]

    /// Describes a rule.
    public init(
        _ id: RuleID,
        source: RuleSource,
        rationale: String,
        fix: String? = nil,
        failing: @autoclosure @escaping @Sendable () -> [RuleExample] = [],
        passing: @autoclosure @escaping @Sendable () -> [RuleExample] = []
    ) {
        self.id = id
        self.source = source
        self.rationale = rationale
        self.fix = fix
        makeFailing = failing
        makePassing = passing
    }
}
