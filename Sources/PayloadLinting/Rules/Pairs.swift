// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func keyCase(_ key: String, _ other: String) -> RuleMessage {
        "the key '\(key)' differs from '\(other)' only in case, and code finds only the exact name; expected one spelling"
    }
    fileprivate static func keySpaces(_ key: String) -> RuleMessage {
        "the key '\(key)' has spaces at its ends, which are part of the name; expected '\(key.trimmed)'"
    }
    fileprivate static let noKey: RuleMessage = "a key-value pair without a key, which nothing reads; expected a name"
    fileprivate static let noInteraction: RuleMessage =
        """
        the campaign asks for text input, but touches do not reach the extension; expected user interaction to be \
        enabled
        """
    fileprivate static func touched(_ name: String) -> RuleMessage {
        """
        code has '\(name)', and touches do not reach the view; expected \
        UNNotificationExtensionUserInteractionEnabled to be true
        """
    }
    fileprivate static func unused(_ category: String) -> RuleMessage {
        "no campaign sends the category '\(category)'"
    }
    fileprivate static func unused(_ categories: [String]) -> RuleMessage {
        "no campaign sends \(categories.count) of the extension's categories: \(categories.quoted(atMost: 8))"
    }
    fileprivate static func newline(_ key: String, _ type: ExtraType) -> RuleMessage {
        "'\(key)' ends with a line break, so it is not \(type.phrase); expected '|-' instead of '|', or one line"
    }
    fileprivate static func way(_ key: String, _ text: String, _ type: ExtraType) -> RuleMessage {
        "'\(key)' is '\(text)' for some users, expected \(type.phrase)"
    }
    fileprivate static func always(_ key: String, _ texts: [String], _ type: ExtraType) -> RuleMessage {
        let shown = texts.prefix(3).map { "'\($0)'" } + (texts.count > 3 ? ["…"] : [])
        return "'\(key)' is \(shown.joined(separator: " or ")) for every user, expected \(type.phrase)"
    }
    fileprivate static func blank(_ key: String, _ type: ExtraType) -> RuleMessage {
        "'\(key)' is blank for users who reach no branch with text, expected \(type.phrase)"
    }
    fileprivate static func value(_ key: String, _ made: String, _ type: ExtraType, _ hint: String) -> RuleMessage {
        "'\(key)' has to be \(type.phrase), but \(made)\(hint)"
    }
}

extension RuleID {
    fileprivate static let extrasKeyCase = RuleID(
        "extras-key-case", .warning, "keys of key-value pairs that differ only in case")
    fileprivate static let extrasKeySpaces = RuleID(
        "extras-key-spaces", .warning, "a key of a key-value pair with spaces at its ends, or without text")
    package static let inputWithoutInteraction = RuleID(
        "input-without-interaction", .warning,
        "text fields, buttons or gestures for an extension that touches do not reach"
    )
}

extension Rule {
    /// The rules about how keys are written, about input that cannot reach an extension, and about unused categories.
    static let pairs: [Rule] = extrasKeys + [inputWithoutInteraction, categoryUnused]

    private static let extrasKeys: [Rule] = [
        Rule(
            .extrasKeyCase,
            source: .pushGuide,
            rationale: """
                The extension reads only one of the keys, and an edit may change the other. The same goes for a \
                required key that is sent in another case. The rule is silent for keys with Liquid.
                """,
            failing: [
                .push("extras: {level: 1, ⟦Level⟧: 2}"),
                .campaign("push: {title: Hi, extras: {⟦Level⟧: 1}}\nrequires: {extras: {level: {type: integer}}}"),
            ],
            passing: [.push("extras: {level: 1, levels: 2}")],
            .campaign(extrasKeyFindings)
        ),
        Rule(
            .extrasKeySpaces,
            source: .pushGuide,
            rationale: "Keys are compared byte by byte, so code that reads 'level' does not find 'level '.",
            failing: [
                .push("extras: {⟦'level '⟧: 1}"),
                .push("extras: {⟦''⟧: 1}"),
            ],
            passing: [.push("extras: {level: 1, next level: 2}")],
            .campaign(extrasKeyFindings)
        ),
    ]

    /// The findings about keys that differ from another key only in case, that have spaces at their ends, or that are
    /// blank.
    private static func extrasKeyFindings(_ campaign: LintedCampaign) -> [Finding] {
        let keys = campaign.extras.map(\.key).filter { !$0.holdsLiquid }
        let sent = Set(keys.map(\.text))
        // For each key in lower case, its spellings in their order.
        var spellings: [String: [(key: String, related: Diagnostic.Related)]] = [:]
        for requirement in campaign.requirements where !sent.contains(requirement.key) {
            spellings[requirement.key.lowercased(), default: []].append((requirement.key, requirement.related))
        }
        return keys.compactMap { key in
            let name = key.text.trimmed
            if name.isEmpty { return Finding(.noKey, at: key.place, rule: .extrasKeySpaces) }
            if key.text != name { return Finding(.keySpaces(key.text), at: key.place, rule: .extrasKeySpaces) }
            let other = spellings[name.lowercased()]?.first { $0.key != name }
            let own = (key: name, related: Diagnostic.Related("the other key", at: key.place))
            spellings[name.lowercased(), default: []].append(own)
            return other.map { other in
                Finding(.keyCase(name, other.key), at: key.place, related: [other.related], rule: .extrasKeyCase)
            }
        }
    }

    private static let inputWithoutInteraction = Rule(
        .inputWithoutInteraction,
        source: .userInteraction,
        rationale: """
            Without UNNotificationExtensionUserInteractionEnabled, the view of the extension receives no touches, so \
            users cannot type into it. The same goes for controls and gestures in the code of the extension. The rule \
            is silent where the campaign requires interaction, which another rule checks, and where neither the \
            campaign nor the app says whether interaction is enabled.
            """,
        failing: [
            .campaign("push: {title: Hi}\nrequires: {user_interaction: false, text_input: ⟦true⟧}"),
            .campaign("push: {title: Hi, category: lab_progress}\nrequires: {text_input: ⟦true⟧}", with: .lab()),
            [.app(), .contentExtension("Lab/Info.plist", extensionKey: "<key>⟦NSExtension⟧</key>"), button],
        ],
        passing: [
            .campaign("push: {title: Hi}\nrequires: {text_input: true}"),
            .campaign("push: {title: Hi}\nrequires: {user_interaction: true, text_input: true}"),
            [
                .app(),
                .contentExtension(
                    "Lab/Info.plist",
                    attributes: "<key>UNNotificationExtensionUserInteractionEnabled</key>\n\t\t\t<true/>"
                ), button,
            ],
        ],
        .app { app in
            app.contentExtensions.compactMap { candidate in
                guard !candidate.isUncertain, !candidate.takesTouches, let touched = candidate.code?.touched else {
                    return nil
                }
                var place = candidate.place
                if case .declared(let flag) = candidate.interaction { place = flag.place ?? place }
                let related = [Diagnostic.Related("it is here", at: touched.place)]
                return Finding(
                    .touched(touched.text), at: candidate.misspeltInteractionKey?.place ?? place, related: related)
            }
        },
        .campaign { campaign in
            guard let requirements = campaign.campaign?.requirements, let input = requirements.textInput, input.value
            else { return [] }
            if let required = requirements.userInteraction {
                return required.value ? [] : [Finding(.noInteraction, at: input.place)]
            }
            guard let category = campaign.sentCategory else { return [] }
            let claimants = campaign.apps.flatMap { $0.contentExtensions(claiming: category) }
            return claimants.filter { !$0.takesTouches }.prefix(1).map { claimant in
                Finding(.noInteraction, at: input.place, related: .note("the extension", at: claimant.place))
            }
        }
    )

    private static let button = RuleExample.File(
        "Lab/Panel.m",
        """
        @interface Panel : UIViewController <UNNotificationContentExtension>
        @property UIButton *next;
        @end

        """
    )

    private static let categoryUnused = Rule(
        RuleID("category-unused", .info, "a category of an extension that no campaign sends"),
        source: .extensionCategory,
        rationale: """
            No campaign sends the category, so the extension is never shown for it; or a campaign spells it \
            differently. All unused categories of an extension are one finding. The rule is silent without campaigns \
            for the app, and where campaigns were named one by one. It is silent where a campaign cannot be read, or \
            has a category with Liquid, or one that Braze's API did not give. It is also silent for categories with \
            build settings, those of Braze and those that a service extension sets.
            """,
        failing: [
            .push(
                "category: lab",
                with: [
                    .app(), .contentExtension("Lab/Info.plist", category: categories("lab")),
                    .contentExtension("Game/Info.plist", category: categories("⟦game⟧")),
                ]
            )
        ],
        passing: [
            .push(
                "category: '{{ custom_attribute.${game} }}'",
                with: [.app(), .contentExtension("Game/Info.plist", category: categories("game"))]
            )
        ],
        .campaigns { app, campaigns in
            let isKnown = campaigns.allSatisfy { campaign in
                guard let read = campaign.campaign, !campaign.isExplicitInput else { return false }
                return read.push.category?.holdsLiquid != true && !read.isCategoryNotGiven
            }
            guard !campaigns.isEmpty, isKnown else { return [] }
            let written = app.extensions.flatMap { $0.code?.writtenCategories ?? [] }.map { Array($0.text.utf8) }
            let sent = Set(campaigns.compactMap { $0.sentCategory.map { Array($0.utf8) } } + written)
            return app.contentExtensions.compactMap { candidate -> Finding? in
                let unused = candidate.categories.filter { category in
                    !category.value.isEmpty && !category.value.hasPrefix("ab_")
                        && !App.holdsBuildSetting(category.value) && !sent.contains(Array(category.value.utf8))
                }
                guard let first = unused.first else { return nil }
                guard unused.count > 1 else { return Finding(.unused(first.value), at: first.place) }
                let related = unused.dropFirst().compactMap { other in
                    other.place.map { Diagnostic.Related("'\(other.value)'", at: $0) }
                }
                return Finding(.unused(unused.map(\.value)), at: first.place, related: related)
            }
        }
    )

    private static func categories(_ name: String) -> String {
        "<key>UNNotificationExtensionCategory</key>\n\t\t\t<string>\(name)</string>"
    }

    static let pairType = Rule(
        RuleID("pair-type", .warning, "a key-value pair whose Liquid produces another type than the extension reads"),
        source: .keyValuePairs,
        rationale: """
            Swift's Int(_:) accepts only digits: not '15.0', not '3' with a line break, not '$3.00'. The rule checks \
            the filters, the literals and the text around the value. The finding is an error if every branch prints a \
            text of another type, or if the filters never give the type, because every message then fails. The rule is \
            silent where nothing is known about the value. It leaves key-value pairs without Liquid to \
            'extras-contract'.
            """,
        failing: [
            .pair("{{ custom_attribute.${n} | ⟦times⟧: 1.5 }}", .integer),
            .pair("{{ 'now' | ⟦date⟧: '%F' }}", .integer),
            .campaign(
                "push: {title: Hi, extras: {v: '{% if custom_attribute.${v} %}⟦yes⟧{% else %}no{% endif %}'}}\nrequires: {extras: {v: {type: boolean}}}"
            ),
            .campaign(
                "push:\n  title: Hi\n  extras:\n    n: ⟦|\n      {{ custom_attribute.${n} | default: 0 }}\n⟧requires: {extras: {n: {type: integer}}}"
            ),
        ],
        passing: [
            .campaign(
                "push: {title: Hi, extras: {n: \"{{ 'now' | date: '%H' }}\", d: \"{{ 'now' | date: '%F' }}\"}}\nrequires: {extras: {n: {type: integer}, d: {type: date}}}"
            ),
            .campaign(
                "push: {title: Hi, extras: {n: \"{{ custom_attribute.${n} | append: '00' }}\", p: \"{{ 5 | money }}\"}}\nrequires: {extras: {n: {type: integer}, p: {type: number}}}"
            ),
            .pair("{{ custom_attribute.${n} | times: 1.5 | round }}", .integer),
        ],
        .campaign { campaign in
            let sent = Dictionary(
                first: (campaign.campaign?.push.extras ?? []).filter { !$0.key.holdsLiquid }.map {
                    ($0.key.text, $0.value)
                })
            return campaign.requirements.compactMap { requirement in
                guard case .text(let value)? = sent[requirement.key], value.holdsLiquid,
                    let text = campaign.text(of: value)
                else { return nil }
                return text.typeFinding(requirement)
            }
        }
    )
}

extension LintedCampaign {
    /// The category, if it is the same for all users.
    var sentCategory: String? {
        guard let category = campaign?.push.category, !category.holdsLiquid else { return nil }
        return category.text
    }
}

extension App.Extension {
    /// Whether the view receives touches; another rule reports a value that is not a boolean.
    fileprivate var takesTouches: Bool {
        switch interaction {
        case .absent: false
        case .declared(let declared): declared.value
        case .malformed: true
        }
    }
}

extension LintedText {
    fileprivate func typeFinding(_ requirement: RequiredExtra) -> Finding? {
        guard let template, isWhole else { return nil }
        let (key, type) = (requirement.key, requirement.type)
        var finding: Finding?
        if ![.string, .url, .date].contains(type), bytes.last == UInt8(ascii: "\n") {
            finding = Finding(.newline(key, type), at: source.place)
        } else if let way = wayFinding(requirement) {
            finding = way
        } else if type != .string, let markup = onlyOutput(template.root.nodes) {
            finding = valueFinding(markup, requirement)
        }
        finding?.related = [requirement.related]
        return finding
    }

    /// The only output among nodes that otherwise print nothing but white space; nil if there are several or none.
    ///
    /// Only then is it known which value the extension reads.
    private func onlyOutput(_ nodes: [NodeSyntax]) -> MarkupSyntax? {
        let outputs = nodes.compactMap { node in if case .output(let markup) = node.kind { markup } else { nil } }
        return outputs.count == 1 && nodes.allSatisfy { isSilent($0) } ? outputs.first : nil
    }

    /// Whether a node is an output, or prints nothing but white space.
    private func isSilent(_ node: NodeSyntax) -> Bool {
        switch node.kind {
        case .output: true
        case .text: bytes[node.range.offsets].allSatisfy { $0 <= 0x20 }
        case .tag(let tag): tag.assignment != nil || tag.isComment || tag.isCapture
        }
    }

    /// The finding about the first possible output of the template that is not of the required type.
    private func wayFinding(_ requirement: RequiredExtra) -> Finding? {
        let (key, type) = (requirement.key, requirement.type)
        // The values themselves are checked separately, so each of them is replaced by one that fits.
        let value: [UInt8] = type == .boolean ? Array("true".utf8) : [UInt8(ascii: "0")]
        guard let ways = TemplateDrafts(self, fill: { _, _, _ in value }) else { return nil }
        for draft in ways.drafts {
            if draft.isBlank {
                guard requirement.isRequired, draft.values.isEmpty else { continue }
                return Finding(.blank(key, type), at: source.place)
            }
            // Nothing is known about a URL that begins with a value, or about a date that contains one.
            if type == .url, draft.values.contains(where: { $0.lowerBound == 0 }) { continue }
            if type == .date, !draft.values.isEmpty { continue }
            guard !type.accepts(draft.text) else { continue }
            var shown = draft.bytes
            for range in draft.values.reversed() { shown.replaceSubrange(range, with: "…".utf8) }
            let isText = { (index: Int) in !draft.values.contains { $0.contains(index) } }
            let first =
                draft.bytes.indices.first { isText($0) && draft.bytes[$0] > 0x20 }
                ?? draft.bytes.indices.first(where: isText)
            let last = draft.bytes.indices.last { isText($0) && draft.bytes[$0] > 0x20 } ?? first
            guard let first, let last, draft.places[first] <= draft.places[last] else { return nil }
            let range = SourceRange(draft.places[first], draft.places[last] + 1)
            if parts.loops.isEmpty, let texts = ways.texts(failing: requirement) {
                return Finding(.always(key, texts, type), at: place(of: range), severity: .error)
            }
            return Finding(.way(key, String(decoding: shown, as: UTF8.self), type), at: place(of: range))
        }
        return nil
    }

    /// The finding about the filters of the only output.
    ///
    /// It is an error if no value can have the required type after them.
    private func valueFinding(_ markup: MarkupSyntax, _ requirement: RequiredExtra) -> Finding? {
        let type = requirement.type
        let filters = markup.filters
        func finding(_ made: String, _ hint: String = "", at range: SourceRange, isError: Bool = false) -> Finding {
            Finding(.value(requirement.key, made, type, hint), at: place(of: range), severity: isError ? .error : nil)
        }
        // The default for a missing value must be of the required type too.
        if let filter = filters.last, filter.name == "default",
            let argument = filter.arguments.first(where: { $0.name == nil }), let text = argument.value.literal?.text,
            !text.isEmpty, !type.accepts(text), type != .json
        {
            return finding("its default is '\(text)'", at: argument.value.range)
        }
        let culprit = filters.last { $0.name != "default" }
        let range = culprit?.nameRange ?? markup.range
        let made = types.type(of: markup)
        if culprit?.name == "date" { return dateFinding(markup, requirement) }
        // A missing value may become a blank text, which is right for a key-value pair that is not required.
        let neverFits = requirement.isRequired || filters.contains { $0.name == "default" }
        switch (type, made) {
        case (.integer, .decimal?):
            // Reported only if a decimal result is likely: sums of unknown values are often whole numbers.
            guard let culprit, Self.makesDecimals(filters) else { return nil }
            // A calculation with a literal such as 1.5 gives a decimal number for every value.
            let isCertain = if case .float? = culprit.arguments.first?.value.literal { true } else { false }
            return finding(
                "'\(culprit.name)' makes a decimal number", ", expected '| round' or '| floor' after it", at: range,
                isError: isCertain && culprit.name != "round")
        case (.integer, .text?), (.number, .text?):
            let text = "'\(culprit?.name ?? "")' makes text"
            switch culprit?.name {
            // 'money' prints numbers such as '5.00'.
            case "money" where type == .number: return nil
            case "money":
                return finding(
                    "'money' makes a decimal number", ", expected '| round' in its place", at: range,
                    isError: neverFits)
            case "append", "prepend":
                let literal = culprit?.arguments.first?.value.literal?.text
                let mayFit = literal.map { $0.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) } }
                return mayFit == true ? nil : finding(text, at: range, isError: mayFit == false)
            case "number_with_delimiter", "join", "upcase", "capitalize": return finding(text, at: range)
            default: return nil
            }
        case (.boolean, .integer?), (.boolean, .decimal?), (.url, .integer?), (.url, .decimal?):
            // Calculations give a number for every value; the type of an attribute is only declared.
            let isCertain = culprit.map { $0.isCalculation || $0.name == "size" } ?? false
            return finding("this is \(made?.rawValue ?? "")", at: range, isError: isCertain)
        case (.integer, .boolean?), (.number, .boolean?), (.integer, .time?), (.number, .time?), (.boolean, .time?),
            (.integer, .list?), (.number, .list?), (.boolean, .list?), (.date, .integer?), (.date, .decimal?),
            (.date, .boolean?), (.url, .boolean?):
            return finding("this is \(made?.rawValue ?? "")", at: range)
        default: return nil
        }
    }

    /// The finding about a date format that never prints a value of the required type.
    private func dateFinding(_ markup: MarkupSyntax, _ requirement: RequiredExtra) -> Finding? {
        let (key, type) = (requirement.key, requirement.type)
        let filters = markup.filters
        guard let filter = filters.last(where: { $0.name != "default" }),
            let format = filter.literalText, !format.isEmpty
        else { return nil }
        let examples = StrftimeFormat.examples(of: format)
        guard let example = examples.first, !examples.contains(where: type.accepts) else { return nil }
        let meant =
            switch type {
            case .date: "'%Y-%m-%dT%H:%M:%SZ'"
            case .integer, .number: "'%s' for the seconds since 1970"
            default: ""
            }
        let start = markup.expression.flatMap { assigned.text($0)?.text }
        return Finding(
            .value(key, "'\(format)' prints '\(example)'", type, meant.isEmpty ? "" : ", expected \(meant)"),
            at: place(of: filter.nameRange),
            // 'date' does not change text that is not a date, so the finding is certain only for 'now'.
            severity: start == "now" && filters.dropLast().allSatisfy { $0.name == "time_zone" } ? .error : nil
        )
    }

    /// Whether the filters probably give a number with a fraction, judged by the last filter that decides this.
    private static func makesDecimals(_ filters: [FilterSyntax]) -> Bool {
        for filter in filters.reversed() {
            switch filter.name {
            case "round" where filter.arguments.isEmpty: return false
            case "ceil", "floor", "size": return false
            case "round": return true
            case "times", "plus", "minus", "divided_by", "modulo":
                if case .float? = filter.arguments.first?.value.literal { return true }
            default: break
            }
        }
        return false
    }
}

extension TemplateDrafts {
    /// The different texts that the template can print, if all of them are known and all fail a requirement.
    fileprivate func texts(failing requirement: RequiredExtra) -> [String]? {
        // A value may be any text, so a draft that contains a value may pass.
        let alwaysFails = drafts.allSatisfy { draft in
            draft.values.isEmpty && (draft.isBlank ? requirement.isRequired : !requirement.type.accepts(draft.text))
        }
        guard alwaysFails else { return nil }
        var texts: [String] = []
        for draft in drafts where !texts.contains(draft.text) { texts.append(draft.text) }
        return texts
    }
}
