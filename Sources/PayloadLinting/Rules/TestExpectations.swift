// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unknown(_ name: String, _ owner: String, near: String?, known: [String]) -> RuleMessage {
        let hint = didYouMean(near, else: known.isEmpty ? "" : "; it has " + known.quoted(atMost: 5))
        return "\(owner) has no '\(name)'\(hint)"
    }
    fileprivate static func notSent(_ name: String) -> RuleMessage {
        "'\(name)' is not part of the payload, so no test can expect it; expected a field of the payload"
    }
    fileprivate static func notText(_ name: String, _ keys: String, near: String?) -> RuleMessage {
        """
        '\(name)' is text, found \(keys); expected a text, 'contains', 'matches' or \
        'absent'\(didYouMean(near))
        """
    }
    fileprivate static func unset(_ name: String) -> RuleMessage {
        "the campaign has no '\(name)', so no payload has it and the test fails; expected it under 'push' as well"
    }
    fileprivate static let neverAborted: RuleMessage =
        "no text of the campaign has a tag that aborts a message, so the test always fails"
    fileprivate static func condition(_ fault: String) -> RuleMessage { RuleMessage(fault) }
}

extension Rule {
    static let unknownExpectation = Rule(
        RuleID("unknown-expectation", .error, "a test that expects something that no payload of the campaign has"),
        source: .applePushObject,
        rationale: """
            The test can only fail, or, if it expects nothing to be sent, only pass. The rule knows the members of a \
            payload, the key-value pairs of the campaign, and the fields of 'push' by their names, such as 'title'. It \
            does not know key-value pairs whose keys hold Liquid. If a test expects a key to be absent, that is a \
            warning, and only if a similar key is sent. 'lint' does not run tests: 'test' reports whether they pass.
            """,
        failing: [
            .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {⟦titel⟧: Hi}}"),
            .campaign("push: {title: Hi, extras: {stats: a}}\ntests:\n  - {name: ana, expect: {extras: {⟦stat⟧: a}}}"),
            .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {title: ⟦{contain: H}⟧}}"),
            .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {title: Hi, ⟦subtitle⟧: Hello}}"),
            .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {aborted: ⟦no city⟧}}"),
        ],
        passing: [
            .campaign("push: {title: Hi, extras: {stats: a}}\ntests:\n  - {name: ana, expect: {title: Hi, stats: a}}"),
            .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {aps: {alert: {title: {contains: H}}}}}"),
            .campaign(
                "push: {title: Hi, extras: {n: a}}\ntests:\n  - {name: ana, expect: {extras: {m: {absent: true}}}}"),
        ],
        .campaign { campaign in
            guard let read = campaign.campaign, !campaign.misses(read.push) else { return [] }
            var check = ExpectationCheck(read)
            for test in read.tests { check.check(test.expectation) }
            return (check.found + campaign.impossibleAbortFindings).map { finding in
                // An error also appears in the results of a test run, so it gets the scope `message`. A warning is
                // about a test that can only pass, so no run shows it.
                var finding = finding
                if finding.severity ?? .error == .error { finding.scope = .message }
                return finding
            }
        }
    )
}

extension LintedCampaign {
    /// Whether nothing is known about the message because of an error in it or in its REST body.
    fileprivate func misses(_ push: PushMessage) -> Bool {
        push.fields.isEmpty && push.extras.isEmpty && diagnostics.contains { $0.severity == .error }
    }
}

extension LintedCampaign {
    /// The findings about expected aborts in a campaign that has no tag for one.
    fileprivate var impossibleAbortFindings: [Finding] {
        let aborting: Set<String> = ["abort_message", "promotion", "shopping_cart", "connected_content"]
        let expected = (campaign?.tests ?? []).compactMap(\.expectation.aborted)
        guard !expected.isEmpty, templates.allSatisfy(\.isWhole) else { return [] }
        let aborts = templates.contains { $0.analysis.tags.contains { aborting.contains($0.name) } }
        return aborts ? [] : expected.map { Finding(.neverAborted, at: $0.place) }
    }
}

/// Compares the expectations of tests with what the payloads of a campaign can contain.
private struct ExpectationCheck {
    private(set) var found: [Finding] = []

    private let file: SourceFile
    private let push: PushMessage

    private var suggestions = Suggestions()

    /// The keys of the key-value pairs; nil if Liquid produces one of them.
    private let extras: [String]?

    init(_ campaign: Campaign) {
        file = campaign.file
        push = campaign.push
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

    /// Checks the keys of `aps`, or of the alert inside of `aps`.
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
        if case .text = extra.value { checkText(member) } else { checkConditions(member.value) }
    }

    private mutating func check(_ field: PushField, _ member: DocumentMember) {
        // If the campaign does not set the field, a test can only expect that the field is absent.
        if push[field.name] == nil, !field.isSentUnasked, !member.expectsAbsence {
            found.append(Finding(.unset(member.name), at: place(member.keyRange)))
            return
        }
        switch field.kind {
        case .template, .text: checkText(member)
        default: checkConditions(member.value)
        }
    }

    /// Checks the expectation for a text, where a mapping can only contain conditions.
    private mutating func checkText(_ member: DocumentMember) {
        guard member.value.scalar == nil, PayloadMatcher(member.value) == nil else {
            return checkConditions(member.value)
        }
        let odd = (member.value.members ?? []).map(\.name).filter { !PayloadMatcher.keys.contains($0) }
        let near = odd.first.flatMap { suggestions.nearest(to: $0, in: PayloadMatcher.keys) }
        let keys = odd.isEmpty ? "a list" : "'" + odd.prefix(3).joined(separator: "', '") + "'"
        found.append(Finding(.notText(member.name, keys, near: near), at: place(member.value.range)))
    }

    /// Checks the conditions in a value, at every depth.
    private mutating func checkConditions(_ node: DocumentNode) {
        if let matcher = PayloadMatcher(node) {
            found += matcher.faults.map { Finding(.condition($0.fault), at: place($0.range)) }
            return
        }
        for member in node.members ?? [] { checkConditions(member.value) }
        for element in node.elements ?? [] { checkConditions(element) }
    }

    /// Reports a key that the payload or the message does not have, and suggests a known key.
    private mutating func report(_ member: DocumentMember, _ owner: String, _ known: [String], named: [String]) {
        let expectsAbsence = member.expectsAbsence
        let deeper = push.table.fields.first { $0.key == member.name && $0.payloadPath?.count ?? 0 > 1 }?.payloadPath
        let near =
            member.name == "alert" && owner == "the payload"
            ? "aps.alert"
            : deeper?.joined(separator: ".") ?? suggestions.nearest(to: member.name, in: known)
                ?? KeySynonyms.campaign.key(for: member.name, among: known)
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

extension DocumentMember {
    /// Whether the test expects that a payload has no such member.
    fileprivate var expectsAbsence: Bool {
        value.scalar?.isNullMark ?? PayloadMatcher(value).map(\.expectsAbsence) ?? false
    }
}
