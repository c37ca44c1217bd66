// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

/// The values of the variables that exactly one 'assign' or 'capture' sets.
///
/// There are no values for a text that prints content blocks, since a block may set the variables of the text.
struct AssignedValues: Sendable {
    private var values: [String: (value: ExpressionSyntax, filters: [FilterSyntax])] = [:]

    /// For each variable that is set outside of branches and loops, the end of the tag that sets it.
    private var endsOfSettingTags: [String: UInt32] = [:]

    /// The variables that 'capture' sets.
    private(set) var captured: Set<String> = []

    /// The maximum number of steps in which a value is followed from one variable to the next.
    private static let longestChain = 8

    /// The maximum number of filters of one value that are kept; earlier filters are dropped.
    private static let mostFilters = 32

    /// - Parameters:
    ///   - parts: the parts of the template.
    ///   - analysis: what the template reads and sets.
    init(_ parts: TemplateVisitor, _ analysis: TemplateAnalysis) {
        guard analysis.partials.isEmpty else { return }
        let counts = Dictionary(analysis.bindings.map { ($0.name, 1) }, uniquingKeysWith: +)
        for node in parts.nodes {
            guard let tag = node.syntax.tag, let name = tag.boundName?.text, counts[name] == 1 else { continue }
            if let value = tag.assignment?.value {
                set(name, value)
            } else if tag.isCapture {
                captured.insert(name)
                if case .output(let markup)? = tag.onlyNode?.kind { set(name, markup) }
            } else {
                continue
            }
            if node.ancestors.isEmpty { endsOfSettingTags[name] = tag.range.end }
        }
    }

    private mutating func set(_ name: String, _ markup: MarkupSyntax) {
        guard let value = markup.expression else { return }
        values[name] = (value, markup.filters.suffix(Self.mostFilters))
    }

    /// The expression itself if it is a literal, or the literal assigned to the variable that it names; otherwise nil.
    func literal(_ expression: ExpressionSyntax) -> ExpressionSyntax? {
        if expression.literal != nil { return expression }
        guard let name = expression.variableName, !captured.contains(name), let (value, filters) = values[name] else {
            return nil
        }
        return filters.isEmpty && value.literal != nil ? value : nil
    }

    /// The text of a literal, or of the literal that a variable holds, and that literal.
    func text(_ expression: ExpressionSyntax) -> (text: String, source: ExpressionSyntax)? {
        guard let source = literal(expression), case .string(let text)? = source.literal else { return nil }
        return (text, source)
    }

    /// Whether a variable is certainly set before a place, regardless of conditions.
    func isSet(_ name: String, before place: UInt32) -> Bool { endsOfSettingTags[name].map { $0 <= place } ?? false }

    /// The expression that a value is computed from, and the filters that are applied to it, in their order.
    ///
    /// If there are too many filters, the first ones are left out.
    func source(of expression: ExpressionSyntax) -> (value: ExpressionSyntax, filters: [FilterSyntax]) {
        var value = expression
        var filters: [FilterSyntax] = []
        for _ in 0..<Self.longestChain {
            if case .output(let markup) = value.kind, let inner = markup.expression {
                filters = markup.filters.suffix(Self.mostFilters) + filters
                value = inner
            } else if let name = value.variableName, let known = values[name] {
                filters = known.filters + filters
                value = known.value
            } else {
                break
            }
        }
        return (value, filters)
    }

    /// The attribute that an expression reads, directly or through a variable; nil if a filter changes the value.
    func path(of expression: ExpressionSyntax) -> LookupSyntax? {
        let (value, filters) = source(of: expression)
        return filters.isEmpty ? value.lookup : nil
    }
}

extension LintedText {
    /// The limits of 'random' tags whose numbers are captured in variables, by variable.
    ///
    /// Variables whose number a filter changes are left out.
    var randomLimits: [String: Int] {
        let captured = parts.tags.compactMap { tag in
            tag.capturedLimit.flatMap { limit in tag.boundName.map { ($0.text, limit) } }
        }
        let changed = Set(
            parts.tags.compactMap(\.assignment).filter { !$0.value.filters.allSatisfy(\.keepsNumber) }.map(\.name.text))
        return Dictionary(captured, uniquingKeysWith: max).filter { !changed.contains($0.key) }
    }
}

extension ExpressionSyntax {
    /// The variable's name, if the expression is only a variable; nil for members of a variable and for anything else.
    var variableName: String? {
        guard let lookup, case .name(let name) = lookup.root, lookup.steps.isEmpty else { return nil }
        return name
    }
}

extension TagSyntax {
    /// The only node in the first block of the tag; nil if there are several or none.
    fileprivate var onlyNode: NodeSyntax? { blocks.first.flatMap { $0.nodes.count == 1 ? $0.nodes.first : nil } }

    /// The limit of a 'random' tag that is the only content of a 'capture'; nil for other tags.
    fileprivate var capturedLimit: Int? {
        guard isCapture, let tag = onlyNode?.tag, tag.name.text == "random",
            case .integer(let limit)? = tag.expressions.first?.literal, limit > 0
        else { return nil }
        return limit
    }
}

extension [FilterSyntax] {
    /// Filters that never change the case of letters, although they may remove some.
    private static let keepLetters: Set<String> = [
        "strip", "lstrip", "rstrip", "slice", "strip_html", "strip_newlines", "remove", "remove_first", "first", "last",
        "split",
    ]

    /// Why the filters can never print exactly this text; nil if they can.
    func objection(to text: String) -> String? {
        guard !text.isEmpty, let last, !mayBeDefault(text) else { return nil }
        let made = text.prefix(1).uppercased() + text.dropFirst().lowercased()
        guard last.name == "capitalize", made != text else { return caseObjection(to: text) }
        return "'capitalize' writes all letters but the first in lower case, expected '\(made)'"
    }

    /// Why the filters can never print a text with these capital or lower-case letters; nil if they can.
    private func caseObjection(to text: String) -> String? {
        guard !mayBeDefault(text) else { return nil }
        for filter in reversed() {
            switch filter.name {
            case "downcase":
                let made = text.lowercased()
                return made == text ? nil : "'downcase' leaves only lower-case letters, expected '\(made)'"
            case "upcase":
                let made = text.uppercased()
                return made == text ? nil : "'upcase' leaves only capital letters, expected '\(made)'"
            case "default": continue
            default:
                guard Self.keepLetters.contains(filter.name) else { return nil }
            }
        }
        return nil
    }

    /// Whether a 'default' filter may print a text, since its value contains this text or is not known.
    private func mayBeDefault(_ text: String) -> Bool {
        contains { filter in
            guard filter.name == "default" else { return false }
            return filter.literalText?.holds(text) ?? true
        }
    }
}

/// A date that `date` printed with a known format.
struct FormattedDate {
    var format: String
    /// Whether the value may still be the printed text.
    var mayBeText = true
    /// Whether the printed text may have been converted to a number.
    var mayBeNumber = false

    /// Whether the date is a year, a month and a day without separators.
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
            // This 'assign' may convert the variable to a number; tags before it still read the text.
            guard value.expression?.variableName == name.text else {
                others.insert(name.text)
                continue
            }
            dates[name.text]?.mayBeNumber = earlier.mayBeNumber || date.mayBeNumber
        }
        for name in others { dates[name] = nil }
    }

    /// The date in an expression's value; nil if the value is not known to be a date.
    func date(of expression: ExpressionSyntax) -> FormattedDate? {
        if case .output(let markup) = expression.kind { return date(of: markup) }
        return expression.variableName.flatMap { dates[$0] }
    }

    /// The date in a value after all of its filters but the last `last` ones; nil if it is not known to be a date.
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
    /// Whether the filter converts digits to a whole number without changing its value, as `plus: 0` does.
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
    /// Numbers that are padded to a width with a character.
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

    /// What is expected in place of a text; nil if the directive may print the text.
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
