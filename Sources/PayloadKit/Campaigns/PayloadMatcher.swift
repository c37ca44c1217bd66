// SPDX-License-Identifier: MIT

import Documents
import Foundation
import Liquid
import SourceText

/// A condition other than equality that a test expects of a value: `{contains: TEXT}`, `{matches: PATTERN}`, `{absent:
/// true}`.
struct PayloadMatcher {
    /// The keys of matchers.
    private static let keys: Set<String> = ["contains", "matches", "absent"]

    private let members: [DocumentMember]

    /// Reads a matcher; nil for a node that is compared as a value.
    init?(_ node: DocumentNode) {
        guard let members = node.members, !members.isEmpty, members.allSatisfy({ Self.keys.contains($0.name) }) else {
            return nil
        }
        self.members = members
    }

    /// The conditions that a value does not meet, in words, each with its place.
    func failures(_ found: Value?) -> [(expected: String, range: SourceRange)] {
        members.compactMap { member in
            let text = member.value.scalar?.text ?? ""
            let expected: String?
            switch member.name {
            case "absent":
                let isAbsent = text != "false"
                let isMissing = found.map { if case .null = $0 { true } else { false } } ?? true
                expected = isMissing == isAbsent ? nil : isAbsent ? "nothing" : "a value"
            case "contains": expected = Self.contains(found, text, member.value) ? nil : "what contains '\(text)'"
            default: expected = Self.matches(found, text) ? nil : "what matches '\(text)'"
            }
            return expected.map { ($0, member.value.range) }
        }
    }

    private static func contains(_ found: Value?, _ text: String, _ node: DocumentNode) -> Bool {
        switch found {
        case .string(let string)?: string.contains(text) || text.isEmpty
        case .array(let elements)?: elements.contains { $0.equals(node.value) || $0.text == text }
        case .object(let object)?: object[text] != nil
        default: false
        }
    }

    /// Whether a pattern of NSRegularExpression is found in a text or number.
    private static func matches(_ found: Value?, _ pattern: String) -> Bool {
        guard let found, let expression = try? NSRegularExpression(pattern: pattern) else { return false }
        let text: String
        switch found {
        case .null, .array, .object: return false
        default: text = found.text
        }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
