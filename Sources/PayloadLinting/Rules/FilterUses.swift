// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func seconds(_ count: Int, _ filter: String) -> RuleMessage {
        """
        '\(filter)' counts seconds here, which the format after it does not show; expected \(count * 86_400) for \
        \(count) days
        """
    }
    fileprivate static func dateText(_ format: String, _ filter: String) -> RuleMessage {
        """
        "date: '\(format)'" prints text, and '\(filter)' uses only the digits at its start; expected "date: '%s'" \
        before the calculation, and the format after it
        """
    }
    fileprivate static let brace: RuleMessage =
        "'}' after '}}' is one brace too many, which users read; expected '}}' alone"
    fileprivate static func afterBraces(_ filter: String, _ output: String, isWhole: Bool) -> RuleMessage {
        "'\(filter)' is outside the braces, so it is sent as text; expected {{ \(output) \(filter)\(isWhole ? "" : " …") }}"
    }
    fileprivate static func noList(_ filter: String, _ type: StaticType) -> RuleMessage {
        let hint = type == .text ? "; expected \"| split: ','\" before it" : ""
        return "'\(filter)' works on lists, and this is \(type.rawValue)\(hint)"
    }
    fileprivate static func noNumber(_ filter: String, _ value: String) -> RuleMessage {
        "'\(filter)' takes a whole number, so '\(value)' makes the message fail"
    }
    fileprivate static func noListToAdd(_ filter: String, _ type: StaticType) -> RuleMessage {
        let hint = type == .text ? "; expected '| append:' for text" : ""
        return "'\(filter)' adds only a list, so \(type.rawValue) makes the message fail\(hint)"
    }
    fileprivate static func part(_ divisor: String) -> RuleMessage {
        "between whole numbers, 'divided_by: \(divisor)' drops the fraction, so the percentage is 0, 100 or another multiple of 100; expected 'times: 100' before it"
    }
    fileprivate static func floors(_ divisor: String) -> RuleMessage {
        """
        'divided_by: \(divisor)' between whole numbers drops the fraction before the next filter; \
        expected \(divisor).0, or 'times' before it
        """
    }
    fileprivate static func list(_ value: String) -> RuleMessage {
        "'\(value)' is a list, which is not printed as a sentence; expected \"| join: ', '\", an element, or a loop"
    }
    fileprivate static func object(_ value: String) -> RuleMessage {
        "'\(value)' is an object, which is printed in Ruby's form, such as {\"a\"=>1}; expected a member, or '| as_json_string'"
    }
    fileprivate static func time(_ value: String) -> RuleMessage {
        "'\(value)' is a time, which is printed like '2026-11-20 09:00:00 UTC'; expected '| date:' with a format"
    }
}

extension Rule {
    /// The rules about calculations with texts, and about braces and filters after an output.
    static let filterUses: [Rule] = [textArithmetic, strayBrace, filterAfterBraces]

    private static let textArithmetic = Rule(
        .textArithmetic,
        source: .brazeFilters,
        rationale: """
            Liquid counts such a text as 0. If the text is a date such as '2026-11-20', Liquid takes only the digits \
            at its start. So the result is wrong for every user. The text 'now' becomes a time only in the filter \
            'date'. 'lint' is silent for texts that Liquid computes, other than by 'date' with a literal format. \
            Values of a user that are not numbers are reported when a message is rendered, also where 'money' or \
            'number_with_delimiter' leaves them as they are. Nil is not reported.
            """,
        failing: [
            .title("{{ ⟦'now'⟧ | plus: 86400 | date: '%F' }}"),
            .title("{{ custom_attribute.${n} | plus: ⟦'a'⟧ }}"),
            .title("{{ 'now' | date: '%Y-%m-%d' | ⟦plus⟧: 1 }}"),
            .title("{{ custom_attribute.${n} | times: ⟦'0,9'⟧ }}"),
            .title("{{ 'now' | date: '%s' | plus: ⟦7⟧ | date: '%F' }}"),
            .title("{% assign d = '2026-12-24' %}{{ ⟦d⟧ | minus: 1 }}"),
        ],
        passing: [
            .title("{{ 'now' | date: '%s' | plus: 86400 | date: '%F' }}"),
            .title("{{ custom_attribute.${n} | plus: '1' }}"),
            .title("{{ custom_attribute.${n} | append: '00' | plus: 1 }}"),
        ],
        .values { $1.textArithmeticFindings($0) },
        .rendering
    )

    private static let strayBrace = Rule(
        RuleID("stray-brace", .warning, "a brace too many after an output, which users read as text"),
        source: "https://github.com/braze-inc/braze-docs/pull/6040",
        rationale: """
            A brace too many is text, so users read it. The rule is silent in texts that have an opening brace of \
            their own, such as JSON.
            """,
        failing: [.title("Hi {{ ${first_name} }}⟦}⟧, welcome")],
        passing: [.campaign("push: {title: 'Hi', extras: {a: '{\"name\": {{ ${first_name} }}}'}}")],
        .texts(\.strayBraceFindings)
    )

    private static let filterAfterBraces = Rule(
        RuleID("filter-after-braces", .warning, "a filter after the braces of its output, which users read"),
        source: .defaultValues,
        rationale: """
            Inside of a tag, the filter may be after the braces, as in Braze's '{% assign vip = \
            {{custom_attribute.${vip}}} | default: false %}'. In a text, it is not part of the Liquid, so the value \
            stays without its default and the filter is sent. The rule is silent for a bar before words that are not a \
            filter, and for a word such as 'first' without a value.
            """,
        fix: "moves the filter into the braces",
        failing: [
            .title(
                "Hi {{ ${first_name} }} ⟦| default: 'you'⟧", fixed: "Hi {{ ${first_name} | default: 'you' }}"),
            .campaign(
                "push: {title: Hi, body: \"{{${city}}}⟦| upcase | default: 'Oslo'⟧, you\"}",
                fixed: "push: {title: Hi, body: \"{{${city} | upcase | default: 'Oslo'}}, you\"}"),
            .title("Hi {{ ${first_name} }} ⟦| default:⟧ you"),
        ],
        passing: [
            .campaign("push: {title: \"{{ ${first_name} | default: 'Hi' }} | Your weekly news\"}"),
            .campaign("push: {title: \"{{ ${first_name} | default: 'Hi' }} | first lesson | date: 12 May\"}"),
            .title("{% assign vip = {{custom_attribute.${vip}}} | default: false %}{% if vip %}Hi{% endif %}"),
        ],
        .texts { text in
            text.filtersAfterBraces.map { found in
                let filter = text.written(found.filters)
                let output = text.written(found.content)
                return Finding(
                    .afterBraces(filter, output, isWhole: found.isWhole), at: text.place(of: found.filters),
                    fixes: found.isWhole ? text.moving(found) : [])
            }
        }
    )

    static let filterInput = Rule(
        .filterInput,
        source: .brazeFilters,
        rationale: """
            'join', 'map', 'where' and 'sort' need a list: a text passes unchanged, or nothing is printed. Two faults \
            are errors, because the filter fails: a text that is not a number as the length of 'truncate' or 'slice', \
            and something other than a list for 'concat'. When a message is rendered, the name of a member is compared \
            with those of the elements; 'where' and 'map' do not take a path such as 'a.b'. The rule is silent where \
            the type is not known, for 'first' and 'last' of a text, which are its characters, and where a value \
            becomes a list of one for 'concat'.
            """,
        failing: [
            .title("{{ 'a,b' | ⟦join⟧: ' ' }}"),
            .title("{{ ${first_name} | truncate: ⟦'ten'⟧ }}"),
            .title("{{ ${first_name} | ⟦concat⟧: '!' }}"),
        ],
        passing: [
            .title("{{ 'a,b' | split: ',' | join: ' ' }}"),
            .title("{{ ${first_name} | truncate: 10, '…' }}"),
            .title("{{ ${first_name} | first }}"),
            .title(
                """
                {% for n in custom_attribute.${ns} %}{% assign one = n | floor | compact %}\
                {% assign all = all | concat: one %}{% endfor %}{{ all | sort | join }}
                """
            ),
        ],
        .values { $1.inputFindings($0) },
        .rendering
    )

    static let integerDivision = Rule(
        .integerDivision,
        source: .brazeFilters,
        rationale: """
            '7 | divided_by: 10' is 0, as in Ruby, so a percentage computed from it is 0 as well. The rule is silent \
            where the value or the divisor is a decimal number, and where nothing is computed or printed as money from \
            the result. When a message is rendered, a division by 10, 100 or 1000 that drops a fraction is a warning. \
            That check is silent where the result is not printed as it is, and where the text has 'modulo', 'times', \
            'floor', 'ceil' or 'round'.
            """,
        failing: [
            .title("{{ custom_attribute.${done} | ⟦divided_by⟧: custom_attribute.${goal} | times: 100 }} %"),
            .campaign("push: {title: \"{{ custom_attribute.${done} | ⟦divided_by⟧: 10 | times: 100 }} %\"}"),
        ],
        passing: [
            .campaign("push: {title: \"{{ custom_attribute.${done} | divided_by: 10.0 | times: 100 }} %\"}"),
            .campaign("push: {title: \"{{ custom_attribute.${seconds} | divided_by: 60 }} minutes\"}"),
        ],
        .values { $1.integerDivisionFindings($0) },
        .rendering
    )

    static let rawValue = Rule(
        RuleID("raw-value", .warning, "a list, an object or a time that is printed as it is", set: .strict),
        source: .brazeDocs(
            "44c52d3/_docs/_user_guide/messaging/canvas/create_a_canvas/canvas_persistent_entry_properties.md"),
        rationale: """
            Users would read a technical text. Braze's pages disagree on how a list is printed. An object is printed \
            as Ruby's text {"a"=>1}. A time is printed in UTC with seconds, which is an info. The rule is silent where \
            the type is not known, and outside of the texts of the notification, key-value pairs and content blocks.
            """,
        failing: [
            .title("You like {{ ⟦custom_attribute.${tags}⟧ }}", ["tags": .array]),
            .title("Ends {{ ⟦custom_attribute.${end}⟧ }}", ["end": .time]),
        ],
        passing: [
            .title("You like {{ custom_attribute.${tags} | join: ', ' }}", ["tags": .array]),
            .title("Ends {{ custom_attribute.${end} | date: '%F' }}", ["end": .time]),
        ],
        .nodes { node, text in
            guard text.isRead, !text.source.text.hasPrefix("$json:"), !node.ancestors.contains(where: \.isCapture),
                let markup = node.syntax.printedMarkup, let value = markup.expression, value.literal == nil,
                !text.isIgnored(markup.range)
            else { return [] }
            let place = text.place(of: value.range)
            return switch text.types.type(of: markup) {
            case .list?: [Finding(.list(value.text), at: place)]
            case .object?: [Finding(.object(value.text), at: place)]
            case .time?: [Finding(.time(value.text), at: place, severity: .info)]
            default: []
            }
        }
    )
}

extension LintedText {
    /// The message about a text that a calculation does not count as a number, or only in part; nil if the whole text
    /// is a number.
    private static func objection(to text: String, _ filter: String) -> RuleMessage? {
        var isWhole = false
        guard let number = try? NumberText.number(text, &isWhole), !isWhole else { return nil }
        return "\(RenderMessages.notNumber(text, filter, counted: number.value.text, isLiteral: true))"
    }

    fileprivate func textArithmeticFindings(_ markup: MarkupSyntax) -> [Finding] {
        let filters = markup.filters
        var found: [Finding] = []
        for (index, filter) in filters.enumerated() where filter.isCalculation {
            for argument in filter.arguments {
                guard let text = assigned.text(argument.value)?.text,
                    let message = Self.objection(to: text, filter.name)
                else { continue }
                found.append(Finding(message, at: place(of: argument.value.range)))
            }
            if let finding = secondsFinding(filters, index) { found.append(finding) }
            if index == 0, let value = markup.expression, let text = assigned.text(value)?.text,
                let message = Self.objection(to: text, filter.name)
            {
                found.append(Finding(message, at: place(of: value.range)))
            }
            if index > 0, ["plus", "minus", "times"].contains(filter.name),
                let format = filters[index - 1].dateFormat, format.isDateOfSeveralParts
            {
                found.append(Finding(.dateText(format, filter.name), at: place(of: filter.nameRange)))
            }
        }
        return found
    }

    /// The finding about a template that adds or subtracts a few seconds but prints only the day.
    ///
    /// Subtracting one second is not reported, since it turns midnight into the day before.
    private func secondsFinding(_ filters: [FilterSyntax], _ index: Int) -> Finding? {
        let filter = filters[index]
        guard ["plus", "minus"].contains(filter.name), index > 0, index + 1 < filters.count,
            filters[index - 1].dateFormat == "%s", let format = filters[index + 1].dateFormat, format.contains("%"),
            !StrftimeFormat(format).holdsTime, let value = filter.arguments.first?.value,
            case .integer(let count)? = value.literal, 2...366 ~= count || count == 1 && filter.name == "plus"
        else { return nil }
        return Finding(.seconds(count, filter.name), at: place(of: value.range))
    }

    fileprivate var strayBraceFindings: [Finding] {
        let texts = parts.nodes.compactMap { $0.syntax.verbatimRange.map { bytes[$0.offsets] } }
        guard isWhole, !texts.contains(where: { $0.contains(UInt8(ascii: "{")) }) else { return [] }
        return parts.nodes.compactMap { node in
            guard case .output = node.syntax.kind, let range = node.following.first?.verbatimRange,
                bytes[range.offsets].first == UInt8(ascii: "}")
            else { return nil }
            let start = Int(range.start)
            return Finding(.brace, at: place(of: SourceRange(start, start + 1)))
        }
    }
}

/// Filters in the text directly after an output.
struct FiltersAfterBraces {
    /// The output, with its braces.
    let output: SourceRange
    /// What is in the braces, without spaces around it.
    let content: SourceRange
    /// The filters, from the first bar.
    let filters: SourceRange
    /// Whether it is known where the filters end: text may follow a default whose value is neither in quotes nor a
    /// number.
    let isWhole: Bool

    /// Filters whose names are not ordinary words of a text.
    private static let letterCaseFilters: Set<String> = ["upcase", "downcase", "capitalize"]

    /// The filters at the start of the text after an output; nil if there are none.
    init?(_ output: SourceRange, before text: SourceRange, in bytes: [UInt8]) {
        let (open, close) = ("{{".utf8, "}}".utf8)
        let written = bytes[output.offsets]
        guard written.starts(with: open), written.suffix(2).elementsEqual(close) else { return nil }
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: "-") }
        let content = written.dropFirst(2).dropLast(2)
        guard let first = content.firstIndex(where: { !isBlank($0) }),
            let last = content.lastIndex(where: { !isBlank($0) })
        else { return nil }
        var end = Int(text.start)
        var start: Int?
        var isWhole = true
        while isWhole, let filter = Self.filter(bytes[end..<Int(text.end)]) {
            start = start ?? filter.range.lowerBound
            (end, isWhole) = (filter.range.upperBound, filter.isWhole)
        }
        guard let start else { return nil }
        (self.output, self.content) = (output, SourceRange(first, last + 1))
        (filters, self.isWhole) = (SourceRange(start, end), isWhole)
    }

    /// The filter at the start of a text, after spaces; nil if there is none, or if the bar and the word may belong to
    /// the text.
    private static func filter(_ text: ArraySlice<UInt8>) -> (range: Range<Int>, isWhole: Bool)? {
        func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> { text.drop { $0 == UInt8(ascii: " ") } }
        let bar = trimmed(text)
        guard bar.first == UInt8(ascii: "|") else { return nil }
        let word = trimmed(bar.dropFirst()).prefix { $0.isLowerLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        let name = String(decoding: word, as: UTF8.self)
        guard let arity = LintedText.environment.filterIndex(name).map({ LintedText.environment.filters[$0].arity })
        else { return nil }
        var rest = text[word.endIndex...]
        guard rest.first == UInt8(ascii: ":") else {
            let isName = letterCaseFilters.contains(name) || word.contains(UInt8(ascii: "_"))
            return isName && arity.contains(0) ? (bar.startIndex..<word.endIndex, true) : nil
        }
        var end = word.endIndex
        var count = 0
        while rest.first == UInt8(ascii: count == 0 ? ":" : ","), count < arity.upperBound,
            let next = endOfLiteral(trimmed(rest.dropFirst()), allowsNumber: name != "date")
        {
            (end, count) = (next, count + 1)
            rest = trimmed(text[end...])
        }
        if count > 0 { return (bar.startIndex..<end, true) }
        return name == "default" ? (bar.startIndex..<word.endIndex + 1, false) : nil
    }

    /// The end of the text in quotes, or of the number, at the start of a value; nil for other values.
    private static func endOfLiteral(_ value: ArraySlice<UInt8>, allowsNumber: Bool) -> Int? {
        guard let first = value.first else { return nil }
        if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") {
            return value.dropFirst().firstIndex(of: first).map { $0 + 1 }
        }
        guard allowsNumber, first.isDigit else { return nil }
        let digits = value.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        return digits.last == UInt8(ascii: ".") ? digits.endIndex - 1 : digits.endIndex
    }
}

extension LintedText {
    /// The filters in the text directly after outputs.
    var filtersAfterBraces: [FiltersAfterBraces] {
        guard isWhole else { return [] }
        return parts.nodes.compactMap { node in
            guard case .output = node.syntax.kind, let next = node.following.first, case .text = next.kind else {
                return nil
            }
            return FiltersAfterBraces(node.syntax.range, before: next.range, in: bytes)
        }
    }

    /// The outputs with a default after their braces.
    var outputsWithDefaultOutside: Intervals {
        Intervals(filtersAfterBraces.filter { written($0.filters).holds("default:") }.map(\.output.offsets))
    }

    fileprivate func written(_ range: SourceRange) -> String { String(decoding: bytes[range.offsets], as: UTF8.self) }

    /// The fix that moves filters into the braces before them; empty if the file has escapes there.
    fileprivate func moving(_ found: FiltersAfterBraces) -> [FixIt] {
        let closing = SourceRange(start: found.content.end, end: found.filters.start)
        let last = SourceRange(start: found.filters.end - 1, end: found.filters.end)
        let braces = SourceRange(start: found.content.end, end: found.output.end)
        let places = [closing, last].map { place(of: $0).range }
        guard source.file.text(in: places[0]) == written(closing) else { return [] }
        let end = source.file.text(in: places[1]) + written(braces)
        let move: RuleMessage = "move '\(written(found.filters))' into the braces"
        return [
            FixIt(
                move.text,
                edits: [FixIt.Edit(places[0], replacement: " "), FixIt.Edit(places[1], replacement: end)])
        ]
    }
}

extension FilterSyntax {
    /// The text of the first argument; nil if the argument is not a literal text.
    var literalText: String? { if case .string(let text)? = arguments.first?.value.literal { text } else { nil } }

    /// The format of a 'date' filter, if the format is a literal; nil for other filters.
    var dateFormat: String? { name == "date" ? literalText : nil }

    /// Whether the filter is a calculation, which returns a number for every input.
    var isCalculation: Bool { Self.calculations.contains(name) }

    private static let calculations: Set<String> = [
        "plus", "minus", "times", "divided_by", "modulo", "at_least", "at_most", "round", "ceil", "floor", "abs",
    ]
}

extension String {
    /// Whether a format of `date` prints more than digits, such as words or separators.
    ///
    /// A single decimal point is allowed.
    fileprivate var isDateOfSeveralParts: Bool {
        var rest = Substring(self)
        let numbers = "sYyCmdejHkIlMSLNuwUVWGQ"
        guard rest.contains("%") else { return false }
        var points = 0
        while let first = rest.popFirst() {
            if first == "." { points += 1 }
            if first.isNumber || first == "." && points == 1 { continue }
            guard first == "%" else { return true }
            rest = rest.drop { "-_0^#:".contains($0) || $0.isNumber }
            guard let directive = rest.popFirst(), numbers.contains(directive) else { return true }
        }
        return false
    }
}

extension LintedText {
    /// For each filter, the arguments that have to be whole numbers.
    private static let wholeNumbers = ["truncate": 0..<1, "truncatewords": 0..<1, "slice": 0..<2]

    /// The ranges of the values that are assigned to the variables which 'concat' adds as lists.
    ///
    /// In these values, a filter such as 'compact' may turn one element into a list.
    private var addedLists: Set<SourceRange> {
        let names = Set(
            parts.values.flatMap { $0.filters.filter { $0.name == "concat" } }
                .compactMap { $0.arguments.first?.value.variableName }
        )
        return Set(parts.tags.compactMap(\.assignment).filter { names.contains($0.name.text) }.map(\.value.range))
    }

    fileprivate func inputFindings(_ markup: MarkupSyntax) -> [Finding] {
        zip(markup.filters, types.inputs(of: markup)).flatMap { filter, input -> [Finding] in
            var found: [Finding] = []
            if filter.name == "concat", let added = filter.arguments.first.flatMap({ types.type(of: $0.value) }),
                added != .list
            {
                found.append(
                    Finding(.noListToAdd(filter.name, added), at: place(of: filter.nameRange), severity: .error))
            } else if filter.needsList, let input, input != .list, input != .object,
                !(filter.keepsElements && addedLists.contains(markup.range))
            {
                found.append(Finding(.noList(filter.name, input), at: place(of: filter.nameRange)))
            }
            let numbers = Self.wholeNumbers[filter.name] ?? 0..<0
            for (index, argument) in filter.arguments.enumerated() where numbers.contains(index) {
                guard case .string(let text)? = argument.value.literal, Int(text) == nil else { continue }
                found.append(
                    Finding(.noNumber(filter.name, text), at: place(of: argument.value.range), severity: .error))
            }
            return found
        }
    }
}

extension FilterSyntax {
    /// Whether the filter turns a value that is not a list into a list with one element.
    fileprivate var keepsElements: Bool {
        ["sort", "sort_natural", "reverse", "uniq", "compact"].contains(name) && arguments.isEmpty
    }

    /// Whether the filter works only on lists.
    var needsList: Bool {
        [
            "join", "map", "where", "sort", "sort_natural", "reverse", "uniq", "compact", "concat", "sum",
        ].contains(name)
    }
}

extension LintedText {
    fileprivate func integerDivisionFindings(_ markup: MarkupSyntax) -> [Finding] {
        let filters = markup.filters
        // Dividing a decimal number gives a decimal number, so no fraction is lost.
        if case .float? = markup.expression?.literal { return [] }
        return filters.indices.compactMap { index in
            let filter = filters[index]
            guard filter.name == "divided_by", let divisor = filter.arguments.first?.value,
                index + 1 < filters.count, case let next = filters[index + 1],
                types.type(of: divisor) == .integer && ["times", "money", "round"].contains(next.name)
                    || divisor.literal == nil && next.makesPercent,
                !filters[..<index].contains(where: { $0.makesDecimal })
            else { return nil }
            let message: RuleMessage = divisor.literal.map { .floors($0.text) } ?? .part(divisor.text)
            return Finding(message, at: place(of: filter.nameRange))
        }
    }
}

extension FilterSyntax {
    /// Whether the filter turns a fraction into a percentage.
    fileprivate var makesPercent: Bool {
        if name == "times", case .integer(100)? = arguments.first?.value.literal { true } else { false }
    }

    /// Whether the result is a decimal number because an argument is one.
    fileprivate var makesDecimal: Bool {
        arguments.contains { argument in if case .float? = argument.value.literal { true } else { false } }
    }
}
