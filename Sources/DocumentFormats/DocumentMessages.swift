// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// The texts of findings about YAML and JSON files.
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

    /// The message for an unknown key.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - owner: what contains the key, such as `the campaign`.
    ///   - near: the known key that was probably meant.
    ///   - similar: the most similar known keys; nil if they were not compared.
    ///   - known: all known keys.
    /// - Returns: the message.
    package static func unknownKey(
        _ key: String,
        of owner: String,
        near: String?,
        similar: [String]?,
        known: [String]
    ) -> String {
        let start = "unknown key '\(key)' in \(owner)"
        if let near { return start + didYouMean(near) }
        if known.count <= mostNamedKeys { return start + "; expected one of " + known.quoted() }
        return start + (similar.map { "; the most similar known keys are " + $0.quoted() } ?? "")
    }

    /// The message for a key that belongs inside the key `outer`.
    static func misplacedKey(_ key: String, of owner: String, outer: String) -> String {
        "unknown key '\(key)' in \(owner), expected it inside '\(outer)'"
    }

    /// The message for a key that is inside an object but belongs at the top level.
    static func keyOfTopLevel(_ key: String, in owner: String) -> String {
        "unknown key '\(key)' in \(owner), expected it at the top level"
    }

    /// The maximum number of known keys that a message lists; if there are more, it names only the most similar ones.
    static let mostNamedKeys = 6

    /// The message for a key in brackets without a colon after it, as in `{title:Hi}`, which YAML reads as one text.
    static func keyWithoutColon(_ text: String) -> String {
        let word = String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
        let rest = text.dropFirst(word.count).drop { $0 == " " }
        guard !word.isEmpty, let sign = rest.first, rest.dropFirst().first != nil else {
            return "found no value after '\(shortened(text))', expected a key with its value: 'KEY: VALUE'"
        }
        switch sign {
        case ":": return noSpaceAfterColon(word)
        case "=": return equalsSign(after: word)
        default: return "found no colon after '\(word)', expected '\(word): …'"
        }
    }

    static func noSpaceAfterColon(_ key: String) -> String {
        "found no space after the colon of '\(key)', expected '\(key): '"
    }

    static func equalsSign(after key: String) -> String { "found '=' after '\(key)', expected a colon: '\(key): …'" }

    package static func missingKey(_ key: String, of owner: String) -> String { "\(owner) has no '\(key)'" }

    /// The description of a node in messages, such as "a list", for `found …, expected …`.
    package static func describe(_ node: DocumentNode) -> String {
        switch node.content {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .scalar(let scalar):
            if scalar.isNullMark { return scalar.text.isEmpty ? "nothing" : "'\(scalar.text)' (no value)" }
            return scalar.style == .json ? scalar.text : "'\(shortened(scalar.text))'"
        }
    }

    /// The first line of a text, cut to 40 characters for a message.
    package static func shortened(_ text: String) -> String { text.firstLine(upTo: 40) }
}
