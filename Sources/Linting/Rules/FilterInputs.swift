// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func noList(_ filter: String, _ type: StaticType) -> RuleMessage {
        let hint = type == .text ? "; expected '| split: ','' before it" : ""
        return "'\(filter)' works on lists, and this is \(type.rawValue)\(hint)"
    }
    fileprivate static func noNumber(_ filter: String, _ value: String) -> RuleMessage {
        "'\(filter)' takes a whole number, so '\(value)' makes the message fail"
    }
    fileprivate static func noListToAdd(_ filter: String, _ type: StaticType) -> RuleMessage {
        let hint = type == .text ? "; expected '| append:' for text" : ""
        return "'\(filter)' adds only a list, so \(type.rawValue) makes the message fail\(hint)"
    }
    fileprivate static func noReplacement(_ filter: String) -> RuleMessage {
        "'\(filter)' without a second text removes the first one, expected it after a comma, or 'remove'"
    }
    fileprivate static let sizeOfNumber: RuleMessage =
        "the 'size' of a number is not its digits or value; expected the number itself, or a list or text"
    fileprivate static func pattern(_ filter: String, _ text: String) -> RuleMessage {
        "'\(filter)' searches the text '\(text)' as it is, not a pattern; expected a text without regular expressions"
    }
    fileprivate static func noText(_ filter: String, _ type: StaticType) -> RuleMessage {
        let hint = type == .list ? "; expected '| join: ', '' before it, or an element" : ""
        return "'\(filter)' works on texts, and this is \(type.rawValue)\(hint)"
    }
    fileprivate static func splitList(_ type: StaticType) -> RuleMessage {
        "'split' makes a list of a text, and this is already \(type.rawValue); expected the value without it"
    }
    fileprivate static func letter(_ filter: String) -> RuleMessage {
        let place = filter == "first" ? "0" : "-1"
        return
            "'\(filter)' takes an element of a list, and prints nothing for a text; expected '| slice: \(place)', or '| split:' before it"
    }
    fileprivate static func noCalculation(_ filter: String, _ value: String, _ type: StaticType) -> RuleMessage {
        let hint =
            switch type {
            case .time: "; expected \"date: '%s'\" before it, and the format after it"
            case .list: "; expected '| size' for their number"
            default: ""
            }
        return "'\(filter)' calculates with numbers, and '\(value)' is \(type.rawValue), which counts as 0\(hint)"
    }
    fileprivate static func noOperand(_ filter: String, _ value: String) -> RuleMessage {
        "'\(filter)' calculates with numbers, and '\(value)' is a time, which counts as 0; expected a variable with its seconds: {% assign s = \(value) | date: '%s' %}"
    }
    fileprivate static func noDate(_ filter: String, _ value: String, _ type: StaticType) -> RuleMessage {
        "'\(filter)' works on times and dates, and '\(value)' is \(type.rawValue) without one, so it is printed unchanged"
    }
    fileprivate static func cutAway(_ filter: String, _ length: Int, _ mark: String) -> RuleMessage {
        "'\(filter): \(length)' counts the \(mark.count) characters of '\(mark)' too, so nothing of the text is left; expected a larger number"
    }
    fileprivate static let sameReplacement: RuleMessage =
        "'replace' writes the same text again, which changes nothing; expected another second text"
    fileprivate static func emptySearch(_ filter: String) -> RuleMessage {
        filter.hasPrefix("remove")
            ? "'\(filter)' of an empty text changes nothing; expected the text to remove"
            : "'\(filter)' of an empty text writes the second text between all letters; expected the text to replace"
    }
    fileprivate static func noWords(_ count: Int) -> RuleMessage {
        "'truncatewords: \(count)' leaves one word all the same; expected 1 or more"
    }
    fileprivate static let noLetters: RuleMessage = "'slice' with the length 0 prints nothing, expected 1 or more"
    fileprivate static func oneLetter(_ start: Int) -> RuleMessage {
        "'slice: \(start)' takes one character, expected 'slice: \(start), \(-start)' for the last \(-start)"
    }
    fileprivate static let secondValue: RuleMessage =
        "the second argument of 'default' is ignored, expected one value, or a second '| default:'"
    fileprivate static let emptyFormat: RuleMessage =
        "'date' with an empty format prints the value unchanged, expected a format such as '%Y-%m-%d'"
    fileprivate static func named(_ filter: String, _ name: String) -> RuleMessage {
        let known = filter == "default" ? "it knows only 'allow_false'" : "it has no arguments with names"
        return "the argument '\(name)' of '\(filter)' is ignored: \(known)"
    }
    fileprivate static func outside(_ filter: String) -> RuleMessage {
        "the filter '\(filter)' is outside of the braces, so users read it; expected it before '}}'"
    }
}

extension Rule {
    /// The rules about the values that filters get.
    static let filterInputs: [Rule] = [filterInput, filterOutside]

    private static let filterInput = Rule(
        RuleDescription(
            RuleID("filter-input", .warning, "a filter that gets a value or an argument on which it does not work"),
            name: "Input of a filter",
            source: .brazeFilters,
            rationale: """
                'join', 'map', 'where' and 'sort' need a list: a text passes unchanged, or nothing is printed. A text \
                that is not a number as the length of 'truncate' or 'slice' fails, and so does 'concat' with something \
                other than a list, which are errors. 'first' and 'last' of a text are missing, 'date' leaves a text that is not \
                a date, and a calculation counts a name, a list or a time as 0. 'replace' knows no regular expressions: '\\s' and '[0-9]' are searched \
                as they are. Silent where the type is not known.
                """,
            failing: [
                .campaign("push: {title: \"{{ 'a,b' | ⟦join⟧: ' ' }}\"}"),
                .campaign("push: {title: \"{{ ${first_name} | truncate: ⟦'ten'⟧ }}\"}"),
                .campaign("push: {title: \"{{ ${first_name} | ⟦concat⟧: '!' }}\"}"),
                .campaign("push: {title: \"{{ ${city} | replace: ⟦'[0-9]'⟧, '' }}\"}"),
                .campaign(
                    "push: {title: '{{ custom_attribute.${n} | ⟦size⟧ }}'}\nattributes: {n: {type: number}}"),
                .campaign("push: {title: '{{ ${first_name} | ⟦first⟧ }}'}"),
                .campaign("push: {title: '{{ ${last_name} | ⟦plus⟧: 1 }}'}"),
                .campaign(
                    "push: {title: \"{{ 'now' | date: '%s' | minus: ⟦custom_attribute.${d}⟧ }}\"}\nattributes: {d: {type: time}}"
                ),
                .campaign("push: {title: \"{{ ${time_zone} | ⟦date⟧: '%H' }}\"}"),
                .campaign("push: {title: '{{ ${first_name} | truncate: ⟦2⟧ }}'}"),
                .campaign("push: {title: 'Card {{ custom_attribute.${card} | slice: ⟦-4⟧ }}'}"),
                .campaign(
                    "push: {title: '{{ custom_attribute.${l} | ⟦upcase⟧ }}'}\nattributes: {l: {type: array}}"),
            ],
            passing: [
                .campaign("push: {title: \"{{ 'a,b' | split: ',' | join: ' ' }}\"}"),
                .campaign("push: {title: \"{{ ${first_name} | truncate: 10, '…' }}\"}"),
                .campaign("push: {title: \"{{ ${date_of_birth} | date: '%d.%m.' }}, {{ ${first_name} | slice: 0 }}\"}"),
                .campaign("push: {title: \"{{ ${phone_number} | plus: 0 }}\"}"),
                .campaign("push: {title: \"{{ ${city} | replace: '[name]', '/' | remove: '(1)' }}\"}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text -> [Finding] in
                guard let template = text.template else { return [] }
                let types = ValueTypes(template, attributes: campaign.campaign?.attributeTypes ?? [:])
                let ignored = Intervals(text.ignored.map(\.markup))
                return text.markups.flatMap {
                    text.inputFindings($0, types) + text.typeFindings($0, types) + text.operandFindings($0, types)
                        + text.argumentFindings($0, ignored)
                }
            }
        }
    )

    private static let filterOutside = Rule(
        RuleDescription(
            RuleID("filter-outside", .warning, "a filter after the braces of its output"),
            name: "Filter outside of the braces",
            source: .brazeFilters,
            rationale: "It is text, which users read. Silent for a bar with words that are not a filter's.",
            failing: [.campaign("push: {title: \"Hi {{ ${first_name} }} ⟦| default: 'you'⟧\"}")],
            passing: [.campaign("push: {title: \"Hi {{ ${first_name} }} | Your weekly news\"}")]
        ),
        .campaign { campaign in campaign.templates.flatMap(\.filtersOutside) }
    )
}

extension LintedText {
    /// For each filter, the arguments that have to be whole numbers.
    private static let wholeNumbers = ["truncate": 0..<1, "truncatewords": 0..<1, "slice": 0..<2]

    fileprivate func inputFindings(_ markup: MarkupSyntax, _ types: ValueTypes) -> [Finding] {
        zip(markup.filters.map { $0 }, types.inputs(of: markup)).flatMap { filter, input -> [Finding] in
            var found: [Finding] = []
            if filter.name == "concat", let added = filter.arguments.first.flatMap({ types.type(of: $0.value) }),
                added != .list
            {
                found.append(
                    Finding(.noListToAdd(filter.name, added), at: place(of: filter.nameRange), severity: .error))
            } else if filter.needsList, let input, input != .list, input != .object {
                found.append(Finding(.noList(filter.name, input), at: place(of: filter.nameRange)))
            }
            if ["replace", "replace_first", "replace_last"].contains(filter.name),
                filter.arguments.count(where: { _ in true }) == 1
            {
                found.append(Finding(.noReplacement(filter.name), at: place(of: filter.nameRange)))
            }
            if filter.name == "size", input?.isNumber ?? false {
                found.append(Finding(.sizeOfNumber, at: place(of: filter.nameRange)))
            }
            if filter.name.hasPrefix("replace") || filter.name.hasPrefix("remove"),
                let value = filter.arguments.first?.value, case .string(let text)? = value.literal, text.isPattern
            {
                found.append(Finding(.pattern(filter.name, text), at: place(of: value.range)))
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

    private static let textFilters: Set<String> = [
        "upcase", "downcase", "capitalize", "truncate", "truncatewords", "strip", "replace", "replace_first", "remove",
        "remove_first",
    ]

    private static let calculations: Set<String> = [
        "plus", "minus", "times", "divided_by", "modulo", "round", "ceil", "floor", "abs", "money",
        "number_with_delimiter",
    ]

    /// Whether a calculation counts a value as 0 although it is not a number.
    private func isCountedAsZero(_ value: ExpressionSyntax, _ type: StaticType) -> Bool {
        switch type {
        case .list, .object, .boolean, .time: true
        case .text: assigned.path(of: value)?.standardText.map { !Self.digits.contains($0) } ?? false
        case .integer, .decimal: false
        }
    }

    /// The findings about the numbers with which filters calculate.
    fileprivate func operandFindings(_ markup: MarkupSyntax, _ types: ValueTypes) -> [Finding] {
        markup.filters.compactMap { filter in
            guard Self.calculations.contains(filter.name), let value = filter.arguments.first?.value,
                value.literal == nil, let type = types.type(of: value), isCountedAsZero(value, type)
            else { return nil }
            let text = LaxText.text(value)
            return type == .time
                ? Finding(.noOperand(filter.name, text), at: place(of: value.range))
                : Finding(.noCalculation(filter.name, text, type), at: place(of: value.range))
        }
    }

    /// The findings about filters that get a value of another type than they work on.
    fileprivate func typeFindings(_ markup: MarkupSyntax, _ types: ValueTypes) -> [Finding] {
        guard let value = markup.expression, value.literal == nil else { return [] }
        let name = LaxText.text(value)
        let inputs = zip(markup.filters.map { $0 }, types.inputs(of: markup))
        return inputs.enumerated().compactMap { index, use -> Finding? in
            let (filter, input) = use
            guard let input else { return nil }
            let place = place(of: filter.nameRange)
            switch filter.name {
            case "split": return input == .list ? Finding(.splitList(input), at: place) : nil
            case "first", "last": return input == .text ? Finding(.letter(filter.name), at: place) : nil
            case _ where Self.textFilters.contains(filter.name):
                return input == .list ? Finding(.noText(filter.name, input), at: place) : nil
            default: break
            }
            // The value itself, unchanged by other filters.
            guard index == 0 else { return nil }
            let attribute = assigned.path(of: value)?.standardText
            if Self.calculations.contains(filter.name) {
                let isWrong =
                    isCountedAsZero(value, input)
                    && (input != .time || filter.arguments.first?.value.literal?.number != 0)
                return isWrong ? Finding(.noCalculation(filter.name, name, input), at: place) : nil
            }
            guard filter.name == "date" || filter.name == "time_zone" else { return nil }
            let isWrong =
                switch input {
                case .list, .object, .boolean: true
                case .text: attribute.map { $0 != "date_of_birth" && !Self.digits.contains($0) } ?? false
                case .integer, .decimal, .time: false
                }
            return isWrong ? Finding(.noDate(filter.name, name, input), at: place) : nil
        }
    }

    /// Attributes that are texts of digits.
    private static let digits: Set<String> = ["phone_number", "user_id", "braze_id", "most_recent_app_version"]

    /// The findings about arguments that have no effect, or leave nothing.
    fileprivate func argumentFindings(_ markup: MarkupSyntax, _ ignored: Intervals) -> [Finding] {
        markup.filters.compactMap { filter -> Finding? in
            guard !ignored.overlaps(filter.range.offsets) else { return nil }
            let named = filter.arguments.first { $0.name != nil && $0.name?.text != "allow_false" }
            if let named, let name = named.name, Self.environment.filterIndex(filter.name) != nil {
                return Finding(.named(filter.name, name.text), at: place(of: name.range))
            }
            let arguments = filter.arguments.map(\.value)
            let place = place(of: filter.nameRange)
            switch (filter.name, arguments.first?.literal) {
            case ("truncate", .integer(let length)?):
                var mark = "..."
                if arguments.count > 1 {
                    guard case .string(let text)? = arguments[1].literal else { return nil }
                    mark = text
                }
                guard !mark.isEmpty, length <= mark.unicodeScalars.count else { return nil }
                return Finding(.cutAway(filter.name, length, mark), at: self.place(of: arguments[0].range))
            case ("replace", .string(let text)?) where arguments.count == 2 && !text.isEmpty:
                guard case .string(text)? = arguments[1].literal else { return nil }
                return Finding(.sameReplacement, at: place)
            case ("replace", .string("")?), ("remove", .string("")?), ("replace_first", .string("")?),
                ("remove_first", .string("")?):
                return Finding(.emptySearch(filter.name), at: place)
            case ("truncatewords", .integer(let count)?) where count < 1:
                return Finding(.noWords(count), at: self.place(of: arguments[0].range))
            case ("slice", _) where arguments.count == 2:
                guard case .integer(0)? = arguments[1].literal else { return nil }
                return Finding(.noLetters, at: self.place(of: arguments[1].range))
            // One character so far from the end is hardly meant.
            case ("slice", .integer(let start)?) where arguments.count == 1 && start < -2:
                return Finding(.oneLetter(start), at: self.place(of: arguments[0].range))
            case ("default", _) where arguments.count > 1 && filter.arguments.allSatisfy({ $0.name == nil }):
                return Finding(.secondValue, at: self.place(of: arguments[1].range))
            case ("date", .string("")?): return Finding(.emptyFormat, at: place)
            default: return nil
            }
        }
    }

    /// The filters in text directly after an output.
    fileprivate var filtersOutside: [Finding] {
        guard let template, isWhole else { return [] }
        var found: [Finding] = []
        func add(_ block: BlockSyntax) {
            var follows = false
            for node in block.nodes {
                if follows, case .text = node.kind,
                    let (name, range) = Self.leadingFilter(node.range.offsets, of: bytes)
                {
                    found.append(Finding(.outside(name), at: place(of: range)))
                }
                follows = if case .output = node.kind { true } else { false }
                for inner in node.blocks { add(inner) }
            }
        }
        add(template.root)
        return found
    }

    /// The bar and filter with which a text begins; nil for a bar with any other word.
    private static func leadingFilter(_ range: Range<Int>, of bytes: [UInt8]) -> (name: String, range: SourceRange)? {
        let text = bytes[range]
        let bar = text.drop { $0 == UInt8(ascii: " ") }
        guard bar.first == UInt8(ascii: "|") else { return nil }
        let word = bar.dropFirst().drop { $0 == UInt8(ascii: " ") }
        let letters = word.prefix { $0.isLowerLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        let name = String(decoding: letters, as: UTF8.self)
        guard !name.isEmpty, environment.filterIndex(name) != nil else { return nil }
        var rest = word.dropFirst(letters.count)
        var end = rest.startIndex
        if rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
            guard let first = rest.first, first == 0x27 || first == 0x22 || first.isDigit else {
                return nil
            }
            let isQuoted = first == 0x27 || first == 0x22
            let tail = isQuoted ? rest.dropFirst().prefix { $0 != first }.endIndex + 1 : rest.startIndex + 1
            end = min(tail, range.upperBound)
        } else {
            // Other names of filters are words of the language.
            let certain = ["upcase", "downcase", "capitalize"].contains(name) || name.contains("_")
            guard certain, rest.first.map({ $0 <= 0x20 || $0 == UInt8(ascii: "|") }) ?? true else { return nil }
        }
        return (name, SourceRange(bar.startIndex, end))
    }
}

extension String {
    /// Whether the text has a part of a regular expression that no plain text has: a class of characters, or slashes
    /// around characters that a path does not have.
    fileprivate var isPattern: Bool {
        let isQuoted = utf8.count > 2 && first == "/" && last == "/"
        return ["\\s", "\\d", "\\w", "[a-z", "[A-Z", "[0-9", "[^"].contains(where: contains)
            || isQuoted && contains { " +*\\^$|()[]".contains($0) }
    }
}

extension LookupSyntax {
    /// The name of one of Braze's attributes that is a text; nil for members and everything else.
    var standardText: String? {
        guard case .attribute(let name) = root, steps.first == nil else { return nil }
        let isText = AttributeTable.all.contains { $0.namespace == nil && $0.name == name && $0.type == .string }
        return isText ? name : nil
    }
}

extension FilterSyntax {
    /// Whether the filter needs a list.
    var needsList: Bool {
        [
            "join", "map", "where", "sort", "sort_natural", "reverse", "uniq", "compact", "concat", "sum",
        ].contains(name)
    }
}
