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
}

extension Rule {
    static let filterInput = Rule(
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
