// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// What the rules about templates find and, above all, what they leave alone.
@Suite struct CampaignRuleTests {
    /// The marks that a rule sets in a campaign.
    private func marks(_ rule: String, _ text: String, _ path: String = "a.campaign.yml") -> String {
        let text = MarkedText(text).text
        let campaign = LintedCampaign(SourceFile(path: path, text: text))
        let findings = campaign.findings.filter { $0.rule.name == rule }
        return MarkedText.marking(findings.compactMap { $0.place?.range }, in: text)
    }

    @Test(arguments: [
        ("dd.mm.yyyy", "'%d.%m.%Y'"), ("mm/dd", "'%m/%d'"), ("%d.mm.%Y", "'%m'"), ("%d.%mm.", "'%m'"),
        ("hh:mm", "'%I:%M'"), ("%H:mm", "'%M'"), ("dd.MM. HH:mm", "'%d.%m. %H:%M'"),
    ])
    func `'mm' is proposed as the month where no hour is printed`(_ format: String, _ code: String) {
        let text = body("{{ custom_attribute.${d} | default: 'now' | date: '\(format)' }}")
        let campaign = LintedCampaign(SourceFile(path: "a.campaign.yml", text: text))
        let found = campaign.findings.filter { $0.rule.name == "date-format" }
        #expect(found.map { $0.message.hasSuffix(code) } == [true], "\(found.map(\.message))")
    }

    private func body(_ template: String) -> String {
        "push:\n  title: Hi\n  body: |-\n    \(template)\n"
    }

    @Test(arguments: [
        "{{ ${⟦First_name⟧} }}", "{{ ${ first_name } }}", "{{ ${first_name} | append: ${⟦lastname⟧} }}",
        "{% if ${⟦lang⟧} == 'en' %}{% endif %}", "{% for i in ${⟦tags⟧} %}{{ i }}{% endfor %}",
        "{{ ⟦${unsubscribe_url}⟧ }}{{ ${preference_center_url} }}{{ ${⟦address⟧.city} }}",
        "{{ custom_attribute.${anything at all} }}",
        "{{ subscribed_state.${6f1c} }}{{ campaign.${⟦id⟧} }}{{ canvas.${name} }}{{ event_properties.${x} }}",
        "{{ ⟦user⟧.${first_name} }}", "{{ ⟦custom_atribute⟧.${x} }}", "{{ self }}{{ user.${x} }}",
        "{% connected_content https://a.io/{{${⟦lnguage⟧}}} %}{{ connected.${x} }}",
        "{% assign pet = custom_attribute.${pet} %}{{ ${pet} }}{{ pet.${name} }}", "custom_attribute.${pet} costs $5",
        "{% raw %}{{ ${nope} }}{% endraw %}{% comment %}{{ ${nope} }}{% endcomment %}",
    ])
    func `unknown attributes are told where all names are known`(template: String) {
        #expect(marks("unknown-attribute", body(template)) == body(template))
    }

    @Test(arguments: [
        "{{ ${city} | default: 'a' }}⟦| append: 'b'⟧, 'c'", "{{ ${city} }} ⟦| replace: 'a', 'b'⟧, you",
        "{{ ${city} }} ⟦| strip_html⟧ you", "{{- ${city} -}} ⟦| default: 0⟧ points", "{{ ${city} }} | date: 12 May",
        "{{ ${city} }} | first | size | news: 'a'", "{{ ${city} }} {{ 'a' }} ⟦| default: 'a'⟧", "| default: 'a'",
        "{% if ${city} %}{{ ${city} }}{% endif %} | default: 'a'", "{{ ${city} }}⟦| upcase|downcase⟧|x",
    ])
    func `a filter after the braces is text`(template: String) {
        #expect(marks("filter-after-braces", body(template)) == body(template))
    }

    @Test(arguments: [
        "{{ event_properties.${open_lessons} }}{{ event_properties.${⟦open_lesons⟧} }}",
        "{{ event_properties.${⟦open_lesons⟧} }}{{ event_properties.${open_lessons} }}{{ event_properties.${open_lessons} }}",
        "{{ event_properties.${open_lesons} }}{{ custom_attribute.${open_lessons} }}",
        "{{ event_properties.${lesson_1} }}{{ event_properties.${lesson_2} }}{{ event_properties.${lessons} }}",
        "{{ event_properties.${a} }}{{ event_properties.${⟦A⟧} }}",
        "{{ context.${session_name}.x }}{{ context.${⟦sesion_name⟧}.y }}",
        "{{ custom_attribute.${⟦open_lesons⟧} }}{{ custom_attribute.${open_lessons} }}{{ custom_attribute.${open_lessons} }}",
    ])
    func `a name that is read once is compared with the others`(template: String) {
        #expect(marks("attribute-near-miss", body(template)) == body(template))
    }

    @Test(arguments: [
        "{{ custom_attribute.${n} | default: 10 }}{% if custom_attribute.${n} ⟦>⟧ 5 %}a{% endif %}",
        "{{ custom_attribute.${n} | default: 10 }}{% if 5 ⟦<⟧ custom_attribute.${n} %}a{% endif %}",
        "{{ custom_attribute.${n} | default: 1 }}{% case custom_attribute.${n} %}{% when ⟦1⟧ %}a{% endcase %}",
        "{{ custom_attribute.${n} | default: 1 }}{% if custom_attribute.${n} == '1' %}a{% endif %}",
        "{{ custom_attribute.${n} | default: 1 }}{% if custom_attribute.${m} != 1 %}a{% endif %}",
        "{{ custom_attribute.${n} | default: 1 }}{% if custom_attribute.${n} != blank and custom_attribute.${n} != 1 %}a{% endif %}",
        "{{ custom_attribute.${n} | default: 'a' }}{% if custom_attribute.${n} contains 'a' %}a{% endif %}",
    ])
    func `a comparison without the default that is printed`(template: String) {
        #expect(marks("compared-without-default", body(template)) == body(template))
    }

    @Test(arguments: [
        "⟦${first_name}⟧", "{{ ${first_name} }}", "{% if ${city} %}⟦${city}⟧{% endif %}",
        "⟦most_recently_used_device.${os}⟧", "cost.⟦${city}⟧", "{% connected_content https://a.io/${language} %}",
        "{% raw %}${first_name}{% endraw %}", "{{ {{${city}}} | append: ${city} }}", "$5 {5}",
    ])
    func `an attribute in the text needs braces`(template: String) {
        #expect(marks("bare-attribute", body(template)) == body(template))
    }

    @Test(arguments: [
        "{% if a ⟦=⟧ b %}{% endif %}", "{% if false %}{% if a = b %}{% endif %}{% endif %}",
        "{% unless a == b and c ⟦=>⟧ d %}{% endunless %}", "{{ a | ⟦plus⟧ }}{{ a | nosuch: 1, 2, 3 }}",
        "{% assign a = b | ⟦split⟧: 'x', 'y' %}{{ a }}", "{{ a | ⟦divided_by⟧: 0 | default: 1, allow_false: true }}",
        "{% abort_message %}{{ a | plus }}",
    ])
    func `what fails wherever it is rendered is told`(template: String) {
        #expect(marks("render-error", body(template)) == body(template))
    }

    @Test(arguments: [
        ("liquid-syntax", "⟦{% if %}⟧{{ ${lastname} }}{% endif %}{% foo %}⟦{{{⟧ a }}} {{ ${cty} }}⟦{% endfor %}⟧"),
        ("unknown-tag", "{% if %}{{ ${lastname} }}{% endif %}⟦{% foo %}⟧{% endfoo %}{{{ a }}} {{ ${cty} }}"),
        ("unknown-attribute", "{% if %}{{ ${⟦lastname⟧} }}{% endif %}{% foo %}{{{ a }}} {{ ${⟦cty⟧} }}"),
        ("unused-assign", "{% assign a = 1 %}{% if %}{% endif %}"),
    ])
    func `one fault of syntax hides nothing else that is wrong in the field`(rule: String, template: String) {
        #expect(marks(rule, body(template)) == body(template))
    }

    @Test(arguments: [
        ("{{ 10 | times: 0,8 }}", "'times' has 2 arguments, expected 1; expected a decimal point: 0.8"),
        ("{{ 10 | times 2 }}", "'times' has 0 arguments, expected 1; expected a colon before the argument: 'times: …'"),
        (
            "{% if custom_attribute.${games} contains 'chess' or 'go' %}a{% endif %}",
            "'go' alone is always true; each side of 'or' is a condition of its own; expected \"or custom_attribute.${games} contains 'go'\""
        ),
        (
            "{% if ${language} != 'en' or 'fr' %}a{% endif %}",
            "'fr' alone is always true; each side of 'or' is a condition of its own; expected \"and ${language} != 'fr'\""
        ),
        (
            "{% if custom_attribute.${games} not contains 'go' %}a{% endif %}",
            "unknown operator 'not contains' makes the message fail, expected {% unless … contains … %}"
        ),
        (
            "{% if ${language} is not 'en' %}a{% endif %}",
            "unknown operator 'is not' makes the message fail, expected '!='"
        ),
        (
            "{% if ${city} %}{{ 1 | divided_by: 0 }}{% endif %}",
            "'divided_by' by 0 is a division by zero, which makes the message fail for every user who reaches it"
        ),
        (
            "{% capture a %}{{ 1 | divided_by: 0 }}{% endcapture %}{{ a }}",
            "'divided_by' by 0 is a division by zero, which makes the message fail for every user who reaches it"
        ),
        (
            "{{/if}}",
            "'/if' is ignored: Liquid prints 'if'; expected a tag, such as {% if … %}…{% endif %} or {% for … in … %}…{% endfor %}"
        ),
        ("{% ${first_name} %}", "unknown tag '{% ${first_name} %}': values are printed by {{ … }}"),
        (
            "{{ event_properties.${a | upcase} }}",
            "'a | upcase' is read as one name, which is missing for every user; expected the filter after the brace: 'event_properties.${a} | upcase'"
        ),
        (
            "{{ custom_attribute.${} }}",
            "'custom_attribute.${}' has no name, expected one such as 'custom_attribute.${plan}'"
        ),
        (
            "{{ api_trigger_properties.${a}.${} }}",
            "'api_trigger_properties.${a}.${}' has no name, expected one such as 'api_trigger_properties.${a}.plan'"
        ),
        (
            "{{ event_properties.${a}.${b c}.d[0] }}",
            "only the name of the attribute is in '${…}'; expected the path into its value without '${}', such as '.name' or '[0]'"
        ),
    ])
    func `a message says what is meant`(template: String, message: String) {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n" + body(template))
        let findings = LintedCampaign(file).findings
        let others = findings.filter { $0.severity != .info && $0.rule.name != "missing-default" }
        #expect(others.map(\.message) == [message])
    }

    @Test(arguments: [
        ("http://user@10.0.0.1/", true), ("http://user:word@localhost/", true), ("http://[::ffff:10.0.0.1]/", true),
        ("http://[::ffff:8.8.8.8]/", false), ("https://localhost@example.com/", false),
        ("https://example.com/@10.0.0.1", false),
    ])
    func `an address of the author's network is told`(address: String, isLocal: Bool) {
        let text = "push: {title: Hi, uri: \(isLocal ? "⟦'\(address)'⟧" : "'\(address)'")}"
        #expect(marks("address-form", text) == text)
    }

    @Test func `a path after the name of a content block is none of an attribute`() {
        let text = body("{{ content_blocks.${x}.${y} }}")
        #expect(marks("unknown-attribute", text) == text)
    }

    @Test func `an attribute after 'not' is reported once, as a part of the operator`() {
        let file = SourceFile(
            path: "a.campaign.yml", text: "version: 1\n" + body("{% if not custom_attribute.${vip} %}x{% endif %}"))
        let findings = LintedCampaign(file).findings.filter { $0.severity > .info }
        #expect(findings.map(\.rule.name) == ["render-error"])
        #expect(findings.first?.message.hasSuffix("expected {% unless … %} or '== false'") == true)
    }

    @Test func `a brace in a quoted text ends an output, and the attribute in it is not bare`() {
        let file = SourceFile(
            path: "a.campaign.yml", text: "version: 1\n" + body("{{ custom_attribute.${a} | append: '{}' }}"))
        let findings = LintedCampaign(file).findings
        let message =
            "'}' in a quoted text ends the output; expected {% assign v = … %} with the text before it, and v here"
        #expect(findings.contains { $0.message == message })
        #expect(!findings.contains { ["bare-attribute", "unknown-attribute"].contains($0.rule.name) })
    }

    @Test(arguments: [
        ("{% if custom_attribute.${n} < 50% %}a{% endif %}", "expected a number without '%'"),
        ("{% if custom_attribute.${n} >= $10 %}a{% endif %}", "expected a number without '$'"),
        (
            "{% if ${city} == &#39;Oslo&#39; %}a{% endif %}",
            "expected the character itself in place of '&#39;', which is HTML"
        ),
        ("{{ ${city} | default： 'you' }}", "expected a colon before the argument: \"default: 'you'\""),
        (
            "{% assign my name = 'x' %}{{ name }}",
            "'my' is ignored: Liquid assigns \"'x'\"; a name has no spaces, expected 'my_name'"
        ),
    ])
    func `ignored markup is explained`(template: String, advice: String) {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n" + body(template))
        let findings = LintedCampaign(file).findings
        #expect(findings.contains { $0.rule.name == "liquid-ignored" && $0.message.hasSuffix(advice) }, "\(findings)")
    }

    @Test(arguments: [
        ("title: *Sale* today", "'*' begins an alias in YAML, so a text that begins with it needs quotes"),
        (
            "title: Hi\n  image: https://example.com/a.png",
            "'image': found 'https://example.com/a.png', expected a mapping such as '{url: …}'"
        ),
        (
            "title: Hi\n  uri: ' https://example.com'",
            "'uri' begins with a space, so it is not a valid URL; expected none there ('{%-' and '-%}' remove white space around tags)"
        ),
        ("title: Hi\nbody: Hello", "unknown key 'body' in the campaign, expected it inside 'push'"),
        ("title: Hi\n  tests: []", "unknown key 'tests' in 'push', expected it at the top level"),
        ("title: Hi\n  on_click: https://example.com", "unknown key 'on_click' in 'push', did you mean 'uri'?"),
        ("title: Hi\n  message: Ho", "unknown key 'message' in 'push', did you mean 'body'?"),
        ("title: Hi\n  key_value_pairs: {a: b}", "unknown key 'key_value_pairs' in 'push', did you mean 'extras'?"),
        (
            "title: Hi\n  rich_notification_media: {url: a}",
            "unknown key 'rich_notification_media' in 'push', did you mean 'image'?"
        ),
        ("title: Hi\n  badge_count: 1", "unknown key 'badge_count' in 'push', did you mean 'badge'?"),
    ])
    func `a mistake of the file is explained`(push: String, message: String) {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\npush:\n  \(push)\n")
        let findings = LintedCampaign(file).findings
        #expect(findings.filter { $0.severity != .info }.map(\.message) == [message])
    }

    @Test(arguments: [
        (
            "external_id;first_name\nu1;Ana\n",
            "found a table (CSV), expected a campaign; users are read with --profiles, as JSON with one user on each line"
        ),
        (
            #"{"name": "LAB", "channels": ["ios_push"], "messages": {"m1": {"channel": "ios_push", "alert": "b"}}}"#,
            """
            found the details of a campaign from Braze's REST API, expected a campaign; 'payloadgen pull --from DIR' makes \
            campaign files of the responses in a folder
            """
        ),
        (
            #"{"name": "C", "variants": [], "steps": [{"id": "s"}]}"#,
            """
            found the details of a Canvas from Braze's REST API, expected a campaign; 'payloadgen pull --from DIR' makes \
            campaign files of the responses in a folder
            """
        ),
    ])
    func `a file of another known format is named`(text: String, message: String) {
        let file = SourceFile(path: "a.campaign.yml", text: text)
        let findings = LintedCampaign(file).findings
        #expect(findings.map(\.message).contains(message), "\(findings.map(\.message))")
        #expect(findings.filter { $0.rule == .campaignSyntax }.count == 1)
    }

    @Test func `an action that is not known is reported once`() {
        let buttons = "buttons: [{action_id: A, action: URL, uri: 'https://example.com'}]"
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\npush: {title: Hi, category: c, \(buttons)}\n")
        let findings = LintedCampaign(file).findings
        #expect(findings.filter { $0.severity == .error }.map(\.rule.name) == ["button-action"])
    }

    @Test(arguments: [
        ("n: \"{{ 'now' | date: '%d.%m.%Y' }}\"", "date", Severity.error),
        ("n: \"{{ custom_attribute.${n} | default: 0 | money }}\"", "integer", .error),
        ("n: \"{{ custom_attribute.${n} | times: 1.5 }}\"", "integer", .error),
        ("n: \"{{ ${first_name} | prepend: 'u-' }}\"", "integer", .error),
        ("n: \"{{ custom_attribute.${d} | date: '%F' }}\"", "integer", .warning),
        ("n: \"{{ custom_attribute.${n} | money }}\"", "integer", .warning),
        ("n: \"{{ custom_attribute.${n} | number_with_delimiter }}\"", "integer", .warning),
    ])
    func `a type that no value has is an error`(pair: String, type: String, severity: Severity) {
        let text = "version: 1\npush:\n  title: Hi\n  extras:\n    \(pair)\nrequires: {extras: {n: {type: \(type)}}}\n"
        let findings = LintedCampaign(SourceFile(path: "a.campaign.yml", text: text)).findings
        #expect(findings.filter { $0.rule.name == "pair-type" }.map(\.severity) == [severity])
    }

    @Test(arguments: [
        ("{% endif %}", "found 'endif' that closes no 'if'", "liquid-syntax"),
        ("{% if a %}{% els %}{% endif %}", "unknown tag 'els', did you mean 'else'?", "unknown-tag"),
        ("{% endassign %}", "unknown tag 'endassign', did you mean 'assign'?", "unknown-tag"),
    ])
    func `a tag that closes nothing is no unknown one`(template: String, message: String, rule: String) {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n" + body(template))
        let findings = LintedCampaign(file).findings
        #expect(findings.map(\.message) == [message])
        #expect(findings.map(\.rule.name) == [rule])
    }

    /// A campaign with a required and an optional pair of one text.
    private func pairs(_ template: String, body: String = "Hi") -> String {
        """
        push:
          title: Hi
          body: "\(body)"
          extras:
            a: |-
              \(template)
            b: |-
              \(MarkedText(template).text)
        requires: {extras: {a: {type: string, required: true}, b: {type: string}}}
        attributes: {vip: {type: boolean}, score: {type: number}}

        """
    }

    @Test(arguments: [
        "{{ ⟦${first_name}⟧ }}{{ ${first_name} }}", "Dear {{ ⟦${first_name}⟧ | upcase }}",
        "{{ ⟦custom_attribute.${a}⟧ | date: '%F' }}", "{{ custom_attribute.${a} | date: '%F' | default: 'soon' }}",
        "{{ custom_attribute.${a} | plus: 0 }}", "{{ custom_attribute.${vip} }}", "{{ ⟦custom_attribute.${score}⟧ }}",
        "{{ api_trigger_properties.${a} }}{{ event_properties.${a} }}{{ campaign.${name} }}{{ ${braze_id} }}",
        "{{ ⟦most_recently_used_device.${os}⟧ }}",
        "{% if ${city} %}{{ ${city} }}{% else %}{{ ${country} | default: 'x' }}{% endif %}",
        "{% unless ${city} == blank %}{{ ${city} }}{% endunless %}",
        "{% if ${city} == blank %}{{ ⟦${city}⟧ }}{% endif %}",
        "{% if ${city} == blank %}{% abort_message('no city') %}{% endif %}{{ ${city} }}",
        "{% case ${city} %}{% when 'Oslo' %}{{ ${city} }}{% endcase %}",
        "{% capture x %}{{ ${city} }}{% endcapture %}{{ x | default: 'a' }}",
        "{% assign x = ⟦${city}⟧ %}{{ x }}", "{% assign x = {{⟦${city}⟧}} %}{{ x }}",
        "{% assign x = ${city} %}{{ x | default: 'a' }}",
        "{% assign x = ${city} %}{% if x == 'Oslo' %}a{% else %}b{% endif %}",
        "{% assign x = ${city} %}{% if x == blank %}{% assign x = 'a' %}{% endif %}{{ x }}",
        "{% assign x = ⟦${city}⟧ %}{% assign y = x | upcase %}{{ y }}",
        "{% assign x = ${city} | default: 'a' %}{{ x }}",
        "{% assign s = custom_attribute.${s} %}{% if s %}{{ ⟦s.x⟧ }}{% endif %}",
        "{% assign s = custom_attribute.${s} %}{% if s.p == 'pro' %}{{ s.x | default: 1 }}{% endif %}",
        "{% assign s = ⟦custom_attribute.${s}⟧ %}{% if s %}a{% endif %}{{ s.x }}",
        "{% for i in custom_attribute.${list} %}{{ i }}{% endfor %}", "{{ 'Hi ' | append: ${first_name} }}",
        "{% if false %}{{ ${city} }}{% endif %}", "{{ {{⟦${city}⟧ | upcase}} }}", "{{ {{${city} | default: 'a'}} }}",
    ])
    func `what a required pair may lack is told unless something stands in for it`(template: String) {
        #expect(marks("missing-default", pairs(template)) == pairs(template))
    }

    @Test(arguments: [
        "Hi {{ ⟦${first_name}⟧ }}, {{ ${first_name} }}", "Hi {{ ${first_name} | default: 'you' }}",
        "In {{ ${city} }} {{ custom_attribute.${plan[0]} }}", "{{ ${user_id} }}{{ ${braze_id} }}",
        "{{ custom_attribute.${plan} }}",
        "{% if ${country} %}{{ ${country} }}{% endif %}", "{% assign x = ⟦${country}⟧ | upcase %}{{ x }}",
        "{{ api_trigger_properties.${a} }}{{ ⟦api_trigger_properties.${b}⟧ }}{{ event_properties.${b} }}",
        "{{ ${frist_name} }}{{ ${last_name} | default 'you' }}{{content_blocks.${footer}}}",
        "{% if ${gender} == 'F' %}{{content_blocks.${footer}}}{% endif %}",
    ])
    func `a gap in a text that people see is told`(template: String) {
        let text = """
            content_blocks: blocks
            push:
              title: Hi
              body: |-
                \(template)
              extras: {a: "{{ ${first_name} }}"}
            attributes: {city: {always: true}}
            tests: [{name: a, trigger_properties: {a: x}, expect: {title: Hi}}]

            """
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n" + MarkedText(text).text)
        var options = RenderOptions(now: Time(seconds: 0))
        options.givenAttributes = ["plan"]
        let folder = MemoryFolder(["blocks/footer.liquid": "Bye, {{ ${gender} }}"])
        let campaign = LintedCampaign(file, folder: folder, options: options)
        let findings = campaign.findings.filter { $0.rule.name == "missing-default" }
        let own = findings.filter { $0.place?.file.path == file.path }.compactMap { $0.place?.range }
        #expect(MarkedText.marking(own, in: String(decoding: file.bytes, as: UTF8.self)) == "version: 1\n" + text)
        let isTested = template.contains("${gender}")
        #expect(findings.count - own.count == (template.contains("footer") && !isTested ? 1 : 0))
    }

    @Test(arguments: [
        ("a and b or c", true), ("a or b and c", false), ("a and b or a and c", false), ("a and b or b", true),
        ("a and x == 1 or a and x == 2", false), ("x == 1 and a or x == 2 and b", true),
        ("a and x != 1 or a and x == 1", false), ("a or b and c or d", true), ("a and b and c or d", true),
        ("x == 1 and x == 2 or x == 1 and x == 3", false),
    ])
    func `a condition whose grouping changes nothing is left alone`(condition: String, isFound: Bool) {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n" + body("{% if \(condition) %}x{% endif %}"))
        let findings = LintedCampaign(file).findings
        #expect(findings.contains { $0.rule.name == "mixed-and-or" } == isFound)
    }

    @Test(arguments: [
        "{{ ${city} | append: '⟦\\n⟧' | prepend: '\\\\n' }}", "{{ 'Hi⟦\\t⟧you' }}", "{{ ${city} | split: ⟦'\\n'⟧ }}",
        "{{ ${city} | replace: '\\n', '' }}",
    ])
    func `escapes in the texts that a template prints are found`(template: String) {
        #expect(marks("foreign-placeholder", body(template)) == body(template))
    }

    @Test(arguments: [
        "{% assign d = 'now' | date: '%H:%M' %}{{ d | ⟦time_zone⟧: 'Europe/Rome' }}",
        "{% assign d = 'now' | date: '%A' %}{{ d | upcase }}",
        "{{ 'now' | date: '%H:%M' | ⟦time_zone⟧: 'Europe/Rome' }}",
        "{{ 'now' | time_zone: 'Europe/Rome' | date: '%H:%M' }}",
    ])
    func `the time zone is set before the date is printed`(template: String) {
        #expect(marks("date-format", body(template)) == body(template))
    }

    @Test(arguments: [
        "{% for p in event_properties.${a} %}{{ p }}{% endfor %}{{ event_properties.${a}⟦.count⟧ }}",
        "{% for p in event_properties.${a} %}{{ p[0] }}{% endfor %}{{ event_properties.${a}.count }}",
        "{% for p in event_properties.${a} %}{{ p | first }}{% endfor %}{{ event_properties.${a}.count }}",
    ])
    func `a value is a list where a loop does not read key-value pairs`(template: String) {
        #expect(marks("unknown-member", body(template)) == body(template))
    }

    @Test(arguments: [
        "{% assign h = 'now' | date: '%H' %}{% assign h = h | plus: 0 %}{% if h >= ⟦24⟧ %}a{% endif %}",
        "{% assign h = 'now' | date: '%H' %}{% assign h = h | plus: 0 %}{% if h >= 23 %}a{% endif %}",
        "{% assign h = 'now' | date: '%H' %}{% assign h = 30 %}{% if h >= 24 %}a{% endif %}",
    ])
    func `a number keeps the bounds of the date that it was made of`(template: String) {
        #expect(marks("impossible-value", body(template)) == body(template))
    }

    @Test func `a namespace without its dot is named`() {
        let text = body("{{ custom_attribute ${plan} }}")
        let campaign = LintedCampaign(SourceFile(path: "a.campaign.yml", text: text))
        let messages = campaign.findings.map(\.message)
        #expect(messages.contains { $0.contains("expected a dot: 'custom_attribute.${plan}'") }, "\(messages)")
    }

    @Test func `texts of a profile that are not texts are found`() {
        let profile = #"{"first_name": ⟦5⟧, "home_city": ⟦true⟧, "last_name": null, "phone": "1"}"#
        let text = "push: {title: Hi}\ntests:\n  - {name: ana, profile: ana.json, expect: {title: Hi}}\n"
        let folder = MemoryFolder(["ana.json": MarkedText(profile).text])
        let options = RenderOptions(now: Time(seconds: 0))
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n" + text)
        let findings = LintedCampaign(file, folder: folder, options: options).findings
        let found = findings.filter { $0.rule.name == "profile-field" }.compactMap { $0.place?.range }
        #expect(MarkedText.marking(found, in: MarkedText(profile).text) == profile)
    }

    @Test(arguments: [
        "f(x) = {a: {1, 2}}", "wow :-%} and {1, 2} }}", "a }} b", "{ { nested } }", "{1} and {2}",
        "Hi first_name ⟦}}⟧", "Hi { ${city} ⟦}}⟧", "Hi ⟦{ {⟧ ${city} } }", "⟦{ %⟧ if ${city} % }", "{ if ${city} ⟦%}⟧",
        "Hi ⟦{0}⟧, you have ⟦{1}⟧",
    ])
    func `braces are told only where Liquid is meant`(template: String) {
        #expect(marks("foreign-placeholder", body(template)) == body(template))
    }

    @Test(arguments: [
        ("%-d %B (%D)", false), ("%A, %F (%B)", false), ("%B %Y – %F", false), ("%F %A", false), ("%F, week %V", false),
        ("%D %B", true), ("%D.%m.%Y", true), ("%d %F %Y", true), ("%F %d, %Y", true), ("%H:%M:%s", true),
        ("%H:%M %p", false),
    ])
    func `a code for a whole date is told in place of a part`(format: String, isFound: Bool) {
        let file = SourceFile(
            path: "a.campaign.yml",
            text: "version: 1\n" + body("{{ custom_attribute.${d} | date: '\(format)' }}"))
        let findings = LintedCampaign(file).findings
        #expect(findings.contains { $0.rule.name == "date-format" } == isFound)
    }

    @Test func `a value in a list is there`() {
        let template = "{% assign l = 'a,b' | split: ',' %}{% if l contains ${city} %}{{ ${city} }}{% endif %}"
        #expect(marks("missing-default", pairs(template)) == pairs(template))
    }

    @Test(arguments: [
        "{{ 1 | modulo: ⟦${city}⟧ }}", "{% assign b = custom_attribute.${b} | plus: 0 %}{{ 60 | divided_by: ⟦b⟧ }}",
        "{{ 60 | divided_by: {{⟦custom_attribute.${b}⟧}} }}",
        "{{ 60 | divided_by: {{custom_attribute.${b} | plus: 1}} }}",
        "{% assign b = custom_attribute.${b} | default: 0 %}{{ 60 | divided_by: ⟦b⟧ }}",
        "{% assign b = custom_attribute.${b} | default: 1 %}{{ 60 | divided_by: b }}",
        "{% assign b = custom_attribute.${b} %}{% if custom_attribute.${b} > 0 %}{{ 60 | divided_by: b }}{% endif %}",
        "{% assign b = custom_attribute.${b} | at_least: 1 %}{{ 60 | divided_by: b }}",
        "{% if custom_attribute.${b} == blank %}{% abort_message %}{% endif %}{{ 60 | divided_by: custom_attribute.${b} }}",
        "{{ 60 | divided_by: api_trigger_properties.${b} }}",
    ])
    func `a divisor that may be missing is told`(template: String) {
        #expect(marks("missing-default", body(template)) == body(template))
    }

    @Test func `an abort in another text guards a pair, and a break does not`() {
        let abort = "{% if ${city} == blank %}{% abort_message %}{% endif %}Hi"
        #expect(marks("missing-default", pairs("{{ ${city} }}", body: abort)) == pairs("{{ ${city} }}", body: abort))
        let leave = "{% if ${city} == blank %}{% break %}{% endif %}Hi"
        #expect(
            marks("missing-default", pairs("{{ ⟦${city}⟧ }}", body: leave)) == pairs("{{ ⟦${city}⟧ }}", body: leave)
        )
    }

    @Test func `a variable that another text of a scenario sets is found in the text that sets it`() throws {
        let extras = #"{plan: "{% assign x = 'a' %}{{ x }}", note: '{{ x }}'}"#
        let file = SourceFile(
            path: "a.scenario.yml",
            text: "version: 1\nmessages: [{id: a, triggers: [session_start], extras: \(extras)}]\n"
                + "timeline: [{at: 0, event: session_start}]\n")
        let messages = try file.lintFindings().map(\.message)
        #expect(messages.contains { $0.contains("'extras.plan' sets a variable of that name") }, "\(messages)")
    }

    private func json(_ template: String) -> String {
        "push:\n  title: Hi\n  extras:\n    a: |-\n      $json:\(template)\nattributes: {score: {type: number}}\n"
    }

    @Test(arguments: [
        #"{"a": "⟦{{ ${first_name} }}⟧"}"#, #"{"a": "{{ ${first_name} | json_escape }}"}"#, #"{"a": {{ x }}}"#,
        #"{"a": "\"⟦{{ x }}⟧"}"#, #"{"a": "\\", "b": {{ x }}}"#, #"{"{{ 'key' }}": 1, "⟦{{ x }}⟧": 2}"#,
        #"{"a": "{{ x | plus: 1 }}{{ x | url_encode }}{{ x | default: 0 }}{{ x.size }}"}"#,
        #"{"a": "{{ custom_attribute.${score} }}{{ ${random_bucket_number} }}{{ ${braze_id} }}"}"#,
        #"{"a": [{% for i in x %}"⟦{{ i }}⟧"{% unless forloop.last %},{% endunless %}{% endfor %}]}"#,
        #"{% assign a = x | json_escape %}{% assign b = x %}{"a": "{{ a }}⟦{{ b }}⟧"}"#,
        #"{"a": {% if x %}"⟦{{ x }}⟧"{% else %}null{% endif %}, "b": "⟦{{ x }}⟧"}"#,
        #"{"a": {% if x %}"{% endif %}{{ x }}"#, #"{"a": "{{ content_blocks.${b} }}"}"#,
        #"{"a": "⟦{{ 'x' | append: ${city} }}⟧{{ 'x' | append: 'y' }}⟦{{ 'x"' }}⟧"}"#,
        #"{% capture a %}"{{ x }}"{% endcapture %}{"a": {{ a }}}"#, #"{"a": "{% increment n %}{{ n }}"}"#,
    ])
    func `Liquid in a string of JSON is escaped`(template: String) {
        #expect(marks("unescaped-json", json(template)) == json(template))
    }

    @Test func `ranges in JSON are those of the file`() {
        let text = #"{"push": {"title": "\"\u00e9\" {{ ${⟦nam\u0065⟧} | default: ⟦\u201cyou\u201d⟧ }}"}}"#
        let path = "a.campaign.json"
        let names = text.replacing("⟦\\u201cyou\\u201d⟧", with: "\\u201cyou\\u201d")
        #expect(marks("unknown-attribute", names, path) == names)
        let quotes = text.replacing("⟦nam\\u0065⟧", with: "nam\\u0065")
        #expect(marks("smart-quote", quotes, path) == quotes)
    }

    @Test(arguments: [
        "{{{{\n}",
        "{{ {% } %} ‘a’ ${b\u{200B}} “c {{ \"d’ }} {% raw %}{{‘{% endraw %}",
        "{% liquid\n assign a = ‘b’ | c: “d”\n%}",
        "${a}${ {{ custom_attribute.${b} | default: ‘’ }} {% comment %}payloadgen:disable unknown-filter",
    ])
    func `every beginning of a text is checked without a trap`(text: String) {
        let scalars = Array(text.unicodeScalars)
        for count in stride(from: scalars.count, to: 0, by: -2) {
            var start = String.UnicodeScalarView()
            start.append(contentsOf: scalars[..<count])
            let json = ByteBuffer(json: String(start)).string()
            let campaign = LintedCampaign(
                SourceFile(
                    path: "a.campaign.json",
                    text: #"{"version": 1, "push": {"title": \#(json), "extras": {"a": \#(json)}}}"#
                )
            )
            let found = campaign.findings
            let end = campaign.file.bytes.count
            #expect(found.allSatisfy { Int($0.place?.range.end ?? 0) <= end }, "\(start)")
        }
    }
}
