// SPDX-License-Identifier: MIT

import Documents
import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func unknown(_ name: String, _ owner: String, near: String?, known: [String]) -> RuleMessage {
        let hint = didYouMean(near, else: known.isEmpty ? "" : "; it has " + known.quoted(atMost: 5))
        return "\(owner) has no '\(name)'\(hint)"
    }
    fileprivate static func notSent(_ name: String) -> RuleMessage {
        "'\(name)' is not part of the payload, so no test can expect it"
    }
    fileprivate static func notText(_ name: String, _ keys: String, near: String?) -> RuleMessage {
        """
        '\(name)' is text, found \(keys); expected a text, 'contains', 'matches' or \
        'absent'\(didYouMean(near))
        """
    }
    fileprivate static func unclearAbsence(_ value: String) -> RuleMessage {
        "found '\(value)' as 'absent', which counts as true; expected true or false"
    }
    fileprivate static func otherText(_ name: String, _ text: String, _ expected: String) -> RuleMessage {
        "'\(name)' is always '\(text)', so the test fails; found '\(expected)' as its expectation"
    }
    fileprivate static func unrendered(_ name: String) -> RuleMessage {
        "the expectation holds Liquid, which is not rendered there, so the test fails; expected what users read as '\(name)'"
    }
    fileprivate static func unset(_ name: String) -> RuleMessage {
        "the campaign has no '\(name)', so no payload has it and the test fails"
    }
    fileprivate static let neverAborted: RuleMessage =
        "no text of the campaign has a tag that aborts a message, so the test always fails"
    fileprivate static func otherReason(_ reason: String, near: String?, known: [String]) -> RuleMessage {
        let hint = didYouMean(near, else: "; the reasons are " + known.quoted(atMost: 5))
        return "no tag aborts the message with '\(reason)', so the test always fails\(hint)"
    }
    fileprivate static func unknownRule(_ name: String, near: String?) -> RuleMessage {
        "there is no rule '\(name)'\(didYouMean(near, else: "; 'payloadgen rules' lists them"))"
    }
    fileprivate static func condition(_ fault: String) -> RuleMessage { RuleMessage(fault) }
}

extension Rule {
    package static let unknownExpectation = Rule(
        RuleDescription(
            RuleID("unknown-expectation", .error, "a test that expects something that no payload of the campaign has"),
            name: "Unknown expectation",
            source: .commandPage,
            rationale: """
                The test could only fail or, where it expects nothing to be sent, only pass. The rule knows the \
                members of a payload, the key-value pairs of the campaign, and the fields of 'push' by their names, \
                such as 'title'. Pairs whose keys hold Liquid are not known. A text without Liquid is the same in \
                every payload, so another text as its expectation is a warning, and so is Liquid, which is not \
                rendered there. A key that is expected to be absent is a warning, and only where a similar one is sent. \
                The reason of an expected abort is compared with those of the tags, and the rule of an expected failure \
                with the ids of all rules; other texts are parts of messages.
                """,
            failing: [
                .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {⟦titel⟧: Hi}}"),
                .campaign(
                    "push: {title: Hi, extras: {stats: a}}\ntests:\n  - {name: ana, expect: {extras: {⟦stat⟧: a}}}"),
                .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {title: ⟦{contain: H}⟧}}"),
                .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {title: ⟦Hello⟧}}"),
                .campaign(
                    "push: {title: 'Hi {{ ${city} }}'}\ntests:\n  - {name: ana, expect: {title: ⟦'Hi {{ ${city} }}'⟧}}"),
                .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {title: Hi, ⟦subtitle⟧: Hello}}"),
                .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {failed: ⟦extra-contract⟧}}"),
                .campaign(
                    """
                    push: {title: "{% if ${city} == blank %}{% abort_message('no city') %}{% endif %}Hi"}
                    tests:
                      - {name: ana, expect: {aborted: ⟦no-city⟧}}
                    """
                ),
            ],
            passing: [
                .campaign(
                    "push: {title: Hi, extras: {stats: a}}\ntests:\n  - {name: ana, expect: {title: Hi, stats: a}}"),
                .campaign(
                    "push: {title: Hi}\ntests:\n  - {name: ana, expect: {aps: {alert: {title: {contains: H}}}}}"),
                .campaign(
                    "push: {title: Hi, extras: {n: a}}\ntests:\n  - {name: ana, expect: {extras: {m: {absent: true}}}}"),
            ]
        ),
        .campaign { campaign in
            guard let read = campaign.campaign, !campaign.misses(read.push) else { return [] }
            let holdsRaw = campaign.texts.contains { text in text.tags.contains { $0.name.text == "raw" } }
            var check = ExpectationCheck(read, holdsRaw: holdsRaw)
            for test in read.tests { check.check(test.expectation) }
            return check.found + campaign.abortsThatCannotBe + campaign.unknownRules
        }
    )
}

extension LintedCampaign {
    /// Whether nothing is known of the message because an error is in it or in its REST body.
    fileprivate func misses(_ push: PushMessage) -> Bool {
        push.fields.isEmpty && push.extras.isEmpty && diagnostics.contains { $0.severity == .error }
    }

    /// The findings about expected aborts in a campaign that has no tag for one.
    fileprivate var abortsThatCannotBe: [Finding] {
        let aborting: Set<String> = ["abort_message", "promotion", "shopping_cart", "connected_content"]
        let expected = (campaign?.tests ?? []).compactMap(\.expectation.aborted)
        guard !expected.isEmpty, templates.allSatisfy(\.isWhole) else { return [] }
        let tags = templates.flatMap { text in text.analysis.tags.filter { aborting.contains($0.name) } }
        guard !tags.isEmpty else { return expected.map { Finding(.neverAborted, at: $0.place) } }
        // What other tags abort with depends on the fixtures.
        let known = tags.compactMap { tag -> String? in
            guard tag.name == "abort_message", case .string(let reason)? = tag.arguments.first?.literal else {
                return nil
            }
            return reason
        }
        guard known.count == tags.count else { return [] }
        return expected.filter { !known.contains($0.value) }.map { reason in
            Finding(
                .otherReason(reason.value, near: nearestName(to: reason.value, in: known), known: known),
                at: reason.place)
        }
    }
}

extension LintedCampaign {
    /// The findings about expected failures that name no rule, but nearly one.
    fileprivate var unknownRules: [Finding] {
        (campaign?.tests ?? []).compactMap { test in
            guard let failed = test.expectation.failed, Rule.named(failed.value) == nil,
                !failed.value.contains(where: { !$0.isLetter && !"-_".contains($0) })
            else { return nil }
            let near = nearestName(to: failed.value, in: Rule.all.map(\.id.name))
            guard near != nil || failed.value.contains("-") else { return nil }
            return Finding(.unknownRule(failed.value, near: near), at: failed.place)
        }
    }
}

/// Compares the expectations of tests with what the payloads of a campaign can hold.
private struct ExpectationCheck {
    private(set) var found: [Finding] = []

    private let file: SourceFile
    private let push: PushMessage

    /// Whether a text may print Liquid as it is.
    private let holdsRaw: Bool
    private var suggestions = Suggestions()

    /// The keys of the key-value pairs; nil where Liquid makes some of them.
    private let extras: [String]?

    init(_ campaign: Campaign, holdsRaw: Bool) {
        file = campaign.file
        push = campaign.push
        self.holdsRaw = holdsRaw
        extras = push.extras.contains { $0.key.holdsLiquid } ? nil : push.extras.map(\.key.text)
    }

    mutating func check(_ expectation: CampaignTest.Expectation) {
        let others = ["aps", "ab", "ab_uri", "ab_use_webview"]
        let names = push.table.fields.filter { $0.payloadPath != nil }.map(\.name)
        for member in expectation.members {
            if let extra = push.extras.first(where: { $0.key.text == member.name }) {
                check(extra, member)
            } else if member.name == "aps" {
                checkKeys(of: member, in: "aps", besides: ["alert"])
            } else if let field = push.table[member.name] {
                guard field.payloadPath != nil else {
                    found.append(Finding(.notSent(member.name), at: place(member.keyRange)))
                    continue
                }
                check(field, member)
            } else if !others.contains(member.name), let extras {
                let known = CampaignTest.Expectation.keys + names + others + extras
                report(member, "the payload", known, named: extras)
            }
        }
        guard let extras else { return }
        for member in expectation.extras?.members ?? [] {
            if let extra = push.extras.first(where: { $0.key.text == member.name }) {
                check(extra, member)
            } else {
                report(member, "the message", extras, named: extras)
            }
        }
    }

    /// Checks the keys of `aps` or of the alert in it.
    private mutating func checkKeys(of owner: DocumentMember, in path: String, besides others: [String]) {
        let fields = push.table.fields.filter { $0.payloadPath?.dropLast().joined(separator: ".") == path }
        let known = others + fields.compactMap(\.key)
        for member in owner.value.members ?? [] where !PayloadMatcher.keys.contains(member.name) {
            if member.name == "alert", others.contains("alert") {
                checkKeys(of: member, in: "aps.alert", besides: [])
            } else if let field = fields.first(where: { $0.key == member.name }) {
                check(field, member)
            } else {
                report(member, "'\(path)'", known, named: known)
            }
        }
    }

    private mutating func check(_ extra: PushMessage.Extra, _ member: DocumentMember) {
        guard case .text(let text) = extra.value else { return checkConditions(member.value) }
        checkText(member)
        checkLiquid(member)
        checkFixed(text, member)
    }

    private mutating func check(_ field: PushField, _ member: DocumentMember) {
        // The value of an absent field is only compared with nothing.
        let expectsNothing =
            member.value.scalar?.isNullMark ?? PayloadMatcher(member.value).map(\.expectsAbsence) ?? false
        if push[field.name] == nil, !field.isSentUnasked, !expectsNothing {
            found.append(Finding(.unset(member.name), at: place(member.keyRange)))
            return
        }
        switch field.kind {
        case .template, .text:
            checkText(member)
            checkLiquid(member)
            if case .text(let text)? = push[field.name] { checkFixed(text, member) }
        default: checkConditions(member.value)
        }
    }

    /// Checks an expectation of a text, for which a mapping holds conditions.
    private mutating func checkText(_ member: DocumentMember) {
        guard member.value.scalar == nil, PayloadMatcher(member.value) == nil else {
            return checkConditions(member.value)
        }
        let odd = (member.value.members ?? []).map(\.name).filter { !PayloadMatcher.keys.contains($0) }
        let near = odd.first.flatMap { suggestions.nearest(to: $0, in: PayloadMatcher.keys) }
        let keys = odd.isEmpty ? "a list" : "'" + odd.prefix(3).joined(separator: "', '") + "'"
        found.append(Finding(.notText(member.name, keys, near: near), at: place(member.value.range)))
    }

    /// Checks that an expectation is not Liquid, which no rendered text is.
    private mutating func checkLiquid(_ member: DocumentMember) {
        guard let text = member.value.scalar?.text, text.contains("{{") || text.contains("{%"),
            !holdsRaw
        else { return }
        found.append(Finding(.unrendered(member.name), at: place(member.value.range), severity: .warning))
    }

    /// Checks an expectation of a text that is the same for every user.
    private mutating func checkFixed(_ text: TemplateText, _ member: DocumentMember) {
        guard !text.holdsLiquid, text.text.contains(where: { !$0.isWhitespace }), let expected = member.value.scalar,
            !expected.isNullMark, expected.text != text.text
        else { return }
        let (found, wanted) = (DocumentMessages.shortened(text.text), DocumentMessages.shortened(expected.text))
        self.found.append(
            Finding(
                .otherText(member.name, found, wanted), at: place(member.value.range), severity: .warning,
                related: [Diagnostic.Related("the text", at: text.place)]))
    }

    /// Checks the conditions in a value, at every depth.
    private mutating func checkConditions(_ node: DocumentNode) {
        if let matcher = PayloadMatcher(node) {
            found += matcher.faults.map { Finding(.condition($0.fault), at: place($0.range)) }
            found += matcher.unclearAbsences.map {
                Finding(.unclearAbsence($0.value), at: place($0.range), severity: .warning)
            }
            return
        }
        for member in node.members ?? [] { checkConditions(member.value) }
        for element in node.elements ?? [] { checkConditions(element) }
    }

    /// Reports an unknown key.
    private mutating func report(_ member: DocumentMember, _ owner: String, _ known: [String], named: [String]) {
        let expectsAbsence =
            member.value.scalar?.isNullMark ?? PayloadMatcher(member.value).map(\.expectsAbsence) ?? false
        let deeper = push.table.fields.first { $0.key == member.name && $0.payloadPath?.count ?? 0 > 1 }?.payloadPath
        let near =
            member.name == "alert" && owner == "the payload"
            ? "aps.alert"
            : deeper?.joined(separator: ".") ?? suggestions.nearest(to: member.name, in: known)
                ?? KeySynonyms.key(for: member.name, among: known)
        guard !expectsAbsence || near.map({ mayBeMisspelt(member.name, $0) }) ?? false else { return }
        found.append(
            Finding(
                .unknown(member.name, owner, near: near, known: named),
                at: place(member.keyRange),
                severity: expectsAbsence ? .warning : nil
            )
        )
    }

    private func place(_ range: SourceRange) -> SourcePlace { SourcePlace(file, range) }
}

extension PushField {
    /// Whether a payload may have the field although the campaign does not set it.
    fileprivate var isSentUnasked: Bool {
        switch sending {
        case .byKind: false
        case .withImage, .option: true
        }
    }
}
