// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static let unescaped: RuleMessage =
        "a quote or a line break in the value would end the JSON string, expected '| json_escape'"
    fileprivate static let quotes: RuleMessage =
        "'as_json_string' writes quotes of its own, which end the JSON string; expected no quotes around it, or '| json_escape'"
}

extension Rule {
    static let unescapedJSON = Rule(
        RuleID("unescaped-json", .warning, "Liquid inside a string of a $json: value without json_escape"),
        source: .braze("user_guide/personalization_and_dynamic_content/liquid/advanced_filters"),
        rationale: """
            A quote, a backslash or a line break in the value makes the JSON invalid, and the whole message fails for \
            that user. Silent outside of strings; for numbers, times, hashes, ids and codes of Braze, encoded and \
            captured texts, content blocks, and attributes that 'attributes' declares as a number, a boolean or a \
            time; and where a string may or may not have begun, depending on a branch.
            """,
        failing: [
            .campaign(pair("{\"name\": \"⟦{{ ${first_name} | default: \"you\" }}⟧\"}")),
            .campaign(pair("{\"tags\": \"⟦{{ custom_attribute.${tags} | as_json_string }}⟧\"}")),
        ],
        passing: [
            .campaign(pair("{\"name\": \"{{ ${first_name} | json_escape }}\"}")),
            .campaign(pair("{\"level\": {{ custom_attribute.${level} | default: 1 }}}")),
            .campaign(pair("{\"level\": \"{{ custom_attribute.${level} | plus: 1 }}\"}")),
            .campaign(pair("{\"tags\": \"{{ custom_attribute.${tags} | as_json_string | json_escape }}\"}")),
        ],
        .campaign { campaign in
            campaign.jsonPairs.filter(\.isWhole).flatMap { text in
                JSONStrings(text).unescapedOutputs.map { output, range in
                    Finding(output.writesQuotes ? .quotes : .unescaped, at: text.place(of: range))
                }
            }
        }
    )

    private static func pair(_ json: String) -> String { "push:\n  title: Hi\n  extras:\n    user: '$json:\(json)'" }
}

/// Finds the outputs inside the strings of a JSON template.
private struct JSONStrings {
    private let text: LintedText
    /// The values that variables are set to, by name.
    private let assigned: [String: [MarkupSyntax]]
    /// The names that the template sets, except the variables of loops.
    private let bound: Set<String>

    init(_ text: LintedText) {
        self.text = text
        assigned = Dictionary(grouping: text.parts.tags.compactMap(\.assignment)) { $0.name.text }
            .mapValues { $0.map(\.value) }
        bound = Set(text.analysis.bindings.filter { $0.kind != .loop }.map(\.name))
    }

    /// The outputs inside of strings, up to the first place where a string is open in some branches alone.
    var unescapedOutputs: [(output: MarkupSyntax, range: SourceRange)] {
        guard let template = text.template else { return [] }
        var found: [(output: MarkupSyntax, range: SourceRange)] = []
        _ = template.root.state(from: false) { ends in
            Set(ends).count == 1 ? ends.first : nil
        } step: { isInString, node in
            if let range = node.verbatimRange {
                var state = JSONStringState(isInString: isInString)
                for index in template.source.printed(in: range.offsets).joined() {
                    state.read(template.source.bytes[index])
                }
                return state.isInString
            }
            var seen: Set<String> = []
            if isInString, let output = node.printedMarkup, output.writesQuotes || !isSafe(output, &seen) {
                found.append((output, node.range))
            }
            return isInString
        }
        return found
    }

    // MARK: - Values

    /// Whether an output never contains a quote or a line break.
    ///
    /// - Parameters:
    ///   - output: the output.
    ///   - seen: the variables whose values are compared.
    /// - Returns: whether it is safe.
    private func isSafe(_ output: MarkupSyntax, _ seen: inout Set<String>) -> Bool {
        let isSafe = output.filters.contains {
            LintedText.environment.filterTraits($0.name).contains(.isSafeInJSON) || $0.defaultsToNumber
        }
        if isSafe { return true }
        return output.expressions.allSatisfy { self.isSafe($0, &seen) }
    }

    private func isSafe(_ expression: ExpressionSyntax, _ seen: inout Set<String>) -> Bool {
        switch expression.kind {
        case .literal(.string(let text)): !text.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
        case .literal, .blank, .empty, .range: true
        case .output(let output): isSafe(output, &seen)
        case .lookup(let lookup): isPlain(expression) || isSafe(lookup, &seen)
        }
    }

    /// Whether the value is a number, a boolean or a time.
    private func isPlain(_ expression: ExpressionSyntax) -> Bool {
        switch text.types.type(of: expression) {
        case .integer, .decimal, .boolean, .time: true
        default: false
        }
    }

    /// Attributes whose values are IDs or codes and so need no escapes.
    private static let codes: Set<String> = [
        "api_id", "braze_id", "country", "dispatch_id", "language", "message_api_id", "time_zone", "variant_api_id",
    ]

    private func isSafe(_ lookup: LookupSyntax, _ seen: inout Set<String>) -> Bool {
        switch (lookup.root, lookup.steps.last?.kind) {
        case (.name("forloop"), _), (.name("content_blocks"), .attribute?): return true
        case (.name(let namespace), .attribute(let name)?):
            return ["campaign", "canvas", "card", "app"].contains(namespace) && Self.codes.contains(name)
        case (_, .some): return false
        case (.attribute(let name), nil): return Self.codes.contains(name)
        case (.value(let expression), nil): return isSafe(expression, &seen)
        case (.name(let name), nil):
            guard let values = assigned[name] else { return bound.contains(name) }
            return !seen.insert(name).inserted || values.allSatisfy { isSafe($0, &seen) }
        case (.computed, nil), (.nothing, nil): return false
        }
    }
}

extension MarkupSyntax {
    /// Whether the output has quotes of its own, which end the string around it.
    fileprivate var writesQuotes: Bool {
        guard let index = filters.lastIndex(where: \.writesJSON) else { return false }
        return !filters[index...].contains { $0.name == "json_escape" }
    }
}

extension FilterSyntax {
    /// Whether the filter writes a text or list as JSON, with quotes of its own.
    fileprivate var writesJSON: Bool { name == "as_json_string" }

    /// Whether the filter is a `default` with a number.
    fileprivate var defaultsToNumber: Bool {
        guard name == "default", let argument = arguments.first(where: { $0.name == nil }) else { return false }
        switch argument.value.literal {
        case .integer, .float: return true
        default: return false
        }
    }
}
