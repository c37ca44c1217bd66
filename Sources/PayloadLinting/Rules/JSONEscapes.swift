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
        RuleDescription(
            RuleID("unescaped-json", .warning, "Liquid inside a string of a $json: value without json_escape"),
            name: "Unescaped JSON",
            source: .advancedFilters,
            rationale: """
                A quote, a backslash or a line break in the value makes the JSON invalid, and the whole message \
                fails for that user. Silent outside of strings; for numbers, times, hashes, ids and codes of Braze, \
                encoded and captured texts, content blocks, and attributes that 'attributes' declares as a number, a \
                boolean or a time; and where a string may or may not have begun, depending on a branch.
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
            ]
        ),
        .campaign { campaign in
            campaign.extras.flatMap { extra -> [Finding] in
                guard case .json(let value) = extra.value, let text = campaign.text(of: value),
                    let template = text.template, text.isWhole
                else { return [] }
                var strings = JSONStrings(template, text.analysis, types: campaign.attributeTypes)
                return strings.unescapedOutputs().map { output in
                    Finding(output.writesQuotes ? .quotes : .unescaped, at: text.place(of: output.range))
                }
            }
        }
    )

    private static func pair(_ json: String) -> String { "push:\n  title: Hi\n  extras:\n    user: '$json:\(json)'" }
}

/// Finds the outputs inside the strings of a JSON template.
private struct JSONStrings {
    private let template: Template
    private let types: [String: AttributeType]
    private var found: [(range: SourceRange, writesQuotes: Bool)] = []
    /// The values that variables are set to, by name.
    private var assigned: [String: [MarkupSyntax]] = [:]
    /// The names that the template sets, except the variables of loops.
    private let bound: Set<String>

    init(_ template: Template, _ analysis: TemplateAnalysis, types: [String: AttributeType]) {
        self.template = template
        self.types = types
        bound = Set(analysis.bindings.filter { $0.kind != .loop }.map(\.name))
    }

    mutating func unescapedOutputs() -> [(range: SourceRange, writesQuotes: Bool)] {
        for node in template.nodes {
            if let (name, value) = node.tag?.assignment { assigned[name.text, default: []].append(value) }
        }
        _ = walk(template.root, isInString: false)
        return found
    }

    // MARK: - Strings

    /// Checks a block.
    ///
    /// - Returns: whether a JSON string is open after the block; nil where that depends on the data.
    private mutating func walk(_ block: BlockSyntax, isInString start: Bool) -> Bool? {
        var isInString = start
        for node in block.nodes {
            if let range = node.verbatimRange {
                isInString = readText(range, isInString)
            } else if let output = node.printedMarkup {
                var seen: Set<String> = []
                if isInString, output.writesQuotes || !isSafe(output, &seen) {
                    found.append((node.range, output.writesQuotes))
                }
            } else if let tag = node.tag, !tag.isCapture {
                var ends = Set(tag.blocks.map { walk($0, isInString: isInString) })
                if !tag.alwaysTakesClause { ends.insert(isInString) }
                guard ends.count == 1, let end = ends.first, let end else { return nil }
                isInString = end
            }
        }
        return isInString
    }

    private func readText(_ range: SourceRange, _ start: Bool) -> Bool {
        var state = JSONStringState(isInString: start)
        for byte in template.source.printed(in: range.offsets).lazy.map({ template.source.bytes[$0] }).joined() {
            state.read(byte)
        }
        return state.isInString
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
            template.environment.filterTraits($0.name).contains(.isSafeInJSON) || $0.defaultsToNumber
        }
        if isSafe { return true }
        return output.expressions.allSatisfy { self.isSafe($0, &seen) }
    }

    private func isSafe(_ expression: ExpressionSyntax, _ seen: inout Set<String>) -> Bool {
        switch expression.kind {
        case .literal(.string(let text)): !text.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
        case .literal, .blank, .empty, .range: true
        case .output(let output): isSafe(output, &seen)
        case .lookup(let lookup): isSafe(lookup, &seen)
        }
    }

    private func isSafe(_ lookup: LookupSyntax, _ seen: inout Set<String>) -> Bool {
        switch Array(lookup.steps).last?.kind {
        case .key("size")?: return true
        case .attribute(let name)?:
            guard case .name(let namespace) = lookup.root else { return false }
            return namespace == "content_blocks" || (namespace == "custom_attribute" && isSafe(types[name]))
                || isSafe(namespace, name)
        case .key?, .index?:
            if case .name("forloop") = lookup.root { return true }
            return false
        case nil: break
        }
        switch lookup.root {
        case .attribute(let name): return isSafe(nil, name)
        case .value(let expression): return isSafe(expression, &seen)
        case .name(let name):
            guard let values = assigned[name] else { return bound.contains(name) }
            return !seen.insert(name).inserted || values.allSatisfy { isSafe($0, &seen) }
        case .computed, .nothing: return false
        }
    }

    private func isSafe(_ type: AttributeType?) -> Bool {
        switch type {
        case .number, .boolean, .time: true
        case .string, .array, .object, nil: false
        }
    }

    /// Attributes whose values are IDs or codes and so need no escapes.
    private static let codes: Set<String> = [
        "api_id", "braze_id", "country", "dispatch_id", "language", "message_api_id", "time_zone", "variant_api_id",
    ]

    private func isSafe(_ namespace: String?, _ name: String) -> Bool {
        if namespace == nil || ["campaign", "canvas", "card", "app"].contains(namespace), Self.codes.contains(name) {
            return true
        }
        return AttributeTable.all.contains { attribute in
            attribute.namespace == namespace && attribute.name == name
                && [.integer, .boolean, .time].contains(attribute.type)
        }
    }
}

extension MarkupSyntax {
    /// Whether the output has quotes of its own, which end the string around it.
    fileprivate var writesQuotes: Bool {
        let filters = Array(self.filters)
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
