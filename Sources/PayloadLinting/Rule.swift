// SPDX-License-Identifier: MIT

package import AppDeclarations
public import DiagnosticSources

/// A rule: its documentation and its checks.
///
/// The examples are the rule's documentation and its tests.
public struct Rule: Sendable {
    /// A check of a rule; the cases differ in their input.
    package enum Check: Sendable {
        /// Findings of reading a file.
        case reading
        /// Findings about comments that suppress findings.
        case suppression
        /// Findings of rendering a message, which `lint` never reports.
        case rendering
        /// Findings in one property list.
        case propertyList(@Sendable (LintedPlist) -> [Finding])
        /// Findings about all declarations of an app.
        case app(@Sendable (App) -> [Finding])
        /// Findings in one campaign.
        case campaign(@Sendable (LintedCampaign) -> [Finding])
        /// Findings about how one campaign fits its apps; ``LintedCampaign/matchFindings`` finds them for all rules
        /// together.
        case match
        /// Findings about an app and all campaigns that are sent for it.
        case campaigns(@Sendable (App, [LintedCampaign]) -> [Finding])
        /// Findings about all campaigns of a project.
        case project(@Sendable ([LintedCampaign]) -> [Finding])
        /// Findings about a whole run, which may belong to other rules as well.
        case run(@Sendable (LintRun) -> [Diagnostic])
        /// Findings of reading a project, such as a file that is not read.
        case projectReading
    }

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

    /// The address of the folder with the pages of rules on the site that `make docs` builds.
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

    /// The checks that find what the rule reports; none if only commands other than `lint` report it.
    package let checks: [Check]

    /// Creates a rule; its examples are made only when they are read.
    package init(
        _ id: RuleID,
        source: RuleSource,
        rationale: String,
        fix: String? = nil,
        failing: @autoclosure @escaping @Sendable () -> [RuleExample] = [],
        passing: @autoclosure @escaping @Sendable () -> [RuleExample] = [],
        _ checks: Check...
    ) {
        self.id = id
        self.source = source
        self.rationale = rationale
        self.fix = fix
        makeFailing = failing
        makePassing = passing
        self.checks = checks
    }

    /// Whether `lint` can report the rule; all others are about rendered messages or the inputs of a command.
    public var isOfLint: Bool {
        checks.contains { if case .rendering = $0 { false } else { true } }
    }

    /// All rules except those about the inputs of a command, in the order of the documentation.
    public static let all: [Rule] = topics.flatMap { $0.groups.flatMap { $0 } }

    /// The rules by topic, as the index of their pages lists them.
    package static let topics: [(title: String, groups: [[Rule]])] = [
        (
            "Property lists",
            [reading, attributes, categories, ratios, entryPoints, bundles, [listValue], pushStories]
        ),
        ("Apps and their targets", [appRequirements, extensionTargets, appNeeds, appFiles, projects]),
        ("The app's code", [codeReads]),
        (
            "Campaigns",
            [
                campaigns, [missingVersion, foldedText], campaignApps, [computedCategory], pushFields, addresses, pairs,
                [pairType, unescapedJSON], jsonValues, [expiryForm],
            ]
        ),
        (
            "Liquid",
            [
                liquidNames, attributeNames, variables, [unknownVariable, missingDefault], readings, comparisons,
                conditions,
                [dateFormat, dateReading, dateDifference], members, filterUses,
                [filterInput, rawValue, separateCounter, integerDivision, blankBlock],
                [smartQuote, eatenText, foreignPlaceholder, htmlText],
            ]
        ),
        (
            "Tags of Braze, content blocks and fixtures",
            [contentBlocks, brazeTags, fixtureUses, [fixtureForm, fixtureField], responses]
        ),
        ("The workspace at Braze", [workspaces]),
        ("Tests and profiles", [testFiles, [unknownExpectation]]),
        ("In-app messages", [scenarios]),
        ("Rendered messages", [rendering]),
        ("Comments that turn rules off", [[unusedSuppression]]),
    ]

    /// The rule whose ID has a name; nil if there is none.
    public static func named(_ name: String) -> Rule? {
        byName[name]
    }

    private static let byName = Dictionary(first: all.map { ($0.id.name, $0) })

    /// The findings as diagnostics, without the findings of other rules that share the check.
    func diagnostics(_ findings: [Finding]) -> [Diagnostic] {
        findings.filter { $0.rule.map { $0 == id } ?? true }.map { finding in
            Diagnostic(
                id, finding.message.text, at: finding.place, severity: finding.severity, related: finding.related,
                fixes: finding.fixes, scope: finding.scope
            )
        }
    }
}

/// The message of a finding: lower case, no full stop.
package struct RuleMessage: Sendable, ExpressibleByStringInterpolation {
    package let text: String

    /// Creates a message from a text that is made elsewhere.
    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.init(text) }

    package init(stringInterpolation pieces: StringInterpolation) {
        self.init(String(decoding: pieces.text, as: UTF8.self))
    }

    /// Joins the pieces of a message.
    ///
    /// A text in single quotes that contains a single quote gets double quotes.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate private(set) var text: [UInt8] = []

        /// The index of the opening quote that is not closed yet; nil outside of quotes.
        private var open: Int?

        private static let (single, double) = (UInt8(ascii: "'"), UInt8(ascii: "\""))

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) {
            for byte in literal.utf8 {
                text.append(byte)
                guard byte == Self.single else { continue }
                if let start = open {
                    open = nil
                    let quoted = text[(start + 1)...].dropLast()
                    guard quoted.contains(Self.single), !quoted.contains(Self.double) else { continue }
                    (text[start], text[text.count - 1]) = (Self.double, Self.double)
                } else if text.dropLast().last?.isLetter != true {
                    // A single quote after a letter is an apostrophe.
                    open = text.count - 1
                }
            }
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += value.description.utf8
        }
    }
}

/// One finding of a rule.
package struct Finding: Sendable {
    package var message: RuleMessage
    package var place: SourcePlace?
    package var severity: Severity?
    package var related: [Diagnostic.Related] = []
    package var fixes: [FixIt] = []
    package var scope: FindingScope?

    /// The rule of the finding, if several rules share the check; nil for the rule that runs the check.
    package var rule: RuleID?

    package init(
        _ message: RuleMessage,
        at place: SourcePlace?,
        severity: Severity? = nil,
        related: [Diagnostic.Related] = [],
        fixes: [FixIt] = [],
        scope: FindingScope? = nil,
        rule: RuleID? = nil
    ) {
        self.message = message
        self.place = place
        self.severity = severity
        self.related = related
        self.fixes = fixes
        self.scope = scope
        self.rule = rule
    }
}
