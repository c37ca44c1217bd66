// SPDX-License-Identifier: MIT

package import SourceText

/// The messages about YAML and JSON files.
package enum DocumentMessages {
    package static func duplicateKey(
        _ key: String,
        at range: SourceRange,
        first: SourceRange,
        in file: SourceFile
    ) -> Diagnostic {
        Diagnostic(
            .duplicateKey,
            "the key '\(key)' occurs twice",
            at: SourcePlace(file, range),
            severity: .error,
            related: [Diagnostic.Related("first defined here", at: SourcePlace(file, first))]
        )
    }

    package static func wrongType(_ name: String, found: String, expected: String) -> String {
        "'\(name)': found \(found), expected \(expected)"
    }

    package static func unknownKey(_ key: String, of owner: String, near: String?, known: [String]) -> String {
        let start = "unknown key '\(key)' in \(owner)"
        if let near { return start + ", did you mean '\(near)'?" }
        // A long list of all known keys would not help: only the nearest few are named.
        let shown = 6
        let nearest = known.enumerated().map { ($0.offset, editDistance(key, $0.element), $0.element) }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(shown).map(\.2)
        let names = (known.count <= shown ? known : Array(nearest)).map { "'\($0)'" }.joined(separator: ", ")
        return start + (known.count <= shown ? "; expected one of " : "; the most similar known keys are ") + names
    }

    package static func missingKey(_ key: String, of owner: String) -> String { "\(owner) has no '\(key)'" }

    /// Describes a node, for `found …, expected …`.
    package static func describe(_ node: DocumentNode) -> String {
        switch node.content {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .scalar(let scalar):
            if scalar.isNullMark { return scalar.text.isEmpty ? "nothing" : "'\(scalar.text)' (no value)" }
            return scalar.style == .json ? scalar.text : "'\(shortened(scalar.text))'"
        }
    }

    /// Shortens a text for a message to its first line and at most 40 characters.
    package static func shortened(_ text: String) -> String {
        let limit = 40
        let line = text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
        if line.count <= limit && line.count == text.unicodeScalars.count { return text }
        return String(String.UnicodeScalarView(line.prefix(limit))) + "…"
    }
}
