// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import DocumentFormats
import LiquidDocumentValues
import LiquidTemplates
import TextPatterns

/// A condition other than equality that a test sets for a value: `{contains: TEXT}`, `{matches: PATTERN}` or `{absent:
/// true}`.
package struct PayloadMatcher {
    /// The keys of all conditions.
    package static let keys = ["contains", "matches", "absent"]

    private let members: [DocumentMember]

    /// Reads a condition; nil for a node that is compared as a value.
    package init?(_ node: DocumentNode) {
        guard let members = node.members, !members.isEmpty, members.allSatisfy({ Self.keys.contains($0.name) }) else {
            return nil
        }
        self.members = members
    }

    /// The conditions that cannot be checked against any value, with their faults in words and their places.
    package var faults: [(fault: String, range: SourceRange)] {
        members.compactMap { member in
            let range = member.value.range
            guard let scalar = member.value.scalar else {
                return ("found a mapping or a list under '\(member.name)', expected a text", range)
            }
            switch member.name {
            case "matches": return Self.fault(ofPattern: scalar.text).map { ($0, range) }
            default: return nil
            }
        }
    }

    /// What is wrong with a pattern that is not valid; nil for a valid one.
    private static func fault(ofPattern pattern: String) -> String? {
        let count = pattern.unicodeScalars.count
        if count > TextPattern.longest {
            return "the regular expression has \(count) characters, expected at most \(TextPattern.longest)"
        }
        return TextPattern(pattern) == nil
            ? "'\(pattern)' is not a regular expression, so nothing matches it" : nil
    }

    /// Whether every text meets the condition.
    var isEmpty: Bool {
        members.allSatisfy { member in
            guard let text = member.value.scalar?.text else { return false }
            switch member.name {
            case "contains": return text.isEmpty
            case "matches": return Self.isInEveryText(text)
            default: return false
            }
        }
    }

    /// Whether the condition is met by any value, as long as one is sent.
    var expectsAnyValue: Bool {
        members.allSatisfy { $0.name == "absent" && $0.value.scalar?.text == "false" }
    }

    /// Whether a pattern is found in every text, because it matches the empty text at the start or at the end.
    ///
    /// A pattern is excluded if its match of the empty text may depend on the text around it, because of other anchors,
    /// word boundaries or lookaround.
    private static func isInEveryText(_ pattern: String) -> Bool {
        let start = ["^", "\\A"].first(where: pattern.hasPrefix)
        let rest = String(pattern.dropFirst(start?.count ?? 0))
        let endAnchors = start == nil ? [] : ["$", "\\z", "\\Z", "(?"]
        guard !(["^", "\\A", "\\b", "\\B", "\\G", "(?<"] + endAnchors).contains(where: rest.holds) else {
            return false
        }
        return rest.isEmpty || TextPattern(rest)?.search("").result == .found
    }

    /// Whether the condition requires that no value is sent.
    package var expectsAbsence: Bool {
        members.contains { $0.name == "absent" && $0.value.scalar?.text != "false" }
    }

    /// The conditions that a value does not meet, in words and with their places.
    func failures(_ found: Value?) -> [(expected: String, range: SourceRange)] {
        members.compactMap { member in
            // A list or mapping cannot be the operand of a condition.
            guard let text = member.value.scalar?.text else {
                return ("a text as '\(member.name)' of the test, not a list or mapping", member.value.range)
            }
            let expected: String?
            switch member.name {
            case "absent":
                let isAbsent = text != "false"
                let isMissing = found.map { if case .null = $0 { true } else { false } } ?? true
                expected = isMissing == isAbsent ? nil : isAbsent ? "nothing" : "a value"
            case "contains":
                expected = Self.contains(found, text, member.value) ? nil : "a value that contains '\(text)'"
            default: expected = Self.mismatch(found, text)
            }
            return expected.map { ($0, member.value.range) }
        }
    }

    private static func contains(_ found: Value?, _ text: String, _ node: DocumentNode) -> Bool {
        switch found {
        case .string(let string)?: text.isEmpty || string.indices.contains { string[$0...].hasPrefix(text) }
        case .array(let elements)?: elements.contains { $0.equals(node.value) || $0.text == text }
        case .object(let object)?: object[text] != nil
        default: false
        }
    }

    /// The words for what was expected if a pattern is not found in a value; nil if the pattern is found.
    private static func mismatch(_ found: Value?, _ pattern: String) -> String? {
        let expected = "a value that matches '\(pattern)'"
        let text: String
        switch found {
        case nil, .null?, .array?, .object?: return expected
        case let found?: text = found.text
        }
        guard let search = TextPattern(pattern)?.search(text) else { return expected }
        switch search.result {
        case .found: return nil
        case .notFound: return expected
        case .tooManySteps:
            return expected + ", but the pattern exceeds the limit of \(TextPattern.mostSteps) steps"
        case .textTooLong:
            return expected + ", but the text has more than the limit of \(TextPattern.longestText) characters"
        }
    }
}
