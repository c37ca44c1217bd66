// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct EvalCommandTests {
    private static let ana = "../../../examples/profiles/ana.json"

    @Test func `adds nothing to the text`() throws {
        let run = try CommandRun(["eval", #"Hi {{ ${first_name} | default: "you" }}"#, "--profile", Self.ana])
        #expect(run.text == "exit 0\n--- stdout\nHi Ana--- stderr\n")
    }

    @Test func `reads a template from a file and from standard input`() throws {
        #expect(try CommandRun(["eval", "-"], input: "{{ 1 | plus: 1 }}\n").output == "2\n")
        let scratch = try Scratch()
        try scratch.write("a.liquid", "{{ 'a' | upcase }}")
        #expect(try CommandRun(["eval", "@" + scratch.path("a.liquid")]).output == "A")
    }

    @Test func `the path of a file is rendered as it is, and '@' is pointed out`() throws {
        let run = try CommandRun(["eval", "greeting.campaign.yml"])
        #expect(run.status == 0 && run.output == "greeting.campaign.yml")
        #expect(run.errors.contains("'@greeting.campaign.yml' renders its text"), "\(run.text)")
        #expect(try CommandRun(["eval", "no-file.yml"]).errors.isEmpty)
    }

    @Test func `a file that is not UTF-8 is no template, and a byte order mark is not printed`() throws {
        let scratch = try Scratch()
        try Data([0x61, 0x0A, 0x62, 0xFF]).write(to: URL(filePath: scratch.path("a.liquid")))
        let run = try CommandRun(["eval", "@a.liquid"], in: scratch.folder)
        #expect(run.status == 65)
        #expect(run.errors.hasPrefix("a.liquid:2:2: error: the template is not UTF-8 (liquid-syntax)"), "\(run.text)")
        try Data([0xEF, 0xBB, 0xBF, 0x61]).write(to: URL(filePath: scratch.path("b.liquid")))
        #expect(try CommandRun(["eval", "@b.liquid"], in: scratch.folder).output == "a")
    }

    @Test func `takes standard Liquid with plain variables`() throws {
        let scratch = try Scratch()
        try scratch.write("data.json", #"{"user": {"name": "Ana"}}"#)
        let arguments = ["eval", "{{ user.name }}", "--dialect", "liquid", "--context", scratch.path("data.json")]
        #expect(try CommandRun(arguments).output == "Ana")
    }

    @Test func `tells every way of ending in a record`() throws {
        let rendered = try CommandRun(["eval", "{{ 1 }}", "--format", "record"])
        #expect(rendered.output == #"{"status":"rendered","output":"1","message_extras":{},"fixtures_used":[]}"# + "\n")
        let aborted = try CommandRun(["eval", "{% abort_message('no') %}", "--format", "record"])
        #expect(aborted.status == 3)
        #expect(aborted.output == #"{"status":"aborted","reason":"no","message_extras":{},"fixtures_used":[]}"# + "\n")
        let failed = try CommandRun(["eval", "{{ 1 | divided_by: 0 }}", "--format", "record"])
        #expect(failed.status == 1)
        #expect(failed.output.contains(#""status":"failed","error":{"message":"#))
    }

    @Test func `freezes the clock`() throws {
        let run = try CommandRun(["eval", "{{ 'now' | date: '%F %H' }}", "--now", "2026-11-20T09:00:00Z"])
        #expect(run.output == "2026-11-20 09")
    }

    @Test(arguments: [
        ("--profile", #"{"first_name": "Ana"}"#), ("--context", #"{"user": {"first_name": "Ana"}}"#),
        ("--event-properties", #"{"first_name": "Ana"}"#), ("--trigger-properties", #"{"first_name": "Ana"}"#),
    ])
    func `reads its data from standard input`(option: String, data: String) throws {
        let namespace = option.hasSuffix("-properties") ? option == "--event-properties" ? "event" : "api_trigger" : ""
        let name = namespace.isEmpty ? "${first_name}" : "\(namespace)_properties.${first_name}"
        let run = try CommandRun(["eval", "Hi {{ \(name) }}", option, "-"], input: data)
        #expect(run.text == "exit 0\n--- stdout\nHi Ana--- stderr\n")
    }

    @Test(arguments: [
        (["{{ x }}"], Int32(0), "warning: 'x' is missing (missing-value)"),
        (["{{ x }}", "--missing", "error"], 1, "error: 'x' is missing (missing-value)"),
        (["{{ x }}", "--rule", "missing-value=error"], 1, "error: 'x' is missing (missing-value)"),
        (["{{ 1 | upcas }}", "--error-mode", "strict"], 1, "error: unknown filter 'upcas'"),
        (
            ["{{ '1 5' | times: 2 }}"], 0,
            "1:4: warning: '1 5' is not a number, so 'times' counts it as 1; expected a number such as 12.5 (text-arithmetic)"
        ),
        (["{{ 'soon' | date: '%F' }}", "--rule", "date-format=error"], 1, "(date-format)"),
    ])
    func `standard Liquid has the same findings`(arguments: [String], status: Int32, finding: String) throws {
        let run = try CommandRun(["eval", "--dialect", "liquid"] + arguments)
        #expect(run.status == status && run.errors.contains(finding), "\(run.text)")
    }

    @Test(arguments: [
        ("{{ api_trigger_properties.${none} }}", "'api_trigger_properties.${none}'"),
        ("{{ api_trigger_properties.${object}.none }}", "'api_trigger_properties.${object}.none'"),
        ("{{ api_trigger_properties.${empty}[0] }}", "'api_trigger_properties.${empty}[0]'"),
        ("{{ api_trigger_properties.${empty}[0].name }}", "'api_trigger_properties.${empty}[0].name'"),
        ("{{ api_trigger_properties.${empty}.first.name }}", "'api_trigger_properties.${empty}.first.name'"),
        ("{{ api_trigger_properties.${object}[api_trigger_properties.${zero}] }}", "${zero}]'"),
        (
            "{% assign a = api_trigger_properties.${items}[1].name %}{{ a }}",
            "'api_trigger_properties.${items}[1].name'"
        ),
        ("{{ api_trigger_properties.${items}[0].name }}{% assign a = nil %}{{ a }}", nil),
        ("{{ api_trigger_properties.${empty}[0].name | default: 'x' }}", nil),
        ("{% if api_trigger_properties.${empty}[0].name or api_trigger_properties.${none} %}{% endif %}", nil),
    ])
    func `null and what is beyond an array is missing`(template: String, missing: String?) throws {
        let properties = #"{"none": null, "object": {"none": null}, "empty": [], "items": [{"name": "a"}], "zero": 0}"#
        let arguments = ["eval", template, "--missing", "error", "--trigger-properties", "-"]
        let run = try CommandRun(arguments, input: properties)
        let found = run.errors.ranges(of: "is missing (missing-value)").count
        #expect(run.status == (missing == nil ? 0 : 1) && found == (missing == nil ? 0 : 1), "\(run.text)")
        if let missing { #expect(run.errors.contains(missing + " is missing"), "\(run.text)") }
    }

    @Test(arguments: [
        ("{{ r.x }}", "warning"),
        ("{% if r %}{{ r.x }}{% endif %}", "info"),
        ("{% if r.__http_status_code__ == 200 %}{{ r.x }}{% endif %}", "info"),
        ("{{ r.x | default: 'none' }}", "info"),
        ("{% if other %}{{ r.x }}{% endif %}", "warning"),
    ])
    func `a failed request is a warning unless the template works without its response`(
        use: String,
        severity: String
    ) throws {
        let context = #"{"connected_content": [{"url": "https://a.io/gone", "status": 404}]}"#
        let template = "{% connected_content https://a.io/gone :save r %}\(use)"
        let run = try CommandRun(["eval", template, "--context", "-"], input: context)
        let finding = "\(severity): connected content https://a.io/gone returned status 404: nothing is inserted"
        #expect(run.status == 0 && run.errors.contains(finding), "\(run.text)")
    }

    @Test(arguments: [
        ("{% assign d = ${city} %}{% if d != blank %}{{ d }}{% endif %}", false),
        ("{% assign d = ${city} | upcase %}{% if d == blank %}-{% else %}{{ d }}{% endif %}", false),
        ("{% assign d = ${city} | upcase %}{% if d %}{{ d }}{% endif %}", true),
        ("{% assign d = ${city} | upcase %}{% if d == 'ROME' %}a{% endif %}", false),
        ("{% assign d = ${city} | upcase %}{% if d == 'ROME' %}a{% endif %}{{ d }}", true),
        ("{% assign d = ${dob} | date: '%F' %}{% if d %}{{ d }}{% endif %}", false),
        ("{% assign d = ${city} %}{% assign e = d | append: '!' %}{{ e }}", true),
        ("{{ ${dob} | date: '%d %B' | default: 'soon' }}", false),
        ("{% for c in custom_attribute.${cart} %}{{ c }}{% else %}empty{% endfor %}", false),
        ("{% for c in custom_attribute.${cart} %}{{ c }}{% endfor %}", true),
        ("{% assign l = custom_attribute.${cart} | split: ',' %}{% if l.size > 0 %}{{ l[0] }}{% endif %}", false),
        ("{% assign s = custom_attribute.${s} %}{% if s %}{{ s.x }}{% endif %}", false),
        ("{% assign s = custom_attribute.${s} %}{% if s != blank %}{{ s.x }}{% endif %}", false),
        ("{% assign s = custom_attribute.${s} %}{% if s.p == 'pro' %}{{ s.x }}{% endif %}", false),
        ("{% assign s = custom_attribute.${s} %}{% if ${language} == 'de' %}{{ s }}{% endif %}", false),
        ("{% assign s = custom_attribute.${s} %}{% if ${language} != 'de' %}{{ s }}{% endif %}", true),
        ("{% assign s = custom_attribute.${s} %}{% if ${language} == 'de' %}{{ s }}{% endif %}{{ s.x }}", true),
        ("{% assign s = custom_attribute.${s} %}{% assign t = s %}{% if t.p == 1 %}{{ t }}{% endif %}", false),
        ("{% assign s = custom_attribute.${s} %}{% assign t = s.x %}{{ t.y }}", true),
        ("{% assign s = custom_attribute.${s} %}{% for i in s %}{{ i }}{% endfor %}", true),
        ("{% assign s = custom_attribute.${s} %}{% capture c %}{{ s }}{% endcapture %}{{ c }}", true),
        ("{% assign s = custom_attribute.${s} %}{% assign s = 'x' %}{{ s }}", false),
        ("{% assign s = custom_attribute.${s} %}{% if s %}{{ s.x }}{% endif %}{{ self.s }}", true),
    ])
    func `a value whose absence the template handles is not reported`(template: String, isReported: Bool) throws {
        let run = try CommandRun(["eval", template, "--missing", "error", "--profile", "-"], input: "{}")
        #expect(run.errors.contains("is missing (missing-value)") == isReported, "\(run.text)")
        #expect(run.status == (isReported ? 1 : 0))
    }

    @Test(arguments: [
        ("{% assign s = custom_attribute.${s} %}{{ s }}", "1:42", "custom_attribute.${s}"),
        ("{% assign s = ${city} %}{% assign t = s %}{{ t | upcase }}", "1:46", "${city}"),
        ("{% assign s = ${city} %}{{ s.x }}{% assign s = ${dob} %}{{ s }}", "1:28", "${city}"),
        ("{% assign s = ${city} %}{{ s.x }}{% assign s = ${dob} %}{{ s }}", "1:60", "${dob}"),
        ("{% assign s = ${city} %}{{ self.s }}", "1:15", "${city}"),
    ])
    func `a missing value is reported where the variable it is assigned to is printed`(
        template: String, place: String, value: String
    ) throws {
        let run = try CommandRun(["eval", template, "--profile", "-"], input: "{}")
        #expect(run.errors.contains("\(place): warning: '\(value)' is missing (missing-value)"), "\(run.text)")
    }

    @Test(arguments: [
        ("{% assign s = ${city} %}{{ s[0] }}", "", "1:28: warning: '${city}' is missing"),
        (
            "{% assign s = ${city} %}{{content_blocks.${b}}}", "{{ s }}{% if s %}{{ s.x }}{% endif %}",
            "1:1: warning: '${city}' is missing, in 'b'"
        ),
        (
            "{{content_blocks.${b}}}{{ s }}", "{% assign s = ${city} %}{% if s %}{{ s.x }}{% endif %}",
            "1:27: warning: '${city}' is missing"
        ),
        ("{{content_blocks.${b}}}", "{% assign s = ${city} %}{% if s %}{{ s.x }}{% endif %}", nil),
        (
            "{% assign s = ${city} %}{% connected_content https://a.io/{{s}} :save r %}", "",
            "1:15: warning: '${city}' is missing"
        ),
    ])
    func `a missing value is reported once, also where another template prints it`(
        template: String, block: String, finding: String?
    ) throws {
        let context =
            #"{"content_blocks": {"b": "\#(block)"}, "connected_content": [{"url": "https://a.io/", "body": "x"}]}"#
        let run = try CommandRun(["eval", template, "--context", "-"], input: context)
        #expect(run.errors.ranges(of: "(missing-value)").count == (finding == nil ? 0 : 1), "\(run.text)")
        if let finding { #expect(run.errors.contains(finding), "\(run.text)") }
    }

    @Test func `values that a loop misses do not hide the ones after it`() throws {
        let template = "{% for i in (1..40) %}{{ ${city} }}{{ ${country} }}{% endfor %}{{ ${dob} }}"
        let run = try CommandRun(["eval", template, "--profile", "-"], input: "{}")
        #expect(run.errors.ranges(of: "(missing-value)").count == 3, "\(run.text)")
    }

    @Test func `reports fields of the profile that are left out`() throws {
        let arguments = ["eval", "Hi {{ ${first_name} | default: 'you' }}", "--profile", "-"]
        let run = try CommandRun(arguments, input: #"{"firstname": "Ana"}"#)
        let message = "<stdin>:1:2: warning: an export of Braze has no field 'firstname'"
        #expect(run.status == 0 && run.output == "Hi you" && run.errors.contains(message), "\(run.text)")
        #expect(try CommandRun(arguments + ["--rule", "profile-field=error"], input: #"{"firstname": 1}"#).status == 1)
    }

    @Test func `reports several devices, of which none is known to be the last one`() throws {
        let devices = #"{"devices": [{"model": "iPhone 15"}, {"model": "iPad"}]}"#
        let template = "{{ most_recently_used_device.${model} | default: 'you' }}"
        let run = try CommandRun(["eval", template, "--profile", "-"], input: devices)
        #expect(run.output == "you" && run.errors.contains("info: the profile has 2 devices"), "\(run.text)")
        let unread = try CommandRun(["eval", "{{ 1 }}", "--profile", "-"], input: devices)
        #expect(unread.errors == "")
        let scratch = try Scratch()
        try scratch.write("c.json", #"{"most_recently_used_device": {"model": "Pixel"}}"#)
        let given = try CommandRun(
            ["eval", template, "--profile", "-", "--context", scratch.path("c.json")], input: devices)
        #expect(given.text == "exit 0\n--- stdout\nPixel--- stderr\n")
    }

    @Test func `the note on several devices is about content blocks that are read`() throws {
        try withTemporaryFolder([
            "ana.json": #"{"external_id": "a", "devices": [{"model": "A"}, {"model": "B"}]}"#,
            "device.json": #"{"content_blocks": {"a": "{{ most_recently_used_device.${model} | default: 1 }}"}}"#,
            "plain.json": #"{"content_blocks": {"a": "x"}}"#,
            "blocks/a.liquid": "x", "blocks/b.liquid": "{{ most_recently_used_device.${model} | default: 1 }}",
            "a.campaign.yml": "version: 1\ncontent_blocks: blocks\npush: {title: 'Hi {{content_blocks.${a}}}'}\n",
        ]) { folder in
            for (context, isFound) in [("device.json", true), ("plain.json", false)] {
                let options = ["--profile", "ana.json", "--context", context]
                for command in [["render", "a.campaign.yml"], ["eval", "Hi {{content_blocks.${a}}}"]] {
                    let run = try CommandRun(command + options, in: URL(filePath: folder))
                    #expect(run.status == 0 && run.errors.contains("several-devices") == isFound, "\(run.text)")
                }
            }
        }
    }

    @Test func `only content blocks that are used are checked`() throws {
        let broken = #"{"content_blocks": {"a": "{{ 1 | divided_by: 0 }}"}}"#
        try withTemporaryFolder([
            "a.campaign.yml": """
            version: 1
            push: {title: Hi, body: "{{content_blocks.${a}}}"}
            tests:
              - {name: one, profile: export.json, context: broken.json, expect: {title: Hi}}

            """,
            "b.campaign.yml": """
            version: 1
            push: {title: Hi, body: "{{content_blocks.${a}}}"}
            tests:
              - {name: one, profile: short.json, context: broken.json, expect: {body: good}}

            """,
            "export.json": #"{"external_id": "a"}"#, "many.ndjson": #"{"external_id": "a"}"#, "broken.json": broken,
            "short.json": #"{"user": {"user_id": "a"}, "content_blocks": {"a": "good"}}"#,
            "good.json": #"{"content_blocks": {"a": "good"}}"#,
        ]) { folder in
            let render = ["render", "a.campaign.yml"]
            let eval = ["eval", "{{content_blocks.${a}}}"]
            for command in [
                render + ["--profile", "export.json", "--context", "good.json"],
                render + ["--profiles", "many.ndjson", "--context", "good.json"],
                render + ["--profile", "short.json", "--context", "broken.json"],
                eval + ["--profile", "short.json", "--context", "broken.json"], ["test", "b.campaign.yml"],
                ["lint", "b.campaign.yml"],
            ] {
                let run = try CommandRun(command, in: URL(filePath: folder))
                #expect(run.status == 0 && !run.text.contains("division"), "\(command): \(run.text)")
            }
            for command in [
                render + ["--profile", "export.json", "--context", "broken.json"], ["lint", "a.campaign.yml"],
                ["test", "a.campaign.yml"],
            ] {
                let run = try CommandRun(command, in: URL(filePath: folder))
                #expect(run.status == 1 && run.text.contains("broken.json:1:"), "\(command): \(run.text)")
            }
        }
    }

    @Test func `content blocks of a context are checked where the template reads them`() throws {
        let context = #"{"content_blocks": {"a": "{{ 'a' | upcas }}{% assign b = 1 %}", "broken": "{% if %}"}}"#
        let template = "{{content_blocks.${a}}}{{ b }}"
        let run = try CommandRun(["eval", template, "--context", "-"], input: context)
        #expect(run.status == 0 && run.output == "a1", "\(run.text)")
        #expect(run.errors.contains("<stdin>:1:36: warning: unknown filter 'upcas'"), "\(run.text)")
        #expect(!run.errors.contains("liquid-syntax"), "\(run.text)")
    }

    @Test func `reports an unknown filter once`() throws {
        let finding = "unknown filter 'upcas', did you mean 'upcase'? (unknown-filter)"
        for (mode, status, severity) in [("lax", Int32(0), "warning"), ("strict", 1, "error")] {
            let run = try CommandRun(["eval", "{{ 'a' | upcas }}", "--error-mode", mode])
            let reports = run.errors.split(separator: "\n").filter { $0.contains("unknown filter") }
            #expect(run.status == status && reports == ["<template>:1:10: \(severity): \(finding)"], "\(run.text)")
        }
    }

    @Test(arguments: [
        (#"{"catalogs": {"g": [{"id": "a", "t": "Z"}]}}"#, "'catalogs.g' has to hold items by their ids"),
        (#"{"catalogs": {"g": {"a": "Z"}}}"#, "'catalogs.g.a' has to be an object of fields"),
        (#"{"catalog_selections": {"g": [{"t": "Z"}]}}"#, "'catalog_selections.g' has to hold lists of items"),
        (#"{"catalogs": {"g": {"a": {"t": "Z"}}}, "catalog_selections": {"g": {"s": []}}}"#, nil),
    ])
    func `a catalog of another form is reported as such`(context: String, message: String?) throws {
        let scratch = try Scratch()
        try scratch.write("c.json", context)
        let run = try CommandRun(
            ["eval", "{% catalog_items g a %}{{ items[0].t }}", "--context", scratch.path("c.json")])
        #expect(run.status == (message == nil ? 0 : 65), "\(run.text)")
        if let message {
            #expect(run.errors.contains(message) && run.errors.contains("(profile-syntax)"), "\(run.text)")
        } else {
            #expect(run.output == "Z")
        }
    }
}
