// SPDX-License-Identifier: MIT

import AppBundles
import BrazeLiquid
import Documents
import InAppScenarios
import JSON
import Liquid
import PayloadKit
import PropertyLists
import SourceText

extension RuleMessage {
    fileprivate static func noStoryboard(_ name: String, near: String?) -> RuleMessage {
        "the target of the extension has no '\(name).storyboard'\(didYouMean(near))"
    }
    fileprivate static func unread(_ reason: String) -> RuleMessage { "the test cannot be run: \(reason)" }
    fileprivate static func otherType(_ name: String, _ type: String, _ found: String) -> RuleMessage {
        "'\(name)' is declared as \(type) under 'attributes', found \(found)"
    }
    fileprivate static func unknownField(_ name: String, meant: String) -> RuleMessage {
        "an export of Braze has no field '\(name)', so it is left out; expected '\(meant)'"
    }
    fileprivate static func unknownName(_ name: String, meant: String) -> RuleMessage {
        "Liquid has no '${\(name)}', so no text reads it; did you mean '\(meant)'?"
    }
    fileprivate static func unknownZone(_ name: String, near: String?) -> RuleMessage {
        "unknown time zone '\(name)', with which 'time_zone' fails for the user\(near.map { ", expected one such as '\($0)'" } ?? "")"
    }
    fileprivate static func value(_ field: String, _ value: String, _ expected: String) -> RuleMessage {
        "Braze exports no '\(field)' such as '\(value)': \(expected)"
    }
    fileprivate static func noText(_ field: String, _ found: String) -> RuleMessage {
        "Braze exports '\(field)' as a text, found \(found)"
    }
    fileprivate static func form(_ field: String, _ found: String, _ expected: String) -> RuleMessage {
        "Braze exports '\(field)' as \(expected), found \(found)"
    }
    fileprivate static func noObject(_ field: String) -> RuleMessage {
        "'\(field)' is not read, expected an object of names and values"
    }
    fileprivate static func expectsNothing(_ name: String) -> RuleMessage {
        "the test '\(name)' expects nothing, so it passes whatever is rendered; expected something under 'expect'"
    }
    fileprivate static let noTests: RuleMessage = "'tests' is an empty list, so nothing is tested"
    fileprivate static func twice(_ name: String) -> RuleMessage {
        "the key '\(name)' occurs twice, and the last one counts"
    }
    fileprivate static func sameName(_ name: String) -> RuleMessage {
        "two tests have the name '\(name)', so reports and stored payloads do not distinguish them"
    }
    fileprivate static func attributeAtTop(_ name: String) -> RuleMessage {
        "an export of Braze has no field '\(name)', so it is left out; expected it under 'custom_attributes'"
    }
    fileprivate static func unreadAttribute(_ name: String, near: String) -> RuleMessage {
        "no text reads 'custom_attribute.${\(name)}', and one reads '\(near)': one of the names may be misspelt"
    }
    fileprivate static func withNamespace(_ name: String, _ bare: String) -> RuleMessage {
        "no text reads 'custom_attribute.${\(name)}'; expected the name of the custom attribute alone, '\(bare)'"
    }
    fileprivate static func noClock(_ name: String) -> RuleMessage {
        "a template uses the current time, and the test '\(name)' has no 'now', without which it fails"
    }
    fileprivate static let noClockOfScenario: RuleMessage =
        "a key-value pair uses the current time, and the scenario has no 'now', without which its test fails"
}

extension Rule {
    /// The rules about files and expectations of tests.
    static let testFiles: [Rule] = [
        missingFile, profileSyntax, profileField, testExpectation, testProperty, declaredAttribute, testClock, testName,
    ]

    private static let missingFile = Rule(
        RuleDescription(
            .missingFile,
            name: "Missing file",
            rationale: """
                Without it something is not checked or cannot be rendered: an Info.plist or entitlements file that an Xcode \
                project names, the storyboard of an extension, the folder of content blocks, the fixtures, a REST \
                body, the profile or context of a test. Case is compared, as it is on Linux.
                """,
            failing: [.campaign(test("profile: ⟦anna.json⟧"), with: [RuleExample.File("ana.json", "{}")])],
            passing: [.campaign(test("profile: ana.json"), with: [RuleExample.File("ana.json", "{}")])]
        ),
        .reading,
        .propertyList { list in
            guard let dictionary = list.contentExtension, let storyboards = list.storyboards,
                let node = list.document[dictionary, BundleKey.storyboard], let name = node.string, !name.isEmpty,
                !App.holdsBuildSetting(name), !storyboards.contains(name + ".storyboard")
            else { return [] }
            let known = storyboards.filter { $0.hasSuffix(".storyboard") }.map { String($0.dropLast(11)) }.sorted()
            return [Finding(.noStoryboard(name, near: nearestName(to: name, in: known)), at: list.place(of: node))]
        },
        .campaign { campaign in
            campaign.testPaths.compactMap { path in
                campaign.missingTestFiles[path.value].map { fault in
                    let known = campaign.testFiles.keys.sorted()
                    let near = fault.hint.isEmpty ? nearestName(to: path.value, in: known) : nil
                    return Finding(.unread(fault.message + didYouMean(near)), at: path.place)
                }
            }
        }
    )

    private static let profileSyntax = Rule(
        RuleDescription(
            .profileSyntax,
            name: "Profile syntax",
            rationale: """
                A profile is one JSON object: what Braze exports of a user, or the short form. In a batch a line \
                that is not a profile results in a failed record, and the other lines are rendered. The profiles and \
                contexts of tests are read as 'test' reads them.
                """,
            failing: [
                .campaign(
                    test("profile: ana.json"),
                    with: [RuleExample.File("ana.json", "{\"first_name\": \"Ana\" ⟦\"⟧external_id\": \"u\"}")]
                )
            ],
            passing: [
                .campaign(test("profile: ana.json"), with: [RuleExample.File("ana.json", "{\"first_name\": \"Ana\"}")])
            ]
        ),
        .campaign { campaign in campaign.testInputs.flatMap(\.syntaxFindings) }
    )

    private static let profileField = Rule(
        RuleDescription(
            .profileField,
            name: "Field of a profile",
            rationale: """
                An export names some fields differently from Liquid: 'email' becomes '${email_address}', 'dob' \
                '${date_of_birth}'. A field with another name is left out, so a test or 'render' shows a different \
                message than it seems to. Names are compared with those of Liquid and with similar ones; fields that Braze \
                exports and Liquid does not have pass. A value {"$time": TEXT}, also in a context, is a time only if TEXT is one. Custom attributes are compared with those that the texts read, and with \
                the types that the campaign declares. A batch looks at the first 20 profiles of each input, and of at most 50 \
                inputs; fields that are read and of another kind are warnings of each record.
                """,
            failing: [
                .campaign(
                    test("profile: ana.json"),
                    with: [RuleExample.File("ana.json", "{⟦\"email_address\"⟧: \"a@example.com\"}")]
                ),
                .campaign(
                    test("profile: ana.json"),
                    with: [RuleExample.File("ana.json", "{\"time_zone\": ⟦\"PST\"⟧}")]
                ),
            ],
            passing: [
                .campaign(
                    test("profile: ana.json"),
                    with: [RuleExample.File("ana.json", "{\"email\": \"a@example.com\", \"total_revenue\": 5}")]
                ),
                .campaign(
                    "push: {title: 'Hi{{ custom_attribute.${vip} }}'}\ntests:\n  - {name: ana, profile: ana.json, expect: {title: Hi}}",
                    with: [RuleExample.File("ana.json", "{\"custom_attributes\": {\"zip\": \"10115\"}}")]
                ),
            ]
        ),
        .campaign { campaign in
            let read = campaign.readAttributes
            return campaign.testInputs.flatMap { input in
                guard input.isProfile else { return input.file.writtenTimes }
                return input.fieldFindings(reading: read, types: campaign.campaign?.attributeTypes ?? [:])
            }
        }
    )

    /// The findings of the rule `profile-field` in a profile.
    ///
    /// - Parameters:
    ///   - profile: the file, or its line, with the profile.
    ///   - attributes: the names of the custom attributes that the texts read.
    ///   - types: the types of custom attributes that the campaign declares.
    /// - Returns: the findings.
    static func fields(
        of profile: SourceFile,
        reading attributes: Set<String>,
        types: [String: AttributeType]
    ) -> [Diagnostic] {
        let input = TestInput(file: profile, isProfile: true, place: nil)
        return profileField.diagnostics(input.fieldFindings(reading: attributes, types: types))
    }

    package static let testExpectation = Rule(
        RuleDescription(
            RuleID("test-without-expectation", .info, "a test that expects nothing"),
            name: "Test without an expectation",
            rationale:
                """
                It passes for every message that can be rendered. An empty list of tests, which tests nothing, is a warning. \
                The same goes for 'expect' with what every payload meets: nothing, 'matches' with a pattern that matches the \
                empty text, 'absent: false' for what every payload has, or 'at_most' with the 4096 bytes that APNs accepts, \
                or more.
                """,
            failing: [
                .campaign("push: {title: Hi}\ntests:\n  - ⟦name: ana⟧"),
                .campaign("push: {title: Hi}\ntests:\n  - ⟦{name: ana, expect: {title: {matches: '.*'}}}⟧"),
                .campaign("push: {title: Hi}\ntests:\n  - ⟦{name: ana, expect: {title: {matches: '^'}}}⟧"),
                .campaign("push: {title: Hi}\ntests:\n  - ⟦{name: ana, expect: {title: {absent: false}}}⟧"),
                .campaign("push: {title: Hi}\ntests:\n  - ⟦{name: ana, expect: {bytes: {at_least: 1}}}⟧"),
                .campaign("push: {title: Hi}\ntests: ⟦[]⟧"),
            ],
            passing: [
                .campaign("push: {title: Hi}\ntests:\n  - name: ana\n    expect: {title: Hi}"),
                .campaign("push: {title: Hi}\ntests:\n  - {name: ana, expect: {title: {matches: '^(?!.*Ho)'}}}"),
                .campaign(
                    "push: {title: Hi, thread_id: '{{ ${city} }}'}\ntests:\n  - {name: ana, expect: {thread_id: {absent: false}}}"
                ),
            ]
        ),
        .campaign { campaign in
            campaign.emptyListOfTests
                + (campaign.campaign.map { read in read.tests.filter { $0.expectation.isEmpty(for: read.push) } } ?? [])
                .map { Finding(.expectsNothing($0.name), at: $0.place) }
        }
    )

    private static let declaredAttribute = Rule(
        RuleDescription(
            RuleID(
                "declared-attribute", .warning,
                "a type for an attribute that no text reads and whose name is similar to one that is read"),
            name: "Declared attribute",
            rationale: """
                The name is misspelt under 'attributes' or in the text, so the value that the text reads has no type. \
                Silent for other attributes that no text reads, and where both names are declared.
                """,
            failing: [
                .campaign(
                    "push: {title: 'Ends {{ custom_attribute.${trial_end} }}'}\nattributes: {⟦trial_ends⟧: {type: time}}"
                ),
                .campaign(
                    "push: {title: 'Ends {{ custom_attribute.${d} }}'}\nattributes: {⟦custom_attribute.d⟧: {type: time}}"
                ),
            ],
            passing: [
                .campaign(
                    "push: {title: 'Ends {{ custom_attribute.${trial_end} }}'}\nattributes: {trial_end: {type: time}}")
            ]
        ),
        .campaign { campaign in
            let declared = campaign.campaign?.attributePlaces ?? [:]
            let read = campaign.readAttributes
            let open = read.filter { declared[$0] == nil }.sorted()
            var suggestions = Suggestions()
            return declared.sorted { $0.key < $1.key }.filter { !read.contains($0.key) }.compactMap { name, place in
                // As in the text: 'custom_attribute.n', 'custom_attribute.${n}' or '${n}'.
                let bare = name.split(separator: ".").last.map { $0.filter { !"${}".contains($0) } } ?? ""
                if bare != name, read.contains(bare) { return Finding(.withNamespace(name, bare), at: place) }
                guard let near = suggestions.nearest(to: name, in: open), mayBeMisspelt(name, near) else { return nil }
                return Finding(.unreadAttribute(name, near: near), at: place)
            }
        }
    )

    package static let testName = Rule(
        RuleDescription(
            RuleID("test-name", .warning, "two tests of a campaign with the same name"),
            name: "Name of a test",
            rationale: "Reports name tests, and a stored payload is found by the name of its test.",
            failing: [
                .campaign(
                    "push: {title: Hi}\ntests:\n  - {name: a, expect: {title: Hi}}\n  - ⟦{name: a, expect: {title: Hi}}⟧"
                )
            ],
            passing: [
                .campaign(
                    "push: {title: Hi}\ntests:\n  - {name: a, expect: {title: Hi}}\n  - {name: b, expect: {title: Hi}}")
            ]
        ),
        .campaign { campaign in
            var places: [String: SourcePlace] = [:]
            return (campaign.campaign?.tests ?? []).compactMap { test in
                guard let first = places[test.name] else {
                    places[test.name] = test.place
                    return nil
                }
                return Finding(
                    .sameName(test.name), at: test.place, related: [Diagnostic.Related("the other test", at: first)])
            }
        }
    )

    package static let testClock = Rule(
        RuleDescription(
            RuleID("test-clock", .warning, "a test without 'now' of a campaign that uses the current time"),
            name: "Clock of a test",
            rationale: """
                Such a test fails: its message would differ from day to day. The same goes for a scenario with 'expect' \
                of which a message that is shown, or is aborted, uses the time. Silent where the profile or the context \
                of the test may set 'now'.
                """,
            failing: [
                .campaign(
                    "push: {title: \"{{ 'now' | date: '%Y' }}\"}\ntests:\n  - ⟦{name: a, expect: {aps: {alert: {title: '2026'}}}}⟧"
                ),
                .scenario(
                    """
                    [{id: a, triggers: [session_start], extras: {year: "{{ 'now' | date: '%Y' }}"}}]
                    expect: ⟦⟧[{at: 0, message: a, action: shown}]
                    """),
            ],
            passing: [
                .campaign(
                    """
                    push: {title: "{{ 'now' | date: '%Y' }}"}
                    tests:
                      - {name: a, now: 2026-01-01T00:00:00Z, expect: {aps: {alert: {title: '2026'}}}}
                    """
                )
            ]
        ),
        .campaign { campaign in
            let asks = campaign.templates.contains { text in
                text.markups.contains { markup in
                    guard case .string(let word)? = markup.expression?.literal, let filter = markup.filters.first else {
                        return false
                    }
                    return ["now", "today"].contains(word) && ["date", "time_zone"].contains(filter.name)
                }
            }
            if let scenario = campaign.scenario {
                guard !scenario.hasStart, let place = scenario.expectationPlace,
                    campaign.rendering?.readsClock ?? asks
                else { return [] }
                return [Finding(.noClockOfScenario, at: place)]
            }
            guard asks else { return [] }
            return (campaign.campaign?.tests ?? []).filter { test in
                let files = [test.profile, test.context].compactMap { $0.flatMap { campaign.testFiles[$0.value] } }
                return test.now == nil && !files.contains { $0.bytes[...].firstRange(ofBytes: "\"now\"".utf8) != nil }
            }.map { Finding(.noClock($0.name), at: $0.place) }
        }
    )

    private static func test(_ line: String) -> String {
        "push: {title: Hi}\ntests:\n  - name: ana\n    \(line)\n    expect: {title: Hi}"
    }
}

/// A file that a test reads.
private struct TestInput {
    let file: SourceFile
    let isProfile: Bool
    /// The place at which a test names it.
    let place: SourcePlace?

    var syntaxFindings: [Finding] {
        do throws(InputError) {
            if isProfile { _ = try Profile(file: file) } else { _ = try RenderContext(file: file) }
            return []
        } catch {
            return error.diagnostics.map { diagnostic in
                let related = place.map { [Diagnostic.Related("the test", at: $0)] } ?? []
                return Finding(RuleMessage(diagnostic.message), at: diagnostic.place, related: related)
            }
        }
    }

    /// Names in an export, by the names in Liquid.
    private static let exportNames: [String: String] = {
        var names: [String: String] = ["custom_attribute": "custom_attributes", "attributes": "custom_attributes"]
        for attribute in AttributeTable.all where attribute.namespace == nil {
            guard let name = attribute.name, let field = attribute.exportField, field != name, !field.contains("[")
            else { continue }
            names[name] = field
        }
        return names
    }()

    /// The fields of an export that Liquid can read.
    private static let read: Set<String> = Set(
        AttributeTable.all.compactMap(\.exportField).map { String($0.prefix { $0 != "[" }) } + [
            "custom_attributes", "devices", "apps",
        ]
    )

    /// Other fields that Braze exports.
    ///
    /// Source: Braze, "Export user profile by identifier".
    private static let others: Set<String> = [
        "attributed_ad", "attributed_adgroup", "attributed_campaign", "attributed_source", "campaigns_received",
        "canvases_received", "cards_clicked", "created_at", "custom_events", "email_opted_in_at", "email_subscribe",
        "email_unsubscribed_at", "last_coordinates", "purchases", "push_opted_in_at", "push_subscribe", "push_tokens",
        "push_unsubscribed_at", "total_revenue", "uninstalled_at", "user_aliases", "random_bucket", "user",
    ]

    /// The findings about fields, where the texts read some custom attributes.
    func fieldFindings(reading attributes: Set<String>, types: [String: AttributeType]) -> [Finding] {
        guard let root = try? DocumentNode.json(file, rule: .profileSyntax) else { return [] }
        var user = root
        if let users = root["users"]?.elements {
            // Reading the profile reports that it holds no user.
            guard let first = users.first else { return [] }
            user = first
        }
        let custom = user["custom_attributes"]?.members ?? []
        var found = attributeFindings(custom, attributes) + typeFindings(custom, types)
        found += repeatedKeys + root.writtenTimes(in: file)
        if let short = user["user"] { return zoneFindings(short) + nameFindings(short) + found }
        for member in user.members ?? [] where !Self.read.contains(member.name) && !Self.others.contains(member.name) {
            if attributes.contains(member.name), user["custom_attributes"]?[member.name] == nil {
                found.append(Finding(.attributeAtTop(member.name), at: SourcePlace(file, member.keyRange)))
                continue
            }
            let near =
                Self.exportNames[member.name]
                ?? nearestName(to: member.name, in: Self.read.union(Self.others).sorted())
            guard let near, user[near] == nil else { continue }
            found.append(
                Finding(.unknownField(member.name, meant: near), at: SourcePlace(file, member.keyRange))
            )
        }
        return found + zoneFindings(user) + valueFindings(user) + formFindings(user)
    }

    /// The findings about names in the short form that Liquid does not have.
    private func nameFindings(_ user: DocumentNode) -> [Finding] {
        let names = AttributeTable.all.filter { $0.namespace == nil }.compactMap(\.name)
        let meant = Dictionary(Self.exportNames.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return (user.members ?? []).filter { !names.contains($0.name) }.compactMap { member in
            guard let near = meant[member.name] ?? nearestName(to: member.name, in: names), names.contains(near),
                user[near] == nil
            else { return nil }
            return Finding(.unknownName(member.name, meant: near), at: SourcePlace(file, member.keyRange))
        }
    }

    /// The findings about keys that occur twice in an object.
    private var repeatedKeys: [Finding] {
        ((try? JSONDocument(file))?.duplicateKeys ?? []).map { Finding(.twice($0.key), at: $0.place) }
    }

    /// The findings about custom attributes that no text reads, and whose names are near those that texts read.
    private func attributeFindings(_ members: [DocumentMember], _ read: Set<String>) -> [Finding] {
        let missing = read.subtracting(members.map(\.name)).sorted()
        var suggestions = Suggestions()
        return members.filter { !read.contains($0.name) }.compactMap { member in
            guard let near = suggestions.nearest(to: member.name, in: missing), mayBeMisspelt(member.name, near) else {
                return nil
            }
            return Finding(.unreadAttribute(member.name, near: near), at: SourcePlace(file, member.keyRange))
        }
    }

    /// The findings about custom attributes with other types than the campaign declares.
    private func typeFindings(_ members: [DocumentMember], _ types: [String: AttributeType]) -> [Finding] {
        members.compactMap { member in
            let value = member.value
            guard let type = types[member.name], value.scalar?.isNullMark != true else { return nil }
            let isText = value.scalar?.style == .quoted
            let isOther =
                switch type {
                case .number: isText || value.scalar == nil || value.number == nil
                case .boolean: isText || value.scalar == nil || value.number != nil
                case .array: value.elements == nil
                case .object: value.members == nil
                case .string: value.scalar == nil || !isText
                case .time: value.elements != nil || isText && !(value.scalar.map { Self.isTime($0.text) } ?? false)
                }
            guard isOther else { return nil }
            let found = DocumentMessages.describe(value)
            return Finding(.otherType(member.name, type.rawValue, found), at: SourcePlace(file, value.range))
        }
    }

    /// Whether a text is a time that exists.
    private static func isTime(_ text: String) -> Bool {
        ISODate(startOf: text) != nil && Time(attribute: text) != nil
    }

    /// The findings about values with a form that Braze does not export.
    private func valueFindings(_ user: DocumentNode) -> [Finding] {
        var found: [Finding] = []
        for (name, spelling) in [("country", AttributeSpelling.country), ("language", .language), ("gender", .gender)] {
            guard let node = user[name], let value = node.scalar, value.style == .quoted, !value.text.isEmpty,
                let objection = spelling.objection(to: value.text)
            else { continue }
            found.append(Finding(.value(name, value.text, objection), at: SourcePlace(file, node.range)))
        }
        for attribute in AttributeTable.all where attribute.namespace == nil && attribute.type == .string {
            if let name = attribute.exportField { found += textFindings(user, name) }
        }
        if let node = user["custom_attributes"], node.members == nil, node.scalar?.isNullMark != true {
            found.append(Finding(.noObject("custom_attributes"), at: SourcePlace(file, node.range)))
        }
        if let node = user["dob"], let date = node.scalar?.text, !date.isEmpty, node.scalar?.isNullMark != true,
            ISODate(startOf: date)?.exists != true || date.utf8.count != 10
        {
            found.append(
                Finding(.value("dob", date, "dates are written like '1990-12-31'"), at: SourcePlace(file, node.range)))
        }
        return found
    }

    /// The finding about a field of an object that is not a text.
    private func textFindings(_ object: DocumentNode, _ name: String, in path: String = "") -> [Finding] {
        guard let node = object[name], node.scalar?.isNullMark != true, node.scalar?.style != .quoted else { return [] }
        return [Finding(.noText(path + name, DocumentMessages.describe(node)), at: SourcePlace(file, node.range))]
    }

    /// The findings about fields that Liquid reads from other forms of values than Braze exports.
    private func formFindings(_ user: DocumentNode) -> [Finding] {
        var found: [Finding] = []
        func add(_ name: String, _ node: DocumentNode, _ expected: String) {
            found.append(
                Finding(
                    .form(name, DocumentMessages.describe(node), expected), at: SourcePlace(file, node.range)))
        }
        for name in ["email_subscribe", "push_subscribe"] {
            guard let node = user[name], let value = node.scalar, value.style == .quoted, !value.text.isEmpty,
                let objection = AttributeSpelling.subscription.objection(to: value.text)
            else { continue }
            found.append(Finding(.value(name, value.text, objection), at: SourcePlace(file, node.range)))
        }
        if let node = user["last_coordinates"], node.scalar?.isNullMark != true,
            node.elements?.count != 2 || node.elements?.contains(where: { $0.number == nil }) ?? true
        {
            add("last_coordinates", node, "a list of two numbers")
        }
        if let node = user["random_bucket"], node.scalar?.isNullMark != true,
            node.number.map({ !(0...9999 ~= $0) }) ?? true
        {
            add("random_bucket", node, "a number from 0 to 9999")
        }
        for name in ["apps", "devices", "custom_events", "purchases", "push_tokens", "user_aliases"] {
            guard let node = user[name], node.scalar?.isNullMark != true else { continue }
            guard let elements = node.elements else {
                add(name, node, "a list of objects")
                continue
            }
            if let other = elements.first(where: { $0.members == nil }) { add(name, other, "an object") }
        }
        for device in user["devices"]?.elements ?? [] {
            for field in AttributeTable.deviceFields {
                guard let name = field.exportField else { continue }
                if field.type == .boolean {
                    guard let node = device[name], node.scalar?.isNullMark != true, device.bool(name) == nil else {
                        continue
                    }
                    add("devices[].\(name)", node, "true or false")
                } else {
                    found += textFindings(device, name, in: "devices[].")
                }
            }
        }
        for app in user["apps"]?.elements ?? [] {
            for name in ["name", "platform", "version"] { found += textFindings(app, name, in: "apps[].") }
            for name in ["last_used", "first_used"] {
                guard let node = app[name], node.scalar?.isNullMark != true else { continue }
                guard let text = node.scalar?.text else {
                    found += textFindings(app, name, in: "apps[].")
                    continue
                }
                guard ISODate(startOf: text) == nil else { continue }
                found.append(
                    Finding(
                        .value(name, text, "times are written like '2026-11-20T09:00:00Z'"),
                        at: SourcePlace(file, node.range)))
            }
        }
        if let node = user["email"], let value = node.scalar, value.style == .quoted, !value.text.isEmpty,
            value.text.split(separator: "@", omittingEmptySubsequences: false).map(\.isEmpty) != [false, false]
                || value.text.contains(" ")
        {
            found.append(
                Finding(
                    .value("email", value.text, "addresses are written like 'ana@example.com'"),
                    at: SourcePlace(file, node.range)))
        }
        return found
    }

    private func zoneFindings(_ user: DocumentNode?) -> [Finding] {
        guard let node = user?["time_zone"], let zone = node.scalar, zone.style == .quoted, !zone.text.isEmpty,
            !KnownTimeZones.contains(zone.text)
        else { return [] }
        return [
            Finding(
                .unknownZone(zone.text, near: KnownTimeZones.nearest(to: zone.text)),
                at: SourcePlace(file, node.range)
            )
        ]
    }
}

extension LintedCampaign {
    /// The paths in tests, in their order.
    fileprivate var testPaths: [Placed<String>] {
        (campaign?.tests ?? []).flatMap { [$0.profile, $0.context].compactMap(\.self) }
    }

    /// The finding about a list of tests that holds none.
    fileprivate var emptyListOfTests: [Finding] {
        guard let campaign, campaign.tests.isEmpty, file.bytes[...].firstRange(ofBytes: "tests".utf8) != nil,
            let tests = (try? DocumentNode.read(file, rule: .campaignSyntax))?["tests"],
            tests.elements?.isEmpty ?? false
        else { return [] }
        return [Finding(.noTests, at: SourcePlace(file, tests.range), severity: .warning)]
    }

    /// The files that the tests read, each once, and the profile and context that the campaign is rendered with.
    fileprivate var testInputs: [TestInput] {
        var seen: Set<String> = []
        let given = [(profile, true), (context, false)].compactMap { file, isProfile in
            file.map { TestInput(file: $0, isProfile: isProfile, place: nil) }
        }
        return given
            + (campaign?.tests ?? []).flatMap { [($0.profile, true), ($0.context, false)] }.compactMap {
                path, isProfile in
                guard let path, let file = testFiles[path.value], seen.insert(path.value).inserted else { return nil }
                return TestInput(file: file, isProfile: isProfile, place: path.place)
            }
    }

    /// The names of the custom attributes that the texts read.
    var readAttributes: Set<String> { names(in: "custom_attribute") }

    /// The names in a namespace that the texts read.
    func names(in namespace: String) -> Set<String> {
        var names: Set<String> = []
        for text in templates {
            for read in text.analysis.reads {
                guard let attribute = read.path.attribute, attribute.namespace == namespace else { continue }
                names.insert(String(attribute.name.prefix { $0 != "." && $0 != "[" }))
            }
        }
        return names
    }
}
