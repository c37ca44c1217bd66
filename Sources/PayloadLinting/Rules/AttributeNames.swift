// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func notGiven(_ name: String, near: String) -> RuleMessage {
        "no profile or test has '\(name)'; did you mean '\(near)'?"
    }
    fileprivate static func readOnce(_ name: String, near: String, count: Int) -> RuleMessage {
        let end = count > 1 ? "; did you mean '\(near)'?" : ": one of the two is probably misspelt"
        return "the campaign reads '\(name)' only here, and the similar name '\(near)' elsewhere\(end)"
    }
    fileprivate static func unchecked(_ names: [String]) -> RuleMessage {
        let subject = names.count == 1 ? "the name of the custom attribute" : "the names of the custom attributes"
        return """
            \(subject) \(names.quoted(atMost: 3)) \(names.count == 1 ? "is" : "are") not checked: expected a test \
            whose profile has \(names.count == 1 ? "it, an entry" : "them, entries") under 'attributes', or the \
            registry that 'payloadgen pull' writes
            """
    }
}

extension RuleID {
    fileprivate static let attributeUnchecked = RuleID(
        "attribute-unchecked", .info, "custom attributes whose names cannot be checked",
        reportsUncheckedPart: true)
}

/// The rules about names of attributes and properties that Braze does not define.
extension Rule {
    static let attributeNames: [Rule] = [attributeNearMiss, attributeUnchecked]

    private static let attributeNearMiss = Rule(
        RuleID(
            "attribute-near-miss", .warning,
            "a custom attribute or property that no test or profile has, and whose name is similar to another one"),
        source: .braze("user_guide/data/activation/custom_data/custom_attributes"),
        rationale: """
            A misspelt attribute is missing for every user, and a default in the text hides that. The names that texts \
            read are compared with those in the tests and profiles of the project and under 'attributes', and \
            otherwise with those that the campaign reads elsewhere. Names are similar if a letter is missing, doubled, \
            wrong or swapped, or if case or separators differ. The rule is silent for names that differ in a digit, \
            for a name that a test, a profile or 'attributes' has, for plurals where no test says which one is right, \
            and for custom attributes where a registry lists them (unknown-custom-attribute).
            """,
        fix: "writes the name that is read elsewhere, if a test gives it or it is read several times",
        failing: [
            .campaign(
                """
                push: {title: "{{ custom_attribute.${open_lessons} | default: 0 }}", \
                body: "{{ custom_attribute.${⟦open_lesons⟧} | default: 0 }}"}
                tests: [{name: ana, profile: ana.json, expect: {title: '2'}}]
                """,
                with: [.file("ana.json", "{\"custom_attributes\": {\"open_lessons\": 2}}")],
                fixed: """
                    push: {title: "{{ custom_attribute.${open_lessons} | default: 0 }}", \
                    body: "{{ custom_attribute.${open_lessons} | default: 0 }}"}
                    tests: [{name: ana, profile: ana.json, expect: {title: '2'}}]
                    """),
            .campaign(
                "push: {title: 'For {{ event_properties.${session_name} }}', body: '{{ event_properties.${⟦sessoin_name⟧} }}'}"
            ),
        ],
        passing: [
            .campaign(
                """
                push: {title: '{{ event_properties.${lesson_1} }}{{ event_properties.${lesson_2} }}', \
                body: '{{ event_properties.${courses} }}{{ event_properties.${course} }}'}
                """),
            .campaign(
                """
                push: {title: "{{ custom_attribute.${lessons} | default: 0 }}{{ custom_attribute.${lesson} | default: 0 }}"}
                tests: [{name: ana, profile: ana.json, expect: {title: '20'}}]
                """,
                with: [.file("ana.json", "{\"custom_attributes\": {\"lessons\": 2, \"lesson\": 0}}")]),
        ],
        .project { campaigns in
            var names = AttributeNames(campaigns)
            return names.findings()
        }
    )

    private static let attributeUnchecked = Rule(
        .attributeUnchecked,
        source: .silentlyUnread,
        rationale: """
            Only the workspace at Braze knows its custom attributes. 'payloadgen pull' writes them to \
            custom_attributes/registry.yaml. Without this file, payloadgen knows only the names in the profiles and \
            contexts of tests and under 'attributes'. One finding of a run names all such attributes. The rule is \
            silent for properties of events, triggers and Canvases, which each sender chooses.
            """,
        failing: [
            .campaign("push: {title: 'Hi {{ custom_attribute.${⟦pet⟧} | default: 1 }}{{ custom_attribute.${cat} }}'}")
        ],
        passing: [
            .campaign("push: {title: 'Hi {{ custom_attribute.${pet} }}'}\nattributes: {pet: {type: string}}"),
            .campaign(
                "push: {title: 'Hi {{ custom_attribute.${pet} }}'}\ntests: [{name: a, profile: a.json, expect: {title: Hi}}]",
                with: [.file("a.json", "{\"custom_attributes\": {\"pet\": null}}")]),
        ],
        .run { run in
            var names = AttributeNames(run.campaigns.filter(\.isCampaign))
            return names.unchecked(isReported: run.isReported).map { names, place in
                [Diagnostic(.attributeUnchecked, RuleMessage.unchecked(names).text, at: place)]
            } ?? []
        }
    )
}

/// The names that the tests, profiles and texts of campaigns have, by namespace.
private struct AttributeNames {
    /// The names for which a test or profile gives values, or that `attributes` declares.
    private var known: [String: Set<String>] = [:]

    /// The names that texts read.
    private var read: [String: Set<String>] = [:]

    /// The known names, with which unknown names are compared to find typing mistakes.
    private var typingMistakes: [String: TypingMistakes] = [:]

    /// The reads of the texts of each campaign.
    private let reads: [(campaign: LintedCampaign, reads: [AttributeRead])]

    init(_ campaigns: [LintedCampaign]) {
        reads = campaigns.map { ($0, $0.openReads) }
        for (campaign, reads) in reads {
            for (namespace, names) in campaign.givenNames { known[namespace, default: []].formUnion(names) }
            let declared = Set(campaign.campaign?.attributePlaces.keys.map { $0 } ?? []).union(campaign.givenAttributes)
            known["custom_attribute", default: []].formUnion(declared)
            for read in reads { self.read[read.namespace, default: []].insert(read.name) }
        }
        typingMistakes = known.mapValues { TypingMistakes(in: $0, strictly: false) }
    }

    /// The known name that a read misspells; nil if there is none.
    private mutating func meant(by read: AttributeRead) -> String? {
        typingMistakes[read.namespace]?.meant(by: read.name)
    }

    /// The reads of a campaign whose names are not known, without custom attributes if a registry lists them.
    private func unknown(_ campaign: LintedCampaign, _ reads: [AttributeRead]) -> [AttributeRead] {
        let hasRegistry = campaign.registry?.attributes != nil
        return reads.filter { read in
            !(hasRegistry && read.namespace == "custom_attribute")
                && known[read.namespace]?.contains(read.name) != true
        }
    }

    /// The unknown custom attributes of reported campaigns that are similar to no known name, with the place of the
    /// first.
    mutating func unchecked(isReported: (String) -> Bool) -> (names: [String], place: SourcePlace)? {
        let found = reads.filter { isReported($0.campaign.file.path) }.flatMap { campaign, reads in
            unknown(campaign, reads).filter { $0.namespace == "custom_attribute" && meant(by: $0) == nil }
                .map { (campaign, $0) }
        }
        return found.first.map { campaign, read in
            (found.map(\.1.name).unique(by: \.self), campaign.place(of: read.name, in: read))
        }
    }

    mutating func findings() -> [Finding] {
        reads.flatMap { campaign, reads -> [Finding] in
            let unknown = unknown(campaign, reads)
            var counts: [String: [String: Int]] = [:]
            for read in unknown { counts[read.namespace, default: [:]][read.name, default: 0] += 1 }
            var others = counts.mapValues { TypingMistakes(in: $0.keys, strictly: true) }
            var seen: Set<[String]> = []
            return unknown.compactMap { read -> Finding? in
                seen.insert([read.namespace, read.name])
                if let near = meant(by: read) {
                    let isRead = self.read[read.namespace]?.contains(near) ?? false
                    // If no text reads the similar name, the rule about the test or profile that gives it reports both.
                    guard isRead || campaign.givenNames[read.namespace]?.contains(near) != true else { return nil }
                    return Finding(
                        .notGiven(read.name, near: near), at: campaign.place(of: read.name, in: read),
                        fixes: isRead ? campaign.renaming(read.name, in: read, to: near) : [])
                }
                guard counts[read.namespace]?[read.name] == 1, let near = others[read.namespace]?.meant(by: read.name),
                    let count = counts[read.namespace]?[near], count > 1 || seen.contains([read.namespace, near])
                else { return nil }
                // Of two names that are each read once, the second is reported without a fix: only the author knows
                // which is right.
                return Finding(
                    .readOnce(read.name, near: near, count: count), at: campaign.place(of: read.name, in: read),
                    fixes: count > 1 ? campaign.renaming(read.name, in: read, to: near) : [])
            }
        }
    }
}

/// Finds names that differ from a candidate by a typing mistake, in limited time.
private struct TypingMistakes {
    private let candidates: [String]
    private let strictly: Bool
    private var known: [String: String?] = [:]
    private var comparisonsLeft = 200_000

    init(in candidates: some Sequence<String>, strictly: Bool) {
        self.candidates = candidates.sorted()
        self.strictly = strictly
    }

    /// The first candidate that a name misspells; nil if there is none.
    mutating func meant(by name: String) -> String? {
        if let near = known[name] { return near }
        guard comparisonsLeft > 0 else { return nil }
        comparisonsLeft -= candidates.count
        let near = candidates.first { isTypingMistake(name, of: $0, strictly: strictly) }
        known[name] = .some(near)
        return near
    }
}

extension LintedCampaign {
    /// The namespaces whose names Braze does not define.
    private static let openNamespaces: Set<String> = [
        "custom_attribute", "event_properties", "api_trigger_properties", "canvas_entry_properties", "context",
    ]

    /// The reads of attributes and properties whose names Braze does not define.
    fileprivate var openReads: [AttributeRead] {
        attributeReads.filter { Self.openNamespaces.contains($0.namespace) && $0.hasName }
    }
}
