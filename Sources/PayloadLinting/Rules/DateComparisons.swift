// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

extension RuleMessage {
    fileprivate static let notDays: RuleMessage = """
        'minus' of two dates as digits does not count days: from 20261231 to 20270101 it gives 8870; expected \
        "date: '%s'" on both sides, and 'divided_by: 86400' after 'minus'
        """
}

extension Rule {
    static let dateDifference = Rule(
        RuleID("date-difference", .warning, "a printed difference of dates as digits, which does not count days"),
        source: "https://clinicalposters.com/blogs/insights/liquid-date-differences",
        rationale: """
            '20270101' and '20261231' are in the right order, so they may be compared, but their difference is 8870. It counts \
            days only inside one month. Silent where the difference is not printed as it is, as in the age 'divided_by: 10000'.
            """,
        failing: [
            .title("{{ ${date_of_birth} | date: '%Y%m%d' | ⟦minus⟧: {{'now' | date: '%Y%m%d'}} }} days left"),
            .title(
                "{% assign end = event_properties.${end} | date: '%Y%m%d' %}{% assign now = 'now' | date: '%Y%m%d' %}"
                    + "{% assign days = end | ⟦minus⟧: now %}{{ days }} days left"),
        ],
        passing: [
            .title(
                "{% assign end = event_properties.${end} | date: '%s' %}{% assign now = 'now' | date: '%s' %}"
                    + "{{ end | minus: now | divided_by: 86400 }} days left"),
            .title(
                "{% assign born = ${date_of_birth} | date: '%Y%m%d' %}{% assign now = 'now' | date: '%Y%m%d' %}"
                    + "{% assign age = now | minus: born | divided_by: 10000 %}{{ age }} years"),
        ],
        .texts(\.dateDifferences)
    )
}

extension LintedText {
    /// The differences of dates as digits that are printed, directly or by a variable with this value alone.
    fileprivate var dateDifferences: [Finding] {
        guard parts.values.contains(where: { $0.filters.last?.name == "minus" }) else { return [] }
        let dates = FormattedDates(self)
        let printed = parts.nodes.compactMap(\.syntax.printedMarkup)
        let names = Set(printed.filter(\.filters.isEmpty).compactMap(\.expression?.variableName))
        let assignments = Dictionary(grouping: parts.tags.compactMap(\.assignment), by: \.name.text)
            .filter { names.contains($0.key) && $0.value.count == 1 }.values.flatMap { $0.map(\.value) }
        return (printed + assignments).compactMap { markup in
            guard let filter = markup.filters.last, filter.name == "minus", let other = filter.arguments.first?.value,
                dates.date(of: markup, before: 1)?.isDayInDigits == true, dates.date(of: other)?.isDayInDigits == true
            else { return nil }
            return Finding(.notDays, at: place(of: filter.nameRange))
        }
    }
}

/// A date that `date` printed with a known format.
struct FormattedDate {
    var format: String
    /// Whether the date may be the text that was printed.
    var mayBeText = true
    /// Whether the text may have been converted to the number in it.
    var mayBeNumber = false

    /// Whether the date is a year, a month and a day without signs between them.
    var isDayInDigits: Bool { ["%Y%m%d", "%y%m%d"].contains(format) }
}

/// The dates that variables of a template hold.
struct FormattedDates {
    private var dates: [String: FormattedDate] = [:]
    private let assigned: AssignedValues

    init(_ text: LintedText) {
        assigned = text.assigned
        var others: Set<String> = []
        for tag in text.parts.tags {
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

    /// The date that a value with its filters is, without the last ones of them.
    func date(of markup: MarkupSyntax, before last: Int = 0) -> FormattedDate? {
        let filters = markup.filters.dropLast(last)
        var date = markup.expression.flatMap { self.date(of: $0) }
        var conversions = filters[...]
        if let index = filters.lastIndex(where: { $0.name == "date" }) {
            let format = filters[index].arguments.first.flatMap { assigned.text($0.value)?.text }
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
    var keepsNumber: Bool {
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
enum DateDirective {
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
