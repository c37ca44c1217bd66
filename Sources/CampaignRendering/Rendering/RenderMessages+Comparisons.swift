// SPDX-License-Identifier: MIT

import DocumentFormats
package import LiquidTemplates

/// The findings about comparisons whose result depends only on the types of the values.
extension RenderMessages {
    package static let listOnTheRight =
        "'contains' searches the value before it, but the list is after it: expected the list before 'contains'"

    package static let versionsAsTexts = """
        compared character by character and not as numbers, so '9' comes after '10'; expected numbers: {% assign major \
        = … | split: '.' | first | plus: 0 %}
        """

    package static func neverEqual(_ left: String, _ right: String, _ hint: String) -> String {
        "\(left) never equals \(right)\(hint)"
    }

    /// The message about two values that are compared for equality.
    static func neverEqual(_ left: Value, _ right: Value, literal: Value?) -> String {
        neverEqual(shown(left), shown(right), hint(StaticType(left), StaticType(right), literal: literal))
    }

    package static func searchesNothing(_ left: String) -> String {
        "'contains' searches texts and lists, and this is \(left), so it is never true; expected '=='"
    }

    /// The message about a comparison of values.
    ///
    /// The wording is the same for all values of the same types, so that a batch counts it once.
    package static func unlike(_ compared: UnlikeComparison) -> String {
        let (left, right) = (shown(compared.left), shown(compared.right))
        let hint = hint(StaticType(compared.left), StaticType(compared.right), literal: compared.literal)
        let message: String
        switch (compared.comparison, compared.left, compared.right) {
        case (.contains, .array(let elements), _):
            let first = elements.first ?? .null
            let expected =
                if case .string? = compared.literal {
                    self.hint(StaticType(first), StaticType(compared.right), literal: compared.literal)
                } else {
                    StaticType(first) == .text ? ", expected a text in quotes" : ""
                }
            message = "the list contains values such as \(shown(first)), and never \(right)\(expected)"
        case (.contains, .string, _): message = listOnTheRight
        case (.contains, _, _): message = searchesNothing(left)
        case (.equal, _, _), (.notEqual, _, _): message = neverEqual(left, right, hint)
        case (_, .string, .string): message = "\(left) and \(right) are \(versionsAsTexts)"
        default: message = "\(left) and \(right) have no order, so the condition is never true, expected two numbers"
        }
        return message + (compared.partial.map { ", in '\($0)'" } ?? "")
    }

    /// What is expected instead of a comparison of two types.
    ///
    /// - Parameters:
    ///   - left: the type of one side.
    ///   - right: the type of the other side.
    ///   - literal: the side that is a literal.
    /// - Returns: the end of a message.
    package static func hint(_ left: StaticType?, _ right: StaticType?, literal: Value?) -> String {
        let both = [left, right]
        if both.contains(.list) { return ", expected 'contains' for a list" }
        if both.contains(.time) { return ", expected both as seconds: {% assign t = … | date: '%s' | plus: 0 %}" }
        let hasNumber = both.contains { $0?.isNumber ?? false }
        switch literal {
        case .string(let text)? where both.contains(.boolean):
            return ", expected \(truths[text.lowercased()] ?? "true or false") without quotes"
        case .string(let text)? where hasNumber: return ", expected \(text) without quotes"
        case .bool(let truth)? where both.contains(.text): return ", expected '\(truth)' in quotes"
        default: return hasNumber && both.contains(.text) ? ", expected '| plus: 0' to make a number of the text" : ""
        }
    }

    /// The booleans that texts such as `yes` were probably meant to be.
    private static let truths = [
        "true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false",
    ]

    private static func shown(_ value: Value) -> String {
        switch value {
        case .integer, .bigInteger, .float: "the number '\(DocumentMessages.shortened(value.text))'"
        case .string(let text): "the text '\(DocumentMessages.shortened(text))'"
        case .bool(let truth): "the boolean '\(truth)'"
        case .array: "a list"
        default: value.kindName
        }
    }

    /// The message about an unknown operator, with the Liquid spelling of operators that come from other languages.
    ///
    /// - Parameters:
    ///   - word: the operator.
    ///   - next: the word after the operator.
    /// - Returns: the message.
    package static func unknownOperator(_ word: String, before next: String) -> String {
        switch (word.lowercased(), next) {
        case ("not", "contains"), ("not", "in"):
            let meant = next == "in" ? "LIST contains VALUE" : "… contains …"
            return "unknown operator 'not \(next)' makes the message fail, expected {% unless \(meant) %}"
        case ("!contains", _):
            return "Liquid has no '!contains', so the message fails; expected {% unless … contains … %}"
        case ("is", "not"): return "unknown operator 'is not' makes the message fail, expected '!='"
        default: break
        }
        let expected =
            switch word.lowercased() {
            case "in": "'LIST contains VALUE'"
            case let word: foreignOperators[word].map { "'\($0)'" } ?? "==, !=, <, >, <=, >= or contains"
            }
        return "unknown operator '\(word)' makes the message fail, expected \(expected)"
    }

    /// The operators of other languages, and what Liquid has instead.
    package static let foreignOperators = [
        "=": "==", "===": "==", "=>": ">=", "=<": "<=", "!==": "!=", "=!": "!=", "is": "==", "equals": "==", "eq": "==",
        "ne": "!=", "gt": ">", "lt": "<", "gte": ">=", "lte": "<=", "in": "contains", "like": "contains",
        "includes": "contains", "has": "contains", "not": "!=", "between": ">= and <=", "startswith": "contains",
        "matches": "contains", "contain": "contains",
    ]
}
