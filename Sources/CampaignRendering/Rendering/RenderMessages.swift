// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidTemplates

/// The messages of findings about rendered messages.
package enum RenderMessages {
    package static func severalDevices(_ count: Int) -> String {
        "the profile has \(count) devices and does not say which was used last, so Liquid has no most_recently_used_device"
    }

    static func count(_ field: String, _ text: String) -> String {
        "the \(field) is '\(DocumentMessages.shortened(text))', expected a whole number of 0 or more"
    }

    /// The message about a missing value that a text prints.
    ///
    /// - Parameters:
    ///   - variable: the value, as it is written in the text.
    ///   - partial: the content block or other partial that prints the value; nil for the text itself.
    /// - Returns: the message.
    package static func missing(_ variable: String, in partial: String? = nil) -> String {
        "'\(variable)' is missing" + (partial.map { ", in '\($0)'" } ?? "")
    }

    /// The attribute in the data of a message whose name is similar to that of a missing one.
    ///
    /// - Parameters:
    ///   - variable: the missing value as it is written, such as `custom_attribute.${level}`.
    ///   - data: the data, by namespaces.
    /// - Returns: the name without its namespace; nil if there is none.
    static func nearAttribute(to variable: String, in data: LiquidObject) -> String? {
        let parts = variable.split(separator: "$", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "{", parts[1].last == "}",
            case let name = String(parts[1].dropFirst().dropLast()), parts[0].isEmpty || parts[0].last == ".",
            case .object(let members)? = data[
                parts[0].isEmpty ? BrazeEnvironment.attributesMember : String(parts[0].dropLast())],
            let near = nearestName(to: name, in: members.keys.sorted()), mayBeMisspelt(name, near)
        else { return nil }
        // A third of a long name may be another word, such as 'first' in place of 'last'.
        return editDistance(name, near) <= 2 || plainName(name) == plainName(near) ? near : nil
    }

    package static func leftOut(_ field: String) -> String { "'\(field)' renders to an empty text and is left out" }

    /// The message about an alert whose texts are all blank, by the names of their fields.
    package static func emptyAlert(_ fields: [String]) -> String {
        let quoted = fields.map { "'\($0)'" }
        let first = quoted.dropLast().joined(separator: ", ")
        let names = (first.isEmpty ? "" : first + " and ") + (quoted.last ?? "")
        let state =
            switch fields.count {
            case 1: "is empty and the only text"
            case 2: "are both empty"
            default: "are all empty"
            }
        return "\(names) \(state), so the system shows no notification; expected a text"
    }

    /// The message about an address that contains white space; `name` says which, such as "a line break".
    package static func space(_ field: String, _ name: String = "a space") -> String {
        "'\(field)' contains \(name), so it is not a valid URL; expected \(name == "a space" ? "'%20'" : "it without")"
    }

    /// The message about an address that begins or ends with white space; `fault` is such as "begins with a line
    /// break".
    package static func padded(_ field: String, _ fault: String) -> String {
        "'\(field)' \(fault), so it is not a valid URL; expected none there ('{%-' and '-%}' remove white space around tags)"
    }

    /// The message about an address without a scheme.
    ///
    /// For an address that Liquid prints, no corrected text is proposed.
    package static func noScheme(_ field: String, _ text: String, isPrinted: Bool = false) -> String {
        let expected = isPrinted ? "one such as 'https://example.com'" : "a url such as '\(withScheme(text))'"
        return "'\(field)' is '\(text)' without a scheme, which opens nothing; expected \(expected)"
    }

    /// The address that was probably meant by a text without a scheme.
    private static func withScheme(_ text: String) -> String {
        if text.hasPrefix("//") { return "https:\(text)" }
        if text.hasPrefix("/") { return "https://example.com\(text)" }
        // The text may lack only the colon, as in 'https//example.com'.
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let rest = text.dropFirst(scheme.count)
        return !scheme.isEmpty && rest.hasPrefix("//") ? "\(scheme):\(rest)" : "https://\(text)"
    }

    /// The message about an image that is not fetched over https.
    package static func insecure(_ field: String) -> String {
        "'\(field)' is an http address, which App Transport Security of the service extension refuses; expected https"
    }

    static func overLimit(_ size: SizeBudget, _ fields: [Payload.Field], isLeast: Bool = false) -> String {
        "the payload has \(isLeast ? atLeast : "")\(grouped(size.bytes)) bytes; APNs accepts at most \(grouped(SizeBudget.limit))"
            + largest(fields)
    }

    static func overBudget(_ size: SizeBudget, _ fields: [Payload.Field], isLeast: Bool = false) -> String {
        "the campaign has \(isLeast ? atLeast : "")\(grouped(size.share)) bytes of the payload, more than its budget of \(grouped(size.budget))"
            + largest(fields)
    }

    static func overLimitInBranch(_ size: SizeBudget) -> String {
        """
        with the text of this branch the payload has \(atLeast)\(grouped(size.bytes)) bytes; APNs accepts at most \
        \(grouped(SizeBudget.limit))
        """
    }

    private static let atLeast = "at least "

    /// The three largest fields, which are the first to shorten.
    private static func largest(_ fields: [Payload.Field]) -> String {
        let largest = fields.sorted { $0.cost > $1.cost }.prefix(3).map { "\($0.name) (\(grouped($0.cost)))" }
        return largest.isEmpty ? "" : "; the largest fields are " + largest.joined(separator: ", ")
    }

    /// A number with commas between thousands.
    package static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var index = digits.utf8.count - 3
        while index > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
            index -= 3
        }
        return digits
    }
}
