// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid
import PayloadKit
import SourceText

extension Rule {
    /// The rules about comparisons.
    static let comparisons: [Rule] = [comparedTypes, impossibleValue, dateOrder, comparedWithEmptyText]

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
                numbers with a zero before them; a number made of them by '| plus: 0' stays in the same bounds, such as 0 \
                to 23 for hours. Silent for 'contains', for bounds that the number may reach, and for custom \
                attributes.
                """,
            failing: [
                .campaign("push: {title: \"{% if most_recently_used_device.${platform} == ⟦'iOS'⟧ %}Hi{% endif %}\"}"),
                .campaign("push: {title: \"{% if ${time_zone} == ⟦'PST'⟧ %}Hi{% endif %}\"}"),
                .campaign("push: {title: \"{% case ${language} %}{% when ⟦'EN'⟧ %}Hi{% endcase %}\"}"),
                .campaign(
                    "push: {title: \"{% assign d = 'now' | date: '%A' %}{% if d == ⟦'monday'⟧ %}Hi{% endif %}\"}"),
                .campaign(
                    "push: {title: \"{% assign h = 'now' | date: '%H' | plus: 0 %}{% if h >= ⟦24⟧ %}Hi{% endif %}\"}"),
                .campaign("push: {title: '{% if ${random_bucket_number} > ⟦9999⟧ %}Hi{% endif %}'}"),
                .campaign("push: {title: \"{% if custom_attribute.${d} > ⟦'2026-11-31'⟧ %}Hi{% endif %}\"}"),
            ],
            passing: [
                .campaign("push: {title: \"{% if most_recently_used_device.${platform} == 'ios' %}Hi{% endif %}\"}"),
                .campaign("push: {title: \"{% if ${country} == 'US' or ${language} == 'pt' %}Hi{% endif %}\"}"),
                .campaign(
                    "push: {title: \"{% assign h = 'now' | date: '%H' | plus: 0 %}{% if h >= 18 and h < 24 %}Hi{% endif %}\"}"
                ),
                .campaign("push: {title: '{% if ${random_bucket_number} < 10000 %}Hi{% endif %}'}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                let literals = LiteralVariables(text)
                let dates = FormattedDates(text, literals)
                return text.comparisons.compactMap {
                    text.impossibleValue($0) ?? text.impossibleDate($0, dates, literals)
                }
            }
        }
    )
}

extension Rule {
    private static let dateOrder = Rule(
        RuleDescription(
            RuleID("date-order", .warning, "dates compared as texts whose order is not that of time"),
            name: "Order of dates",
            rationale: """
                Liquid compares texts letter by letter, so '20.01.2027' comes after '10.12.2027', and 'March' after 'June'. \
                Numbers with zeros before them, the year first, are in the order of time, and so are seconds. Silent for == and \
                !=, and for formats that are not literals.
                """,
            failing: [
                .campaign(
                    "push: {title: \"{% assign d = 'now' | date: '%d.%m.%Y' %}{% if d ⟦>⟧ '01.12.2026' %}Hi{% endif %}\"}"
                )
            ],
            passing: [
                .campaign(
                    "push: {title: \"{% assign d = 'now' | date: '%Y-%m-%d' %}{% if d > '2026-12-01' %}Hi{% endif %}\"}"
                )
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                let dates = FormattedDates(text, LiteralVariables(text))
                return text.comparisons.compactMap { text.dateOrder($0, dates) }
            }
        }
    )
}

extension RuleMessage {
    fileprivate static func order(_ format: String) -> RuleMessage {
        """
        texts in the format '\(format)' are not in the order of time, as letters are compared from the left; expected \
        '%Y-%m-%d' for both, or seconds: '| date: '%s' | plus: 0'
        """
    }
    fileprivate static func noDay(_ text: String) -> RuleMessage {
        "'\(text)' is not a date: its month or day does not exist"
    }
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
    fileprivate static func outOfBounds(_ value: String, _ source: String, _ range: ClosedRange<Int>, _ truth: Bool)
        -> RuleMessage
    {
        """
        '\(source)' is a number from \(range.lowerBound) to \(range.upperBound), so the comparison with \(value) is \
        \(truth ? "always" : "never") true
        """
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
        let sides = [
            (compared.left, compared.right, compared.comparison),
            (compared.right, compared.left, compared.comparison.mirrored),
        ]
        for (side, other, comparison) in sides {
            if case .string(let text)? = other.literal, side.literal == nil, text.isImpossibleDate {
                return Finding(.noDay(text), at: place(of: other.range))
            }
            if case .attribute("random_bucket_number")? = side.lookup?.root, let value = other.literal,
                let number = value.number, let truth = comparison.truth(of: 0...9999, number)
            {
                let name = "${random_bucket_number}"
                return Finding(.outOfBounds(value.text, name, 0...9999, truth), at: place(of: other.range))
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
    /// The finding about dates whose texts are compared in another order than that of time.
    fileprivate func dateOrder(_ compared: ComparedValues, _ dates: FormattedDates) -> Finding? {
        guard [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(compared.comparison) else { return nil }
        let sides = [compared.left, compared.right]
        let found = sides.compactMap { dates.date(of: $0) }
        guard let date = found.first(where: { !StrftimeFormat($0.format).isInOrderOfTime }),
            found.allSatisfy({ !$0.mayBeNumber }),
            !sides.contains(where: { if case .integer? = $0.literal { true } else { false } })
        else { return nil }
        return Finding(.order(date.format), at: place(of: compared.range))
    }

    /// The finding about a comparison of a date with a text or number that its format never prints.
    fileprivate func impossibleDate(
        _ compared: ComparedValues,
        _ dates: FormattedDates,
        _ literals: LiteralVariables
    ) -> Finding? {
        let sides = [
            (compared.left, compared.right, compared.comparison),
            (compared.right, compared.left, compared.comparison.mirrored),
        ]
        for (side, other, comparison) in sides {
            guard let date = dates.date(of: side), let directive = DateDirective(date.format),
                let value = literals.literal(other)?.literal
            else { continue }
            if case .string(let text) = value {
                guard comparison == .equal || comparison == .notEqual, date.mayBeText,
                    let expected = directive.objection(to: text)
                else { continue }
                return Finding(.neverPrinted(text, date.format, expected), at: place(of: other.range))
            }
            guard date.mayBeNumber, case .numbers(let range, _, _) = directive, let number = value.number,
                let truth = comparison.truth(of: range, number)
            else { continue }
            let source = "date: '\(date.format)'"
            return Finding(.outOfBounds(value.text, source, range, truth), at: place(of: other.range))
        }
        return nil
    }
}

extension Value {
    /// The number that the value is; nil for texts of digits, and for numbers that have more digits than a `Double`.
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }
}

extension Comparison {
    /// The comparison of the same values in the other order.
    fileprivate var mirrored: Comparison {
        switch self {
        case .less: .greater
        case .greater: .less
        case .lessOrEqual: .greaterOrEqual
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual, .contains, .unknown: self
        }
    }

    /// The result of comparing any whole number in a range with a number; nil where it depends on the first, and where a
    /// bound of the range is named although everything is inside it.
    fileprivate func truth(of range: ClosedRange<Int>, _ number: Double) -> Bool? {
        let (first, last) = (Double(range.lowerBound), Double(range.upperBound))
        switch self {
        case .equal, .notEqual:
            let isPossible = first...last ~= number && number == number.rounded()
            return isPossible ? nil : self == .notEqual
        case .less: return number <= first ? false : number > last + 1 ? true : nil
        case .lessOrEqual: return number < first ? false : number > last + 1 ? true : nil
        case .greater: return number >= last ? false : nil
        case .greaterOrEqual: return number > last ? false : nil
        case .contains, .unknown: return nil
        }
    }
}

/// A date that `date` printed with a known format.
private struct FormattedDate {
    var format: String
    /// Whether the date may be the text that was printed.
    var mayBeText = true
    /// Whether the text may have been converted to the number in it.
    var mayBeNumber = false
}

/// The dates that variables of a template hold.
private struct FormattedDates {
    private var dates: [String: FormattedDate] = [:]
    private let literals: LiteralVariables

    init(_ text: LintedText, _ literals: LiteralVariables) {
        self.literals = literals
        var others: Set<String> = []
        for tag in text.tags {
            guard let (name, value) = tag.assignment else {
                if let name = tag.boundName?.text { others.insert(name) }
                continue
            }
            guard let date = date(of: value), !others.contains(name.text) else {
                others.insert(name.text)
                continue
            }
            guard let earlier = dates[name.text] else {
                dates[name.text] = date
                continue
            }
            // The variable may be converted: what reads it before that gets the text.
            guard value.expression?.variableName == name.text else {
                others.insert(name.text)
                continue
            }
            dates[name.text]?.mayBeNumber = earlier.mayBeNumber || date.mayBeNumber
        }
        for name in others { dates[name] = nil }
    }

    /// The date that an expression is; nil where it is not known to be one.
    func date(of expression: ExpressionSyntax) -> FormattedDate? {
        if case .output(let markup) = expression.kind { return date(of: markup) }
        return expression.variableName.flatMap { dates[$0] }
    }

    private func date(of markup: MarkupSyntax) -> FormattedDate? {
        let filters = Array(markup.filters)
        var date = markup.expression.flatMap { self.date(of: $0) }
        var conversions = filters[...]
        if let index = filters.lastIndex(where: { $0.name == "date" }) {
            let format = filters[index].arguments.first.flatMap { literals.text($0.value)?.text }
            date = format.map { FormattedDate(format: $0) }
            conversions = filters[(index + 1)...]
        }
        guard conversions.allSatisfy(\.keepsNumber) else { return nil }
        guard !conversions.isEmpty else { return date }
        return date.map { FormattedDate(format: $0.format, mayBeText: false, mayBeNumber: true) }
    }
}

extension FilterSyntax {
    /// Whether the filter makes a whole number of its digits, without changing it.
    fileprivate var keepsNumber: Bool {
        let argument = arguments.first?.value.literal?.number
        return switch name {
        case "plus", "minus": argument == 0
        case "times", "divided_by": argument == 1
        case "round", "floor", "ceil", "abs": argument == nil
        default: false
        }
    }
}

/// A format of `date` that is one directive, such as `%A`.
private enum DateDirective {
    case words([String])
    /// Numbers, with the width to which they are padded by a character.
    case numbers(ClosedRange<Int>, width: Int = 1, padding: Character = "0")

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
        default:
            guard let letter = format.last, ["%\(letter)", "%-\(letter)"].contains(format),
                let (range, width) = Self.bounds(letter)
            else { return nil }
            let isPadded = format.count == 2
            self = .numbers(range, width: isPadded ? width : 1, padding: "ekl".contains(letter) ? " " : "0")
        }
    }

    /// The numbers that a directive prints, and the width to which it pads them.
    private static func bounds(_ letter: Character) -> (range: ClosedRange<Int>, width: Int)? {
        switch letter {
        case "m": (1...12, 2)
        case "d", "e": (1...31, 2)
        case "H", "k": (0...23, 2)
        case "I", "l": (1...12, 2)
        case "M", "S": (0...59, 2)
        case "j": (1...366, 3)
        case "U", "W": (0...53, 2)
        case "V": (1...53, 2)
        case "u": (1...7, 1)
        case "w": (0...6, 1)
        case "Y": (1000...9999, 4)
        case "y": (0...99, 2)
        default: nil
        }
    }

    /// What is expected in place of a text; nil where the directive prints it.
    func objection(to text: String) -> String? {
        switch self {
        case .words(let words):
            if words.contains(text) || text.isEmpty { return nil }
            let near = words.first { text.lowercased().hasPrefix($0.lowercased().prefix(3)) }
            return "expected \(near.map { "'\($0)'" } ?? "one such as '\(words[0])'")"
        case .numbers(let range, let width, let padding):
            guard !text.isEmpty else { return nil }
            func printed(_ number: Int) -> String {
                let digits = String(number)
                return String(repeating: padding, count: max(0, width - digits.utf8.count)) + digits
            }
            guard let number = Int(text.filter { $0 != " " }), range.contains(number) else {
                return "expected '\(printed(range.lowerBound))' to '\(printed(range.upperBound))'"
            }
            return printed(number) == text ? nil : "expected '\(printed(number))'"
        }
    }
}
