// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import InAppScenarios
import JSONTexts
import LiquidTemplates
import PayloadKit
import PlistDocuments

extension RuleMessage {
    fileprivate static func noStoryboard(_ name: String, near: String?) -> RuleMessage {
        "the target of the extension has no '\(name).storyboard'\(didYouMean(near))"
    }
    fileprivate static func unread(_ reason: String) -> RuleMessage { "the test cannot be run: \(reason)" }
    fileprivate static func expectsNothing(_ name: String) -> RuleMessage {
        "the test '\(name)' expects nothing, so it passes whatever is rendered; expected something under 'expect'"
    }
    fileprivate static let noTests: RuleMessage = "'tests' is an empty list, so nothing is tested; expected a test"
    fileprivate static func sameName(_ name: String) -> RuleMessage {
        "two tests have the name '\(name)', so reports and snapshots do not distinguish them; expected two names"
    }
    fileprivate static func withNamespace(_ name: String, _ bare: String) -> RuleMessage {
        "no text reads 'custom_attribute.${\(name)}'; expected the name of the custom attribute alone, '\(bare)'"
    }
    fileprivate static func noClock(_ name: String) -> RuleMessage {
        "the test '\(name)' has no 'now', but a template uses the current time, so the test fails"
    }
    fileprivate static let noClockOfScenario: RuleMessage =
        "the scenario has no 'now', but a key-value pair uses the current time, so its test fails"
}

extension Rule {
    /// The rules about files and expectations of tests.
    static let testFiles: [Rule] = [
        missingFile, profileSyntax, profileField, testExpectation, testProperty, declaredAttribute, testClock, testName,
    ]

    private static let missingFile = Rule(
        .missingFile,
        source: "https://github.com/OneSignal/OneSignal-iOS-SDK/issues/1128",
        rationale: """
            Without the file, something is not checked or cannot be rendered. The file may be an Info.plist or \
            entitlements file that an Xcode project names, the storyboard of an extension, the folder of content \
            blocks, the fixtures, a REST body, or the profile or context of a test. Upper and lower case count, as on \
            Linux.
            """,
        failing: [.campaign(test("profile: ⟦anna.json⟧"), with: [.file("ana.json", "{}")])],
        passing: [profiled("{}")],
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
                    let known = campaign.testFiles.keys.filter { !$0.hasPrefix("<") }.sorted()
                    let near = fault.hint.isEmpty ? nearestName(to: path.value, in: known) : nil
                    // Only `lint` reports a missing file: a run of the test reports it anyway, and rendering does not
                    // need it.
                    return Finding(.unread(fault.message + didYouMean(near)), at: path.place, scope: .lint)
                }
            }
        }
    )

    private static let profileSyntax = Rule(
        .profileSyntax,
        source: .userExport,
        rationale: """
            A profile is one JSON object: a user as Braze exports it, or the short form. In a batch, a line that is \
            not a profile gives a failed record, and the other lines are rendered. 'lint' reads the profiles and \
            contexts of tests as 'test' does.
            """,
        failing: [profiled("{\"first_name\": \"Ana\" ⟦\"⟧external_id\": \"u\"}")],
        passing: [profiled("{\"first_name\": \"Ana\"}")],
        .campaign { campaign in campaign.namedFiles.flatMap(\.syntaxFindings) }
    )

    private static let profileField = Rule(
        .profileField,
        source: .userExport,
        rationale: """
            An export has other names than Liquid for some fields: 'email' for '${email_address}', 'dob' for \
            '${date_of_birth}'. A field with a wrong name is left out, so a test or 'render' shows another message \
            than you expect. The rule compares names with those of Liquid and similar ones. It accepts fields that \
            Braze exports and Liquid does not have. It compares custom attributes with those that the texts read, and \
            with the types that the campaign declares. In a value {"$time": TEXT}, also in a context, TEXT has to be a \
            time. A batch looks at the first 20 profiles of each input, and of at most 50 inputs. A field that is read \
            and has another type is a warning in the record of the user.
            """,
        failing: [profiled("{⟦\"email_address\"⟧: \"a@example.com\"}"), profiled("{\"time_zone\": ⟦\"PST\"⟧}")],
        passing: [
            profiled("{\"email\": \"a@example.com\", \"total_revenue\": 5}"),
            .campaign(
                "push: {title: 'Hi{{ custom_attribute.${vip} }}'}\ntests:\n  - {name: ana, profile: ana.json, expect: {title: Hi}}",
                with: [.file("ana.json", "{\"custom_attributes\": {\"zip\": \"10115\"}}")]
            ),
        ],
        .campaign { campaign in
            let read = campaign.readAttributes
            return campaign.namedFiles.flatMap { input in
                guard input.isProfile else { return input.file.writtenTimeFindings }
                let types = campaign.campaign?.attributeTypes ?? [:]
                return ExportedProfile(file: input.file).findings(reading: read, types: types)
            }
        }
    )

    /// The findings of the rule `profile-field` in a profile.
    ///
    /// - Parameters:
    ///   - profile: the file with the profile, or the line of the file that is the profile.
    ///   - attributes: the names of the custom attributes that the texts read.
    ///   - types: the types of custom attributes that the campaign declares.
    /// - Returns: the findings.
    static func fields(
        of profile: SourceFile,
        reading attributes: Set<String>,
        types: [String: AttributeType]
    ) -> [Diagnostic] {
        let exported = ExportedProfile(file: profile)
        return profileField.diagnostics(exported.findings(reading: attributes, types: types))
    }

    package static let testExpectation = Rule(
        RuleID("test-without-expectation", .info, "a test that expects nothing"),
        source: "https://github.com/jest-community/eslint-plugin-jest/blob/main/docs/rules/expect-expect.md",
        rationale: """
            Such a test passes for every message that can be rendered. So does an 'expect' that every payload meets: \
            an empty one, 'matches' with a pattern that matches the empty text, 'absent: false' for what every payload \
            has, or 'at_most' with the 4096 bytes that APNs accepts, or more. An empty list of tests, which tests \
            nothing, is a warning.
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
        ],
        .campaign { campaign in
            campaign.emptyTestListFindings
                + (campaign.campaign.map { read in read.tests.filter { $0.expectation.isEmpty(for: read.push) } } ?? [])
                .map { Finding(.expectsNothing($0.name), at: $0.place, scope: .test) }
        }
    )

    private static let declaredAttribute = Rule(
        RuleID(
            "declared-attribute", .warning,
            "a name under 'attributes' that no text reads and that is similar to one that a text reads"),
        source: .braze("user_guide/data/activation/custom_data/data_types"),
        rationale: """
            The name is misspelt under 'attributes' or in the text, so the value that the text reads has no type. The \
            rule is silent for other attributes that no text reads, and where both names are declared.
            """,
        failing: [
            .campaign(
                "push: {title: 'Ends {{ custom_attribute.${trial_end} }}'}\nattributes: {⟦trial_ends⟧: {type: time}}"
            ),
            .campaign(
                "push: {title: 'Ends {{ custom_attribute.${d} }}'}\nattributes: {⟦custom_attribute.d⟧: {type: time}}"
            ),
        ],
        passing: [.title("Ends {{ custom_attribute.${trial_end} }}", ["trial_end": .time])],
        .campaign { campaign in
            let declared = campaign.campaign?.attributePlaces ?? [:]
            let read = campaign.readAttributes
            var misses = NearMisses(read: read, given: declared.keys)
            return declared.sorted { $0.key < $1.key }.filter { !read.contains($0.key) }.compactMap { name, place in
                // The name may be written as in a text: 'custom_attribute.n', 'custom_attribute.${n}' or '${n}'.
                let bare = name.split(separator: ".").last.map { $0.filter { !"${}".contains($0) } } ?? ""
                if bare != name, read.contains(bare) { return Finding(.withNamespace(name, bare), at: place) }
                return misses.meant(by: name).map {
                    Finding(.unread("custom_attribute.${\(name)}", near: $0), at: place)
                }
            }
        }
    )

    static let testName = Rule(
        RuleID("test-name", .warning, "two tests of a campaign with the same name", scope: .test),
        source: "https://github.com/jest-community/eslint-plugin-jest/blob/main/docs/rules/no-identical-title.md",
        rationale:
            "Reports identify a test by its name, and so do snapshots. So each name has to be unique.",
        failing: [
            .campaign(
                "push: {title: Hi}\ntests:\n  - {name: a, expect: {title: Hi}}\n  - ⟦{name: a, expect: {title: Hi}}⟧"
            )
        ],
        passing: [
            .campaign(
                "push: {title: Hi}\ntests:\n  - {name: a, expect: {title: Hi}}\n  - {name: b, expect: {title: Hi}}")
        ],
        .campaign { campaign in
            var places: [String: SourcePlace] = [:]
            return (campaign.campaign?.tests ?? []).compactMap { test in
                guard let first = places[test.name] else {
                    places[test.name] = test.place
                    return nil
                }
                return Finding(
                    .sameName(test.name), at: test.place, related: .note("the other test", at: first))
            }
        }
    )

    static let testClock = Rule(
        RuleID("test-clock", .warning, "a test without 'now' of a campaign that uses the current time", scope: .lint),
        source: .dateFilter,
        rationale: """
            Such a test fails, because its message would differ from day to day. The same goes for a scenario with \
            'expect' if a message that is shown or aborted uses the time. The rule is silent where the profile or the \
            context of the test may set 'now'.
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
        ],
        .campaign { campaign in
            let asks = campaign.templates.contains { text in
                text.parts.values.contains { markup in
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
                let files = [test.profile, test.context].compactMap { $0.flatMap { campaign.testFiles[$0.name] } }
                return test.now == nil && !files.contains { $0.bytes[...].firstRange(ofBytes: "\"now\"".utf8) != nil }
            }.map { Finding(.noClock($0.name), at: $0.place) }
        }
    )

    private static func profiled(_ profile: String) -> RuleExample {
        .campaign(test("profile: ana.json"), with: [.file("ana.json", profile)])
    }

    private static func test(_ line: String) -> String {
        "push: {title: Hi}\ntests:\n  - name: ana\n    \(line)\n    expect: {title: Hi}"
    }
}

/// A profile or a context that a test reads, or that the campaign is rendered with.
private struct NamedFile {
    let file: SourceFile
    let isProfile: Bool
    /// The place where a test names the file; nil if no test does.
    let place: SourcePlace?

    var syntaxFindings: [Finding] {
        do throws(InputError) {
            if isProfile { _ = try Profile(file: file) } else { _ = try RenderContext(file: file) }
            return []
        } catch {
            return error.diagnostics.map { diagnostic in
                let related = [Diagnostic.Related].note("the test", at: place)
                return Finding(RuleMessage(diagnostic.message), at: diagnostic.place, related: related)
            }
        }
    }
}

extension LintedCampaign {
    /// The paths of profiles and contexts in tests, in their order.
    fileprivate var testPaths: [Placed<String>] {
        (campaign?.tests ?? []).flatMap { [$0.profile?.path, $0.context?.path].compactMap(\.self) }
    }

    /// The finding about an empty list of tests.
    fileprivate var emptyTestListFindings: [Finding] {
        guard let campaign, campaign.tests.isEmpty, file.bytes[...].firstRange(ofBytes: "tests".utf8) != nil,
            let tests = (try? DocumentNode.read(file, rule: .campaignSyntax))?["tests"],
            tests.elements?.isEmpty ?? false
        else { return [] }
        return [Finding(.noTests, at: SourcePlace(file, tests.range), severity: .warning)]
    }

    /// The files that the tests read, each once, and the profile and context that the campaign is rendered with.
    fileprivate var namedFiles: [NamedFile] {
        var seen: Set<String> = []
        let given = [(profile, true), (context, false)].compactMap { file, isProfile in
            file.map { NamedFile(file: $0, isProfile: isProfile, place: nil) }
        }
        return given
            + (campaign?.tests ?? []).flatMap { [($0.profile, true), ($0.context, false)] }.compactMap {
                input, isProfile in
                guard let input, let file = testFiles[input.name], seen.insert(input.name).inserted else { return nil }
                return NamedFile(file: file, isProfile: isProfile, place: input.path?.place)
            }
    }
}
