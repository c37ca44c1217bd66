// SPDX-License-Identifier: MIT

package import BrazeLiquid
package import DiagnosticSources
import DocumentFormats
import InAppScenarios
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func otherNamespace(
        _ name: String,
        _ namespace: ReadProperties.Namespace,
        _ other: ReadProperties.Namespace
    ) -> RuleMessage {
        "no text reads '\(namespace.rawValue).${\(name)}', but one reads '\(other.rawValue).${\(name)}'; expected it under '\(other.key)'"
    }
    fileprivate static func wrapped(_ name: String, _ namespace: ReadProperties.Namespace) -> RuleMessage {
        "no text reads '\(namespace.rawValue).${\(name)}'; expected the properties themselves, without '\(name)' around them"
    }
    fileprivate static func path(_ path: String, into name: String) -> RuleMessage {
        "the filter of '\(path)' does not look into '\(name)': it compares a property that is called '\(path)'"
    }
    fileprivate static let recipients: RuleMessage =
        "this is the list of a request to Braze; expected the properties themselves, as in 'trigger_properties' of one recipient"
}

extension Rule {
    static let testProperty = Rule(
        RuleID(
            "test-property", .warning,
            "a property of a test that no text reads and whose name is similar to one that is read", scope: .test),
        source: .braze("api/objects_filters/trigger_properties_object"),
        rationale: """
            The name is misspelt in the test or in the text, or the test gives a property of the trigger as one of the \
            event, or the other way round. So the value is missing in the text. The rule also checks the files of \
            --trigger-properties and --event-properties. It also reports properties inside an object \
            'trigger_properties', 'event_properties' or 'recipients', as a request to Braze has them. A property \
            {"$time": TEXT} is a time only if TEXT is one. In a scenario, the properties of events are compared with \
            the texts and with the filters of triggers. A filter compares one property, and its name is not a path \
            into an object.
            """,
        failing: [
            .campaign(
                """
                push: {title: 'Hi {{ api_trigger_properties.${session} }}'}
                tests:
                  - {name: ana, trigger_properties: {⟦sesion⟧: One}, expect: {title: Hi One}}
                """
            ),
            .campaign(
                """
                push: {title: 'Hi {{ event_properties.${session} }}'}
                tests:
                  - {name: ana, event_properties: {⟦event_properties⟧: {session: One}}, expect: {title: Hi One}}
                """
            ),
            .campaign(
                """
                push: {title: "Hi {{ event_properties.${day} | date: '%d' }}"}
                tests:
                  - {name: ana, event_properties: {day: {$time: ⟦2026-02-30⟧}}, expect: {title: Hi}}
                """
            ),
            .campaign(
                """
                push: {title: 'Hi {{ api_trigger_properties.${session} }}'}
                tests:
                  - name: ana
                    trigger_properties: {⟦recipients⟧: [{external_user_id: a, trigger_properties: {session: One}}]}
                    expect: {title: Hi One}
                """
            ),
            .scenario(
                "[{id: a, triggers: [{custom_event: bought}], filters: [{property: Price, comparator: at_least, value: 9}]}]",
                event: "{custom_event: bought}, properties: {⟦price⟧: 12}"),
            .scenario(
                "[{id: a, triggers: [{custom_event: bought}], filters: [{property: order.total, comparator: at_least, value: 9}]}]",
                event: "{custom_event: bought}, properties: {⟦order⟧: {total: 12}}"),
            .scenario(
                "[{id: a, triggers: [{custom_event: bought}], extras: {p: '{{ event_properties.${Product} }}'}}]",
                event: "{custom_event: bought}, properties: {⟦product⟧: Tee}"),
        ],
        passing: [
            .campaign(
                """
                push: {title: 'Hi {{ api_trigger_properties.${session} }}'}
                tests:
                  - {name: ana, trigger_properties: {session: One}, expect: {title: Hi One}}
                """
            ),
            .scenario(
                "[{id: a, triggers: [{custom_event: bought}], filters: [{property: price, comparator: at_least, value: 9}]}]",
                event: "{custom_event: bought}, properties: {price: 12, prize: 1}"),
        ],
        .campaign { campaign in
            let read = ReadProperties(campaign)
            let times = campaign.propertyTimeFindings
            if let scenario = campaign.scenario { return times + read.findings(about: scenario.properties) }
            let tests = campaign.campaign?.tests ?? []
            guard tests.contains(where: { $0.triggerProperties != nil || $0.eventProperties != nil }),
                let root = try? DocumentNode.read(campaign.file, rule: .campaignSyntax)
            else { return times }
            return times
                + root.elements("tests").flatMap { test in
                    read.findings { GivenProperties(file: campaign.file, members: test.members($0.key)) }
                }
        }
    )
}

/// The properties that are given in a namespace: the members of a file, and the names of properties from elsewhere.
private struct GivenProperties {
    var file: SourceFile?
    var members: [DocumentMember]
    var others: [String] = []

    var names: [String] { members.map(\.name) + others }
}

/// The names of the properties that the texts of a campaign, template or scenario read.
private struct ReadProperties {
    /// The namespaces in which texts read properties.
    enum Namespace: String, CaseIterable {
        case trigger = "api_trigger_properties"
        case event = "event_properties"

        /// The key under which a test gives the properties.
        var key: String { self == .trigger ? "trigger_properties" : rawValue }
    }

    private let names: [Namespace: Set<String>]

    /// The namespaces that a text also reads without a name in `${…}`, so that it may read any property.
    private let open: Set<Namespace>

    /// The names that filters of triggers compare, in their order.
    private var filterKeys: [String] = []

    init(_ campaign: LintedCampaign) {
        var names = Dictionary(uniqueKeysWithValues: Namespace.allCases.map { ($0, campaign.names(in: $0.rawValue)) })
        if let scenario = campaign.scenario?.scenario {
            // The events of a scenario have no trigger properties.
            filterKeys = scenario.messages.flatMap(\.conditions).flatMap(\.filters).joined().map(\.key)
            names = [.event: (names[.event] ?? []).union(filterKeys)]
        }
        self.names = names
        open = Set(Namespace.allCases.filter { campaign.readsWithoutAttribute($0.rawValue) })
    }

    /// The findings about the properties that are given in each namespace.
    func findings(_ given: (Namespace) -> GivenProperties) -> [Finding] {
        let (trigger, event) = (given(.trigger), given(.event))
        return [(Namespace.trigger, trigger, event), (.event, event, trigger)].flatMap { namespace, own, other in
            own.members.compactMap { member in
                message(
                    about: member.name, holdsProperties: member.holdsProperties, in: namespace, among: own.names,
                    besides: other.names
                )
                .map { Finding($0, at: own.file.map { SourcePlace($0, member.keyRange) }) }
            }
        }
    }

    /// The findings about the properties of the events of a scenario.
    func findings(about properties: [(name: String, isObject: Bool, place: SourcePlace)]) -> [Finding] {
        let given = Set(properties.map(\.name))
        let paths = filterKeys.filter { $0.contains(".") && !given.contains($0) }
        return properties.compactMap { name, isObject, place in
            if isObject, let path = paths.first(where: { $0.hasPrefix(name + ".") }) {
                return Finding(.path(path, into: name), at: place)
            }
            return message(about: name, holdsProperties: isObject, in: .event, among: given, besides: []).map {
                Finding($0, at: place)
            }
        }
    }

    /// The message about a property that no text reads; nil if the property may be right.
    ///
    /// - Parameters:
    ///   - name: the name of the property.
    ///   - holdsProperties: whether the value may contain the properties: as an object, or as recipients of a request.
    ///   - namespace: the namespace in which the property is given.
    ///   - given: the names of all properties that are given in this namespace.
    ///   - others: the names of the properties that are given in the other namespace.
    /// - Returns: the message.
    private func message(
        about name: String,
        holdsProperties: Bool,
        in namespace: Namespace,
        among given: some Collection<String>,
        besides others: some Collection<String>
    ) -> RuleMessage? {
        let read = names[namespace] ?? []
        guard !read.contains(name), !open.contains(namespace) else { return nil }
        let other = namespace == .trigger ? Namespace.event : .trigger
        if names[other]?.contains(name) ?? false, !others.contains(name) {
            return .otherNamespace(name, namespace, other)
        }
        if holdsProperties, !read.isEmpty {
            if [namespace.key, namespace.rawValue].contains(name) { return .wrapped(name, namespace) }
            if namespace == .trigger, name == recipientsKey { return .recipients }
        }
        var misses = NearMisses(read: read, given: given)
        return misses.meant(by: name).map { .unread("\(namespace.rawValue).${\(name)}", near: $0) }
    }
}

extension LintedCampaign {
    /// The errors and warnings about names and times in the files of properties that the campaign is rendered with.
    ///
    /// - Parameters:
    ///   - trigger: the properties of the API trigger; nil if there are none.
    ///   - event: the properties of the event; nil if there are none.
    ///   - contexts: the other values that the campaign is rendered with.
    ///   - levels: the severities of the rules.
    /// - Returns: the findings.
    package func findings(
        inTriggerProperties trigger: SourceFile?,
        eventProperties event: SourceFile?,
        besides contexts: [RenderContext],
        _ levels: RuleLevels
    ) -> [Diagnostic] {
        let findings = ReadProperties(self).findings { namespace in
            let file = namespace == .trigger ? trigger : event
            let others = contexts.flatMap(\.namespaces).filter { $0.name == namespace.rawValue }
            return GivenProperties(
                file: file,
                members: (file.flatMap { try? DocumentNode.json($0, rule: .jsonSyntax) })?.members ?? [],
                others: others.flatMap(\.members.keys))
        }
        let times = [trigger, event].compactMap(\.self).flatMap(\.writtenTimeFindings)
        return levels.apply(to: Rule.testProperty.diagnostics(findings + times)).filter { $0.severity > .info }
    }
}

extension LintedCampaign {
    /// Whether a text reads a namespace without the name of an attribute, such as in a loop over it.
    fileprivate func readsWithoutAttribute(_ namespace: String) -> Bool {
        templates.contains { text in
            text.analysis.reads.contains { $0.path.root == .name(namespace) && $0.path.attribute == nil }
        }
    }
}

/// The key of the list of recipients in a request to Braze, each of which has properties.
private let recipientsKey = "recipients"

extension DocumentMember {
    /// Whether the value is an object or, under the key `recipients`, a list of recipients with properties.
    fileprivate var holdsProperties: Bool {
        guard name == recipientsKey else { return value.members != nil }
        let key = ReadProperties.Namespace.trigger.key
        return (value.elements ?? []).contains { $0[key]?.members != nil }
    }
}
