// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unknownFilter(_ name: String, instead meant: String) -> RuleMessage {
        "unknown filter '\(name)', expected '\(meant)'"
    }
    fileprivate static func unknownFilter(_ name: String, near: String?) -> RuleMessage {
        "unknown filter '\(name)'\(didYouMean(near))"
    }
    fileprivate static func unsupportedFilter(_ name: String, instead: String?) -> RuleMessage {
        "Braze does not support the filter '\(name)'\(instead.map { ", expected '\($0)'" } ?? "")"
    }
    fileprivate static func unknownAttribute(_ name: String, near: String?) -> RuleMessage {
        let hint = didYouMean(
            near.map { "${\($0)}" }, else: "; a custom attribute is written 'custom_attribute.${\(name)}'")
        return """
            unknown attribute '${\(name)}'\(hint)
            """
    }
    fileprivate static func unknownMember(
        _ name: String,
        of namespace: String,
        near: String?,
        known: [String]
    ) -> RuleMessage {
        let hint = didYouMean(near, else: ", expected one of \(known.joined(separator: ", "))")
        return "unknown attribute '\(name)' of '\(namespace)'\(hint)"
    }
    fileprivate static func otherChannel(_ namespace: String, _ channel: String) -> RuleMessage {
        "'\(namespace)' is the namespace of \(channel), so its attributes are missing in a push"
    }
    fileprivate static func onlyInEmail(_ name: String) -> RuleMessage {
        "'${\(name)}' is for emails only, so it is missing in a push"
    }
    fileprivate static func unknownNamespace(_ name: String, near: String?) -> RuleMessage {
        "unknown namespace '\(name)'\(didYouMean(near, else: ", which has no attributes"))"
    }
    fileprivate static func noName(_ path: String, _ example: String) -> RuleMessage {
        "'\(path)' has no name, expected one such as '\(example)'"
    }
    fileprivate static let secondName: RuleMessage =
        "only the name of the attribute is in '${…}'; expected the path into its value without '${}', such as '.name' or '[0]'"
    fileprivate static func oddName(_ name: String, _ what: String, _ meant: String) -> RuleMessage {
        "'\(name)' is read as one name, which is missing for every user; expected \(what): '\(meant)'"
    }
    fileprivate static func bare(_ attribute: String) -> RuleMessage {
        "'\(attribute)' is in the text without braces, expected '{{ \(attribute) }}'"
    }
}

extension Rule {
    /// The rules about the names of filters and attributes.
    static let liquidNames: [Rule] = [unknownFilter, unsupportedFilter, unknownAttribute, bareAttribute]

    private static let unknownFilter = Rule(
        .unknownFilter,
        source: .brazeFilters,
        rationale: "Such a filter does nothing: users read the value unchanged.",
        fix: "writes the filter that is probably meant",
        failing: [.title("Hi {{ ${first_name} | ⟦upcas⟧ }}", fixed: "Hi {{ ${first_name} | upcase }}")],
        passing: [.title("Hi {{ ${first_name} | upcase }}")],
        .campaign { campaign in
            var suggestions = Suggestions()
            return campaign.templates.flatMap { text in
                text.analysis.unknownFilters.filter { !BrazeFilters.unsupported.contains($0.name) }.map { filter in
                    let place = text.place(of: filter.range)
                    if let meant = ForeignNames.filter(filter.name) {
                        return Finding(.unknownFilter(filter.name, instead: meant), at: place)
                    }
                    let names =
                        filter.name.contains(where: \.isLetter) ? LintedText.environment.filters.map(\.name) : []
                    let near = suggestions.nearest(to: filter.name, in: names)
                    return Finding(
                        .unknownFilter(filter.name, near: near), at: place, fixes: text.renaming(filter.range, to: near)
                    )
                }
            }
        }
    )

    private static let unsupportedFilter = Rule(
        RuleID("unsupported-filter", .warning, "a filter of Liquid that Braze does not support"),
        source: .brazeFilters,
        rationale: """
            Braze's documentation lists these filters as unsupported. Those of standard Liquid may work today, but \
            Braze does not guarantee it. The others pass their value through unchanged. The rule is silent for filters \
            that the list does not name.
            """,
        failing: [.title("Hi {{ ${first_name} | ⟦lstrip⟧ }}")],
        passing: [.title("Hi {{ ${first_name} | strip }}")],
        .texts { text in
            let instead = [
                "lstrip": "strip", "rstrip": "strip", "money_with_currency": "money",
                "money_without_currency": "money", "money_without_trailing_zeros": "money",
            ]
            return text.analysis.filters.filter { BrazeFilters.unsupported.contains($0.name) }.map {
                Finding(.unsupportedFilter($0.name, instead: instead[$0.name]), at: text.place(of: $0.range))
            }
        }
    )

    private static let unknownAttribute = Rule(
        RuleID("unknown-attribute", .warning, "an attribute or namespace that Braze does not have"),
        source: .personalizationTags,
        rationale: """
            Such an attribute is missing for every user, and so are attributes that only other channels have. The rule \
            knows the default attributes and those of a campaign, Canvas, card, app, device, SMS or WhatsApp message. \
            Only the name of an attribute is in '${…}'; the keys of a nested value come after it, with dots. A filter, \
            a comparison or quotes between the braces become a part of the name. The rule is silent for names that you \
            choose, such as custom attributes, properties of events, triggers and Canvases, and subscription groups. \
            It is also silent where a template sets a variable of that name.
            """,
        fix: "writes the attribute or namespace that is probably meant",
        failing: [
            .title("Hi {{ ${⟦frist_name⟧} }}", fixed: "Hi {{ ${first_name} }}"),
            .campaign("push: {title: 'Hi', body: '{% if ${⟦favorite⟧} %}you{% endif %}'}"),
            .title("Hi {{ most_recently_used_device.${⟦modell⟧} }}"),
            .title("Hi {{ subscribed_state.${⟦email⟧} }}"),
            .title("Hi {{ ⟦custom_attributes⟧.${pet} }}"),
            .title("Hi {{ custom_attribute.${⟦pet | default: 'x'⟧} }}"),
            .title("Hi {{ event_properties.${⟦'pet'⟧} }}"),
            .title("Hi {{ ${⟦custom_attribute.pet⟧} }}"),
            .title("Hi {{ ⟦event_properties.${pet}.${name}⟧ }}"),
            .title("From {{ ⟦card.${name}⟧ }}"),
            .campaign(
                "push: {title: '{% if ⟦app.${name}⟧ %}Hi{% endif %}', body: '{{ ⟦sms.${inbound_message_body}⟧ }}'}"),
            .title("{{ ⟦${set_user_to_unsubscribed_url}⟧ }}"),
        ],
        passing: [
            .title("Hi {{ ${first_name} }}, {{ custom_attribute.${frist_name} }}"),
            .title("{% assign pet = custom_attribute.${pet} %}{{ pet.${name} }}"),
            .title("Hi {{ event_properties.${pet}.name }}"),
            .title("{{ custom_attribute.${Ann's pet | dog} }}{{ event_properties.${a['b']} }}"),
        ],
        .campaign { campaign in
            var suggestions = Suggestions()
            let isInApp = if case .scenario = campaign.kind { true } else { false }
            return campaign.templates.flatMap { $0.unknownAttributeFindings(&suggestions, isInApp: isInApp) }
        }
    )

    private static let bareAttribute = Rule(
        RuleID("bare-attribute", .warning, "an attribute in the text without braces around it"),
        source: .usingLiquid,
        rationale: """
            Braze's pages contradict each other: some show that '${first_name}' alone is replaced, others ask for \
            double braces. payloadgen replaces it. The rule is silent inside of tags and outputs, where both ways are \
            right.
            """,
        failing: [.title("Hi ⟦${first_name}⟧"), .title("Hi ⟦custom_attribute.${pet}⟧")],
        passing: [.title("Hi {{ ${first_name} }}, {% if ${city} %}you{% endif %}")],
        .texts { text in
            text.bareAttributes.map { range in
                Finding(.bare(String(decoding: text.bytes[range.offsets], as: UTF8.self)), at: text.place(of: range))
            }
        }
    )
}

extension LintedText {
    /// Attributes for emails only.
    private static let emailAttributes = [
        "set_user_to_unsubscribed_url", "set_user_to_subscribed_url", "set_user_to_opted_in_url",
        "set_user_to_one_click_list_unsubscribe", "unsubscribe_url", "email_footer",
    ]

    /// The only channel that has the attributes of a namespace, by namespace.
    private static let channels = [
        "card": "Content Cards", "app": "in-app messages", "sms": "SMS messages", "whats_app": "WhatsApp messages",
    ]

    /// The message about an attribute that exists only in another channel; nil for every other attribute.
    private static func otherChannel(_ namespace: String?, _ name: String, _ isInApp: Bool) -> RuleMessage? {
        guard let namespace else { return emailAttributes.contains(name) ? .onlyInEmail(name) : nil }
        if namespace == "app", isInApp { return nil }
        return channels[namespace].map { .otherChannel(namespace, $0) }
    }

    /// The names in each namespace with a fixed set of names; attributes without a namespace are under "".
    private static let knownNames: [String: [String]] = {
        let tables = Dictionary(grouping: AttributeTable.all) { $0.namespace ?? "" }
        var names = tables.filter { !$0.value.contains { $0.name == nil } }.mapValues { $0.compactMap(\.name) }
        names["", default: []] += emailAttributes + ["preference_center_url"]
        return names
    }()

    /// The fixed names in each namespace that allows any other names as well.
    private static let fixedNames: [String: [String]] =
        Dictionary(grouping: AttributeTable.all.filter { $0.namespace != nil }) { $0.namespace ?? "" }
        .filter { $0.value.contains { $0.name == nil } }.mapValues { $0.compactMap(\.name) }.filter {
            !$0.value.isEmpty
        }

    private func misspeltFixedName(
        _ name: String,
        of namespace: String,
        _ fixed: [String],
        at range: SourceRange,
        _ suggestions: inout Suggestions
    ) -> Finding? {
        guard !fixed.contains(name),
            let near = suggestions.nearest(to: name, in: fixed)
                ?? (namespace == "subscribed_state" ? Self.meantState(name, fixed) : nil)
        else { return nil }
        let range = nameRange(of: name, in: range)
        return Finding(
            .unknownMember(name, of: namespace, near: near, known: fixed), at: place(of: range),
            fixes: renaming(range, to: near))
    }

    /// The state of subscription that a name without digits probably means; nil for other names, such as the id of a
    /// group, which has digits.
    private static func meantState(_ name: String, _ fixed: [String]) -> String? {
        let words = name.lowercased().split { !$0.isLetter }
        guard !name.contains(where: \.isNumber) else { return nil }
        return words.contains { ["email", "mail", "global"].contains($0) } ? fixed.first : nil
    }

    /// The findings about attributes and namespaces that Braze does not have, or that do not exist in this channel.
    ///
    /// - Parameters:
    ///   - suggestions: finds the most similar names.
    ///   - isInApp: whether the text is one of an in-app message.
    /// - Returns: the findings.
    fileprivate func unknownAttributeFindings(_ suggestions: inout Suggestions, isInApp: Bool) -> [Finding] {
        let bound = Set(analysis.bindings.map(\.name))
        return analysis.reads.compactMap { read in
            // The parser does not recognise the namespace before a bare attribute. In 'not NAMESPACE.${…}', it reads
            // the namespace as an operator.
            guard let (namespace, name) = read.path.attribute, !bound.contains(namespace ?? name),
                !isAfterNamespace(read.range)
            else { return nil }
            if let message = Self.objection(to: name, of: namespace) {
                let range = name.isEmpty ? read.range : nameRange(of: name, in: read.range)
                return Finding(message, at: place(of: range))
            }
            if let namespace, !BrazeNamespace.names.contains(namespace) {
                return unknownNamespace(namespace, at: read.range, &suggestions)
            }
            if let message = Self.secondName(in: read.path) { return Finding(message, at: place(of: read.range)) }
            // A content block may be used in other channels as well.
            if !source.field.hasPrefix("content_blocks."), let message = Self.otherChannel(namespace, name, isInApp) {
                return Finding(message, at: place(of: read.range))
            }
            let known = Self.knownNames[namespace ?? ""] ?? []
            if let namespace, let fixed = Self.fixedNames[namespace] {
                return misspeltFixedName(name, of: namespace, fixed, at: read.range, &suggestions)
            }
            // The text between the braces may be a name with a path.
            let first = String(name.prefix { $0 != "." && $0 != "[" })
            guard !known.isEmpty, !known.contains(where: { $0.utf8.elementsEqual(first.utf8) }) else { return nil }
            let near =
                (namespace == nil ? ForeignNames.attribute(first) : nil) ?? suggestions.nearest(to: first, in: known)
            let range = nameRange(of: first, in: read.range)
            return Finding(
                namespace.map { .unknownMember(first, of: $0, near: near, known: known) }
                    ?? .unknownAttribute(first, near: near),
                at: place(of: range),
                fixes: renaming(range, to: near)
            )
        }
    }

    /// The message about braces without a name or with more than a name; nil if their content may be a name.
    private static func objection(to name: String, of namespace: String?) -> RuleMessage? {
        let path = namespace.map { "\($0)." } ?? ""
        guard let first = name.first(where: { !$0.isWhitespace }) else {
            return .noName("\(path)${}", "\(path)${plan}")
        }
        if "'\"“‘".contains(first), name.count > 2 {
            let inner = name.filter { !"'\"“”‘’".contains($0) }
            guard inner.allSatisfy(\.isNamePart) else { return nil }
            return .oddName(name, "the name without quotes", "\(path)${\(inner)}")
        }
        if first == "{" || first == "$" {
            return .oddName(name, "one brace on each side", "\(path)${\(name.filter(\.isNamePart))}")
        }
        // The part before a bar or an operator is the name; the rest belongs after the braces.
        func moved(_ mark: String, _ what: String) -> RuleMessage? {
            let found = name.parts(between: mark)
            guard let start = found.first, found.count > 1 else { return nil }
            let parts = [start, found.dropFirst().joined(separator: mark)].map { part in
                part.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            return .oddName(name, "\(what) after the brace", "\(path)${\(parts[0])} \(mark) \(parts[1])")
        }
        if let bar = name.firstIndex(of: "|") {
            let rest = name[bar...].dropFirst().drop(while: \.isWhitespace)
            let filter = rest.prefix(while: \.isNamePart)
            let follows = rest.dropFirst(filter.count).first { !$0.isWhitespace }
            let isFilter = environment.filterIndex(String(filter)) != nil
            return isFilter && (follows.map { $0 == ":" || $0 == "|" } ?? true) ? moved("|", "the filter") : nil
        }
        for mark in ["==", "!=", ">=", "<="] where name.holds(mark) { return moved(mark, "the comparison") }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if namespace == nil, parts.count == 2, BrazeNamespace.names.contains(parts[0]) {
            return .oddName(name, "the namespace before the '$'", "\(parts[0]).${\(parts[1])}")
        }
        return nil
    }

    /// The message about a path with a second `${…}` after its attribute; nil if only the attribute has one.
    ///
    /// Braze's pages write the path into a value with plain keys. Paths of content blocks are not checked.
    private static func secondName(in path: VariablePath) -> RuleMessage? {
        guard path.attribute?.namespace != "content_blocks" else { return nil }
        let rest = path.segments.dropFirst(path.root.isName ? 1 : 0)
        if rest.contains(.attribute("")) {
            return .noName("\(path)", "\(path)".parts(between: "${}").joined(separator: "plan"))
        }
        return rest.contains { if case .attribute = $0 { true } else { false } } ? .secondName : nil
    }

    /// The finding about an unknown word before `.${name}`.
    ///
    /// If the text may read any variable, only a word that is similar to a namespace is reported.
    private func unknownNamespace(
        _ name: String,
        at range: SourceRange,
        _ suggestions: inout Suggestions
    ) -> Finding? {
        let near =
            ForeignNames.namespace(name) ?? suggestions.nearest(to: name, in: BrazeNamespace.names.sorted())
        guard near != nil || !analysis.readsAnyVariable else { return nil }
        let word = SourceRange(start: range.start, end: range.start + UInt32(name.utf8.count))
        return Finding(.unknownNamespace(name, near: near), at: place(of: word), fixes: renaming(word, to: near))
    }

    /// The ranges of attributes in the text without braces, each with the namespace before it.
    ///
    /// Attributes in an output that is not closed are included.
    private var allBareAttributes: [SourceRange] {
        analysis.outputs.compactMap { output in
            // An output with braces begins before its markup.
            guard output.range == output.output.range, case .lookup(let lookup)? = output.output.expression?.kind,
                case .attribute = lookup.root
            else { return nil }
            return SourceRange(start: start(ofBare: output.range), end: output.range.end)
        }
    }

    /// The ranges of attributes in the text without braces, except those in an output that is not closed.
    fileprivate var bareAttributes: [SourceRange] { allBareAttributes.filter { !isInOpenOutput($0.start) } }

    /// Whether a place is in an output that is not closed, which is reported separately.
    private func isInOpenOutput(_ place: UInt32) -> Bool {
        guard !isWhole else { return false }
        // Outputs are short, so only a short part is searched: a text with many attributes is not read again for each
        // of them.
        let before = bytes[..<Int(place)].suffix(1_000)
        let mark = before.indices.dropLast().last { before[$0] == before[$0 + 1] && "{}".utf8.contains(before[$0]) }
        return mark.map { before[$0] == UInt8(ascii: "{") } ?? false
    }

    /// Whether a namespace is directly before an attribute that the parser reads without it.
    private func isAfterNamespace(_ attribute: SourceRange) -> Bool {
        let dot = bytes[attribute.offsets].first == UInt8(ascii: ".") ? 1 : 0
        let start = attribute.start + UInt32(dot)
        return self.start(ofBare: SourceRange(start: start, end: attribute.end)) < start
    }

    /// The start of an attribute without braces, including its namespace.
    private func start(ofBare range: SourceRange) -> UInt32 {
        let before = bytes[..<Int(range.start)]
        guard before.last == UInt8(ascii: ".") else { return range.start }
        let word = before.dropLast().reversed().prefix { $0.isLowerLetter || $0 == UInt8(ascii: "_") }
        let namespace = String(decoding: word.reversed(), as: UTF8.self)
        return BrazeNamespace.names.contains(namespace) ? range.start - UInt32(namespace.utf8.count + 1) : range.start
    }

    /// The range of the name in the first `${…}` of a range; the whole range if the name is not found.
    func nameRange(of name: String, in range: SourceRange) -> SourceRange {
        guard let open = bytes[range.offsets].firstRange(ofBytes: "${".utf8),
            let found = bytes[open.upperBound..<Int(range.end)].firstRange(ofBytes: name.utf8)
        else { return range }
        return SourceRange(found)
    }
}

extension VariablePath.Root {
    fileprivate var isName: Bool {
        if case .name = self { true } else { false }
    }
}

extension Character {
    /// Whether the character may be part of a name as Braze's pages write names.
    fileprivate var isNamePart: Bool { isLetter || isNumber || self == "_" || self == "." }
}
