// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit
import PayloadgenTestSupport
import Testing

/// Faults of Liquid are shown where they stand in the campaign's file.
@Suite struct PlaceTests {
    @Test(arguments: [
        "push:\n  title: t\n  body: |\n    Hi\n      {{ ⟦x | divided_by: 0⟧ }}\n",
        "push:\n  title: t\n  body: >-\n    one\n    two\n\n    {{ ⟦x | divided_by: 0⟧ }}\n",
        "push: {title: t, body: 'it''s {{ ⟦x | divided_by: 0⟧ }}'}",
        "push: {title: t, body: \"é\\u00e9\\n{{ ⟦x | divided_by: 0⟧ }}\"}",
        "push:\n  title: t\n  extras:\n    k: '$json:{\"a\": {{ ⟦x | divided_by: 0⟧ }}}'\n",
    ])
    func `a render error points at its bytes`(campaign: String) throws {
        let marked = MarkedText(campaign)
        let error = try Messages.failure(marked.text, profile: #"{"user": {}, "vars": {"x": 1}}"#)
        let range = try #require(error.place?.range)
        let expected = marked.ranges[0]
        #expect(range.start >= expected.start && range.end <= expected.end, "\(marked.file().text(in: range))")
        #expect(marked.file().text(in: range).contains("divided_by"))
    }

    @Test func `a syntax error points at its bytes`() throws {
        let text = "push:\n  title: \"{{ a }}\"\n  body: |\n    Hi\n    {% if x %}\n  extras:\n    'k{% nope %}': v\n"
        let campaign = try Messages.campaign(text)
        #expect {
            try campaign.renderer(options: RenderOptions(now: Messages.now))
        } throws: { error in
            let diagnostics = (error as? InputError)?.diagnostics ?? []
            return diagnostics.map(\.rule.name) == ["liquid-syntax", "unknown-tag"]
                && diagnostics.map { $0.place?.start.line } == [5, 7]
        }
    }

    @Test(arguments: ["bye", "title"])
    func `an error in a content block points at the tag that led there, whatever the block's name`(
        _ name: String
    ) throws {
        let text = "push:\n  title: 'a {{ content_blocks.${\(name)} }}'\ncontent_blocks: blocks/\n"
        let campaign = try Messages.campaign(text, ["blocks/\(name).liquid": "{{ 1 | divided_by: 0 }}"])
        let renderer = try campaign.renderer(options: RenderOptions(now: Messages.now))
        guard case .failed(let error) = renderer.render(.unknown) else {
            Issue.record("no failure")
            return
        }
        #expect(error.place?.start.line == 2 && error.place?.start.column == 16)
        #expect(error.message.contains("divided by zero") && error.message.hasSuffix(", in '\(name)'"))
    }

    @Test func `an abort ends the message with its reason`() throws {
        let outcome = try Messages.outcome(
            "push: {title: 'a{% abort_message(''no {{x}}'') %}', body: '{{ 1 | divided_by: 0 }}'}"
        )
        guard case .aborted(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.hasPrefix("no"))
    }

    @Test func `message extras and random numbers belong to the message`() throws {
        let campaign = """
            push:
              title: "{% message_extras :key a :value 1 %}{% random 1000 %}"
              body: "{% random 1000 %}"
            """
        let payload = try Messages.payload(campaign, profile: #"{"external_id": "u"}"#)
        #expect(payload.messageExtras.map(\.key) == ["a"])
        let again = try Messages.payload(campaign, profile: #"{"external_id": "u"}"#)
        #expect(again.text == payload.text)
        #expect(try Messages.payload(campaign, profile: #"{"external_id": "u"}"#) { $0.seed = 1 }.text != payload.text)
    }

    @Test func `attribute types give an export what it does not tell`() throws {
        let campaign = """
            push:
              title: "{{ custom_attribute.${end} | date: '%d.%m.' }} {{ custom_attribute.${vip} }} {{ custom_attribute.${no} }}"
            attributes: {end: {type: time}, vip: {type: boolean}}
            """
        let payload = try Messages.payload(
            campaign,
            profile: #"{"custom_attributes": {"end": "2026-11-20T09:00:00Z"}}"#
        )
        #expect(payload.text(of: "title") == "20.11. false ")
    }

    @Test func `a device is only the last used one where it is the only one`() throws {
        let campaign = "push: {title: '{{ most_recently_used_device.${os} | default: ''none'' }}'}"
        #expect(try Messages.payload(campaign, profile: #"{"devices": [{"os": "iOS"}]}"#).text(of: "title") == "iOS")
        let two = try Messages.payload(campaign, profile: #"{"devices": [{"os": "iOS"}, {"os": "x"}]}"#)
        #expect(two.text(of: "title") == "none")
        #expect(two.warnings.map(\.rule.name) == ["several-devices"])
    }

    @Test func `the campaign tells its own names`() throws {
        let payload = try Messages.payload(
            "campaign: {name: N, api_id: A}\npush: {title: '{{ campaign.${name} }} {{ campaign.${api_id} }}'}"
        )
        #expect(payload.text(of: "title") == "N A")
    }
}
