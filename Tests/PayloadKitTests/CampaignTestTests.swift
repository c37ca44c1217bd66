// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit
import PayloadgenTestSupport
import Testing

/// What becomes of the tests of campaigns, and what is said about those that fail.
@Suite struct CampaignTestTests {
    /// The mismatches of each test as people see them, under the test's name.
    private func report(_ text: String, _ files: [String: String] = [:]) throws -> String {
        let campaign = try Messages.campaign(text, files)
        let renderer = DiagnosticRenderer()
        var report = ""
        for test in campaign.tests {
            let result = try campaign.run(test, options: RenderOptions(now: Messages.now), folder: MemoryFolder(files))
            let mismatches = result.mismatches + (result.snapshot?.mismatches ?? [])
            report += "# \(test.name)\n" + mismatches.map { renderer.text(of: $0.diagnostic) }.joined()
        }
        return report
    }

    private static let message = """
        push:
          title: "Hi {{ ${first_name} | default: 'you' }}"
          body: >-
            {% if custom_attribute.${stop} %}{% abort_message('stopped') %}{% endif %}You finished
            {{ custom_attribute.${done} | default: 0 }} sessions, and the next one is
            {{ api_trigger_properties.${next} | default: 'Canvas' }}.
          badge: 1
          extras:
            next_session: "{{ api_trigger_properties.${next} | default: 'Canvas' }}"
            count: "{{ custom_attribute.${done} | default: 0 }}"
            stats: '$json:{"level": 3, "list": [1, 2]}'
        requires: {extras: {count: {type: integer, required: true}}}

        """

    private static let profiles = [
        "stop.json": #"{"custom_attributes": {"stop": true}}"#,
        "five.json": #"{"custom_attributes": {"done": "five"}}"#,
    ]

    @Test func `a field may be expected by its name in the campaign`() throws {
        let tests = """
            tests:
              - name: the same
                expect: {title: Hi you, body: {contains: Canvas}, badge: 1, sound: {absent: true}, subtitle: ~}
              - name: another title
                expect: {title: Hello}
            """
        let report = try report(Self.message + tests)
        #expect(report.hasPrefix("# the same\n# another title\n"))
        #expect(report.contains("aps.alert.title: found 'Hi you', expected 'Hello'"))
        // A key-value pair of that name takes precedence.
        let pair = """
            push: {title: Hi, extras: {title: Pair}}
            tests:
              - {name: a pair, expect: {title: Pair, aps: {alert: {title: Hi}}}}
            """
        #expect(try self.report(pair) == "# a pair\n")
    }

    @Test func `a subset of the payload is enough`() throws {
        let tests = """
            tests:
              - name: nothing is asked
              - name: a part of each
                trigger_properties: {next: Segments}
                expect:
                  aps: {alert: {title: Hi you}, badge: 1, sound: ~}
                  extras: {next_session: Segments, count: 0, stats: {list: [1, 2]}, gone: ~}
                  bytes: {at_least: 100, at_most: 300}
              - {name: an abort, profile: stop.json, expect: {aborted: stopped}}
              - {name: a failure by its rule, profile: five.json, expect: {failed: extras-contract}}
              - {name: a failure by its words, profile: five.json, expect: {failed: expected an integer}}
            """
        let names = [
            "nothing is asked", "a part of each", "an abort", "a failure by its rule", "a failure by its words",
        ]
        #expect(try report(Self.message + tests, Self.profiles) == names.map { "# \($0)\n" }.joined())
    }

    @Test func `a size may be expected exactly`() throws {
        let exact = "push: {title: Hi}\ntests:\n  - {name: exact, expect: {bytes: {at_least: 48, at_most: 48}}}\n"
        #expect(try report(exact) == "# exact\n")
    }

    @Test func `what differs is shown at its place`() throws {
        let tests = """
            tests:
              - name: in many places
                expect:
                  aps:
                    alert: {title: Hi Ana, body: "You finished 0 sessions, and the next one is Segments.", sbtitle: s}
                    bagde: 1
                    badge: "1"
                  extras: {next_sesion: Canvas, count: 1, stats: {level: 4, list: [1, 2, 3]}, next_session: {a: b}}
                  bytes: {at_most: 100}
                  exrtas: {}
              - {name: rendered, expect: {aborted: stopped}}
              - {name: rendered as well, expect: {failed: payload-size}}
              - {name: aborted, profile: stop.json, expect: {extras: {count: 0}}}
              - {name: another reason, profile: stop.json, expect: {aborted: ended}}
              - {name: failed, profile: five.json}
              - {name: another rule, profile: five.json, expect: {failed: payload-size}}
            """
        expectSnapshot(try report(Self.message + tests, Self.profiles), named: "Tests/mismatches.err")
    }

    @Test func `both sides are kept whole`() throws {
        let body = String(repeating: "a ", count: 50)
        let campaign = try Messages.campaign(
            "push: {title: t, body: '\(body)x'}\ntests: [{expect: {aps: {alert: {body: '\(body)y'}}}}]"
        )
        let test = try #require(campaign.tests.first)
        let result = try campaign.run(test, options: RenderOptions(now: Messages.now), folder: EmptyFolder())
        let mismatch = try #require(result.mismatches.first)
        #expect(mismatch.path == "aps.alert.body")
        #expect(mismatch.found == body + "x")
        #expect(mismatch.expected == body + "y")
        #expect(mismatch.message == "aps.alert.body: found '…a a a a a a a a x', expected '…a a a a a a a a y'")
        #expect(mismatch.isShortened)
    }

    @Test(arguments: ["(a+)+$x", "(a?){40}a{40}", "(a|aa)+$x"])
    func `a pattern that takes too many steps is not met`(_ pattern: String) throws {
        let title = String(repeating: "a", count: 40)
        let result = try result(expecting: "{title: {matches: '\(pattern)'}}", ofTitle: title)
        let expected = "a value that matches '\(pattern)', but the pattern exceeds the limit of 5000000 steps"
        #expect(result.mismatches.map(\.expected) == [expected])
    }

    @Test func `a pattern is case-sensitive, and found anywhere`() throws {
        #expect(try result(expecting: "{title: {matches: '[0-9]+ l(a|A)b$'}}", ofTitle: "My 3 lab").mismatches.isEmpty)
        #expect(try result(expecting: "{title: {matches: LAB}}", ofTitle: "My 3 lab").mismatches.count == 1)
    }

    private func result(expecting expectation: String, ofTitle title: String) throws -> Campaign.TestResult {
        let campaign = try Messages.campaign("push: {title: '\(title)'}\ntests: [{expect: \(expectation)}]")
        let test = try #require(campaign.tests.first)
        return try campaign.run(test, options: RenderOptions(now: Messages.now), folder: EmptyFolder())
    }

    @Test func `a template that asks for the time needs a clock of the test`() throws {
        let files = [
            "p.json": #"{"user": {}, "now": "2026-11-20T09:00:00Z"}"#, "c.json": #"{"now": "2026-11-21T09:00:00Z"}"#,
        ]
        let text = """
            push: {title: "{{ 'now' | date: '%d' }}"}
            tests:
              - name: without
              - {name: its own, now: 2026-11-19T09:00:00Z, profile: p.json, expect: {aps: {alert: {title: 19}}}}
              - {name: of the profile, profile: p.json, context: c.json, expect: {aps: {alert: {title: 20}}}}
              - {name: of the context, context: c.json, expect: {aps: {alert: {title: 21}}}}
            """
        expectSnapshot(try report(text, files), named: "Tests/clock.err")
    }

    @Test func `a stored payload has to be the same`() throws {
        let text = """
            push: {title: Hi, extras: {a: "1", b: "2", c: $json:3}}
            tests: [{name: "The  1st, über all!", expect: {snapshot: true}}]
            """
        let path = "a.snapshots/the-1st-über-all.json"
        let campaign = try Messages.campaign(text)
        let test = try #require(campaign.tests.first)
        let options = RenderOptions(now: Messages.now)
        let first = try #require(try campaign.run(test, options: options, folder: EmptyFolder()).snapshot)
        #expect(first.path == path)
        #expect(first.isMissing)
        #expect(first.mismatches.map(\.message) == ["found no snapshot '\(path)'"])
        let stored = String(decoding: first.contents, as: UTF8.self)
        for same in [stored, stored.replacing("\n", with: "\r\n"), String(stored.dropLast())] {
            #expect(try report(text, [path: same]) == "# The  1st, über all!\n")
        }
        let swapped = stored.replacing("\"a\": \"1\",\n  \"b\": \"2\"", with: "\"b\": \"2\",\n  \"a\": \"1\"")
        #expect(swapped != stored)
        let changed = stored.replacing("\"a\": \"1\"", with: "\"A\": \"1\"").replacing("\"2\"", with: "2")
            .replacing(": 3", with: ": \"3\"")
        let reports = try [swapped, changed, "{", "[]"].map { try report(text, [path: $0]) }
        expectSnapshot(reports.joined(), named: "Tests/snapshots.err")
    }

    @Test(arguments: [
        "{name: x, expect: {snapshot: true}}, {name: X!, expect: {snapshot: true}}",
        "{expect: {snapshot: true, aborted: x}}", "{expect: {failed: x, extras: {}}}", "{expect: {snapshot: soon}}",
    ])
    func `expectations that cannot hold are refused`(tests: String) {
        #expect(throws: InputError.self) { try Messages.campaign("push: {title: a}\ntests: [\(tests)]") }
    }

    @Test func `a file that is missing is told at its path`() throws {
        let campaign = try Messages.campaign("push: {title: a}\ntests: [{profile: nowhere.json}]")
        let test = try #require(campaign.tests.first)
        #expect {
            try campaign.run(test, options: RenderOptions(now: Messages.now), folder: EmptyFolder())
        } throws: { error in
            let error = error as? InputError
            return error?.reason == .missing && error?.diagnostics.first?.place?.start.line == 2
        }
    }
}
