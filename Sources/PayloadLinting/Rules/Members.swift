// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func method(_ path: String, _ expected: String) -> RuleMessage {
        "'\(path)' is empty: Liquid calls no methods; expected \(expected)"
    }
    fileprivate static func index(_ key: String) -> RuleMessage {
        "'[\(key)]' of an object is empty, although a page of Braze shows it; expected the name of a member"
    }
    fileprivate static func letter(_ index: Int) -> RuleMessage {
        "'[\(index)]' of a text is empty; expected '| slice: \(index)' for a letter, or '| split:' before it"
    }
    fileprivate static func loop(_ key: String, near: String?) -> RuleMessage {
        "'forloop' has no '\(key)'\(didYouMean(near, else: "; it has " + loopMembers.joined(separator: ", ")))"
    }
    static let loopMembers = [
        "first", "last", "index", "index0", "rindex", "rindex0", "length", "parentloop", "name",
    ]
    fileprivate static let emptyDefault: RuleMessage =
        "'default' has no value, so a missing attribute prints nothing; expected a value after it: \"default: 'you'\""
    fileprivate static let secondDefault: RuleMessage =
        "this 'default' is never used: the 'default' before it already replaces a missing value; expected one of them"
    fileprivate static func present(_ filter: String) -> RuleMessage {
        "'\(filter)' never returns a missing value, so this 'default' is never used; expected it before '\(filter)'"
    }
    fileprivate static let replacedFalse: RuleMessage =
        "'default' replaces false as well, so the value is true for everybody; expected {% if … == false %}"
    fileprivate static func list(_ name: String, _ key: String) -> RuleMessage {
        "'\(name)' is the list of items, which has no '\(key)'; expected '\(name)[0].\(key)', or a loop"
    }
    fileprivate static func noMember(_ path: String, _ key: String) -> RuleMessage {
        "'\(path)' is empty: a list has only 'size', 'first' and 'last'; expected an element, such as '[0].\(key)', or a loop"
    }
    fileprivate static func useless(_ value: String) -> RuleMessage {
        "\(value) is never missing, so 'default' does nothing; expected '{{ ATTRIBUTE | default: \(value) }}'"
    }
}

extension Rule {
    /// The rules about members that do not exist, and defaults that are never used.
    static let members: [Rule] = [unknownMember, uselessDefault]

    private static let unknownMember = Rule(
        RuleID("unknown-member", .warning, "a member that values in Liquid do not have"),
        source: .usingLiquid,
        rationale: """
            Other languages call methods with a dot. Liquid applies filters: write '.size' or '| size' for '.length', \
            '| upcase' for '.upcase', and '== blank' for '.empty?'. A text has only the member 'size', and a list also \
            'first' and 'last'. The rule takes a value for a list if 'attributes' says so, if a filter makes one, if \
            the text reads an element by its index, or if a loop reads its elements as a whole. It is silent where the \
            member may be a key of an object.
            """,
        failing: [
            .title("{{ ${first_name}⟦.upcase⟧ }}"),
            .title("{{ ${first_name}⟦[0]⟧ }}"),
            .title("{% if custom_attribute.${cart}⟦.length⟧ > 3 %}Hi{% endif %}"),
            .title("{% for s in custom_attribute.${a} %}{{ forloop⟦.i⟧ }}{% endfor %}"),
            .title("{{ custom_attribute.${a}[0].name }} of {{ custom_attribute.${a}⟦.count⟧ }}"),
            .title("{{ custom_attribute.${a}⟦.name⟧ }}", ["a": .array]),
            .title("{{ custom_attribute.${a}.size⟦.eu⟧ }}", ["a": .array]),
        ],
        passing: [
            .title("{{ ${first_name} | upcase }}{{ custom_attribute.${cart}.size }}"),
            .title("{{ custom_attribute.${o}.count }}", ["o": .object]),
            .title("{% for s in custom_attribute.${a} %}{{ forloop.index }}{% endfor %}"),
            .title("{% catalog_items games g1 g2 %}{{ items[0].title }}"),
            .title("Size {{ api_trigger_properties.${details}.size.country }}"),
            .title("{% for p in custom_attribute.${cart} %}{{ p.size.eu }}{% endfor %}"),
        ],
        .texts(\.unknownMemberFindings)
    )

    private static let uselessDefault = Rule(
        RuleID("useless-default", .warning, "a default for a value that is never missing"),
        source: .defaultValues,
        rationale: """
            A text in quotes or a number is never missing, so the value and its default are probably swapped. A \
            'default' without a value prints nothing instead. A 'default' after another 'default', a calculation, \
            joined text or 'size' is never used. 'default: true' for a boolean also replaces false.
            """,
        failing: [
            .title("Hi {{ ⟦'you'⟧ | default: ${first_name} }}"),
            .title("Hi {{ ${first_name} | ⟦default⟧ }}"),
            .title("Hi {{ ${first_name} | default: 'you' | ⟦default⟧: 'friend' }}"),
            .title("Hi {{ ${first_name} | append: '!' | ⟦default⟧: 'you' }}"),
            .title("Hi{{ ${first_name} | prepend: ' ' | ⟦default⟧: ' you' }}"),
            .title("{{ 'now' | date: '%Y' | ⟦default⟧: 'soon' }}"),
            .title("{{ custom_attribute.${vip} | default: ⟦true⟧ }}", ["vip": .boolean]),
        ],
        passing: [
            .title("Hi {{ ${first_name} | default: 'you' | append: '!' }}"),
            .title("Hi {{ ${first_name} | upcase | default: 'YOU' }}{{ ${city} | default: '' }}"),
        ],
        .values { markup, text in
            if let finding = text.uselessDefaultFinding(markup) { return [finding] }
            guard let value = markup.expression, let filter = markup.filters.first, filter.name == "default" else {
                return []
            }
            if text.types.type(of: value) == .boolean, let given = filter.arguments.first?.value,
                case .bool(true)? = given.literal
            {
                return [Finding(.replacedFalse, at: text.place(of: given.range))]
            }
            switch value.literal {
            case .string(let text)?: if text.isEmpty { return [] }
            case .integer?, .float?: break
            default: return []
            }
            return [Finding(.useless(value.text), at: text.place(of: value.range))]
        }
    )
}

extension LintedText {
    /// The finding about a `default` without a value, or after a filter whose result is never missing.
    fileprivate func uselessDefaultFinding(_ markup: MarkupSyntax) -> Finding? {
        // The name of the filter whose result is never missing.
        var cause: String?
        if case .string(let text)? = markup.expression?.literal, !text.isEmpty, let first = markup.filters.first,
            first.name != "default"
        {
            cause = first.name
        }
        for filter in markup.filters {
            let argument = filter.arguments.first?.value
            let isText = if case .string(let text)? = argument?.literal { !text.isEmpty } else { false }
            switch filter.name {
            case "default":
                let place = place(of: filter.nameRange)
                guard let argument else { return Finding(.emptyDefault, at: place) }
                // A calculation gives 0 for a missing value, so a default of 0 after it does no harm.
                if let cause, cause == "size" || cause == "default" || argument.text != "0" {
                    return Finding(cause == "default" ? .secondDefault : .present(cause), at: place)
                }
                cause = isText ? "default" : nil
            // The result contains the added text, so a later default never applies: even white space is not empty here.
            case "append", "prepend": if isText { cause = filter.name }
            case "upcase", "downcase", "capitalize", "date", "time_zone": continue
            default: cause = filter.isCalculation || filter.name == "size" ? filter.name : nil
            }
        }
        return nil
    }

    /// Whether `items` is always the list of a catalog tag.
    var hasCatalogItems: Bool { fetchesItems && !analysis.bindings.contains { $0.name == "items" } }

    fileprivate var unknownMemberFindings: [Finding] {
        let lists = UsedLists(self)
        let hasItems = hasCatalogItems
        return parts.lookups.filter { !isIgnored($0.range) }.compactMap { lookup in
            let steps = lookup.steps
            for (index, step) in steps.enumerated() {
                guard case .index(let key) = step.kind, case .integer(let number)? = key.literal else { continue }
                switch types.type(of: lookup, without: index) {
                case .object?: return Finding(.index(key.text), at: place(of: step.range))
                case .text?: return Finding(.letter(number), at: place(of: step.range))
                default: continue
                }
            }
            if hasItems, case .name("items") = lookup.root, case .key(let key)? = steps.first?.kind,
                !["size", "first", "last"].contains(key)
            {
                return Finding(.list("items", key), at: place(of: lookup.range))
            }
            guard let last = steps.last, case .key(let key) = last.kind else { return nil }
            let place = place(of: lookup.range(of: key, last))
            if case .name("forloop") = lookup.root {
                guard steps.count == 1, !RuleMessage.loopMembers.contains(key) else { return nil }
                let near = key == "i" ? "index" : nearestName(to: key, in: RuleMessage.loopMembers)
                return Finding(.loop(key, near: near), at: place)
            }
            let text = lookup.text
            var owner = types.type(of: lookup, without: steps.count - 1)
            let whole = self.text(of: lookup, without: steps.count - 1)
            if owner == nil, lists.contain(whole) { owner = .list }
            if owner == nil, steps.count > 1, case .key("size") = steps[steps.count - 2].kind,
                lists.surelyContain(self.text(of: lookup, without: steps.count - 2))
            {
                owner = .integer
            }
            guard let expected = Self.method(key, owner) else {
                guard owner == .list, !["size", "first", "last"].contains(key),
                    types.type(of: lookup, without: steps.count - 1) == .list || lists.surelyContain(whole)
                else { return nil }
                return Finding(.noMember(text, key), at: place)
            }
            return Finding(.method(text, expected), at: place)
        }
    }

    /// What is expected instead of a method of another language, or of a member of a value that has none; nil for a key
    /// that may be a member of the value.
    private static func method(_ key: String, _ owner: StaticType?) -> String? {
        switch key {
        case "length": return owner == .object ? nil : "'.size'"
        // An object may have such a member, so only the use on a list or a text is reported.
        case "count", "len", "Count", "Length", "Size":
            return owner == .list || owner == .text ? "'.size'" : nil
        case "empty?", "isEmpty", "is_empty", "blank?", "nil?", "present?": return "'== blank'"
        case "size", "first", "last": return nil
        default: break
        }
        if let filter = ForeignNames.filters[key], key.contains(where: \.isUppercase) { return "'| \(filter)'" }
        let isFilter = ["upcase", "downcase", "capitalize", "strip", "split", "join", "reverse", "replace", "truncate"]
            .contains(key)
        if isFilter { return "'| \(key)'" }
        guard owner == .text || owner == .integer || owner == .decimal || owner == .boolean else { return nil }
        return "the value alone, without '.\(key)'"
    }
}

/// The values that a template uses as lists: it reads an element by its index, applies a filter for lists, or loops
/// over them.
private struct UsedLists {
    /// The values that are certainly lists, since only lists can be used as the template uses them.
    private var certain: Set<String> = []

    /// The values that are looped over, unless a loop uses the elements as pairs of key and value.
    private var looped: Set<String> = []

    init(_ text: LintedText) {
        let lookups = text.parts.lookups
        for lookup in lookups {
            for (index, step) in lookup.steps.enumerated() {
                switch step.kind {
                case .index(let key): guard case .integer? = key.literal else { continue }
                case .key("first"), .key("last"): break
                case .key, .attribute: continue
                }
                if let name = text.text(of: lookup, without: index) { certain.insert(name) }
            }
        }
        for markup in text.parts.values {
            guard let value = markup.expression, value.lookup != nil, let filter = markup.filters.first,
                filter.needsList
            else { continue }
            certain.insert(value.text)
        }
        // A loop over an object gives pairs of key and value, which are read by index.
        for tag in text.parts.tags where tag.name.text == "for" {
            guard let list = tag.expressions.first, list.lookup != nil, let element = tag.boundName,
                case let reads = lookups.filter({ $0.root.isName(element.text) }), !reads.isEmpty,
                !reads.contains(where: \.readsPart),
                !text.parts.values.contains(where: { $0.readsPart(of: element.text) })
            else { continue }
            looped.insert(list.text)
        }
    }

    /// Whether the value that is written as this text is used as a list.
    func contain(_ text: String?) -> Bool { text.map { certain.contains($0) || looped.contains($0) } ?? false }

    /// Whether the value that is written as this text is certainly a list.
    func surelyContain(_ text: String?) -> Bool { text.map(certain.contains) ?? false }
}

extension LintedText {
    /// A lookup as it is written, without the steps from the index `count` on; nil if only a root without a name is
    /// left.
    fileprivate func text(of lookup: LookupSyntax, without count: Int) -> String? {
        guard count > 0 else {
            switch lookup.root {
            case .name(let name): return name
            case .attribute(let name): return "${\(name)}"
            case .computed, .value, .nothing: return nil
            }
        }
        let end = Int(lookup.steps[count - 1].range.end)
        let start = Int(lookup.range.start)
        guard start < end, end <= bytes.count else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

extension LookupSyntax.Root {
    fileprivate func isName(_ name: String) -> Bool {
        if case .name(let own) = self { own == name } else { false }
    }
}

extension LookupSyntax {
    /// The range of a member, including the dot before it.
    func range(of key: String, _ step: Step) -> SourceRange {
        let end = Int(step.range.end)
        return SourceRange(max(Int(range.start), end - key.utf8.count - 1), end)
    }

    /// Whether the lookup reads the key or the value of a pair that a loop over an object gives.
    fileprivate var readsPart: Bool {
        switch steps.first?.kind {
        case .index?, .key("first")?, .key("last")?: true
        default: false
        }
    }
}

extension MarkupSyntax {
    /// Whether a filter reads the key or the value from a variable, as from a pair that a loop over an object gives.
    fileprivate func readsPart(of name: String) -> Bool {
        guard let lookup = expression?.lookup, lookup.root.isName(name), let filter = filters.first else {
            return false
        }
        return ["first", "last", "join", "slice"].contains(filter.name)
    }
}
