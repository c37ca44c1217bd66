// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidDocumentValues
import LiquidTemplates

/// Compares an expectation with a payload or with a part of it.
struct PayloadComparison {
    /// The file of the expectation.
    let file: SourceFile

    /// The fields that the message may have, to suggest a name for one that is misspelled.
    private let table: PushTable

    /// Whether the comparison is exact: only expected members are allowed, and expected texts have to be quoted.
    var isExact = false

    var mismatches: [TestMismatch] = []

    private var suggestions = Suggestions()

    init(file: SourceFile, table: PushTable, isExact: Bool = false) {
        self.file = file
        self.table = table
        self.isExact = isExact
    }

    /// The differences in the order of the file.
    var sorted: [TestMismatch] {
        mismatches.enumerated()
            .sorted { ($0.element.place.range.start, $0.offset) < ($1.element.place.range.start, $1.offset) }
            .map(\.element)
    }

    /// Compares a member at the top of an expectation: a member of the payload, or a field by its name in a campaign.
    ///
    /// `title: Hi` is short for `aps: {alert: {title: Hi}}`. A key-value pair with the same name takes precedence.
    mutating func compare(_ member: DocumentMember, inPayload root: LiquidObject) {
        guard root[member.name] == nil, let path = table[member.name]?.payloadPath, let key = path.last else {
            return compare(member, in: root, of: "")
        }
        var object = root
        for key in path.dropLast() {
            if case .object(let inner)? = object[key] { object = inner } else { object = .empty }
        }
        var named = member
        named.name = key
        compare(named, in: object, of: path.dropLast().joined(separator: "."))
    }

    /// Compares a member with the member of an object.
    ///
    /// If the key was not sent, the message suggests the most similar key.
    mutating func compare(_ member: DocumentMember, in object: LiquidObject, of owner: String) {
        let path = owner.isEmpty ? member.name : owner + "." + member.name
        if !isExact, let matcher = PayloadMatcher(member.value) {
            return compare(matcher, object[member.name], path: path)
        }
        if let found = object[member.name] { return compare(member.value, found, path: path) }
        if !isExact, member.value.scalar?.isNullMark == true { return }
        let keys = isExact ? [] : object.keys + knownKeys(of: owner)
        let near = suggestions.nearest(to: member.name, in: keys)
        differ(path, .nothing, Self.side(member.value), near: near, at: member.keyRange)
    }

    private mutating func compare(_ matcher: PayloadMatcher, _ found: Value?, path: String) {
        for (expected, range) in matcher.failures(found) {
            differ(path, found.map { Self.side($0) } ?? .nothing, .other(expected), at: range)
        }
    }

    /// Keys that an object of the payload may have.
    private func knownKeys(of owner: String) -> [String] {
        let keys = table.fields.compactMap { field -> String? in
            switch (field.place, owner) {
            case (.top(let key), ""), (.aps(let key), "aps"), (.alert(let key), "aps.alert"): key
            default: nil
            }
        }
        switch owner {
        case "": return ["aps"] + keys + ["ab"] + CampaignTest.Expectation.keys
        case "aps": return ["alert"] + keys
        default: return keys
        }
    }

    mutating func compare(_ expected: DocumentNode, _ found: Value, path: String) {
        switch expected.content {
        case .mapping(let members):
            guard case .object(let object) = found else {
                return differ(path, Self.side(found), Self.side(expected), at: expected.range)
            }
            for member in members { compare(member, in: object, of: path) }
            if isExact { compareKeys(members, object, in: expected.range, path: path) }
        case .sequence(let elements):
            guard case .array(let values) = found, values.count == elements.count else {
                return differ(path, Self.side(found), Self.side(expected), at: expected.range)
            }
            for (index, element) in elements.enumerated() {
                compare(element, values[index], path: "\(path)[\(index)]")
            }
        case .scalar(let scalar):
            if matches(scalar, found) { return }
            differ(path, Self.side(found), Self.side(expected), at: expected.range)
        }
    }

    /// Reports members that were sent but not expected, at the opening brace.
    private mutating func compareKeys(
        _ members: [DocumentMember],
        _ object: LiquidObject,
        in range: SourceRange,
        path: String
    ) {
        let known = Set(members.map { Array($0.name.utf8) })
        for key in object.keys where !known.contains(Array(key.utf8)) {
            let start = SourceRange(start: range.start, end: range.start + 1)
            differ(path.isEmpty ? key : path + "." + key, Self.side(object[key] ?? .null), .nothing, at: start)
        }
    }

    /// Whether an expected scalar matches a value; unless the comparison is exact, an unquoted scalar also matches a
    /// text with the same characters.
    private func matches(_ scalar: DocumentScalar, _ found: Value) -> Bool {
        switch found {
        case .null: if case .null = scalar.value { true } else { false }
        case .string(let text): (!isExact || scalar.style == .quoted) && text.utf8.elementsEqual(scalar.text.utf8)
        case let found: found.equals(scalar.liquidValue)
        }
    }

    private mutating func differ(
        _ path: String,
        _ found: TestMismatch.Side,
        _ expected: TestMismatch.Side,
        near: String? = nil,
        at range: SourceRange
    ) {
        let place = SourcePlace(file, range)
        let path = path.isEmpty ? "the payload" : path
        mismatches.append(TestMismatch(path: path, expected: expected, found: found, near: near, at: place))
    }

    private static func side(_ node: DocumentNode) -> TestMismatch.Side {
        switch node.content {
        case .mapping: return .other("an object")
        case .sequence(let elements): return .other("a list of \(elements.count)")
        case .scalar(let scalar):
            if scalar.isNullMark { return .nothing }
            if case .string(let text) = scalar.value { return .text(text) }
            return .other(scalar.text)
        }
    }

    private static func side(_ value: Value) -> TestMismatch.Side {
        switch value {
        case .null: .nothing
        case .string(let text): .text(text)
        case .object: .other("an object")
        case .array(let elements): .other("a list of \(elements.count)")
        case let value: .other(value.text)
        }
    }
}
