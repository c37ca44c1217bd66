// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

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
    fileprivate static func outside(_ filter: String) -> RuleMessage {
        "the filter '\(filter)' is outside of the braces, so users read it; expected it before '}}'"
    }
}

extension Rule {
    /// The rules about the values that filters get.
    static let filterInputs: [Rule] = [filterInput, filterOutside]

    private static let filterInput = Rule(
        .filterInput,
        source: .brazeFilters,
        rationale: """
            'join', 'map', 'where' and 'sort' need a list: a text passes unchanged, or nothing is printed. A text that \
            is not a number as the length of 'truncate' or 'slice' fails, and so does 'concat' with something other \
            than a list, which are errors. When a message is rendered, the name of a member is compared with those of \
            the elements; 'where' and 'map' follow no path. Silent where the type is not known, for 'first' and 'last' \
            of a text, which are its characters, and where a value becomes a list of one for 'concat'.
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

    private static let filterOutside = Rule(
        RuleID("filter-outside", .warning, "a filter after the braces of its output"),
        source: .brazeFilters,
        rationale: "It is text, which users read. Silent for a bar with words that are not a filter's.",
        failing: [.title("Hi {{ ${first_name} }} ⟦| default: 'you'⟧")],
        passing: [.campaign("push: {title: \"Hi {{ ${first_name} }} | Your weekly news\"}")],
        .nodes { $1.filterOutside($0) }
    )
}

extension LintedText {
    /// For each filter, the arguments that have to be whole numbers.
    private static let wholeNumbers = ["truncate": 0..<1, "truncatewords": 0..<1, "slice": 0..<2]

    /// The values that 'concat' adds as lists: an element becomes a list of one by a filter such as 'compact'.
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

    /// The finding about a filter in the text directly after an output.
    fileprivate func filterOutside(_ node: TemplateVisitor.Node) -> [Finding] {
        guard isWhole, case .output = node.syntax.kind, let next = node.following.first, case .text = next.kind,
            let (name, range) = Self.leadingFilter(next.range.offsets, of: bytes)
        else { return [] }
        return [Finding(.outside(name), at: place(of: range))]
    }

    /// The bar and filter with which a text begins; nil for a bar with a word that may be one of the text.
    private static func leadingFilter(_ range: Range<Int>, of bytes: [UInt8]) -> (name: String, range: SourceRange)? {
        let bar = bytes[range].drop { $0 == UInt8(ascii: " ") }
        guard bar.first == UInt8(ascii: "|") else { return nil }
        let word = bar.dropFirst().drop { $0 == UInt8(ascii: " ") }
        let letters = word.prefix { $0.isLowerLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        let name = String(decoding: letters, as: UTF8.self)
        var end = letters.endIndex
        guard environment.filterIndex(name) != nil else { return nil }
        let rest = bytes[end..<range.upperBound]
        if rest.first == UInt8(ascii: ":") {
            let value = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
            guard let first = value.first, first == 0x27 || first == 0x22 || first.isDigit else { return nil }
            let close = first.isDigit ? nil : value.dropFirst().firstIndex(of: first)
            end = (close ?? value.startIndex) + 1
        } else if !["upcase", "downcase", "capitalize"].contains(name), !name.contains("_") {
            return nil
        }
        return (name, SourceRange(bar.startIndex, end))
    }
}

extension FilterSyntax {
    /// Whether the filter makes a list of one of what is not a list.
    fileprivate var keepsElements: Bool {
        ["sort", "sort_natural", "reverse", "uniq", "compact"].contains(name) && arguments.isEmpty
    }

    /// Whether the filter needs a list.
    var needsList: Bool {
        [
            "join", "map", "where", "sort", "sort_natural", "reverse", "uniq", "compact", "concat", "sum",
        ].contains(name)
    }
}
