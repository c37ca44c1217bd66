// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func gap(_ path: VariablePath) -> RuleMessage {
        "users without '\(path)' see nothing here; expected '| default: …' inside the braces, after the name, or a condition around it"
    }
    fileprivate static func leftOut(_ path: VariablePath, by test: String) -> RuleMessage {
        "the test '\(test)' has no '\(path)', so its user sees nothing here; expected '| default: …' inside the braces, after the name, or a condition around it"
    }
    fileprivate static func missing(_ path: VariablePath, in pair: String) -> RuleMessage {
        "'\(path)' may be missing and the key-value pair '\(pair)' is required, expected a default or a condition"
    }
    private static let fails = "may be missing and counts as 0, and a division by 0 makes the message fail"
    fileprivate static func divisor(_ path: VariablePath) -> RuleMessage {
        "'\(path)' \(fails); expected a condition, or a default other than 0"
    }
    fileprivate static func zeroDefault(_ path: VariablePath) -> RuleMessage {
        "'\(path)' may be missing, and with the default 0 the division makes the message fail; expected a condition, or another default"
    }
}

extension RuleMessage {
    fileprivate static func blankDefault(_ pair: String) -> RuleMessage {
        "the default is blank and the key-value pair '\(pair)' is required, expected a value that the extension can read"
    }
    fileprivate static func brokenJSON(_ text: String, _ value: String) -> RuleMessage {
        "the default '\(text)' is not JSON here, so the message fails for users without '\(value)'; expected a default such as 0 or null"
    }
    fileprivate static func missingJSON(_ path: VariablePath) -> RuleMessage {
        "'\(path)' may be missing, and then the value is not JSON and the message fails; expected '| default: …' inside the braces, after the name"
    }
}

extension Rule {
    static let missingDefault = Rule(
        RuleID(
            "missing-default", .warning,
            "an attribute that may be missing where a message needs it, without a default or a condition"
        ),
        source: .defaultValues,
        rationale: """
            For a user without the attribute, the title, the subtitle or the body has a gap. A required key-value pair \
            is blank, so the extension reads nothing. 'requires' and payloadgen.extras.yml require key-value pairs, \
            and so does code of a content extension that crashes without them. If a '$json:' value prints the \
            attribute outside of quotes, the message fails. The message also fails if any text divides by the \
            attribute, because nil counts as 0. A condition is any test that the attribute is there, 'case', or an \
            abort in any text of the campaign. The rule is silent for attributes that every user has: user_id, \
            braze_id, random_bucket_number, and those that 'attributes: {first_name: {always: true}}' of the campaign \
            or of .payloadgen.yml names. It is silent for booleans under 'attributes', which are false if they are \
            left out. It is silent for properties of events, triggers and Canvases, unless a test gives other \
            properties and not this one. And it is silent where a filter turns nil into a value, as 'plus' does, or \
            where a capture, a loop or a second assign is in between.
            """,
        failing: [
            .title("Hi {{ ⟦${first_name}⟧ }}"),
            .campaign(
                """
                push: {title: 'For {{ ⟦api_trigger_properties.${session}⟧ }}'}
                tests: [{name: none, trigger_properties: {other: One}, expect: {title: 'For '}}]
                """
            ),
            .campaign(pair("{{ ⟦custom_attribute.${track}⟧ }}")),
            .json("{\"n\": {{ ⟦custom_attribute.${n}⟧ }}}"),
            .json("{\"n\": {{ custom_attribute.${n} | default: ⟦\"\"⟧ }}}"),
            .campaign(pair("{{ custom_attribute.${track} | default: ⟦''⟧ }}")),
            .campaign(pair("{{ custom_attribute.${track} | default: ⟦' '⟧ }}")),
            .campaign(pair("{% assign t = ⟦custom_attribute.${track}⟧ | upcase %}For {{ t }}")),
            .title("{{ custom_attribute.${a} | divided_by: ⟦custom_attribute.${b}⟧ }} a game"),
        ],
        passing: [
            .title("Hi {{ ${first_name} | default: 'you' }}"),
            .campaign("push: {title: 'Hi {{ ${first_name} }}'}\nattributes: {first_name: {always: true}}"),
            .title("For {{ api_trigger_properties.${session} }}"),
            .campaign(pair("{{ custom_attribute.${track} | default: 'Marketer' }}")),
            .campaign(pair("{% if custom_attribute.${track} != blank %}{{ custom_attribute.${track} }}{% endif %}")),
            .json("{\"n\": {{ custom_attribute.${n} | default: 0 }}}"),
            .json("[{{ custom_attribute.${n} | default: \"\" }}]"),
            .campaign(pair("{{ custom_attribute.${track} }}", isRequired: false)),
            .title("{% if custom_attribute.${b} > 0 %}{{ 60 | divided_by: custom_attribute.${b} }}{% endif %}"),
            .campaign(
                pair("{{ ${city} }}", title: "{% if ${city} == blank %}{% abort_message('no city') %}{% endif %}Hi")
            ),
        ],
        .campaign { campaign in
            let present = Set(campaign.texts.flatMap(\.analysis.requiredPaths).flatMap(\.starts))
            let mayMiss = { (path: VariablePath) in campaign.mayMiss(path) && !present.contains(path.shortened) }
            let required = Set(campaign.requiredPairs.map(\.text.source.field))
            let inJSON = campaign.jsonPairs.filter { !required.contains($0.source.field) }.flatMap { text in
                text.readsOutsideStrings(mayMiss).map { Finding(.missingJSON($0.path), at: text.place(of: $0.range)) }
            }
            let broken = campaign.jsonPairs.flatMap { text in
                text.brokenDefaults(present, given: campaign.isGiven).map { found in
                    Finding(.brokenJSON(found.text, found.value.text), at: text.place(of: found.range))
                }
            }
            return campaign.gapFindings(present) + inJSON + broken
                + campaign.templates.flatMap { $0.missingDivisorFindings(mayMiss) }
                + (campaign.requiredPairs + campaign.pairsOfCode).flatMap { pair -> [Finding] in
                    if pair.failsIfBlank, let (path, range) = pair.text.blankDefault, mayMiss(path) {
                        return [Finding(.blankDefault(pair.key), at: pair.text.place(of: range), related: pair.notes)]
                    }
                    return pair.text.readsWithoutDefault(mayMiss).map { read in
                        Finding(
                            .missing(read.path, in: pair.key), at: pair.text.place(of: read.range), related: pair.notes)
                    }
                }
        }
    )

    private static func pair(_ value: String, title: String = "Hi", isRequired: Bool = true) -> String {
        """
        push:
          title: "\(title)"
          extras: {track: "\(value)"}
        requires: {extras: {track: {type: string, required: \(isRequired)}}}
        """
    }
}

extension VariablePath {
    /// The maximum number of steps of a path that are compared; longer paths with the same start count as equal.
    private static let comparedSteps = 16

    fileprivate var shortened: VariablePath { VariablePath(root, Array(segments.prefix(Self.comparedSteps))) }

    /// The path and its prefixes.
    fileprivate var starts: [VariablePath] {
        (0...min(segments.count, Self.comparedSteps)).map { VariablePath(root, Array(segments.prefix($0))) }
    }
}

extension LintedCampaign {
    /// The key-value pairs that `requires` or a file of the app requires.
    fileprivate var requiredPairs: [RequiredPair] {
        requirements.filter(\.isRequired).compactMap { requirement in
            pair(requirement.key, notes: [requirement.related], failsIfBlank: requirement.type != .json)
        }
    }

    /// The other key-value pairs, sent as text, that certainly crash code of a content extension if they are missing or
    /// blank.
    fileprivate var pairsOfCode: [RequiredPair] {
        guard let campaign, texts.contains(where: \.source.holdsLiquid) else { return [] }
        var known = Set(requirements.filter(\.isRequired).map(\.key))
        return apps.flatMap { app -> [RequiredPair] in
            let code = PushReads(of: campaign, in: app, besides: externalCategories)
            return code.reads.compactMap { kind, read in
                guard kind == .content, read.path.isEmpty, !known.contains(read.key) else { return nil }
                let failure = code.failure(of: (kind, read), for: .text(""))
                let failsIfBlank = failure?.isCertainCrash ?? false
                let crashes = read.requirement == .crash && read.alternatives.isEmpty && code.meets(read.condition)
                guard failsIfBlank || crashes,
                    let pair = pair(
                        read.key, isText: true, notes: failure?.notes ?? read.notes("it is read here"),
                        failsIfBlank: failsIfBlank)
                else { return nil }
                known.insert(read.key)
                return pair
            }
        }
    }

    private func pair(
        _ key: String, isText: Bool = false, notes: [Diagnostic.Related], failsIfBlank: Bool
    ) -> RequiredPair? {
        let sent = extras.first { !$0.key.holdsLiquid && $0.key.text.utf8.elementsEqual(key.utf8) }
        guard let sent, !isText || !sent.value.isJSON else { return nil }
        return sent.value.templates.first.flatMap { text(of: $0) }.map {
            RequiredPair(key: key, text: $0, notes: notes, failsIfBlank: failsIfBlank)
        }
    }

    /// The values of key-value pairs that are sent as JSON and contain Liquid.
    var jsonPairs: [LintedText] {
        extras.compactMap { extra in
            guard case .json(let value) = extra.value, value.holdsLiquid else { return nil }
            return text(of: value)
        }
    }

    /// Namespaces whose attributes a user may lack.
    ///
    /// Namespaces that the sender fills are not included.
    private static let userNamespaces: Set<String> = [
        "custom_attribute", "most_recently_used_device", "targeted_device",
    ]

    /// Attributes that all users have.
    private static let attributesOfAll: Set<String> = ["user_id", "braze_id", "random_bucket_number"]

    /// Whether every user has the Braze attribute with this name, which has no namespace.
    fileprivate func isGiven(_ name: String) -> Bool {
        Self.attributesOfAll.contains(name) || givenAttributes.contains(name)
    }

    /// Whether some users may have no value at a path.
    fileprivate func mayMiss(_ path: VariablePath) -> Bool {
        guard let (namespace, name) = path.attribute else { return false }
        // The text between the braces may be a name with a path.
        let first = String(name.prefix { $0 != "." && $0 != "[" })
        if givenAttributes.contains(name) || givenAttributes.contains(first) { return false }
        guard let namespace else { return !isGiven(name) }
        guard Self.userNamespaces.contains(namespace) else { return false }
        return namespace != "custom_attribute" || campaign?.attributeTypes[name] != .boolean
    }

    /// The findings about missing attributes that leave visible gaps in the notification.
    fileprivate func gapFindings(_ present: Set<VariablePath>) -> [Finding] {
        let fields = texts.filter(\.isOfAlert)
        let blocks = blocks(readBy: fields)
        // A content block does not know the conditions around it, so attributes that the texts test are not reported in
        // blocks.
        let tested = Set(fields.flatMap(\.analysis.reads).filter { $0.use == .condition }.map(\.path.shortened))
        let tests = campaign?.tests ?? []
        func test(without path: VariablePath) -> CampaignTest? {
            guard case let (namespace?, name)? = path.attribute else { return nil }
            return tests.first { leavesOut(name, of: namespace, in: $0) }
        }
        func isGap(_ path: VariablePath) -> Bool {
            guard let (namespace, name) = path.attribute, !name.isEmpty, !name.contains("|"),
                !present.contains(path.shortened)
            else { return false }
            // Another rule reports a name that Braze does not have.
            let isKnown = namespace != nil || AttributeTable.plainNames.contains(name)
            return isKnown && mayMiss(path) || test(without: path) != nil
        }
        func finding(_ read: VariableRead, in text: LintedText) -> Finding {
            let place = text.place(of: read.range)
            guard let test = test(without: read.path) else { return Finding(.gap(read.path), at: place) }
            let related = [Diagnostic.Related("the test", at: test.place)]
            return Finding(.leftOut(read.path, by: test.name), at: place, related: related)
        }
        return fields.flatMap { text in text.gaps(isGap).map { finding($0, in: text) } }
            + blocks.flatMap { block in
                block.gaps { isGap($0) && !tested.contains($0.shortened) }.map { finding($0, in: block) }
            }
    }

    /// Whether a test gives other properties of a namespace that the sender of the message fills, but not this one.
    private func leavesOut(_ name: String, of namespace: String, in test: CampaignTest) -> Bool {
        var given: [LiquidObject] = []
        switch namespace {
        case "api_trigger_properties": given = [test.triggerProperties].compactMap(\.self)
        case "event_properties": given = [test.eventProperties].compactMap(\.self)
        case "canvas_entry_properties", "context": break
        default: return false
        }
        for file in [test.profile, test.context].compactMap({ $0.flatMap { testFiles[$0.name] } }) {
            guard case .object(let root)? = file.bytes.withUnsafeBufferPointer({ try? Value(json: $0) }),
                case .object(let properties)? = root[namespace]
            else { continue }
            given.append(properties)
        }
        let first = String(name.prefix { $0 != "." && $0 != "[" })
        return !given.isEmpty
            && !given.contains { properties in
                [name, first].contains { key in
                    switch properties[key] {
                    case nil, .null?: false
                    default: true
                    }
                }
            }
    }
}

/// A key-value pair that must be sent, with its value.
private struct RequiredPair {
    let key: String
    let text: LintedText
    let notes: [Diagnostic.Related]

    /// Whether a blank value is as wrong as none.
    let failsIfBlank: Bool
}

extension LintedText {
    /// The reads without a default that are printed into JSON outside of its strings.
    fileprivate func readsOutsideStrings(_ mayMiss: (VariablePath) -> Bool) -> [VariableRead] {
        guard isWhole else { return [] }
        let outputs = Intervals(outputsOutsideStrings().outputs.map(\.range.offsets))
        return readsWithoutDefault(mayMiss).filter { $0.use == .output && outputs.covers($0.range) }
    }

    /// The defaults that make the text invalid JSON for users without the attribute.
    ///
    /// - Parameters:
    ///   - present: the paths that an abort requires elsewhere in the campaign.
    ///   - given: returns whether every user has the attribute with a name.
    /// - Returns: the defaults.
    fileprivate func brokenDefaults(
        _ present: Set<VariablePath>,
        given: (String) -> Bool
    ) -> [BrokenDefault] {
        guard isWhole else { return [] }
        return brokenDefaults.filter { found in
            analysis.reads.contains { read in
                guard read.range == found.value.range, read.guarded != .condition, read.isReachable,
                    let (namespace, name) = read.path.attribute
                else { return false }
                return (namespace != nil || !given(name)) && !present.contains(read.path.shortened)
            }
        }
    }

    /// The reads of attributes that print nothing for users without the attribute.
    fileprivate func gaps(_ mayMiss: (VariablePath) -> Bool) -> [VariableRead] {
        readsWithoutDefault(mayMiss).filter { !isIgnored($0.range) }
    }

    /// The path of the value and the place of its default, if the text prints only this value and the default is blank.
    fileprivate var blankDefault: (path: VariablePath, range: SourceRange)? {
        guard isWhole, parts.nodes.count == 1, case .output(let markup) = parts.nodes[0].syntax.kind,
            let last = markup.filters.last, last.name == "default",
            let value = last.arguments.first?.value, case .string(let text)? = value.literal,
            text.unicodeScalars.allSatisfy(\.properties.isWhitespace),
            let read = analysis.reads.first(where: { $0.range == markup.expression?.range })
        else { return nil }
        return (read.path, value.range)
    }

    /// The first read of each path that may be missing and is printed without a default or a condition.
    fileprivate func readsWithoutDefault(_ mayMiss: (VariablePath) -> Bool) -> [VariableRead] {
        let filters = AppliedFilters(parts)
        let assigned = assignedPaths(filters)
        let open = analysis.reads.filter {
            $0.guarded == nil && $0.isReachable && filters.isPrintedAsItIs($0.range)
        }
        .map { read in
            // A condition around the output shows only that the variable has a value, not that the part of it has one.
            guard read.isRootPresent, case .name(let name) = read.path.root, let path = assigned[name] else {
                return read
            }
            var read = read
            read.path = VariablePath(path.root, path.segments + read.path.segments)
            read.mayReadData = true
            return read
        }
        let printed = printedNames(open)
        // Another rule reports a default after the braces.
        let outside = outputsWithDefaultOutside
        var seen: Set<VariablePath> = []
        return open.filter { read in
            guard mayMiss(read.path), !outside.covers(read.range) else { return false }
            return switch read.use {
            case .output: read.mayReadData && seen.insert(read.path).inserted
            case .assign(let binding):
                read.mayReadData && printed.contains(analysis.bindings[binding].name)
                    && seen.insert(read.path).inserted
            default: false
            }
        }
    }

    /// The paths that are assigned to variables, by variable, without variables that are set in several places.
    private func assignedPaths(_ filters: AppliedFilters) -> [String: VariablePath] {
        let counts = Dictionary(analysis.bindings.map { ($0.name, 1) }, uniquingKeysWith: +)
        var paths: [String: VariablePath] = [:]
        for read in analysis.reads where read.guarded != .default && filters.isPrintedAsItIs(read.range) {
            guard case .assign(let binding) = read.use, case let name = analysis.bindings[binding].name,
                counts[name] == 1
            else { continue }
            paths[name] = read.path
        }
        return paths
    }

    /// The variables that are printed, directly or through other variables.
    ///
    /// A variable that is set in several places is left out, as one of them may have a default.
    private func printedNames(_ reads: [VariableRead]) -> Set<String> {
        let counts = Dictionary(analysis.bindings.map { ($0.name, 1) }, uniquingKeysWith: +)
        // For each variable, the variables that are assigned to it.
        var sources: [String: [String]] = [:]
        var names: Set<String> = []
        var open: [String] = []
        for read in reads {
            guard case .name(let name) = read.path.root, counts[name] == 1 else { continue }
            switch read.use {
            case .output: if names.insert(name).inserted { open.append(name) }
            case .assign(let binding): sources[analysis.bindings[binding].name, default: []].append(name)
            default: break
            }
        }
        while let name = open.popLast() {
            for source in sources.removeValue(forKey: name) ?? [] where names.insert(source).inserted {
                open.append(source)
            }
        }
        return names
    }
}

/// The filters that are applied to the values at the start of outputs and assigns.
private struct AppliedFilters {
    /// The filters after each value, by the range of the value.
    private var filters: [SourceRange: [FilterSyntax]] = [:]

    init(_ parts: TemplateVisitor) {
        // A captured value may get a default later.
        for node in parts.nodes where !node.ancestors.contains(where: \.isCapture) {
            if let output = node.syntax.printedMarkup ?? node.syntax.tag?.assignment?.value { add(output, then: []) }
        }
    }

    /// Whether a value is printed or assigned, and all its filters leave a missing value blank.
    func isPrintedAsItIs(_ range: SourceRange) -> Bool {
        filters[range].map { $0.allSatisfy { LintedText.environment.filterTraits($0.name).contains(.keepsMissing) } }
            ?? false
    }

    private mutating func add(_ output: MarkupSyntax, then outer: [FilterSyntax]) {
        if let expression = output.expression { add(expression, output.filters + outer) }
    }

    private mutating func add(_ expression: ExpressionSyntax, _ filters: [FilterSyntax]) {
        switch expression.kind {
        case .output(let inner): add(inner, then: filters)
        case .lookup(let lookup):
            if case .value(let inner) = lookup.root { add(inner, filters) }
            self.filters[expression.range] = filters
        default: break
        }
    }
}

extension LintedText {
    /// The divisions that rendering can reach, with their divisors.
    var divisions: [(filter: FilterUse, divisor: ExpressionSyntax)] {
        analysis.filters.filter { ["divided_by", "modulo"].contains($0.name) && $0.isReachable }
            .compactMap { filter in filter.call.arguments.first.map { (filter, $0.value) } }
    }

    /// The findings about divisors that are 0 for users without an attribute.
    ///
    /// - Parameter mayMiss: whether a path may be missing.
    /// - Returns: the findings, in the order of the text.
    func missingDivisorFindings(_ mayMiss: (VariablePath) -> Bool) -> [Finding] {
        let divisions = self.divisions
        guard !divisions.isEmpty else { return [] }
        let reads = Dictionary(first: analysis.reads.map { ($0.range, $0) })
        let tested = Set(analysis.reads.filter { $0.use == .condition }.map(\.path))
        return divisions.compactMap { _, divisor in
            guard divisor.literal == nil,
                case let (value, filters) = assigned.source(of: divisor),
                let path = value.lookup.flatMap({ VariablePath($0) }), mayMiss(path),
                let isDefault = Self.zero(filters)
            else { return nil }
            // The attribute may be guarded where the variable is set, or where the variable is the divisor.
            let isGuarded = [value, divisor].contains { expression in
                switch reads[expression.range]?.guarded {
                case nil: false
                case .default: !isDefault
                case .condition, .variable, .otherwise, .accumulation: true
                }
            }
            guard !isGuarded, value.range == divisor.range || !tested.contains(path) else { return nil }
            return Finding(isDefault ? .zeroDefault(path) : .divisor(path), at: place(of: divisor.range))
        }
    }

    /// Whether a default among the filters turns a missing value into 0: false if the value stays missing or becomes 0
    /// without a default, nil if the filters give another value.
    private static func zero(_ filters: [FilterSyntax]) -> Bool? {
        var isDefault = false
        for filter in filters {
            switch (filter.name, filter.arguments.first?.value.literal?.number) {
            case ("plus", 0?), ("minus", 0?), ("times", _), ("abs", _), ("round", _), ("ceil", _), ("floor", _):
                continue
            case ("default", 0?): isDefault = true
            case ("default", _): return nil
            default: guard environment.filterTraits(filter.name).contains(.keepsMissing) else { return nil }
            }
        }
        return isDefault
    }
}
