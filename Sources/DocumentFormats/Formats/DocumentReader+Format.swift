// SPDX-License-Identifier: MIT

package import DiagnosticSources
import ScalarTexts

extension DocumentReader {
    /// Checks an object against its format, and reports what does not match.
    ///
    /// - Parameters:
    ///   - node: the object.
    ///   - format: the format that the object should have.
    ///   - path: its path in the document, such as `tests[0]`; empty for the outermost object.
    /// - Returns: the object without its invalid parts; nil if the node is not an object.
    package mutating func checked(_ node: DocumentNode, _ format: Format, path: String = "") -> DocumentNode? {
        let owner = format.name ?? "'\(path)'"
        let label = path.isEmpty ? format.name ?? path : path
        if path.isEmpty { outermostKeys = Set(format.keys.map(\.name)) }
        let isClosed = format.traits.isDisjoint(with: [.isOpen, .reportsOtherKeys])
        let members = self.members(of: node, name: label, key: isClosed ? format.keys.first?.name : nil)
        guard node.members != nil else { return nil }
        if isClosed {
            reportUnknownKeys(
                of: members, owner: owner, keys: format.keys.map(\.name), outerKey: format.outerKey(of:))
        }
        let place = path.isEmpty ? SourceRange(start: node.range.start, end: node.range.start) : node.range
        for key in format.keys where key.isRequired && node[key.name] == nil {
            report(DocumentMessages.missingKey(key.name, of: owner), at: place)
        }
        if format.traits.contains(.hasOneKey), members.count != 1 {
            report("\(owner): found \(members.count) keys, expected one", at: node.range)
        }
        let isFlat = format.traits.contains(.isFlat) || path.isEmpty
        let known = members.compactMap { member -> DocumentMember? in
            guard let key = format.keys.first(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) else {
                return isClosed ? nil : member
            }
            let name = isFlat ? key.name : path + "." + key.name
            return member.replacing(checked(member.value, key.kind, name, rule: key.rule))
        }
        var object = DocumentNode(.mapping(known), range: node.range)
        object.isWhole = known.count == members.count
        return object
    }

    /// Checks a value against its kind, and reports what does not match.
    ///
    /// - Parameters:
    ///   - node: the value.
    ///   - kind: the kind that the value should have.
    ///   - name: the name of the value in messages.
    ///   - rule: the rule for a value of another kind; nil for the rule of the document's syntax.
    /// - Returns: the value without its invalid parts; nil if it is of another kind.
    package mutating func checked(
        _ node: DocumentNode,
        _ kind: Format.Kind,
        _ name: String,
        rule: RuleID? = nil
    ) -> DocumentNode? {
        switch kind {
        case .any: return node
        case .object(let format): return checked(node, format, path: name)
        case .oneOf(let formats):
            let format = formats.first { format in format.keys.allSatisfy { !$0.isRequired || node[$0.name] != nil } }
            return (format ?? formats.last).flatMap { checked(node, $0, path: name) }
        case .either(let kinds) where node.scalar != nil && kinds.contains(where: \.isChoice):
            // A text can only be one of the words of the choice; the message also names the objects that are possible.
            return checkChoice(node, name, rule: rule, among: kinds.flatMap(\.words), or: kinds.flatMap(\.objects))
        case .either(let kinds):
            return (kinds.first { $0.takes(node) } ?? kinds.first).flatMap { checked(node, $0, name, rule: rule) }
        case .list(let element):
            let elements = elements(of: node, name: name)
            guard node.elements != nil else { return nil }
            let known = elements.enumerated().compactMap { checked($1, element, "\(name)[\($0)]", rule: rule) }
            return DocumentNode(.sequence(known), range: node.range)
        case .mapping(let value, _):
            let members = members(of: node, name: name)
            guard node.members != nil else { return nil }
            let known = members.compactMap { member in
                member.replacing(checked(member.value, value, "\(name).\(member.name)", rule: rule))
            }
            return DocumentNode(.mapping(known), range: node.range)
        case .collection where node.scalar == nil: return checkedParts(of: node, name, rule: rule)
        case .choice(let words): return checkChoice(node, name, rule: rule, among: words)
        default:
            guard kind.takes(node) else {
                reportType(node, name, expected: kind.expected, rule: rule)
                return nil
            }
            if case .version(let version, let oldest) = kind, case .integer(let found)? = node.scalar?.value,
                !((oldest ?? version)...version).contains(found)
            {
                let expected = oldest.map { "\($0) to \(version)" } ?? "\(version)"
                // Only files that the command writes have older versions.
                let advice =
                    found > version
                    ? "; a newer payloadgen may read it"
                    : oldest == nil ? "" : "; write the file again with this payloadgen"
                report("found version \(found), expected \(expected)\(advice)", at: node.range)
            }
            return node
        }
    }

    /// Checks that each scalar inside a collection has a value: `null` counts as one, `~` and an empty scalar do not.
    private mutating func checkedParts(of node: DocumentNode, _ name: String, rule: RuleID?) -> DocumentNode? {
        switch node.content {
        case .scalar(let scalar):
            return scalar.style == .plain ? checked(node, .template, name, rule: rule) : node
        case .sequence(let elements):
            let known = elements.enumerated().compactMap { checkedParts(of: $1, "\(name)[\($0)]", rule: rule) }
            return DocumentNode(.sequence(known), range: node.range)
        case .mapping(let members):
            let known = members.compactMap { member in
                member.replacing(checkedParts(of: member.value, "\(name).\(member.name)", rule: rule))
            }
            return DocumentNode(.mapping(known), range: node.range)
        }
    }
}

extension DocumentMember {
    /// The member with a new value; nil if there is no new value.
    fileprivate func replacing(_ value: DocumentNode?) -> DocumentMember? {
        value.map { DocumentMember(key: key, keyRange: keyRange, value: $0) }
    }
}

extension Format.Kind {
    fileprivate var isChoice: Bool { !words.isEmpty }

    /// The words that a value of this kind may be; empty if it is not a choice of words.
    fileprivate var words: [String] {
        if case .choice(let words) = self { words } else { [] }
    }

    /// The objects that a value of this kind may be, as messages show them, such as `{event: …}`.
    fileprivate var objects: [String] {
        guard case .object(let format) = self else { return [] }
        guard case .exactlyOneOf(let names) = format.needs else { return format.keys.map { "{\($0.name): …}" } }
        return names.map { "{\($0): …}" }
    }

    /// Whether a node can be of the kind, as far as its own type shows; the parts of a list or mapping are not checked.
    fileprivate func takes(_ node: DocumentNode) -> Bool {
        switch self {
        case .any: return true
        case .list: return node.elements != nil
        case .mapping, .object, .oneOf: return node.members != nil
        case .collection: return node.scalar == nil
        case .either(let kinds): return kinds.contains { $0.takes(node) }
        default:
            guard let scalar = node.scalar else { return false }
            return takes(scalar)
        }
    }

    private func takes(_ scalar: DocumentScalar) -> Bool {
        switch (self, scalar.value) {
        case (.text, _), (.path, _), (.template, _), (.choice, _): !scalar.isNullMark
        case (.textOrNull, _): scalar.text != "~" || scalar.style != .plain
        case (.booleanOrBit, .bool), (.booleanOrBit, .integer(0)), (.booleanOrBit, .integer(1)): true
        case (.boolean, .bool), (.booleanOrNull, .bool), (.booleanOrNull, .null), (.yes, .bool(true)): true
        case (.integer(let range), .integer(let number)): range?.contains(number) ?? true
        case (.version, .integer), (.number, .integer), (.secondsOrTime, .integer), (.choiceOrNumber, .integer): true
        case (.number, .float(let number)), (.secondsOrTime, .float(let number)), (.choiceOrNumber, .float(let number)):
            number.isFinite
        case (.count, .integer): true
        case (.count, .float(let number)): number.isFinite
        case (.count, .string(let text)): text.holds("{{") || text.holds("{%") || text.holds("${")
        case (.level(let levels, _), .integer(let number)): levels.contains(number)
        case (.choiceOrNumber(let words, _), .string(let text)): words.contains { $0.utf8.elementsEqual(text.utf8) }
        case (.time, _), (.secondsOrTime, _): TimestampText(rfc3339: scalar.text) != nil
        default: false
        }
    }

    /// The kind in words, for `found …, expected …`.
    fileprivate var expected: String {
        switch self {
        case .text, .template: "text (\"\" for an empty one)"
        case .path: "the path of a file"
        case .textOrNull: "text, or null"
        case .boolean, .booleanOrBit, .booleanOrNull: "true or false"
        case .yes: "true"
        case .integer(let range?) where range.upperBound == .max: "a whole number of \(range.lowerBound) or more"
        case .integer(let range?): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .integer, .version: "an integer"
        case .number: "a number"
        case .count: "a whole number of 0 or more"
        case .level(_, let expected), .choiceOrNumber(_, let expected): expected
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .time: "a time such as 2026-11-20T09:00:00Z"
        case .secondsOrTime: "seconds since the start, or a time in ISO 8601"
        case .any: "a value"
        case .collection: "a mapping or a list"
        case .list: "a list"
        case .mapping, .object, .oneOf: "a mapping"
        case .either(let kinds): kinds.map(\.expected).joined(separator: ", or ")
        }
    }
}
