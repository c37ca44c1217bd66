// SPDX-License-Identifier: MIT

package import DiagnosticSources
import DocumentFormats
package import LiquidTemplates
import ScalarTexts

/// The findings about values that filters cannot read.
extension RenderMessages {
    /// The message about a value that a filter cannot read.
    package static func unread(_ input: UnreadInput) -> String {
        let (filter, value) = (input.filter, described(input.value))
        let message =
            switch (input.need, input.value) {
            case (.number(let counted), .string(let text)): notNumber(text, filter, counted: counted)
            case (.number(let counted), _): notNumber(value, "'\(filter)' counts it as \(counted)", meant: nil)
            case (.numberToFormat, _):
                notNumber(value, "'\(filter)' leaves it as it is", meant: number(meantBy: input.value))
            case (.time, _):
                "\(value) is not a date, so '\(filter)' leaves it as it is; expected one such as '2026-12-24'"
            case (.otherTime(let doubt, let read), _): otherTime(input.value, doubt, read)
            case (.property(let near), _): "no item has \(value)\(didYouMean(near))"
            case (.plainProperty, _):
                "'\(filter)' takes the name of a member and no path, and no item has \(value); expected {% for %} and {% if %}"
            case (.typeOf(let item), _):
                neverEqual(item.value, input.value, literal: input.isLiteral ? input.value : nil)
            case (.numberOrder(let next), _):
                "\(value) comes before '\(next)', because these texts are compared character by character and not as numbers; expected a list of numbers"
            case (.multiple(let divisor), .integer(let number)): dropped(number, divisor)
            case (.multiple(let divisor), _): "\(value) is not a multiple of \(divisor)"
            }
        return message + (input.partial.map { ", in '\($0)'" } ?? "")
    }

    /// The message about a fraction that a division by 10, 100 or 1000 drops.
    private static func dropped(_ number: Int, _ divisor: Int) -> String {
        var rest = String(divisor + abs(number % divisor)).dropFirst()
        while rest.last == "0" { rest.removeLast() }
        let sign = number < 0 ? "-" : ""
        let quotient = "\(sign)\(abs(number / divisor)).\(rest)"
        return
            "'\(number)' divided by \(divisor) is '\(quotient)', and the fraction is dropped; expected 'divided_by: \(divisor).0', or '| floor' after it where a whole number is meant"
    }

    /// The message about a text that is not a number but that a filter calculates with.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - filter: the name of the filter.
    ///   - counted: the number that the filter uses instead.
    ///   - isLiteral: whether the text is written in the template itself.
    /// - Returns: the message.
    package static func notNumber(
        _ text: String,
        _ filter: String,
        counted: String,
        isLiteral: Bool = false
    ) -> String {
        if let date = CivilTime(dateAtStartOf: text) {
            let shown = DocumentMessages.shortened(text)
            return "'\(filter)' counts the date '\(shown)' as \(date.year), expected \"date: '%s'\" before it"
        }
        if ["now", "today"].contains(text) {
            return
                "'\(text)' is the time only before the filter 'date': '\(filter)' counts it as \(counted); expected \"date: '%s'\" before it"
        }
        let joins = isLiteral && filter == "plus" && !text.contains(where: \.isNumber)
        let (value, effect) = (described(.string(text)), "'\(filter)' counts it as \(counted)")
        if joins { return "\(value) is not a number, so \(effect); expected 'append' to join texts" }
        return notNumber(value, effect, meant: number(meantBy: .string(text)))
    }

    /// The message about a value that was probably meant as a different time.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - doubt: why a different time was probably meant.
    ///   - read: the date that is read from the value; nil if it depends on the clock.
    /// - Returns: the message.
    package static func otherTime(_ value: Value, _ doubt: DateDoubt, _ read: String?) -> String {
        let value = described(value)
        let read = read.map { " ('\($0)')" } ?? ""
        let (reading, expected): (String, String) =
            switch doubt {
            case .smallerUnits(let perSecond):
                (
                    "is read as seconds since 1970\(read), but looks like \(unitNames[perSecond] ?? "smaller units")",
                    "'| divided_by: \(perSecond)' before 'date'"
                )
            case .digits:
                ("is read as seconds since 1970\(read), but looks like a year or a date", "one such as '2026-12-24'")
            case .timeOfDay:
                ("is a time without a day, so it is read as today\(read)", "one such as '2026-12-24 14:30'")
            case .dayOfMonth:
                (
                    "has no month with an English name, so it is read as a day of this month\(read)",
                    "one such as '2026-12-24'"
                )
            case .dayAndMonth:
                ("may mean day and month the other way round than 'date' reads them\(read)", "one such as '2026-12-24'")
            case .shortYear: ("is read with the year first\(read)", "one with four digits, such as '2026-12-24'")
            }
        return "\(value) \(reading); expected \(expected)"
    }

    private static let unitNames = [1_000: "milliseconds", 1_000_000: "microseconds", 1_000_000_000: "nanoseconds"]

    /// The message about a value that is not a number.
    ///
    /// Apart from numbers and quoted text, it is the same for all texts, so that a batch counts the finding once.
    private static func notNumber(_ value: String, _ effect: String, meant: String?) -> String {
        "\(value) is not a number, so \(effect); expected a number such as \(meant ?? "12.5")"
    }

    private static func described(_ value: Value) -> String {
        switch value {
        case .string(""): "an empty text"
        case .string(let text): "'\(DocumentMessages.shortened(text))'"
        case .integer, .float, .bigInteger, .bool: "'\(DocumentMessages.shortened(value.text))'"
        default: value.kindName
        }
    }

    /// The number meant by a text with separators or a percent sign; nil if this is not certain.
    private static func number(meantBy value: Value) -> String? {
        guard case .string(let text) = value, let last = text.last(where: { ",.".contains($0) }) else { return nil }
        let marks = text.filter { ",.".contains($0) }
        let parts = text.split(omittingEmptySubsequences: false) { ",.".contains($0) }
        let areDigits = parts.allSatisfy { $0.allSatisfy { ("0"..."9").contains($0) } && !$0.isEmpty }
        guard areDigits, marks.count(where: { $0 == last }) == 1 else { return nil }
        // Three digits after the only separator may be thousands.
        let hasThousands = parts.dropFirst().dropLast().allSatisfy { $0.count == 3 }
        guard hasThousands, marks.count > 1 ? parts[0].count <= 3 : parts[1].count != 3 else { return nil }
        return parts.dropLast().joined() + "." + (parts.last ?? "")
    }
}

extension UnreadInput {
    /// The rule that reports the value.
    package var rule: RuleID {
        switch need {
        case .number, .numberToFormat: .textArithmetic
        case .time: .dateFormat
        case .property, .plainProperty: .filterInput
        case .typeOf, .numberOrder: .valueComparison
        case .multiple: .integerDivision
        case .otherTime: .dateReading
        }
    }

    /// The severity of the finding.
    ///
    /// A dropped fraction is a warning here, where it is certain; in `lint` it is only possible.
    package var severity: Severity { if case .multiple = need { .warning } else { rule.severity } }
}
