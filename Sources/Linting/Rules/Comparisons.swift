// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid
import PayloadKit
import SourceText

extension Rule {
    /// The rules about comparisons.
    static let comparisons: [Rule] = [comparedTypes, impossibleValue, comparedWithEmptyText]

    private static let comparedTypes = Rule(
        RuleDescription(
            RuleID("compared-types", .error, "a comparison of values whose types have nothing in common"),
            name: "Compared types",
            rationale: """
                <, >, <= or >= between a text and a number, or a time and a text, fails when it is rendered, and the \
                message is not sent. == between different types is never true, which is a warning. 'capture' and \
                'date' produce text; '| plus: 0' converts text to a number, and '| date: '%s' | plus: 0' a time. The \
                rule knows the types of literals, of filter results, of Braze's attributes and of those under \
                'attributes'. Silent for all other values, and for comparisons with nil, blank and empty.
                """,
            failing: [
                .campaign(
                    "push: {title: \"{% capture r %}{% random 9 %}{% endcapture %}{% if r ⟦>⟧ 5 %}Hi{% endif %}\"}"),
                .campaign(
                    "push: {title: \"{% if custom_attribute.${n} == ⟦'5'⟧ %}Hi{% endif %}\"}\nattributes: {n: {type: number}}"
                ),
                .campaign(
                    "push: {title: \"{% if custom_attribute.${t} ⟦==⟧ 'vip' %}Hi{% endif %}\"}\nattributes: {t: {type: array}}"
                ),
            ],
            passing: [
                .campaign(
                    "push: {title: \"{% assign h = 'now' | date: '%H' | plus: 0 %}{% if h > 5 %}Hi{% endif %}\"}"
                ),
                .campaign("push: {title: \"{% if custom_attribute.${n} == '5' %}Hi{% endif %}\"}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text -> [Finding] in
                guard let template = text.template else { return [] }
                let types = ValueTypes(template, attributes: campaign.campaign?.attributeTypes ?? [:])
                return text.comparisons.compactMap { text.comparedTypes($0, types) }
            }
        }
    )

    private static let impossibleValue = Rule(
        RuleDescription(
            RuleID("impossible-value", .warning, "a comparison of an attribute with a value that it never has"),
            name: "Impossible value",
            rationale: """
                Comparisons are case-sensitive, and Braze has its own spellings: platforms are in lower case, \
                countries are two capital letters as in ISO 3166-1, languages two lower-case letters as in ISO \
                639-1, time zones IANA names, genders one capital letter, and states of subscription are 'opted_in', 'subscribed' \
                and 'unsubscribed'. 'date' prints the days and months in English with capital letters, and most \
                numbers with a zero before them. Silent for 'contains', and for custom \
                attributes.
                """,
            failing: [
                .campaign("push: {title: \"{% if most_recently_used_device.${platform} == ⟦'iOS'⟧ %}Hi{% endif %}\"}"),
                .campaign("push: {title: \"{% if ${time_zone} == ⟦'PST'⟧ %}Hi{% endif %}\"}"),
                .campaign("push: {title: \"{% case ${language} %}{% when ⟦'EN'⟧ %}Hi{% endcase %}\"}"),
                .campaign(
                    "push: {title: \"{% assign d = 'now' | date: '%A' %}{% if d == ⟦'monday'⟧ %}Hi{% endif %}\"}"),
            ],
            passing: [
                .campaign("push: {title: \"{% if most_recently_used_device.${platform} == 'ios' %}Hi{% endif %}\"}"),
                .campaign("push: {title: \"{% if ${country} == 'US' or ${language} == 'pt' %}Hi{% endif %}\"}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                let dates = FormattedDates(text)
                return text.comparisons.compactMap { text.impossibleValue($0) ?? text.impossibleDate($0, dates) }
            }
        }
    )
}

extension RuleMessage {
    fileprivate static func neverEqual(_ left: ValueType, _ right: ValueType, _ hint: String) -> RuleMessage {
        "\(left.rawValue) never equals \(right.rawValue)\(hint)"
    }
    fileprivate static func noOrder(_ left: ValueType, _ right: ValueType, _ hint: String) -> RuleMessage {
        "\(left.rawValue) and \(right.rawValue) cannot be compared: the message fails\(hint)"
    }
    fileprivate static func holdsNothing(_ left: ValueType) -> RuleMessage {
        "'contains' searches texts and lists, and this is \(left.rawValue): it is never true"
    }
    fileprivate static let listOnTheRight: RuleMessage =
        "'contains' searches the value before it, but the list is after it: expected the list before 'contains'"
    fileprivate static let nowAsText: RuleMessage =
        "'now' is the time only before the filter 'date'; here it is the text 'now'; expected {% assign now = 'now' | date: '%s' | plus: 0 %} before it"
    fileprivate static func quotedWord(_ word: String) -> RuleMessage {
        "'\(word)' in quotes is a text, not a missing value, expected \(word.lowercased()) without quotes"
    }
    fileprivate static func neverPrinted(_ value: String, _ format: String, _ expected: String) -> RuleMessage {
        "'date: '\(format)'' never prints '\(value)', \(expected)"
    }
    fileprivate static func impossible(_ attribute: String, _ value: String, _ expected: String) -> RuleMessage {
        "'\(attribute)' is never '\(value)': \(expected)"
    }
}

/// Two values that a condition or a `case` compares.
struct ComparedValues {
    var left: ExpressionSyntax
    var comparison: Comparison
    var right: ExpressionSyntax
    /// The range of the operator; for a `when`, that of its value.
    var range: SourceRange
}

extension LintedText {
    /// The comparisons that rendering can reach, in the order of the text.
    var comparisons: [ComparedValues] {
        guard let template else { return [] }
        var found: [ComparedValues] = []
        Self.add(template.root, to: &found)
        let unreachable = Intervals(analysis.unreachable.map(\.offsets))
        return found.filter { !unreachable.covers($0.range) }
    }

    private static func add(_ block: BlockSyntax, to found: inout [ComparedValues]) {
        for node in block.nodes {
            if let tag = node.tag {
                let subject = tag.name.text == "case" ? NodeSyntax(tag.cursor).expressions.first : nil
                for clause in tag.clauses where !clause.isOtherwise {
                    if let subject {
                        for value in clause.values {
                            found.append(
                                ComparedValues(left: subject, comparison: .equal, right: value, range: value.range)
                            )
                        }
                        continue
                    }
                    for term in clause.terms {
                        guard let comparison = term.comparison, let right = term.right else { continue }
                        found.append(
                            ComparedValues(left: term.left, comparison: comparison, right: right, range: term.range)
                        )
                    }
                }
            }
            for inner in node.blocks { add(inner, to: &found) }
        }
    }

    fileprivate func comparedTypes(_ compared: ComparedValues, _ types: ValueTypes) -> Finding? {
        guard let left = types.type(of: compared.left) else { return nil }
        if compared.comparison == .contains {
            if types.type(of: compared.right) == .list {
                return Finding(.listOnTheRight, at: place(of: compared.right.range), severity: .warning)
            }
            guard left.isNumber || left == .boolean || left == .time else { return nil }
            return Finding(.holdsNothing(left), at: place(of: compared.range), severity: .warning)
        }
        guard let right = types.type(of: compared.right) else { return nil }
        switch compared.comparison {
        case .equal, .notEqual:
            guard !left.mayEqual(right) else { return nil }
            // If the text should not be quoted, the finding is about the text.
            let literal = [compared.right, compared.left].first { $0.literal != nil && types.type(of: $0) == .text }
            let isQuoted = literal != nil && (left.isNumber || left == .boolean || right.isNumber || right == .boolean)
            return Finding(
                .neverEqual(left, right, Self.hint(left, right, literal)),
                at: place(of: isQuoted ? literal?.range ?? compared.range : compared.range),
                severity: .warning
            )
        case .less, .greater, .lessOrEqual, .greaterOrEqual:
            guard !left.isOrdered(with: right) else { return nil }
            return Finding(.noOrder(left, right, Self.hint(left, right, nil)), at: place(of: compared.range))
        case .contains, .unknown: return nil
        }
    }

    private static func hint(_ left: ValueType, _ right: ValueType, _ literal: ExpressionSyntax?) -> String {
        let both = [left, right]
        if both.contains(.list) { return ", expected 'contains' for a list" }
        if both.contains(.time) {
            return ", expected both as seconds: {% assign t = … | date: '%s' | plus: 0 %}"
        }
        if let literal, literal.literal != nil, both.contains(where: \.isNumber) || both.contains(.boolean) {
            return ", expected \(literal.text) without quotes"
        }
        if both.contains(.text), both.contains(where: \.isNumber) {
            return ", expected '| plus: 0' to make a number of the text"
        }
        return ""
    }

    fileprivate func impossibleValue(_ compared: ComparedValues) -> Finding? {
        if case .string(let word)? = compared.right.literal, compared.left.lookup != nil,
            ["nil", "null", "blank", "empty"].contains(word.lowercased())
        {
            return Finding(.quotedWord(word), at: place(of: compared.right.range))
        }
        for (side, other) in [(compared.left, compared.right), (compared.right, compared.left)] {
            if case .string("now")? = other.literal, side.lookup != nil {
                return Finding(.nowAsText, at: place(of: other.range))
            }
        }
        guard compared.comparison == .equal || compared.comparison == .notEqual else { return nil }
        for (side, other) in [(compared.left, compared.right), (compared.right, compared.left)] {
            guard let path = side.lookup, case .string(let value)? = other.literal, !value.isEmpty,
                let attribute = AttributeSpelling(path), let expected = attribute.objection(to: value)
            else { continue }
            return Finding(.impossible(LaxText.text(side), value, expected), at: place(of: other.range))
        }
        return nil
    }
}

extension LintedText {
    /// The finding about a comparison of a date with a text that its format never prints.
    fileprivate func impossibleDate(_ compared: ComparedValues, _ dates: FormattedDates) -> Finding? {
        guard compared.comparison == .equal || compared.comparison == .notEqual else { return nil }
        for (side, other) in [(compared.left, compared.right), (compared.right, compared.left)] {
            guard case .string(let value)? = other.literal, let format = dates.format(of: side),
                let expected = DateDirective(format)?.objection(to: value)
            else { continue }
            return Finding(.neverPrinted(value, format, expected), at: place(of: other.range))
        }
        return nil
    }
}

/// The formats of the dates that variables of a template hold.
private struct FormattedDates {
    private var formats: [String: String] = [:]

    init(_ text: LintedText) {
        var others: Set<String> = []
        for tag in text.tags {
            guard let (name, value) = tag.assignment else {
                if let name = tag.boundName?.text { others.insert(name) }
                continue
            }
            if formats[name.text] == nil, !others.contains(name.text), let format = Self.format(of: value) {
                formats[name.text] = format
            } else {
                others.insert(name.text)
            }
        }
        for name in others { formats[name] = nil }
    }

    /// The format of the date that an expression is; nil where it is not known to be one.
    func format(of expression: ExpressionSyntax) -> String? {
        if case .output(let markup) = expression.kind { return Self.format(of: markup) }
        guard let lookup = expression.lookup, case .name(let name) = lookup.root, Array(lookup.steps).isEmpty else {
            return nil
        }
        return formats[name]
    }

    private static func format(of markup: MarkupSyntax) -> String? {
        guard let filter = markup.filters.map({ $0 }).last, filter.name == "date",
            case .string(let format)? = filter.arguments.first?.value.literal
        else { return nil }
        return format
    }
}

/// A format of `date` that is one directive, such as `%A`.
private enum DateDirective {
    case words([String])
    /// Numbers, with their digits where they are padded.
    case numbers(ClosedRange<Int>, digits: Int?)

    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    init?(_ format: String) {
        switch format {
        case "%A": self = .words(Self.days)
        case "%a": self = .words(Self.days.map { String($0.prefix(3)) })
        case "%B": self = .words(Self.months)
        case "%b", "%h": self = .words(Self.months.map { String($0.prefix(3)) })
        case "%p": self = .words(["AM", "PM"])
        case "%P": self = .words(["am", "pm"])
        case "%m": self = .numbers(1...12, digits: 2)
        case "%-m": self = .numbers(1...12, digits: nil)
        case "%d": self = .numbers(1...31, digits: 2)
        case "%-d": self = .numbers(1...31, digits: nil)
        case "%H": self = .numbers(0...23, digits: 2)
        case "%-H": self = .numbers(0...23, digits: nil)
        case "%I": self = .numbers(1...12, digits: 2)
        case "%-I": self = .numbers(1...12, digits: nil)
        case "%M": self = .numbers(0...59, digits: 2)
        case "%j": self = .numbers(1...366, digits: 3)
        case "%u": self = .numbers(1...7, digits: nil)
        case "%w": self = .numbers(0...6, digits: nil)
        case "%Y": self = .numbers(1000...9999, digits: 4)
        case "%y": self = .numbers(0...99, digits: 2)
        default: return nil
        }
    }

    /// What is expected in place of a text; nil where the directive prints it.
    func objection(to text: String) -> String? {
        switch self {
        case .words(let words):
            if words.contains(text) || text.isEmpty { return nil }
            let near = words.first { text.lowercased().hasPrefix($0.lowercased().prefix(3)) }
            return "expected \(near.map { "'\($0)'" } ?? "one such as '\(words[0])'")"
        case .numbers(let range, let digits):
            guard !text.isEmpty else { return nil }
            guard let number = Int(text), range.contains(number) else {
                let (first, last) = (Self.padded(range.lowerBound, digits), Self.padded(range.upperBound, digits))
                return "expected '\(first)' to '\(last)'"
            }
            let printed = Self.padded(number, digits)
            return printed == text ? nil : "expected '\(printed)'"
        }
    }

    private static func padded(_ number: Int, _ digits: Int?) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, (digits ?? 0) - text.utf8.count)) + text
    }
}
