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

    /// Why it matters, and when the rule stays silent.
    public let rationale: String

    /// What `--fix` does; nil where a person has to decide.
    public let fix: String?

    /// Inputs with findings, each at a marked place.
    ///
    /// Empty for rules whose findings need more than files.
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

/// Files that show what a rule finds or lets pass.
public struct RuleExample: Sendable {
    /// A file of an example.
    public struct File: Sendable {
        /// The path.
        public let path: String

        /// The text.
        public let text: String

        /// The ranges in bytes of the text where the rule finds something.
        public let ranges: [SourceRange]

        /// Creates a file from a text in which `⟦` and `⟧` enclose what the rule finds.
        public init(_ path: String, _ marked: String) {
            self.path = path
            var text = String.UnicodeScalarView()
            var ranges: [SourceRange] = []
            var open: [Int] = []
            var offset = 0
            for scalar in marked.unicodeScalars {
                switch scalar {
                case "⟦":
                    open.append(ranges.count)
                    ranges.append(SourceRange(offset, offset))
                case "⟧":
                    guard let index = open.popLast() else { continue }
                    ranges[index].end = UInt32(clamping: offset)
                default:
                    text.append(scalar)
                    offset += UTF8.width(scalar)
                }
            }
            self.text = String(text)
            self.ranges = ranges
        }
    }

    /// The files, which together are one project.
    public let files: [File]

    /// The text of the first file once it has been fixed; nil where there is no fix.
    public let fixed: String?

    /// Creates an example.
    public init(_ files: [File], fixed: String? = nil) {
        self.files = files
        self.fixed = fixed
    }
}
