// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func broken(_ fault: String, someUsers: Bool = false) -> RuleMessage {
        "the value of '$json:' is not JSON for \(someUsers ? "the users of one branch" : "any user"): \(fault)"
    }
    fileprivate static let bareText: RuleMessage =
        "this prints text outside quotes, which is invalid JSON for every user who has a value; expected quotes and '| json_escape', or '| as_json_string'"
    fileprivate static func padded(_ code: String, _ plain: String) -> RuleMessage {
        "'\(code)' prints a leading zero, which JSON does not allow in a number, so the message fails on some days or hours; expected '\(plain)', or quotes around the output"
    }
    fileprivate static func comma(_ hint: String) -> RuleMessage {
        "the comma after the last element makes the JSON invalid\(hint)"
    }
    fileprivate static func prefix(_ found: String) -> RuleMessage {
        "found '\(found)', so the value is sent as text; expected '$json:', in lower case and directly before the JSON"
    }
    fileprivate static func prefix(after whiteSpace: String) -> RuleMessage {
        "the value \(whiteSpace), so it is sent as text; expected '$json:' at its start"
    }
    fileprivate static func twice(_ key: String) -> RuleMessage {
        "the key '\(key)' occurs twice, and the last value counts; expected it once"
    }
    fileprivate static let unescaped: RuleMessage =
        "a quote or a line break in the value would break the JSON string, expected '| json_escape'"
    fileprivate static let quotes: RuleMessage =
        "'as_json_string' writes quotes of its own, which end the JSON string; expected no quotes around it, or '| json_escape'"
}

extension Rule {
    /// The rules about key-value pairs that are sent as JSON.
    static let jsonValues: [Rule] = [invalidJSON, jsonPrefix]

    private static let invalidJSON = Rule(
        RuleID("invalid-json", .error, "a '$json:' value that is not JSON for any user"),
        source: .json,
        rationale: """
            The message fails for every user, or for those who reach a branch that is not JSON. The rule assumes that \
            Liquid prints a number outside of strings and a text inside them, and that loops run twice. It tries every \
            path through the conditions. If no path gives JSON, the finding is an error. If one branch of a single \
            condition gives no JSON, or prints nothing, the finding is a warning. A code such as '%d', which prints \
            '09' on some days, is a warning too. The rule is silent where Liquid may print any part of JSON, such as \
            with 'as_json_string', a capture or a content block outside of strings.
            """,
        failing: [
            .json("{⟦l⟧evel: 3}"),
            .json("{\"d\": ⟦{{ \"now\" | date: \"%Y-%m-%d\" }}⟧}"),
            .json("{\"d\": {{ \"now\" | date: ⟦\"%d\"⟧ }}}"),
            .json("⟦{% if custom_attribute.${vip} %}⟧true{% endif %}"),
            .json("[{% for s in custom_attribute.${songs} %}1⟦,⟧{% endfor %}]"),
        ],
        passing: [
            .json("{\"level\": {{ custom_attribute.${n} | default: 0 }}}"),
            .json("{\"d\": {{ \"now\" | date: \"%s\" }}}"),
            .json("{\"d\": {{ \"now\" | date: \"%-d\" }}}"),
        ],
        .campaign { campaign in
            campaign.extras.flatMap { extra -> [Finding] in
                guard case .json(let value) = extra.value else { return [] }
                if !value.holdsLiquid { return campaign.plainFaultFinding(of: value).map { [$0] } ?? [] }
                guard let text = campaign.text(of: value), text.isWhole else { return [] }
                let sketch = JSONSketch(text)
                guard let fault = sketch.fault else {
                    return text.outputsOutsideStrings().outputs.flatMap { text.findings($0) }
                }
                let hint = fault.isInLoop ? ", expected {% unless forloop.last %},{% endunless %}" : ""
                return [
                    Finding(
                        fault.isComma ? .comma(hint) : .broken(fault.message, someUsers: !fault.isCertain),
                        at: text.place(of: fault.range), severity: fault.isCertain ? nil : .warning)
                ]
            }
        }
    )

    private static let jsonPrefix = Rule(
        RuleID("json-prefix", .warning, "a value that is nearly '$json:' and is sent as text"),
        source: .keyValuePairs,
        rationale: "Braze sends a value as JSON only if it begins with '$json:', in lower case and without spaces.",
        failing: [.campaign("push:\n  title: Hi\n  extras:\n    stats: ⟦'$json {\"level\": 3}'⟧")],
        passing: [.json("{\"level\": 3}'\n    note: 'see json: below")],
        .campaign { campaign in
            campaign.extras.compactMap { extra in
                guard case .text(let value) = extra.value, let found = value.text.nearJSONPrefix else { return nil }
                let whiteSpace = found == "$json:" ? value.text.whiteSpaceAtEnds : nil
                return Finding(whiteSpace.map(RuleMessage.prefix(after:)) ?? .prefix(found), at: value.place)
            }
        }
    )

    static let unescapedJSON = Rule(
        RuleID("unescaped-json", .warning, "Liquid inside a string of a $json: value without json_escape"),
        source: .braze("user_guide/personalization_and_dynamic_content/liquid/advanced_filters"),
        rationale: """
            A quote, a backslash or a line break in the value makes the JSON invalid, and the whole message fails for \
            that user. The rule is silent outside of strings, and where a string may or may not have begun, depending \
            on a branch. It is silent for numbers, times, hashes, ids and codes of Braze, encoded and captured texts, \
            content blocks, and attributes that 'attributes' declares as a number, a boolean or a time.
            """,
        failing: [
            .json("{\"name\": \"⟦{{ ${first_name} | default: \"you\" }}⟧\"}"),
            .json("{\"tags\": \"⟦{{ custom_attribute.${tags} | as_json_string }}⟧\"}"),
        ],
        passing: [
            .json("{\"name\": \"{{ ${first_name} | json_escape }}\"}"),
            .json("{\"level\": {{ custom_attribute.${level} | default: 1 }}}"),
            .json("{\"level\": \"{{ custom_attribute.${level} | plus: 1 }}\"}"),
            .json("{\"tags\": \"{{ custom_attribute.${tags} | as_json_string | json_escape }}\"}"),
        ],
        .campaign { campaign in
            campaign.jsonPairs.filter(\.isWhole).flatMap { text in
                JSONStrings(text).unescapedOutputs.map { output, range in
                    Finding(output.writesQuotes ? .quotes : .unescaped, at: text.place(of: range))
                }
            }
        }
    )
}

extension String {
    /// The start of a text, if it is a misspelt `$json:`, or a `$json:` after white space; nil for any other text.
    fileprivate var nearJSONPrefix: String? {
        let text = drop { $0 == " " || $0 == "\n" || $0 == "\t" }
        let head = text.prefix { $0.isLetter || $0 == "$" || $0 == ":" || $0 == "_" }
        let lower = head.lowercased().filter { $0 != "_" }
        let rest = text.dropFirst(head.count).drop { $0 == " " || $0 == ":" || $0 == "\n" }
        guard lower.hasPrefix("$json") || lower == "json:" || lower == "$jason:" || lower == "$jsn:" else { return nil }
        // Text that only mentions JSON is not reported.
        guard let first = rest.first, "{[\"".contains(first) || first.isNumber else { return nil }
        return String(head)
    }
}

extension LintedCampaign {
    fileprivate func plainFaultFinding(of value: TemplateText) -> Finding? {
        do throws(JSONError) {
            _ = try Value(json: value.text)
            return nil
        } catch {
            let end = min(Int(error.range.start) + 1, value.text.utf8.count)
            let range = SourceRange(Int(error.range.start), max(end, Int(error.range.start)))
            return Finding(.broken(error.message), at: value.place(of: range))
        }
    }
}

/// The possible outputs of a JSON template, with '0' in place of each unknown value.
struct JSONSketch {
    /// An error in every possible output of a template, or in one of two possible outputs.
    struct Fault {
        var message: String
        var range: SourceRange
        var isComma = false
        var isInLoop = false
        var isCertain = false
    }

    private let text: LintedText
    private let drafts: TemplateDrafts?

    init(_ text: LintedText) {
        self.text = text
        // An unknown value becomes '0', which is a number outside of strings and text inside of them.
        drafts = TemplateDrafts(text) { markup, _, draft in
            draft.isInString || Self.isPlain(markup) ? [UInt8(ascii: "0")] : nil
        }
    }

    /// The first error, if no possible output is JSON.
    ///
    /// If the template has a single condition, both of its branches are possible, so an error in one branch is enough.
    var fault: Fault? {
        let all = drafts?.drafts ?? []
        let faults = all.compactMap { fault(in: $0) }
        guard var first = faults.first else { return nil }
        first.isCertain = faults.count == all.count
        return first.isCertain || all.count == 2 && text.parts.loops.isEmpty ? first : nil
    }

    private func fault(in draft: TemplateDraft) -> Fault? {
        let error: JSONError
        do throws(JSONError) {
            try draft.readJSON()
            return nil
        } catch let fault {
            error = fault
        }
        if draft.isBlank, let tag = text.parts.tags.first {
            return Fault(message: "the text is empty, expected a value in each branch, such as null", range: tag.range)
        }
        var index = min(Int(error.range.start), max(0, draft.bytes.count - 1))
        // If no value follows a comma, the comma is the mistake.
        var before = index
        while before > 0, draft.bytes[before - 1] <= 0x20 { before -= 1 }
        let closes = index < draft.bytes.count && [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(draft.bytes[index])
        let isComma = closes && before > 0 && draft.bytes[before - 1] == UInt8(ascii: ",")
        if isComma { index = before - 1 }
        let place = draft.places.indices.contains(index) ? draft.places[index] : 0
        return Fault(
            message: error.message,
            range: SourceRange(place, min(place + 1, text.bytes.count)),
            isComma: isComma,
            isInLoop: text.parts.loops.contains { $0.contains(place) }
        )
    }

    /// Whether a value outside of strings may be replaced by a number.
    ///
    /// A literal text may be any part of JSON.
    private static func isPlain(_ markup: MarkupSyntax) -> Bool {
        let textMakingFilters: Set<String> = [
            "as_json_string", "json_escape", "append", "prepend", "replace", "join", "split", "map", "json_parse",
        ]
        if markup.filters.contains(where: { textMakingFilters.contains($0.name) }) { return false }
        return markup.expressions.allSatisfy { expression in
            switch expression.kind {
            case .literal(.string): false
            case .lookup(let lookup): if case .attribute = lookup.root { true } else { !lookup.steps.isEmpty }
            default: true
            }
        }
    }
}

/// An output outside of the strings in a JSON text.
struct BareOutput {
    let markup: MarkupSyntax
    let range: SourceRange
    /// Whether the output begins a JSON value on at least one path through the template.
    fileprivate(set) var beginsValue: Bool
}

extension LintedText {
    /// A literal default outside of strings that makes the value invalid JSON.
    struct BrokenDefault {
        /// The text that the default prints.
        var text: String
        /// The value that may be missing.
        var value: ExpressionSyntax
        /// The place of the default.
        var range: SourceRange
    }

    /// The outputs that are printed outside of the strings in JSON, and the drafts of the text with '0' for each value.
    ///
    /// The drafts are nil if there would be too many.
    func outputsOutsideStrings() -> (outputs: [BareOutput], drafts: TemplateDrafts?) {
        var outputs: [BareOutput] = []
        let drafts = TemplateDrafts(self) { markup, range, draft in
            if !draft.isInString {
                let beginsValue = draft.bytes.last { $0 > 0x20 }.map { ":,[".utf8.contains($0) } ?? true
                if let index = outputs.firstIndex(where: { $0.range == range }) {
                    outputs[index].beginsValue = outputs[index].beginsValue || beginsValue
                } else {
                    outputs.append(BareOutput(markup: markup, range: range, beginsValue: beginsValue))
                }
            }
            return [UInt8(ascii: "0")]
        }
        return (outputs, drafts)
    }

    /// The maximum number of defaults that are tried.
    ///
    /// For each one, all paths of the template are followed again.
    private static let mostDefaults = 32

    /// The defaults that make every output invalid JSON, although numbers in their place make it valid.
    var brokenDefaults: [BrokenDefault] {
        let (outputs, drafts) = outputsOutsideStrings()
        guard let drafts else { return [] }
        let defaults = outputs.compactMap { output in
            output.markup.expression?.isAttribute ?? false
                ? Self.literalDefault(output.markup).map { (output.range, $0) } : nil
        }
        return defaults.prefix(Self.mostDefaults).filter { output, found in
            let others = TemplateDrafts(self) { _, range, _ in
                range == output ? Array(found.text.utf8) : [UInt8(ascii: "0")]
            }
            guard let others, others.drafts.count == drafts.drafts.count else { return false }
            let changed = zip(drafts.drafts, others.drafts).filter { $0.bytes != $1.bytes && $0.isJSON }
            return !changed.isEmpty && !changed.contains { $1.isJSON }
        }.map(\.1)
    }

    /// The literal default in the last filter; nil if there is none, or if the filters before it never return a missing
    /// value.
    private static func literalDefault(_ markup: MarkupSyntax) -> BrokenDefault? {
        guard let value = markup.expression, let last = markup.filters.last, last.name == "default",
            let argument = last.arguments.first?.value, let literal = argument.literal,
            // After other filters, such as 'plus', the default is never used.
            markup.filters.allSatisfy({
                $0.name == "default" || LintedText.environment.filterTraits($0.name).contains(.keepsMissing)
            })
        else { return nil }
        return BrokenDefault(text: literal.text, value: value, range: argument.range)
    }

    /// The findings about an output outside of strings that prints text, or that prints a number with a leading zero at
    /// some times.
    fileprivate func findings(_ output: BareOutput) -> [Finding] {
        let markup = output.markup
        var found: [Finding] = []
        // 'json_escape' turns a number into text, which is still valid JSON.
        let isEscaped = markup.filters.contains { $0.name == "json_escape" }
        let isText =
            types.type(of: markup) == .text
            && (!isEscaped || markup.expression.flatMap { types.type(of: $0) } == .text)
        let textMakingFilters: Set<String> = [
            "as_json_string", "append", "prepend", "replace", "join", "date", "money",
        ]
        let isWord =
            !markup.filters.contains { textMakingFilters.contains($0.name) } && markup.expression?.isAttribute ?? false
        if isText && isWord || Self.printsDate(markup) {
            found.append(Finding(.bareText, at: place(of: output.range)))
        }
        if output.beginsValue, let (format, range) = Self.dateFormat(markup),
            let code = StrftimeFormat(format).codes.first, code.text.count == 2
        {
            let isJSON = StrftimeFormat.examples(of: format).map { (try? Value(json: $0)) != nil }
            if isJSON.contains(true), isJSON.contains(false) {
                let message = RuleMessage.padded(code.text, "%-\(code.letter)")
                found.append(Finding(message, at: place(of: range), severity: .warning))
            }
        }
        return found
    }

    /// The literal format in which the last filter prints a time that is not a literal date.
    private static func dateFormat(_ markup: MarkupSyntax) -> (format: String, range: SourceRange)? {
        guard let filter = markup.filters.last, let format = filter.dateFormat, format.first == "%",
            let argument = filter.arguments.first
        else { return nil }
        if let literal = markup.expression?.literal, !["now", "today"].contains(literal.text) { return nil }
        return (format, argument.value.range)
    }

    /// Whether the last filter prints a date in a format that is not one number: with words, or with separators between
    /// numbers.
    private static func printsDate(_ markup: MarkupSyntax) -> Bool {
        guard let format = markup.filters.last?.dateFormat, format.first == "%" else { return false }
        let codes = StrftimeFormat(format).codes
        return codes.contains { "AaBbhpPFTDRcXxrvZ".contains($0.letter) }
            || codes.count > 1 && format.contains { "-/: ".contains($0) && !format.holds("%\($0)") }
    }
}

extension TemplateDraft {
    fileprivate func readJSON() throws(JSONError) {
        _ = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in try Value(json: bytes) }
    }

    fileprivate var isJSON: Bool { (try? readJSON()) != nil }
}

extension ExpressionSyntax {
    /// Whether the expression is a Braze attribute, in a namespace or not.
    var isAttribute: Bool {
        guard let lookup else { return false }
        if case .attribute = lookup.root { return true }
        if case .attribute? = lookup.steps.last?.kind { return true }
        return false
    }
}

extension LintedCampaign {
    /// The findings about keys that occur twice in an object of a `$json:` value.
    var repeatedPairKeyFindings: [Finding] {
        extras.flatMap { extra -> [Finding] in
            guard case .json(let value) = extra.value else { return [] }
            guard value.holdsLiquid else {
                return Self.repeatedKeys(of: value.text).map { repeated in
                    finding(repeated.key, in: value, repeated.range, first: repeated.first)
                }
            }
            guard let text = text(of: value), text.isWhole,
                let drafts = TemplateDrafts(text, fill: { _, _, _ in [UInt8(ascii: "0")] })?.drafts
            else { return [] }
            // Conditions may exclude each other, so only keys that are repeated on every path are certain.
            let repeatedByDraft = drafts.map(Self.repeatedKeys)
            guard let first = repeatedByDraft.first else { return [] }
            return first.filter { repeated in repeatedByDraft.allSatisfy { $0.contains(repeated) } }.map { repeated in
                finding(repeated.key, in: value, repeated.range, first: repeated.first)
            }
        }
    }

    /// The findings about keys that occur twice in an object of the fixtures, except those that the reader has
    /// reported.
    var repeatedFixtureKeyFindings: [Finding] {
        guard let (file, _) = campaign?.fixturesDocument, let document = try? JSONDocument(file) else { return [] }
        let known = Set(diagnostics.filter { $0.rule == .duplicateKey }.compactMap(\.place?.range))
        return document.duplicateKeys.filter { !known.contains($0.place.range) }.map { repeated in
            Finding(
                .twice(repeated.key), at: repeated.place,
                related: .note("first defined here", at: repeated.first))
        }
    }

    private func finding(_ key: String, in value: TemplateText, _ range: SourceRange, first: SourceRange) -> Finding {
        Finding(
            .twice(key), at: value.place(of: range),
            related: .note("first defined here", at: value.place(of: first)))
    }

    /// A key that occurs twice in an object, with the ranges of both places in the template.
    private struct RepeatedKey: Equatable {
        var key: String
        var range: SourceRange
        var first: SourceRange
    }

    private static func repeatedKeys(of text: String) -> [RepeatedKey] {
        guard let document = try? JSONDocument(SourceFile(path: "value", text: text)) else { return [] }
        return document.duplicateKeys.map { RepeatedKey(key: $0.key, range: $0.place.range, first: $0.first.range) }
    }

    /// The keys that occur twice in a possible output and are also written twice in the template.
    private static func repeatedKeys(of draft: TemplateDraft) -> [RepeatedKey] {
        repeatedKeys(of: draft.text).compactMap { repeated in
            guard let range = draft.range(ofText: repeated.range), let first = draft.range(ofText: repeated.first),
                range != first
            else { return nil }
            return RepeatedKey(key: repeated.key, range: range, first: first)
        }
    }
}

extension TemplateDraft {
    /// The range in the template that a part of the draft comes from; nil if this part contains a placeholder.
    fileprivate func range(ofText range: SourceRange) -> SourceRange? {
        guard let last = range.offsets.last, places.indices.contains(last),
            !values.contains(where: { $0.overlaps(range.offsets) })
        else { return nil }
        return SourceRange(places[range.offsets.lowerBound], places[last] + 1)
    }
}

/// Finds the outputs inside the strings of a JSON template.
private struct JSONStrings {
    private let text: LintedText
    /// The values that are assigned to variables, by the names of the variables.
    private let assigned: [String: [MarkupSyntax]]
    /// The names that the template sets, except the variables of loops.
    private let bound: Set<String>

    init(_ text: LintedText) {
        self.text = text
        assigned = Dictionary(grouping: text.parts.tags.compactMap(\.assignment)) { $0.name.text }
            .mapValues { $0.map(\.value) }
        bound = Set(text.analysis.bindings.filter { $0.kind != .loop }.map(\.name))
    }

    /// The outputs inside of strings that may break them, up to the first place where a string is open in only some
    /// branches.
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
    ///   - seen: the variables whose values have already been checked.
    /// - Returns: whether the output is safe.
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
    /// Whether the output prints quotes of its own, which end the string around it.
    fileprivate var writesQuotes: Bool {
        guard let index = filters.lastIndex(where: { $0.name == "as_json_string" }) else { return false }
        return !filters[index...].contains { $0.name == "json_escape" }
    }
}

extension FilterSyntax {
    /// Whether the filter is a `default` with a number.
    fileprivate var defaultsToNumber: Bool {
        guard name == "default", let argument = arguments.first(where: { $0.name == nil }) else { return false }
        switch argument.value.literal {
        case .integer, .float: return true
        default: return false
        }
    }
}
