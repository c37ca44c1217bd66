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
        "the reason of 'abort_message' contains Liquid, expected a fixed text in quotes"
    fileprivate static func counter(_ tag: String, _ name: String) -> RuleMessage {
        "'\(tag)' counts on its own and does not change the variable '\(name)'; expected {% assign \(name) = \(name) | plus: 1 %}"
    }
    fileprivate static func ofNamespace(_ path: String, _ namespace: String, _ name: String?) -> RuleMessage {
        let meant = "\(namespace).${\(name ?? "name")}"
        return """
            '\(path)' does not name an attribute of Braze, which fetches only what is in '${}'; expected '\(meant)'
            """
    }
    fileprivate static func ofAttribute(_ path: String, _ name: String) -> RuleMessage {
        "nothing sets '\(path)', so it is undefined; expected '${\(name)}' for the attribute"
    }
    fileprivate static func now(_ path: String) -> RuleMessage {
        "nothing sets '\(path)', so it is undefined; expected 'now' in quotes"
    }
    fileprivate static func tag(_ name: String) -> RuleMessage {
        "'\(name)' is a tag, and nothing sets a variable of that name; tags are written {% \(name) %}"
    }
    fileprivate static func literal(_ name: String, _ meant: String) -> RuleMessage {
        "nothing sets '\(name)', which is an undefined variable and so has no value; expected '\(meant)'"
    }
    fileprivate static func unquoted(_ name: String, _ text: String, _ place: UnquotedPlace) -> RuleMessage {
        let consequence =
            switch place {
            case .comparison: "only a missing value equals it"
            case .when: "it is never equal to a text"
            case .argument: "the argument is missing"
            }
        return "nothing sets '\(name)', which is an undefined variable: \(consequence); expected quotes: '\(text)'"
    }
    fileprivate static func tooEarly(_ name: String) -> RuleMessage {
        "'\(name)' is undefined here: it is set only after this place"
    }
    fileprivate static func outOfLoop(_ name: String) -> RuleMessage {
        "'\(name)' is undefined here: the variable of a loop ends with the loop"
    }
    fileprivate static func undefined(_ path: String, near: String?, setIn field: String?) -> RuleMessage {
        let other =
            field.map { "; '\($0)' sets a variable of that name, but every text has variables of its own" }
            ?? ", and Braze has no such name"
        let hint = didYouMean(near, else: other)
        return "nothing sets '\(path)', so it is undefined and prints nothing\(hint)"
    }
}

extension Rule {
    /// The rules about unused variables, reasons of aborts, and errors that are certain before rendering.
    static let variables: [Rule] = [unusedAssign, dynamicAbortReason, renderError]

    private static let renderError = Rule(
        .renderError,
        source: .abortingMessages,
        rationale: """
            Liquid fails at an operator that it does not know, and at a filter with too many or too few arguments. \
            That is an error for every user for whom the part is rendered. The rule is silent for parts that are never \
            rendered, and for failures that depend on the data, such as a division by a number that is 0 for some \
            users.
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
            Such a variable is a leftover, or its name is misspelt where it should be read. Each text of a campaign is \
            a template of its own, so the title does not have a variable of the body. The rule is silent before a \
            content block, a computed name or a tag such as connected_content, which may read any variable.
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
            Braze accepts only a quoted text without Liquid. With a variable as the reason, the whole template cannot \
            be read. Braces inside of the quotes are shown in Braze's log as they are written.
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
        rationale: """
            'increment' and 'decrement' count from 0 in separate counters, which 'assign' does not change. So the \
            counter does not begin with the value of the variable.
            """,
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

    static let unknownVariable = Rule(
        RuleID("unknown-variable", .warning, "a name that nothing defines"),
        source: "https://github.com/braze-inc/braze-docs/issues/10425",
        rationale: """
            Such a name is nil for every user: it prints nothing, and nothing equals it. Braze's own values are \
            written with '${}', by which Braze knows what to fetch for a user. A text needs quotes. Each text of a \
            campaign is a template of its own, and the variable of a loop ends with the loop. The rule knows the names \
            that the text, its content blocks and its tags set, such as the 'items' of a catalog or what ':save' \
            names. It is silent after a content block that is not known, and where a context under 'tests' sets \
            variables.
            """,
        fix: "writes the name that is probably meant, an attribute with '${}'",
        failing: [
            .title("Hi {{ ⟦first_name⟧ }}", fixed: "Hi {{ ${first_name} }}"),
            .title("From {{ ⟦context.source⟧ }}"),
            .title("{% if ${city} %}a{{⟦else⟧}}b{% endif %}"),
            .title(
                "{% catalog_items Games 12 %}{{ ⟦item.title⟧ }}",
                fixed: "{% catalog_items Games 12 %}{{ items[0].title }}"
            ),
            .title("{% if ${gender} == ⟦F⟧ %}a{% endif %}"),
            .title("{% for s in custom_attribute.${songs} %}{{ s }}{% endfor %}{{ ⟦s.artist⟧ }}"),
        ],
        passing: [
            .title("{% assign name = ${first_name} %}Hi {{ name }}"),
            .title("{% if ${gender} == 'F' %}a{% endif %}"),
        ],
        .campaign { campaign in
            let scopes = VariableScopes(campaign)
            var suggestions = Suggestions()
            return campaign.templates.flatMap { $0.unknownVariableFindings(scopes, &suggestions) }
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
    /// The finding about an unknown operator, or about the word 'not' before the operator.
    fileprivate func finding(aboutOperator range: SourceRange) -> Finding {
        let word = String(decoding: bytes[range.offsets], as: UTF8.self)
        if let not = not(before: Int(range.start)) { return Finding(.not(before: word), at: place(of: not)) }
        let message = RenderMessages.unknownOperator(word, before: self.word(after: Int(range.end)))
        return Finding(RuleMessage(message), at: place(of: range))
    }

    /// What is probably meant by a filter with too many or too few arguments; empty if this is not known.
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
        return "; " + RuleMessage.numberWithComma(head, tail).text
    }

    /// The word after a place; empty if there is none.
    fileprivate func word(after place: Int) -> String {
        let rest = bytes[min(place, bytes.count)...].drop { $0 == UInt8(ascii: " ") }
        return String(decoding: rest.prefix(while: \.isLowerLetter), as: UTF8.self)
    }

    /// The range of the word 'not' directly before a place; nil if another word is there.
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

/// The kind of place in which a name looks like a text without its quotes.
private enum UnquotedPlace {
    case comparison, when, argument
}

/// The variables that each text of a campaign may read.
private struct VariableScopes {
    /// The variables that content blocks and the blocks inside them set, by the names of the blocks.
    private var namesByBlock: [String: Set<String>] = [:]
    private let knownBlocks: Set<String>
    private let wholeBlocks: Set<String>
    /// The variables that the texts around a block set, by the name of the block.
    private(set) var aroundBlocks: [String: Set<String>] = [:]
    /// The blocks that are used in texts whose variables are not all known.
    private(set) var openBlocks: Set<String> = []
    let data: Set<String>
    /// For each variable, the first field that sets it.
    private(set) var fields: [String: String] = [:]
    private var notesLeft = 20_000

    init(_ campaign: LintedCampaign) {
        let names = campaign.blockNames
        knownBlocks = Set(names)
        wholeBlocks = Set(zip(names, campaign.blocks).filter { $0.1.isWhole }.map(\.0))
        data = campaign.dataNames.union(["accessibility_language"])
        let blocks = Dictionary(first: zip(names, campaign.blocks))
        for (name, block) in blocks { namesByBlock[name] = block.ownNames }
        // Braze supports a content block inside another one, but no deeper nesting, so a few rounds are enough.
        for _ in 0..<3 {
            for (name, block) in blocks {
                for inner in block.blockNames { namesByBlock[name, default: []].formUnion(namesByBlock[inner] ?? []) }
            }
        }
        for text in campaign.texts {
            for name in text.ownNames where fields[name] == nil { fields[name] = text.source.field }
            note(text, self.names(of: text), blocks, depth: 0)
        }
    }

    private mutating func note(_ text: LintedText, _ known: Set<String>, _ blocks: [String: LintedText], depth: Int) {
        let used = text.blockNames
        notesLeft -= used.count
        // If blocks are used more often than can be followed, no block is checked.
        guard notesLeft > 0 else { return openBlocks.formUnion(knownBlocks) }
        let isOpen = !text.isWhole || text.readsUnknownBlock(knownBlocks)
        for name in used {
            aroundBlocks[name, default: []].formUnion(known)
            if isOpen { openBlocks.insert(name) }
            if depth < 2, let block = blocks[name] {
                note(block, known.union(names(of: block)), blocks, depth: depth + 1)
            }
        }
    }

    /// The variables that a text and its blocks set.
    func names(of text: LintedText) -> Set<String> {
        text.blockNames.reduce(into: text.ownNames) { $0.formUnion(namesByBlock[$1] ?? []) }
    }

    /// The variables that a block and the blocks inside it set.
    func names(ofBlock name: String) -> Set<String> { namesByBlock[name] ?? [] }

    /// Whether all variables that a block sets are known.
    func isWhole(_ block: String) -> Bool { wholeBlocks.contains(block) }
}

extension LintedText {
    /// The content blocks that the text reads, each once.
    fileprivate var blockNames: [String] {
        analysis.partials.compactMap(\.name).unique(by: \.self)
    }

    /// Whether the text uses an unknown block.
    fileprivate func readsUnknownBlock(_ known: Set<String>) -> Bool {
        analysis.partials.contains { $0.name.map { !known.contains($0) } ?? false }
    }

    /// The variables that the text itself sets by tags of Liquid and Braze, except those of loops.
    fileprivate var ownNames: Set<String> {
        Set(analysis.bindings.filter { $0.kind != .loop }.map(\.name) + namesOfTags.map(\.name))
    }

    /// The variables that tags of Braze set, with the places of the tags.
    private var namesOfTags: [(name: String, place: UInt32)] {
        analysis.tags.compactMap { tag in
            switch tag.name {
            case "catalog_items", "catalog_selection_items": ("items", tag.range.start)
            case "shopping_cart": ("shopping_cart", tag.range.start)
            case "connected_content": (savedName(of: tag) ?? "connected", tag.range.start)
            default: nil
            }
        }
    }

    fileprivate func unknownVariableFindings(_ scopes: VariableScopes, _ suggestions: inout Suggestions) -> [Finding] {
        guard isWhole else { return [] }
        let prefix = "content_blocks."
        var known = scopes.names(of: self).union(scopes.data)
        if source.field.hasPrefix(prefix) {
            let name = String(source.field.dropFirst(prefix.count))
            // The texts that use the block, and so their variables, are not all known.
            guard let around = scopes.aroundBlocks[name], !scopes.openBlocks.contains(name) else { return [] }
            known.formUnion(around)
        } else if source.field.hasPrefix(RerenderedTexts.prefix) {
            // A fetched text is rendered in place of the tag that fetches it, so it can read the variables there.
            known.formUnion(scopes.fields.keys)
        }
        let unknownBlock = analysis.partials.first { $0.name.map { !scopes.isWhole($0) } ?? false }?.range.start
        let places = UnquotedPlaces(parts)
        let loops = Set(analysis.bindings.filter { $0.kind == .loop }.map(\.name))
        var seen: Set<String> = []
        let isInserted = source.field.hasPrefix(prefix) || source.field.hasPrefix(RerenderedTexts.prefix)
        let firstPlaces = isInserted ? [:] : firstPlaces(scopes)
        // From the second iteration on, variables that are set later in the loop are known.
        let loopRanges = Intervals(parts.loops)
        return analysis.reads.compactMap { read in
            guard case .name(let name) = read.path.root, read.path.attribute == nil, read.use != .counter,
                read.mayReadData,
                name != "self", !name.isEmpty, !places.isOfOperator(read.range)
            else { return nil }
            if known.contains(name) {
                guard let first = firstPlaces[name], read.range.end <= first,
                    !loopRanges.contains(Int(read.range.start)),
                    !isIgnored(read.range), seen.insert(name).inserted
                else { return nil }
                return Finding(.tooEarly(name), at: place(of: read.range))
            }
            if let unknownBlock, read.range.start > unknownBlock { return nil }
            guard !isIgnored(read.range) else { return nil }
            let path = read.path.description
            // The name is wrong in each of its places, but one message is enough for each kind of place.
            guard seen.insert("\(path) \(places[read.range].map { "\($0)" } ?? "")").inserted else { return nil }
            return finding(
                name, path, read, places[read.range], known, isOfLoop: loops.contains(name), scopes, &suggestions)
        }
    }

    /// The first place that sets each name, for names that only the text and its blocks set.
    private func firstPlaces(_ scopes: VariableScopes) -> [String: UInt32] {
        var places: [String: UInt32] = [:]
        func add(_ name: String, _ place: UInt32) { places[name] = min(places[name] ?? place, place) }
        for binding in analysis.bindings { add(binding.name, binding.nameRange.start) }
        for (name, place) in namesOfTags { add(name, place) }
        for partial in analysis.partials {
            for name in partial.name.map({ scopes.names(ofBlock: $0) }) ?? [] { add(name, partial.range.start) }
        }
        for name in scopes.data { places[name] = nil }
        return places
    }

    /// Words that mean nil in other languages.
    private static let nothings: Set<String> = ["none", "null", "nil", "undefined", "nan"]

    /// Names of tags that people write between the braces of an output.
    private static let tags: Set<String> = [
        "else", "elsif", "endif", "endunless", "endfor", "endcase", "endcapture", "endcomment", "endraw",
        "abort_message",
    ]

    /// Names with which people mean the user.
    private static let users: Set<String> = ["user", "customer", "profile", "person", "recipient", "contact"]

    private func finding(
        _ name: String,
        _ path: String,
        _ read: VariableRead,
        _ unquoted: UnquotedPlace?,
        _ known: Set<String>,
        isOfLoop: Bool,
        _ scopes: VariableScopes,
        _ suggestions: inout Suggestions
    ) -> Finding? {
        let place = place(of: read.range)
        if BrazeNamespace.names.contains(name) || name == "custom_attributes" {
            var member: String?
            if case .key(let key)? = read.path.segments.first { member = key }
            let namespace = name == "custom_attributes" ? "custom_attribute" : name
            return Finding(.ofNamespace(path, namespace, member), at: place)
        }
        if isOfLoop { return Finding(.outOfLoop(name), at: place) }
        if name == "for" || name == "loop", case .key(let key)? = read.path.segments.first,
            RuleMessage.loopMembers.contains(key)
        {
            return Finding(.undefined(path, near: "forloop.\(key)", setIn: nil), at: place)
        }
        if name == "forloop" || name == "tablerowloop" { return Finding(.outOfLoop(name), at: place) }
        if case .key(let key)? = read.path.segments.first, Self.users.contains(name) {
            let near =
                AttributeTable.plainNames.contains(key)
                ? key : nearestName(to: key, in: AttributeTable.plainNames.sorted())
            return Finding(near.map { .ofAttribute(path, $0) } ?? .undefined(path, near: nil, setIn: nil), at: place)
        }
        if read.path.segments.isEmpty {
            if name == "now" { return Finding(.now(path), at: place) }
            if read.use == .output, Self.tags.contains(name) { return Finding(.tag(name), at: place) }
            if Self.nothings.contains(name.lowercased()) {
                return Finding(.literal(name, "nil"), at: place, severity: .info)
            }
            if ["true", "false", "blank", "empty"].contains(name.lowercased()) {
                return Finding(.literal(name, name.lowercased()), at: place)
            }
        }
        let word = SourceRange(start: read.range.start, end: read.range.start + UInt32(name.utf8.count))
        let isWritten = bytes.count >= Int(word.end) && bytes[word.offsets].elementsEqual(name.utf8)
        if AttributeTable.plainNames.contains(name) {
            let fixes = isWritten && read.path.segments.isEmpty ? renaming(word, to: "${\(name)}") : []
            return Finding(.ofAttribute(path, name), at: place, fixes: fixes)
        }
        var near = suggestions.nearest(to: name, in: known.sorted())
        if near == "items", case .key? = read.path.segments.first,
            !analysis.bindings.contains(where: { $0.name == "items" })
        {
            // 'items' is the list that 'catalog_items' fetches, and the author means an item in it.
            near = "items[0]"
        }
        if let unquoted, near == nil {
            let text = String(decoding: bytes[read.range.offsets], as: UTF8.self)
            return Finding(.unquoted(name, text, unquoted), at: place)
        }
        return Finding(
            .undefined(path, near: near, setIn: near == nil ? scopes.fields[name] : nil),
            at: place,
            fixes: isWritten ? renaming(word, to: near) : []
        )
    }
}

/// The places where a name may be a text whose quotes are missing.
private struct UnquotedPlaces {
    private var places: [SourceRange: UnquotedPlace] = [:]
    /// The places of words such as 'not' next to an unknown operator, which another rule reports.
    private var operatorRanges: Set<SourceRange> = []

    init(_ parts: TemplateVisitor) {
        for argument in parts.values.flatMap(\.filters).flatMap(\.arguments) {
            places[argument.value.range] = .argument
        }
        for value in parts.tags.flatMap(\.clauses).flatMap(\.values) { places[value.range] = .when }
        for term in parts.conditions.flatMap(\.terms) where term.comparison != nil {
            if let right = term.right { places[right.range] = .comparison }
            for side in [term.left, term.right].compactMap({ $0 }) where term.comparison == .unknown {
                guard ["not", "contains", "in"].contains(side.variableName) else { continue }
                operatorRanges.insert(side.range)
            }
        }
    }

    subscript(range: SourceRange) -> UnquotedPlace? { places[range] }

    func isOfOperator(_ range: SourceRange) -> Bool { operatorRanges.contains(range) }
}
