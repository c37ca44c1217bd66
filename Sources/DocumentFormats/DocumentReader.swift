// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Reads the known keys of a YAML or JSON document, and collects findings about it.
///
/// Nothing here throws: an invalid part is reported and left out, so that one run reports every mistake.
package struct DocumentReader {
    /// The file that is read.
    package let file: SourceFile

    /// The rule for findings about values that are missing or of the wrong type.
    package let syntaxRule: RuleID

    /// The rule for findings about unknown keys.
    package let unknownKeyRule: RuleID

    /// The keys that the outermost object may have, to recognize such a key in an inner object.
    var outermostKeys: Set<String> = []

    /// The findings so far.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Suggests the known names that misspelt names may mean, in limited time for the whole document.
    package var suggestions = Suggestions()

    /// Words that people write instead of the document's keys, such as `message` for `body`.
    private let synonyms: KeySynonyms

    package init(
        file: SourceFile,
        syntaxRule: RuleID,
        unknownKeyRule: RuleID,
        synonyms: KeySynonyms = KeySynonyms()
    ) {
        self.file = file
        self.syntaxRule = syntaxRule
        self.unknownKeyRule = unknownKeyRule
        self.synonyms = synonyms
    }

    /// The place of a range in the file.
    package func place(_ range: SourceRange) -> SourcePlace { SourcePlace(file, range) }

    // MARK: - Findings

    /// Reports a finding.
    package mutating func report(_ diagnostic: Diagnostic) { diagnostics.append(diagnostic) }

    /// Reports a message as a finding, by default as an error of ``syntaxRule``.
    package mutating func report(
        _ message: String,
        at range: SourceRange,
        rule: RuleID? = nil,
        severity: Severity = .error,
        related: [Diagnostic.Related] = [],
        fixes: [FixIt] = []
    ) {
        report(
            Diagnostic(
                rule ?? syntaxRule,
                message,
                at: place(range),
                severity: severity,
                related: related,
                fixes: fixes
            )
        )
    }

    /// Reports that a node is of the wrong type.
    package mutating func reportType(_ node: DocumentNode, _ name: String, expected: String, rule: RuleID? = nil) {
        let message = DocumentMessages.wrongType(name, found: DocumentMessages.describe(node), expected: expected)
        report(message + hintAtNothing(node), at: node.range, rule: rule)
    }

    /// The hint that a space is missing after the colon, for `key:value` instead of a mapping; empty for any other
    /// node.
    private static func hintAtSpace(_ node: DocumentNode) -> String {
        guard let scalar = node.scalar, scalar.style == .plain, let colon = scalar.text.firstIndex(of: ":"),
            colon != scalar.text.startIndex, scalar.text.index(after: colon) != scalar.text.endIndex,
            !scalar.text[colon...].hasPrefix("://"),
            scalar.text[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
        else { return "" }
        return "; a space is missing after the colon of '\(scalar.text[..<colon]):'"
    }

    /// The hint that YAML read the value as a comment or a tag; empty for any other node.
    private func hintAtNothing(_ node: DocumentNode) -> String {
        guard let scalar = node.scalar, scalar.isNullMark, scalar.text.isEmpty else { return "" }
        switch file.bytes[min(Int(node.range.start), file.bytes.count)...].first(where: { $0 != UInt8(ascii: " ") }) {
        case UInt8(ascii: "#"): return "; '#' begins a comment, so a text with it at its start needs quotes"
        case UInt8(ascii: "!"): return "; '!' begins a tag in YAML, so a text with it at its start needs quotes"
        default: return ""
        }
    }

    /// Reports an unknown key, and suggests the most similar known key.
    ///
    /// - Parameters:
    ///   - member: the key with its value.
    ///   - open: the known keys that the mapping lacks, one of which may be meant; the suggested key is removed.
    ///   - owner: what contains the key, for messages.
    ///   - keys: the known keys.
    ///   - outer: the known key under which the unknown one belongs.
    private mutating func reportUnknownKey(
        _ member: DocumentMember,
        among open: inout [String],
        owner: String,
        keys: [String],
        outer: String?
    ) {
        let similarName = suggestions.nearest(to: member.name, in: open)
        if similarName == nil, let outer {
            return report(
                DocumentMessages.misplacedKey(member.name, of: owner, outer: outer), at: member.keyRange,
                rule: unknownKeyRule)
        }
        if similarName == nil, outermostKeys.contains(member.name) {
            return report(
                DocumentMessages.keyOfTopLevel(member.name, in: owner), at: member.keyRange, rule: unknownKeyRule)
        }
        // A key found by a synonym is only a guess, so there is no fix that writes it.
        let near = similarName ?? synonyms.key(for: member.name, among: open)
        open.removeAll { $0 == near }
        let similar =
            near == nil
            ? suggestions.mostSimilar(DocumentMessages.mostNamedKeys, to: member.name, in: keys) : nil
        var fixes: [FixIt] = []
        if let similarName, member.key.style == .plain {
            fixes = [
                FixIt("rename to '\(similarName)'", edits: [FixIt.Edit(member.keyRange, replacement: similarName)])
            ]
        }
        report(
            DocumentMessages.unknownKey(member.name, of: owner, near: near, similar: similar, known: keys),
            at: member.keyRange,
            rule: unknownKeyRule,
            fixes: fixes
        )
    }

    // MARK: - Collections

    /// Reports unknown keys, each with the most similar known key that the mapping lacks.
    ///
    /// - Parameters:
    ///   - members: all members of the mapping.
    ///   - owner: what contains the keys, for messages.
    ///   - keys: the known keys, which are suggested.
    ///   - others: names that the caller reports itself.
    ///   - outerKey: the known key under which an unknown one belongs; nil for none.
    package mutating func reportUnknownKeys(
        of members: [DocumentMember],
        owner: String,
        keys: [String],
        besides others: Set<String> = [],
        outerKey: (String) -> String? = { _ in nil }
    ) {
        // All known keys are ASCII, for which a comparison of strings is the same as one of bytes.
        let known = others.union(keys)
        let unknown = members.filter { !known.contains($0.name) }
        guard !unknown.isEmpty else { return }
        let names = Set(members.map(\.name))
        var open = keys.filter { !names.contains($0) }
        for member in unknown {
            reportUnknownKey(member, among: &open, owner: owner, keys: keys, outer: outerKey(member.name))
        }
    }

    /// The members of a mapping that may have any keys; reports keys that occur twice.
    ///
    /// - Parameters:
    ///   - node: the mapping.
    ///   - name: the name of the mapping, for messages.
    ///   - key: an example of its keys, for the message that the node is not a mapping.
    /// - Returns: the members; empty if the node is not a mapping.
    package mutating func members(of node: DocumentNode, name: String, key: String? = nil) -> [DocumentMember] {
        guard let members = node.members else {
            let example = key.map { " such as '{\($0): …}'" } ?? ""
            reportType(node, name, expected: "a mapping" + example + Self.hintAtSpace(node))
            return []
        }
        var seen: [String: SourceRange] = [:]
        for member in members {
            if isCollection(member.key, at: member.keyRange) {
                report("found a list or a mapping as a key, expected text", at: member.keyRange)
            } else if isWithoutColon(member) {
                report(DocumentMessages.keyWithoutColon(member.name), at: member.keyRange)
            } else if let first = seen[member.name] {
                report(DocumentMessages.duplicateKey(member.name, at: member.keyRange, first: first, in: file))
            } else {
                seen[member.name] = member.keyRange
            }
        }
        return members.filter { !isWithoutColon($0) && !isCollection($0.key, at: $0.keyRange) }
    }

    /// Whether a key is a collection, for which the YAML reader writes the key `?`.
    private func isCollection(_ key: DocumentScalar, at range: SourceRange) -> Bool {
        guard key.text == "?", key.style == .quoted, Int(range.start) < file.bytes.count else { return false }
        return !"\"'".utf8.contains(file.bytes[Int(range.start)])
    }

    /// Whether YAML read a key and its value, such as `title:Hi` in brackets, as one key without a value.
    private func isWithoutColon(_ member: DocumentMember) -> Bool {
        guard member.key.style == .plain, let value = member.value.scalar, value.style == .plain, value.text.isEmpty
        else { return false }
        let next = file.bytes[min(Int(member.keyRange.end), file.bytes.count)...].first { $0 > 0x20 }
        return next.map { ",}".utf8.contains($0) } ?? false
    }

    /// The elements of a list; reports a node that is not a list and returns no elements for it.
    package mutating func elements(of node: DocumentNode, name: String) -> [DocumentNode] {
        guard let elements = node.elements else {
            let hint = node.members == nil ? "" : ", in YAML with '- ' before each item"
            reportType(node, name, expected: "a list" + hint + Self.hintAtSpace(node))
            return []
        }
        return elements
    }

    // MARK: - Scalars

    /// Reports the numbers in a node that are too large to be read as numbers.
    package mutating func reportHugeNumbers(in node: DocumentNode) {
        switch node.content {
        case .scalar(let scalar) where scalar.isHugeNumber:
            let found = DocumentMessages.shortened(scalar.text)
            report(
                "found '\(found)', expected a number up to 1.8e308, an integer of up to 10,000 digits, or quotes around text",
                at: node.range)
        case .scalar: return
        case .sequence(let elements): for element in elements { reportHugeNumbers(in: element) }
        case .mapping(let members): for member in members { reportHugeNumbers(in: member.value) }
        }
    }

    /// Checks that a node is one of a few words; reports any other word, and suggests the most similar one.
    ///
    /// - Returns: the node; nil if it is not one of the words.
    mutating func checkChoice(
        _ node: DocumentNode,
        _ name: String,
        rule: RuleID?,
        among words: [String],
        or others: [String] = []
    ) -> DocumentNode? {
        let expected = "one of " + (words + others).joined(separator: ", ")
        guard let scalar = node.scalar else {
            reportType(node, name, expected: expected)
            return nil
        }
        if words.contains(where: { $0.utf8.elementsEqual(scalar.text.utf8) }) { return node }
        var message = DocumentMessages.wrongType(
            name,
            found: DocumentMessages.describe(node),
            expected: expected
        )
        message += didYouMean(suggestions.nearest(to: scalar.text, in: words))
        report(message, at: node.range, rule: rule)
        return nil
    }
}
