// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static let sameBranches: RuleMessage =
        "all branches print the same text, so the condition has no effect; expected different texts"
    fileprivate static func nothing(_ tag: String) -> RuleMessage {
        "'\(tag)' has no text and no tags inside, so it prints nothing; expected a text"
    }
    fileprivate static func blank(_ value: String) -> RuleMessage {
        "'\(value)' is blank here, as the condition says, so nothing is printed; expected it in the other branch"
    }
    fileprivate static func overwritten(_ name: String) -> RuleMessage {
        "'\(name)' is set again before anything reads it, so this value is never used"
    }
}

extension Rule {
    /// The rules about what branches print.
    static let branchTexts: [Rule] = [sameBranches, emptyBranches, blankInBranch, overwrittenAssign]

    private static let sameBranches = Rule(
        RuleDescription(
            RuleID("same-branches", .info, "a condition whose branches are all the same"),
            name: "Same branches",
            rationale: "One of the texts was probably copied and not changed. Silent without 'else'.",
            failing: [.campaign("push: {title: '⟦{% if ${city} %}⟧Hi{% else %}Hi{% endif %}'}")],
            passing: [.campaign("push: {title: '{% if ${city} %}Hi{% else %}Hello{% endif %}'}")]
        ),
        .campaign { campaign in
            campaign.templates.filter(\.isWhole).flatMap { text in
                text.tags.filter { text.hasSameBranches($0) }.map {
                    Finding(.sameBranches, at: text.place(of: $0.range))
                }
            }
        }
    )

    private static let emptyBranches = Rule(
        RuleDescription(
            RuleID("empty-branches", .info, "a condition or loop without anything inside"),
            name: "Empty branches",
            rationale: "The text is missing, or the tag is left over. Silent where a branch holds text or a tag.",
            failing: [.campaign("push: {title: 'Hi ⟦{% if ${city} %}⟧ {% endif %}'}")],
            passing: [.campaign("push: {title: 'Hi {% if ${city} %}{% else %}you{% endif %}'}")]
        ),
        .campaign { campaign in
            campaign.templates.filter(\.isWhole).flatMap { text in
                text.tags.filter { text.isEmpty($0) }.map {
                    Finding(.nothing($0.name.text), at: text.place(of: $0.range))
                }
            }
        }
    )

    private static let blankInBranch = Rule(
        RuleDescription(
            RuleID("blank-in-branch", .warning, "an attribute that is printed where a condition says that it is blank"),
            name: "Blank attribute in a branch",
            rationale: """
                The branches were probably swapped, or the condition should be negated. The same goes for what follows \
                a condition that aborts the message for all users who have the attribute. Silent for values with \
                'default', and for booleans.
                """,
            failing: [
                .campaign("push: {title: 'Hi {% if ${city} == blank %}{{ ⟦${city}⟧ }}{% else %}you{% endif %}'}"),
                .campaign(
                    "push: {title: \"{% if ${city} != blank %}{% abort_message('no city') %}{% endif %}Hi {{ ⟦${city}⟧ }}\"}"
                ),
            ],
            passing: [
                .campaign("push: {title: 'Hi {% if ${city} == blank %}you{% else %}{{ ${city} }}{% endif %}'}")
            ]
        ),
        .campaign { campaign in
            let types = campaign.campaign?.attributeTypes ?? [:]
            return campaign.templates.filter(\.isWhole).flatMap { $0.blankOutputs(types) }
        }
    )

    private static let overwrittenAssign = Rule(
        RuleDescription(
            RuleID("overwritten-assign", .info, "a variable that is set twice in a row"),
            name: "Overwritten variable",
            rationale: "The first value is never used. Silent where text or another tag is between the two.",
            failing: [.campaign("push: {title: \"{% assign ⟦g⟧ = 'Hi' %}{% assign g = 'Oi' %}{{ g }}\"}")],
            passing: [.campaign("push: {title: \"{% assign g = 'Hi' %}{% assign g = g | upcase %}{{ g }}\"}")]
        ),
        .campaign { campaign in campaign.templates.filter(\.isWhole).flatMap(\.overwrittenAssigns) }
    )
}

extension LintedText {
    /// The bytes of a branch of texts and outputs, without white space around them.
    private func written(_ block: BlockSyntax) -> ArraySlice<UInt8> {
        let nodes = block.nodes.map { $0 }
        guard let first = nodes.first, let last = nodes.last else { return [] }
        let text = bytes[Int(first.range.start)..<Int(last.range.end)]
        return text.drop { $0 <= 0x20 }.dropLast(text.reversed().prefix { $0 <= 0x20 }.count)
    }

    fileprivate func hasSameBranches(_ tag: TagSyntax) -> Bool {
        guard ["if", "unless", "case"].contains(tag.name.text), tag.alwaysTakesClause else { return false }
        let bodies = tag.clauses.map(\.body)
        // Only texts and outputs are compared.
        guard bodies.count > 1, bodies.allSatisfy({ $0.nodes.allSatisfy { $0.tag == nil } }) else { return false }
        let texts = bodies.map { Array(written($0)) }
        return !texts[0].isEmpty && texts.dropFirst().allSatisfy { $0 == texts[0] }
    }

    fileprivate func isEmpty(_ tag: TagSyntax) -> Bool {
        guard ["if", "unless", "for"].contains(tag.name.text) else { return false }
        return NodeSyntax(tag.cursor).blocks.allSatisfy { block in
            block.nodes.allSatisfy { node in
                guard case .text = node.kind else { return false }
                return bytes[node.range.offsets].allSatisfy { $0 <= 0x20 }
            }
        }
    }

    fileprivate var overwrittenAssigns: [Finding] {
        guard let template else { return [] }
        var found: [Finding] = []
        func add(_ block: BlockSyntax) {
            var earlier: (name: String, range: SourceRange)?
            for node in block.nodes {
                if case .text = node.kind, bytes[node.range.offsets].allSatisfy({ $0 <= 0x20 }) { continue }
                if let (name, value) = node.tag?.assignment {
                    if let earlier, earlier.name == name.text,
                        bytes[value.range.offsets].firstRange(ofBytes: name.text.utf8) == nil
                    {
                        found.append(Finding(.overwritten(name.text), at: place(of: earlier.range)))
                    }
                    earlier = (name.text, name.range)
                } else {
                    earlier = nil
                }
                for inner in node.blocks { add(inner) }
            }
        }
        add(template.root)
        return found
    }

    /// The most attributes of one condition that are followed.
    private static let mostNames = 32

    /// The outputs of attributes that the conditions around them say are blank.
    fileprivate func blankOutputs(_ types: [String: AttributeType]) -> [Finding] {
        guard let template else { return [] }
        var found: [Finding] = []
        func add(_ block: BlockSyntax, _ known: Set<String>) {
            var blank = known
            for node in block.nodes {
                if case .output(let markup) = node.kind, let value = markup.expression, let name = attribute(value),
                    blank.contains(name), !markup.filters.contains(where: { $0.name == "default" })
                {
                    found.append(Finding(.blank(LaxText.text(value)), at: place(of: value.range)))
                }
                guard let tag = node.tag else { continue }
                guard ["if", "unless"].contains(tag.name.text) else {
                    // A loop may be rendered several times, but attributes do not change.
                    for inner in node.blocks { add(inner, blank) }
                    continue
                }
                var earlier: Set<String> = []
                let clauses = Array(tag.clauses)
                for clause in clauses {
                    add(clause.body, blank.union(earlier).union(names(clause, blankWhen: true)))
                    if earlier.count < Self.mostNames { earlier.formUnion(names(clause, blankWhen: false)) }
                }
                if clauses.count == 1, Self.aborts(clauses[0].body) { blank.formUnion(earlier) }
            }
        }
        func attribute(_ expression: ExpressionSyntax) -> String? {
            guard let lookup = expression.lookup, let path = VariablePath(lookup), path.isStatic,
                let (namespace, name) = path.attribute
            else { return nil }
            return namespace == "custom_attribute" && types[name] == .boolean ? nil : path.description
        }
        /// The attributes that are blank where the condition of a branch holds, or does not.
        func names(_ clause: ClauseSyntax, blankWhen holds: Bool) -> [String] {
            let terms = Array(clause.terms)
            guard !clause.isOtherwise, terms.count == 1, let name = attribute(terms[0].left) else { return [] }
            let isTrue = holds != clause.isNegated
            guard let comparison = terms[0].comparison else { return isTrue ? [] : [name] }
            let isMissing =
                switch terms[0].right?.kind {
                case .blank?, .empty?: true
                case .literal(.null)?, .literal(.string(""))?: true
                default: false
                }
            guard isMissing else { return [] }
            switch comparison {
            case .equal: return isTrue ? [name] : []
            case .notEqual: return isTrue ? [] : [name]
            default: return []
            }
        }
        add(template.root, [])
        return found
    }

    private static func aborts(_ block: BlockSyntax) -> Bool {
        block.nodes.contains { $0.tag?.name.text == "abort_message" }
    }
}
