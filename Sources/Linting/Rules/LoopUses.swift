// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func text(_ value: String) -> RuleMessage {
        "\(value) is a text, which a loop takes as one element; expected a list, such as that of '| split: ','' before the loop"
    }
    fileprivate static func noList(_ value: String, _ type: StaticType) -> RuleMessage {
        let hint = type.isNumber ? ", or a range such as (1..\(value))" : ""
        return "\(value) is \(type.rawValue), so the loop has no elements; expected a list\(hint)"
    }
    fileprivate static func backwards(_ lower: Int, _ upper: Int) -> RuleMessage {
        "the range (\(lower)..\(upper)) is empty, so the loop has no elements; expected (\(upper)..\(lower)), and 'reversed' to count down"
    }
    fileprivate static func notNumber(_ option: String, _ value: String) -> RuleMessage {
        "'\(option)' is the text \(value), so the message fails; expected a whole number"
    }
    fileprivate static func negative(_ option: String, _ value: String) -> RuleMessage {
        "'\(option)' is \(value), so the loop has no elements; expected 1 or more"
    }
    fileprivate static func wholeList(_ read: String, _ list: String, _ element: String) -> RuleMessage {
        "'\(read)' reads the list rather than the element, and prints nothing; expected '\(element)\(read.dropFirst(list.count))'"
    }
}

extension Rule {
    static let loopUse = Rule(
        RuleDescription(
            RuleID("loop-use", .warning, "a loop over something that is not a list, or that does not use its elements"),
            name: "Use of a loop",
            rationale: """
                A loop over a text renders once with the whole text; a loop over a number renders nothing. A text as \
                'limit' or 'offset' fails, which is an error. If the loop reads a member of the list and never the \
                element, the list's name was probably written in place of the element's. Silent where the type of the \
                value is not known, and for objects, whose elements are pairs.
                """,
            failing: [
                .campaign("push: {title: \"{% assign l = 'a,b' %}{% for s in ⟦l⟧ %}{{ s }} {% endfor %}\"}"),
                .campaign("push: {title: \"{% for i in ⟦3⟧ %}{{ i }}{% endfor %}\"}"),
                .campaign("push: {title: '{% for i in ⟦(5..1)⟧ %}{{ i }}{% endfor %}'}"),
                .campaign("push: {title: \"{% for s in custom_attribute.${s} limit: ⟦'two'⟧ %}{{ s }}{% endfor %}\"}"),
                .campaign(
                    "push: {title: \"{% assign l = custom_attribute.${l} %}{% for s in l %}{{ ⟦l.title⟧ }}{% endfor %}\"}"
                ),
                .campaign(
                    "push: {title: '{% for s in custom_attribute.${l} %}{{ ⟦custom_attribute.${l}.title⟧ }}{% endfor %}'}"
                ),
            ],
            passing: [
                .campaign(
                    "push: {title: \"{% assign l = 'a,b' | split: ',' %}{% for s in l limit: 2 %}{{ s }} {% endfor %}\"}"
                ),
                .campaign("push: {title: \"{% for i in (1..3) %}{{ i }}{% endfor %}\"}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text -> [Finding] in
                guard let template = text.template else { return [] }
                let types = ValueTypes(template, attributes: campaign.campaign?.attributeTypes ?? [:])
                return text.loopFindings(template, types)
            }
        }
    )
}

extension LintedText {
    fileprivate func loopFindings(_ template: Template, _ types: ValueTypes) -> [Finding] {
        let ignored = Intervals(self.ignored.map(\.markup))
        let source = template.source.bytes
        return TemplateMarkup.all(in: template).flatMap { markup -> [Finding] in
            guard case .loop(let collection?) = markup.reading, !ignored.overlaps(markup.range) else { return [] }
            var found = [collectionFinding(collection, types)].compactMap(\.self)
            let tokens = markup.tokens
            for (index, token) in tokens.enumerated() where token.kind == .word && index + 2 < tokens.count {
                let option = String(decoding: source[token.range], as: UTF8.self)
                guard ["limit", "offset"].contains(option), tokens[index + 1].kind == .colon else { continue }
                let value = String(decoding: source[tokens[index + 2].range], as: UTF8.self)
                let place = place(of: SourceRange(tokens[index + 2].range))
                if tokens[index + 2].kind == .string, Int(value.dropFirst().dropLast()) == nil {
                    found.append(Finding(.notNumber(option, value), at: place, severity: .error))
                } else if option == "limit", tokens[index + 2].kind == .number, value.hasPrefix("-") || Int(value) == 0
                {
                    found.append(Finding(.negative(option, value), at: place))
                }
            }
            return found
        } + readsOfWholeLists(template.root)
    }

    private func collectionFinding(_ collection: ExpressionSyntax, _ types: ValueTypes) -> Finding? {
        if case .range(let range)? = collection.literal, range.lower > range.upper {
            return Finding(.backwards(range.lower, range.upper), at: place(of: collection.range))
        }
        guard let type = types.type(of: collection) else { return nil }
        let value = LaxText.text(collection)
        switch type {
        case .list, .object: return nil
        case .text:
            if case .string("")? = collection.literal { return nil }
            return Finding(.text(value), at: place(of: collection.range))
        case .integer, .decimal, .boolean, .time:
            return Finding(.noList(value, type), at: place(of: collection.range))
        }
    }

    /// The reads of a member of the list in loops that never read their element.
    private func readsOfWholeLists(_ root: BlockSyntax) -> [Finding] {
        guard isWhole, analysis.partials.isEmpty, !analysis.readsAnyVariable else { return [] }
        var found: [Finding] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if let tag = node.tag, tag.name.text == "for", let finding = readOfWholeList(tag) {
                    found.append(finding)
                    continue
                }
                for inner in node.blocks { add(inner) }
            }
        }
        add(root)
        return found
    }

    private func readOfWholeList(_ tag: TagSyntax) -> Finding? {
        guard let element = tag.boundName?.text, let body = tag.blocks.first,
            let collection = NodeSyntax(tag.cursor).expressions.first, collection.lookup != nil
        else { return nil }
        let list = LaxText.text(collection)
        guard list != element else { return nil }
        let start = Int(tag.range.end)
        let end = body.nodes.reduce(start) { max($0, Int($1.range.end)) }
        let reads = analysis.reads.filter { (start..<end).contains(Int($0.range.start)) }
        if reads.contains(where: { if case .name(element) = $0.path.root { true } else { false } }) { return nil }
        for read in reads {
            let text = read.path.description
            guard text.hasPrefix(list) else { continue }
            let rest = text.dropFirst(list.count)
            guard rest.hasPrefix("."),
                !["size", "first", "last"].contains(String(rest.dropFirst().prefix { $0 != "." && $0 != "[" }))
            else { continue }
            return Finding(.wholeList(text, list, element), at: place(of: read.range))
        }
        return nil
    }
}
