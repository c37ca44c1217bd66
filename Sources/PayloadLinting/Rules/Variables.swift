// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func not(before word: String) -> RuleMessage {
        "'not' is not a word of Liquid, so '\(word)' is read as an unknown operator, which makes the message fail; expected {% unless … %} or '== false'"
    }
    fileprivate static func zero(_ name: String) -> RuleMessage {
        "'\(name)' by 0 is a division by zero, which makes the message fail for every user who reaches it"
    }
    fileprivate static func unused(_ name: String, readBy field: String?) -> RuleMessage {
        let hint = field.map { "; '\($0)' reads a variable of that name, but every text has variables of its own" }
        return
            "nothing reads the variable '\(name)'\(hint ?? "; expected '{{ \(name) }}' in this text, or no such variable")"
    }
    fileprivate static let dynamicReason: RuleMessage =
        "the reason of 'abort_message' holds Liquid, expected a fixed text in quotes"
    fileprivate static func counter(_ tag: String, _ name: String) -> RuleMessage {
        "'\(tag)' counts on its own and does not change the variable '\(name)'; expected {% assign \(name) = \(name) | plus: 1 %}"
    }
}

extension Rule {
    /// The rules about variables, aborts and certain failures of templates.
    static let variables: [Rule] = [unusedAssign, dynamicAbortReason, renderError]

    private static let renderError = Rule(
        .renderError,
        source: .abortingMessages,
        rationale: """
            An operator that Liquid does not know, or a filter with too many or too few arguments, is an error for \
            every user for whom that part is rendered. Silent for parts that are never rendered, and for failures that \
            depend on the data, such as a division by a number that is 0 for some.
            """,
        failing: [
            .title("{% if ${city} ⟦=⟧ 'Oslo' %}Hei{% endif %}"),
            .title("{{ ${first_name} | ⟦append⟧ '!' }}"),
            .title("{% if ⟦not⟧ custom_attribute.${vip} %}Hi{% endif %}"),
            .title("{% assign z = '0' %}{{ custom_attribute.${n} | ⟦divided_by⟧: z }}"),
        ],
        passing: [
            .title("{% if ${city} == 'Oslo' %}Hei{% endif %}"),
            .campaign(
                "push: {title: \"{% assign z = 0 %}{% if ${city} %}{% assign z = 2 %}{% endif %}{{ 5 | divided_by: z }}\"}"
            ),
            .title("{{ ${first_name} | append: '!' }}"),
        ],
        .texts { text in
            let certain = (text.template?.certainErrors ?? []).compactMap { error -> Finding? in
                guard let range = error.range, !text.unreachable.covers(range) else { return nil }
                if error.topic == .unknownOperator { return text.finding(aboutOperator: range) }
                let hint = error.message.holds("argument") ? text.argumentHint(range) : ""
                return Finding(RuleMessage(error.message + hint), at: text.place(of: range))
            }
            let byZero = text.divisions.compactMap { filter, divisor -> Finding? in
                switch text.assigned.literal(divisor)?.literal {
                case .integer(0)?, .string("0")?: Finding(.zero(filter.name), at: text.place(of: filter.range))
                default: nil
                }
            }
            return certain + byZero
        }
    )

    private static let unusedAssign = Rule(
        RuleID("unused-assign", .warning, "a variable that nothing reads"),
        source: .usingLiquid,
        rationale: """
            It is a leftover, or its name is misspelt where it should be read. Every text of a campaign is a template \
            of its own, so a variable of the body is not there in the title. Silent where a content block, a computed \
            name or a tag such as connected_content follows, which may read any variable.
            """,
        failing: [
            .title("Hi {% assign ⟦name⟧ = ${first_name} %}"),
            .campaign("push: {title: 'Hi {% capture ⟦name⟧ %}you{% endcapture %}', body: '{{ name }}'}"),
        ],
        passing: [
            .title("Hi {% assign name = ${first_name} %}{{ name }}"),
            .title("Hi {% assign name = ${first_name} %}{{ content_blocks.${greeting} }}"),
        ],
        .campaign { campaign in
            let readers = campaign.readers
            return campaign.texts.filter(\.isWhole).flatMap { text in
                text.analysis.unusedBindings.map { binding in
                    Finding(
                        .unused(binding.name, readBy: readers[binding.name]),
                        at: text.place(of: binding.nameRange)
                    )
                }
            }
        }
    )

    private static let dynamicAbortReason = Rule(
        .dynamicAbortReason,
        source: .abortingMessages,
        rationale: """
            Braze accepts a quoted text without Liquid. With a variable as the reason, the whole template cannot be \
            read; braces inside of the quotes show as they are written in Braze's log.
            """,
        failing: [
            .title("Hi {% abort_message(⟦why⟧) %}"),
            .title("Hi {% abort_message(⟦\"no {{ ${first_name} }}\"⟧) %}"),
        ],
        passing: [.title("Hi {% abort_message(\"no name\") %}{% abort_message %}")],
        .reading,
        .tags("abort_message") { tag, text in
            guard let reason = tag.arguments.first?.range, text.holdsLiquid(reason) else { return [] }
            return [Finding(.dynamicReason, at: text.place(of: reason))]
        }
    )

    static let separateCounter = Rule(
        RuleID("separate-counter", .warning, "a counter with the name of a variable", set: .strict),
        source: "https://shopify.dev/docs/api/liquid/tags/increment",
        rationale: "'increment' and 'decrement' count from 0 in separate counters, which 'assign' does not change.",
        failing: [.title("{% assign c = 5 %}⟦{% increment c %}⟧{{ c }}")],
        passing: [.title("{% assign c = 5 %}{% increment d %}{{ c }}")],
        .texts { text in
            let assigned = Set(text.analysis.bindings.filter { $0.kind == .assign }.map(\.name))
            return text.parts.tags.compactMap { tag in
                guard ["increment", "decrement"].contains(tag.name.text), let name = tag.boundName?.text,
                    assigned.contains(name)
                else { return nil }
                return Finding(.counter(tag.name.text, name), at: text.place(of: tag.range))
            }
        }
    )
}

extension LintedCampaign {
    /// For each variable, a field that reads it without setting it.
    fileprivate var readers: [String: String] {
        var readers: [String: String] = [:]
        for text in texts {
            for read in text.analysis.reads where read.mayReadData {
                if case .name(let name) = read.path.root, readers[name] == nil { readers[name] = text.source.field }
            }
        }
        return readers
    }
}

extension LintedText {
    /// The finding about an unknown operator, or about the 'not' before it.
    fileprivate func finding(aboutOperator range: SourceRange) -> Finding {
        let word = String(decoding: bytes[range.offsets], as: UTF8.self)
        if let not = not(before: Int(range.start)) { return Finding(.not(before: word), at: place(of: not)) }
        let message = RenderMessages.unknownOperator(word, before: self.word(after: Int(range.end)))
        return Finding(RuleMessage(message), at: place(of: range))
    }

    /// What is probably meant by a filter with too many or too few arguments; empty where that is not known.
    fileprivate func argumentHint(_ filter: SourceRange) -> String {
        let name = bytes[Int(filter.start)...].prefix(while: \.isWordByte)
        let rest = bytes[name.endIndex...]
        if rest.first == UInt8(ascii: "(") { return "; expected a colon before the arguments, without parentheses" }
        let next = rest.drop { $0 == UInt8(ascii: " ") }
        guard let sign = next.first else { return "" }
        if sign.isDigit || "'\"".utf8.contains(sign) {
            return "; expected a colon before the argument: '\(String(decoding: name, as: UTF8.self)): …'"
        }
        guard sign == UInt8(ascii: ":") else { return "" }
        let value = next.dropFirst().drop { $0 == UInt8(ascii: " ") }
        let whole = value.prefix(while: \.isDigit)
        let after = value.dropFirst(whole.count)
        let fraction = after.dropFirst().prefix(while: \.isDigit)
        guard !whole.isEmpty, after.first == UInt8(ascii: ","), !fraction.isEmpty else { return "" }
        let (head, tail) = (String(decoding: whole, as: UTF8.self), String(decoding: fraction, as: UTF8.self))
        return fraction.count == 3
            ? "; expected a number without separators: \(head)\(tail)" : "; expected a decimal point: \(head).\(tail)"
    }

    /// The word after a place; empty for none.
    fileprivate func word(after place: Int) -> String {
        let rest = bytes[min(place, bytes.count)...].drop { $0 == UInt8(ascii: " ") }
        return String(decoding: rest.prefix(while: \.isLowerLetter), as: UTF8.self)
    }

    /// The word 'not' directly before a place.
    fileprivate func not(before place: Int) -> SourceRange? {
        var end = place
        while end > 0, bytes[end - 1] <= 0x20 { end -= 1 }
        let start = end - 3
        guard start > 0, end < place, bytes[start..<end].elementsEqual("not".utf8), bytes[start - 1] <= 0x20 else {
            return nil
        }
        return SourceRange(start, end)
    }
}

extension LintedText {
    /// Whether a range of the text contains the start of Liquid.
    fileprivate func holdsLiquid(_ range: SourceRange) -> Bool {
        ["{{", "{%", "${"].contains { bytes[range.offsets].firstRange(ofBytes: $0.utf8) != nil }
    }
}
