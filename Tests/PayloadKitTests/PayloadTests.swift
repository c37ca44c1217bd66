// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit
import PayloadgenTestSupport
import Testing

/// The bytes of payloads.
@Suite struct PayloadTests {
    @Test func `members stand in the promised order`() throws {
        let payload = try Messages.payload(Self.everything)
        #expect(
            payload.text == """
                {"aps":{"alert":{"title":"T \\"q\\"","subtitle":"S","body":"B/é\\n"},"badge":3,"sound":"default",\
                "thread-id":"th","category":"cat","content-available":1,"mutable-content":1,\
                "interruption-level":"time-sensitive","relevance-score":0.5},"z":"1","a":"","j":{"n":1.50,"l":[1,2]},\
                "ab_uri":"x://y","ab_use_webview":false,"ab":{"c":"c-1","att":{"url":"https://x/y.png","type":"png"},\
                "ab_cat":{"R":{"a_t":"URI","a_uri":"x://r","a_use_webview":true}}}}
                """
        )
        #expect(payload.blank == ["extras.a"])
        #expect(payload.extras.map(\.value) == ["1", "", "{\"n\":1.50,\"l\":[1,2]}"])
    }

    @Test func `a small message has nothing that it does not say`() throws {
        #expect(try Messages.payload("push: {body: b}").text == #"{"aps":{"alert":{"body":"b"}},"ab":{"c":null}}"#)
        let silent = try Messages.payload("push: {content_available: true}")
        #expect(silent.text == #"{"aps":{"content-available":1},"ab":{"c":null}}"#)
        #expect(silent.headers["apns-push-type"] == "background")
        #expect(silent.headers["apns-priority"] == "5")
    }

    @Test func `costs and structure add up to the bytes`() throws {
        var random = Random(seed: 5)
        let texts = ["", "é", "\"quoted\"", "日本語", "a\\b", "x"]
        for _ in 0..<200 {
            var campaign = "push:\n  title: t\n"
            for key in ["subtitle", "body", "uri", "sound", "thread_id", "category"] where random.next(2) == 0 {
                campaign += "  \(key): '\(texts[random.next(texts.count)])'\n"
            }
            campaign += "  extras:\n    k: v\n"
            for index in 0..<random.next(6) { campaign += "    k\(index): '\(texts[random.next(texts.count)])'\n" }
            let payload = try Messages.payload(campaign)
            let costs = payload.fields.reduce(0) { $0 + $1.cost }
            #expect(costs + payload.size.structure == payload.bytes.count)
            #expect(payload.size.structure > 0)
            #expect((try? Value(json: payload.text)) != nil, "\(payload.text)")
        }
    }

    @Test func `a field without Liquid has the range and the cost that it has with Liquid`() throws {
        let fields = ["title: T", "category: cat", "sound: s", "thread_id: th", "uri: 'x://y'", "collapse_id: c"]
        var random = Random(seed: 8)
        for _ in 0..<100 {
            let chosen = ["body: B"] + fields.filter { _ in random.next(3) > 0 } + ["badge: 1"]
            let constant = try Messages.payload("push: {\(chosen.joined(separator: ", "))}")
            let rendered = chosen.map { field in
                guard random.next(2) == 0, let colon = field.firstIndex(of: ":"), !field.hasSuffix("1") else {
                    return field
                }
                let text = field[colon...].dropFirst(2).replacing("'", with: "")
                return "\(field[..<colon]): \"{{ '\(text)' }}\""
            }
            let other = try Messages.payload("push: {\(rendered.joined(separator: ", "))}")
            #expect(constant.text == other.text)
            #expect(constant.fields == other.fields, "\(rendered)")
            #expect(constant.size == other.size)
            #expect(constant.categoryUse.category == other.categoryUse.category)
        }
    }

    @Test func `each text is its own template`() throws {
        let payload = try Messages.payload(
            "push: {title: '{% assign x = 1 %}{{ x }}', body: '[{{ x }}]', extras: {'k{{ y }}': '{{ y }}'}}",
            profile: #"{"user": {}, "vars": {"y": 7}}"#
        )
        #expect(payload.text(of: "title") == "1")
        #expect(payload.text(of: "body") == "[]")
        #expect(payload.extras.first?.key == "k7")
    }

    @Test(arguments: [
        (
            "{{ custom_attribute.${p} | times: 0.9 }}", "1,299.00",
            "'1,299.00' is not a number, so 'times' counts it as 1; expected a number such as 1299.00 (text-arithmetic)"
        ),
        (
            "{{ custom_attribute.${p} | plus: 1 }}", "1.299,5",
            "'1.299,5' is not a number, so 'plus' counts it as 1; expected a number such as 1299.5 (text-arithmetic)"
        ),
        (
            "{{ custom_attribute.${p} | plus: 1 }}", "many",
            "'many' is not a number, so 'plus' counts it as 0; expected a number such as 12.5 (text-arithmetic)"
        ),
        (
            "{{ custom_attribute.${p} | plus: 1 }}", "",
            "an empty text is not a number, so 'plus' counts it as 0; expected a number such as 12.5 (text-arithmetic)"
        ),
        (
            "{{ custom_attribute.${p} | minus: 1 }}", "2026-12-24",
            "'minus' counts the date '2026-12-24' as 2026, expected \"date: '%s'\" before it (text-arithmetic)"
        ),
        (
            "{{ custom_attribute.${p} | money }}", "free",
            "'free' is not a number, so 'money' leaves it as it is; expected a number such as 12.5 (text-arithmetic)"
        ),
        (
            "{{ custom_attribute.${p} | date: '%B' }}", "12/24/2026",
            "'12/24/2026' is not a date, so 'date' leaves it as it is; expected one such as '2026-12-24' (date-format)"
        ),
        (
            "{{ custom_attribute.${p} | date: '%B' }}", "03/04/2026",
            "'03/04/2026' may mean day and month the other way round than 'date' reads them ('3 April 2026'); expected one such as '2026-12-24' (date-reading)"
        ),
        (
            "{{ custom_attribute.${p} | date: '%B' }}", "1798070400000",
            "'1798070400000' is read as seconds since 1970 ('1 August 58948'), but looks like milliseconds; expected '| divided_by: 1000' before 'date' (date-reading)"
        ),
    ])
    func `a value that a filter cannot read is a warning`(_ title: String, _ value: String, _ warning: String) throws {
        let campaign = "push: {title: \"Oi \(title)\"}"
        let profile = "{\"custom_attributes\": {\"p\": \"\(value)\"}}"
        let found = try Messages.payload(campaign, profile: profile).warnings
        #expect(found.map { "\($0.message) (\($0.rule))" } == ["title: " + warning])
        #expect(found.first?.place?.start.column == 22)
        let rule = try #require(found.first?.rule)
        let off = try Messages.payload(campaign, profile: profile) { $0.rules[rule] = .off }
        #expect(off.warnings.isEmpty)
        let error = try Messages.outcome(campaign, profile: profile) { $0.rules[rule] = .severity(.error) }
        guard case .failed(let error) = error else {
            Issue.record("rendered")
            return
        }
        #expect(error.rule == rule)
    }

    @Test(arguments: [
        (
            "where: 'id', '12' | map: 'id' | join", #"[{"id": 12}]"#,
            "the number '12' never equals the text '12', expected 12 without quotes (value-comparison)"
        ),
        (
            "find: 'vip', 'true' | join", #"[{"vip": false}, {"vip": true}]"#,
            "the boolean 'false' never equals the text 'true', expected true without quotes (value-comparison)"
        ),
        (
            "where: 'set.kind', 'a' | join", #"[{"set": {"kind": "a"}}]"#,
            "'where' takes the name of a member and no path, and no item has 'set.kind'; expected {% for %} and {% if %} (filter-input)"
        ),
        (
            "map: 'nam' | join", #"[{"name": "Gold"}]"#, "no item has 'nam', did you mean 'name'? (filter-input)"
        ),
        (
            "sort: 'prise' | map: 'price' | join", #"[{"price": 2}, {"price": 1}]"#,
            "no item has 'prise', did you mean 'price'? (filter-input)"
        ),
        (
            "sort | join", #"["104", "13", "9"]"#,
            "'104' comes before '13', because these texts are compared character by character and not as numbers; expected a list of numbers (value-comparison)"
        ),
        (
            "divided_by: 100", "-349905",
            "'-349905' divided by 100 is '-3499.05', and the fraction is dropped; expected 'divided_by: 100.0', or '| floor' after it where a whole number is meant (integer-division)"
        ),
        ("where: 'id', 12 | join", #"[{"id": 12}]"#, nil), ("where: 'id', '13' | join", #"[{"id": "12"}]"#, nil),
        ("where: 'id', '12' | join", #"[{"id": 12}, {"id": "13"}]"#, nil),
        ("where: 'sale' | join", #"[{"name": "Gold"}]"#, nil), ("map: 'nam' | join", #"[{"nam": null}]"#, nil),
        ("map: 'nam' | join", #"[{"name": "Gold"}, {"nam": "Silver"}]"#, nil),
        ("sort | join", #"["104", "13", "B9"]"#, nil), ("sort | join", #"["01", "07", "13"]"#, nil),
        ("sort | join", "[104, 13]", nil), ("divided_by: 100", "300", nil), ("divided_by: 100.0", "349995", nil),
        ("divided_by: 100 | floor", "349995", nil), ("divided_by: 86400", "90000", nil),
        ("divided_by: 100 }}.{{ 49995 | modulo: 100", "349995", nil),
    ])
    func `values that show a filter is not meant so are a warning`(
        _ filters: String,
        _ value: String,
        _ warning: String?
    ) throws {
        let campaign = "push: {title: \"Oi {{ custom_attribute.${p} | \(filters) }}\"}"
        let found = try Messages.payload(campaign, profile: "{\"custom_attributes\": {\"p\": \(value)}}").warnings
        #expect(found.map { "\($0.message) (\($0.rule))" } == [warning.map { "title: " + $0 }].compactMap(\.self))
        #expect(found.allSatisfy { $0.severity == .warning })
    }

    @Test(arguments: [
        ("p} == '100'", "100", "the number '100' never equals the text '100', expected 100 without quotes"),
        ("p} == 'YES'", "true", "the boolean 'true' never equals the text 'YES', expected true without quotes"),
        ("p} == true", "\"true\"", "the text 'true' never equals the boolean 'true', expected 'true' in quotes"),
        (
            "p} == 5", "\"5\"",
            "the text '5' never equals the number '5', expected '| plus: 0' to make a number of the text"
        ),
        ("p} != 'vip'", "[\"vip\"]", "a list never equals the text 'vip', expected 'contains' for a list"),
        (
            "p} contains '2'", "[1, 2]",
            "the list contains values such as the number '1', and never the text '2', expected 2 without quotes"
        ),
        (
            "p} contains 2", "[\"1\"]",
            "the list contains values such as the text '1', and never the number '2', expected a text in quotes"
        ),
        (
            "p} contains '1'", "100",
            "'contains' searches texts and lists, and this is the number '100', so it is never true; expected '=='"
        ),
        (
            "p} > 1", "[1]",
            "a list and the number '1' have no order, so the condition is never true, expected two numbers"
        ),
        (
            "p} > '10.0'", "\"9.2\"",
            "the text '9.2' and the text '10.0' are compared character by character and not as numbers, so '9' comes after '10'; expected numbers: {% assign major = … | split: '.' | first | plus: 0 %}"
        ),
    ])
    func `a comparison that the types of its values decide is a warning`(
        _ condition: String,
        _ value: String,
        _ warning: String
    ) throws {
        let campaign = "push: {title: \"Oi{% if custom_attribute.${\(condition) %}a{% endif %}\", body: b}"
        let found = try Messages.payload(campaign, profile: "{\"custom_attributes\": {\"p\": \(value)}}").warnings
        #expect(found.map { "\($0.message) (\($0.rule))" } == ["title: \(warning) (value-comparison)"])
        #expect(found.first?.place?.start.line == 1)
        #expect(try Messages.payload(campaign, profile: "{}").warnings.isEmpty)
    }

    @Test func `a session reports what it cannot read for each user alone`() throws {
        let campaign = try Messages.campaign(
            "push: {title: '{{ custom_attribute.${a} | plus: 1 }}', body: '{{ custom_attribute.${b} | plus: 1 }}'}")
        var session = try campaign.renderer(options: RenderOptions(now: Messages.now)).session()
        var counts: [Int] = []
        for values in [#""a": "x", "b": "y""#, #""a": 1, "b": "2""#, #""a": "1", "b": "y""#] {
            let profile = try Messages.profile("{\"custom_attributes\": {\(values)}}")
            guard case .rendered(let payload) = session.render(profile) else { continue }
            counts.append(payload.warnings.count)
        }
        #expect(counts == [2, 0, 1])
    }

    @Test func `what is blank beside the texts is left out with a warning`() throws {
        let payload = try Messages.payload(
            "push: {title: Hi, body: '', uri: '{{ nothing }}', image: {url: '{{ nothing }}', type: png}, badge: '{{ n }}'}",
            profile: #"{"user": {}, "vars": {"n": 4}}"#
        )
        #expect(payload.text == #"{"aps":{"alert":{"title":"Hi","body":""},"badge":4},"ab":{"c":null}}"#)
        #expect(payload.blank == ["body"])
        #expect(payload.warnings.map(\.rule.name) == ["blank-field", "blank-field", "missing-value", "missing-value"])
    }

    @Test(arguments: [
        ("title: '{% if x %}Hi{% endif %}', body: '\n'", true), ("title: '{% if x %}Hi{% endif %}'", true),
        ("title: '{% if x %}Hi{% endif %}', body: Ho", false), ("title: '', loc_key: HELLO", false),
        ("title: '{% if x %}Hi{% endif %}', subtitle: ' '", true),
        ("title: '{% if x %}Hi{% endif %}', launch_image: a.png", true),
        ("content_available: true", false),
    ])
    func `a push that shows nothing to a user has a warning`(push: String, isEmpty: Bool) throws {
        let warnings = try Messages.payload("push: {\(push)}").warnings
        #expect(warnings.map(\.rule.name) == (isEmpty ? ["blank-field"] : []))
        #expect(warnings.allSatisfy { $0.message.contains("shows no notification") })
    }

    @Test(arguments: [
        ("https://example.com/a", []), ("bookdemo://lab", []), ("tel:+1555", []),
        ("www.example.com/a:b", ["address-form"]),
        ("/lab:a", ["address-form"]), (":lab", ["address-form"]), ("https://example.com/São Paulo", ["address-form"]),
        (" https://example.com/a", ["address-form"]),
        ("HTTP://example.com/a.png", ["asset-form"]),
    ])
    func `an address that Liquid prints and iOS cannot open has a warning`(address: String, rules: [String]) throws {
        let data = #"{"user": {}, "vars": {"a": "\#(address)"}}"#
        let ofTap = try Messages.payload("push: {title: Hi, uri: '{{ a }}'}", profile: data)
        #expect(ofTap.warnings.map(\.rule.name) == rules.filter { $0 != "asset-form" })
        let ofButton = try Messages.payload(
            "push: {title: Hi, category: own, buttons: [{action_id: A, action: URI, uri: '{{ a }}'}]}",
            profile: data
        )
        #expect(ofButton.warnings.map(\.rule.name) == ofTap.warnings.map(\.rule.name))
        let ofImage = try Messages.payload("push: {title: Hi, image: {url: '{{ a }}', type: png}}", profile: data)
        #expect(ofImage.warnings.map(\.rule.name) == rules)
        // Rules of lint check what the campaign says itself.
        #expect(try Messages.payload("push: {title: Hi, uri: '\(address)'}").warnings.isEmpty)
    }

    @Test(arguments: ["", "' '", "'{{ ${city} }}'"])
    func `a button without its address is not sent`(uri: String) throws {
        for (category, id) in [("own", "A"), ("ab_cat_yes_no", "ab_pb_yes")] {
            let buttons = "[{action_id: \(id), action: URI\(uri.isEmpty ? "" : ", uri: " + uri)}]"
            let campaign = "push: {title: Hi, category: \(category), buttons: \(buttons)}"
            let findings = try Messages.campaign(campaign).renderer(options: RenderOptions(now: Messages.now))
                .staticFindings()
            if uri.contains("{{") {
                let error = try Messages.failure(campaign)
                #expect(error.rule?.name == "button-action" && error.field == "buttons[0].uri")
                #expect(findings.isEmpty)
            } else {
                #expect(findings.map(\.rule.name) == ["button-action"])
            }
        }
    }

    @Test func `values inside of a pair are sent as they are written`() throws {
        let values = "007, 1.10, 12345678901234567890.10, 1e300, -0, +1, .5, 1_000, 0x1F, yes, True, true, null, 'a'"
        let payload = try Messages.payload("push: {title: t, extras: {k: {z: [\(values)]}}}")
        let sent = #"["007",1.10,12345678901234567890.10,1e300,-0,"+1",".5","1_000","0x1F","yes","True",true,null,"a"]"#
        #expect(payload.extras.first?.value == #"{"z":\#(sent)}"#)
        for nothing in ["{z: ~}", "{z: }", "[~]"] {
            #expect(throws: InputError.self) { try Messages.campaign("push: {title: t, extras: {k: \(nothing)}}") }
        }
    }

    @Test(arguments: ["{z: [1e400]}", "{z: -1e400}", "[\(String(repeating: "9", count: 10_001))]"])
    func `a number that no device holds is refused`(_ value: String) throws {
        let error = #expect(throws: InputError.self) {
            try Messages.campaign("push: {title: t, extras: {k: \(value)}}")
        }
        #expect(error?.diagnostics.first?.message.contains("expected a number up to 1.8e308") == true)
    }

    @Test(arguments: ["trigger_properties", "event_properties"])
    func `a number that no value holds is refused in the data of a test`(_ key: String) throws {
        for number in ["1e400", "-1e400", String(repeating: "9", count: 10_001)] {
            let error = #expect(throws: InputError.self) {
                try Messages.campaign("push: {title: t}\ntests: [{\(key): {n: [\(number)]}}]")
            }
            #expect(error?.diagnostics.first?.place?.start.line == 2)
        }
        #expect(!ExtraType.number.accepts("1e400") && ExtraType.number.accepts("1e300"))
    }

    @Test func `a number that no device holds is refused in the JSON of a pair`() throws {
        let outcome = try Messages.outcome("push: {title: t, extras: {k: '$json:[1e400]'}}")
        guard case .failed(let error) = outcome else {
            Issue.record("rendered")
            return
        }
        #expect(error.message.contains("found a number that is too large for a double"))
    }

    @Test func `JSON of a pair is minified as it stands`() throws {
        let payload = try Messages.payload(
            #"push: {title: t, extras: {a: '$json: { "b" : [ 1.0e5 , 12345678901234567890123 , "\u00e9\/" ] }', b: ' $json:1'}}"#
        )
        #expect(payload.extras.map(\.value) == [#"{"b":[1.0e5,12345678901234567890123,"é/"]}"#, " $json:1"])
        let spread = #"  [ -1 , { \n \"k \\\\ \" : null , \"\\u006b\" : \"a  b\" } ,\t[ ] , true ] \r\n"#
        let second = try Messages.payload("push: {title: t, extras: {a: \"$json:\(spread)\"}}")
        #expect(second.extras.map(\.value) == [#"[-1,{"k \\ ":null,"k":"a  b"},[],true]"#])
        let error = try Messages.failure("push: {title: t, extras: {a: '$json:{\"b\": {{ nothing }}}'}}")
        #expect(error.message == "the value after '$json:' is not JSON: found '}' where a JSON value should start")
        #expect(error.field == "extras.a")
    }

    @Test func `sizes are held against both limits`() throws {
        func body(_ count: Int) -> String { "push: {body: '\(String(repeating: "x", count: count))'}" }
        let frame = try Messages.payload(body(0)).bytes.count
        #expect(try Messages.payload(body(4096 - frame)).bytes.count == 4096)
        let over = try Messages.failure(body(4097 - frame))
        #expect(over.rule?.name == "payload-size")
        #expect(
            over.message
                == "the payload has 4,097 bytes; APNs accepts at most 4,096; the largest fields are body (4,061), ab.c (8)"
        )
        let share = try Messages.payload(body(3807 - frame + 8))
        #expect(share.size.share == 3807)
        #expect(share.warnings.isEmpty)
        #expect(try Messages.payload(body(3808 - frame + 8)).warnings.map(\.rule.name) == ["payload-size"])
        let overBudget = try Messages.payload("push: {body: b}") { $0.budget = 10 }
        #expect(overBudget.warnings.map(\.rule.name) == ["payload-size"])
    }

    @Test(arguments: PayloadFormat.allCases)
    func `every format of one message`(format: PayloadFormat) throws {
        let payload = try Messages.payload(Self.everything, profile: #"{"external_id": "u-1"}"#)
        let text: String
        switch format {
        case .payload: text = String(decoding: payload.json(pretty: true), as: UTF8.self)
        case .simulator: text = String(decoding: payload.simulatorJSON(bundleID: "com.x", pretty: true), as: UTF8.self)
        case .request: text = String(decoding: payload.requestJSON(bundleID: "com.x", pretty: true), as: UTF8.self)
        case .messagesSend:
            let (json, warnings) = try payload.messagesSendJSON(pretty: true)
            text = String(decoding: json, as: UTF8.self) + "\n" + warnings.map(\.message).joined(separator: "\n")
        case .text: text = payload.description()
        case .record:
            var json = JSONWriter()
            Record(id: "u-1", line: 3, outcome: .rendered(payload)).write(into: &json)
            text = json.buffer.string()
        }
        expectSnapshot(text + "\n", named: format.rawValue + ".txt", in: "Snapshots/Formats")
    }

    @Test func `what Braze would render again is not sent to it`() throws {
        let payload = try Messages.payload("push: {title: '{{ x }}'}", profile: #"{"user": {}, "vars": {"x": "{% a"}}"#)
        #expect { try payload.messagesSendJSON() } throws: {
            ($0 as? RenderError)?.message == "the rendered value holds '{%', which Braze would render again"
        }
        let header = try Messages.payload(
            "push: {title: Hi, collapse_id: '{{ x }}'}", profile: #"{"user": {}, "vars": {"x": "${a}"}}"#)
        #expect { try header.messagesSendJSON() } throws: { ($0 as? RenderError)?.field == "collapse_id" }
    }

    @Test(arguments: [
        "title: ⟦'{{ x }}'⟧", "title: Hi, extras: {a: b, c: ⟦'{{ x }}'⟧}", "title: Hi, extras: {⟦'{{ x }}'⟧: b}",
        "title: Hi, category: own, buttons: [{action_id: A, action: URI, uri: ⟦'{{ x }}'⟧}]",
        "title: Hi, loc_key: k, loc_args: ⟦[a, '{{ x }}']⟧", "title: Hi, collapse_id: ⟦'{{ x }}'⟧",
        "title: Hi, image: {type: png, url: ⟦'{{ x }}'⟧}",
    ])
    func `what Braze would render again has the place of its field`(fields: String) throws {
        let text = "push: {\(fields)}"
        let campaign = text.replacing("⟦", with: "").replacing("⟧", with: "")
        let payload = try Messages.payload(campaign, profile: #"{"user": {}, "vars": {"x": "{% a"}}"#)
        #expect {
            try payload.messagesSendJSON()
        } throws: { error in
            guard let range = (error as? RenderError)?.place?.range else { return false }
            var marked = Array(campaign.utf8)
            marked.insert(contentsOf: "⟧".utf8, at: Int(range.end))
            marked.insert(contentsOf: "⟦".utf8, at: Int(range.start))
            return String(decoding: marked, as: UTF8.self) == text
        }
    }

    @Test func `each pair keeps its form where another one is left out`() throws {
        let text = #"push: {title: Hi, extras: {"{{ k }}": one, two: '$json:{"a":1}', three: plain, four: {b: [2]}}}"#
        let payload = try Messages.payload(text, profile: #"{"user": {}, "vars": {"k": "aps"}}"#) {
            $0.rules[.reservedKey] = .severity(.warning)
        }
        let json = String(decoding: try payload.messagesSendJSON().json, as: UTF8.self)
        let extra = #""extra":{"two":"$json:{\"a\":1}","three":"plain","four":{"b":[2]}}"#
        #expect(json.contains(extra), "\(json)")
    }

    @Test func `a pretty record has every member on a line of its own`() throws {
        let payload = try Messages.payload("push: {title: Hi, extras: {a: b}}", profile: "{}")
        let record = Record(id: "u", outcome: .rendered(payload))
        let expected = """
            {
              "id": "u",
              "status": "rendered",
              "bytes": 56,
              "payload": {
                "aps": {
                  "alert": {
                    "title": "Hi"
                  }
                },
                "a": "b",
                "ab": {
                  "c": null
                }
              }
            }
            """
        #expect(String(decoding: record.json(pretty: true), as: UTF8.self) == expected)
        #expect(!record.json().contains(UInt8(ascii: "\n")))
    }

    @Test func `records leave out what does not apply`() throws {
        func record(_ record: Record) -> String {
            var json = JSONWriter()
            record.write(into: &json)
            return json.buffer.string()
        }
        #expect(
            record(Record(id: nil, line: 2, outcome: .aborted(reason: "no")))
                == #"{"id":null,"line":2,"status":"aborted","reason":"no"}"#
        )
        let failed = try Messages.outcome("push: {title: 'a{{ 1 | divided_by: 0 }}'}")
        #expect(
            record(Record(id: "u", outcome: failed))
                == #"{"id":"u","status":"failed","error":{"message":"a number is divided by zero","rule":"render-error","field":"title","line":1,"column":24}}"#
        )
        #expect {
            try Profile(file: SourceFile(path: "p", text: "{]"))
        } throws: { ($0 as? InputError)?.diagnostics.first?.rule.name == "profile-syntax" }
        let absent: [() throws -> Void] = [
            { _ = try Profile(contentsOf: "/none.json") }, { _ = try Campaign(contentsOf: "/none.campaign.yml") },
        ]
        for read in absent {
            #expect {
                try read()
            } throws: { ($0 as? InputError)?.diagnostics.first?.rule.name == "missing-file" }
        }
    }

    static let everything = """
        campaign: {api_id: c-1}
        push:
          category: cat
          title: 'T "q"'
          subtitle: S
          body: "B/é\\n"
          uri: "x://y"
          use_webview: false
          image: {url: "https://x/y.png", type: png}
          sound: default
          badge: 3
          thread_id: th
          interruption_level: time-sensitive
          relevance_score: 0.5
          content_available: true
          collapse_id: col
          expiry: 2026-12-31T00:00:00Z
          buttons: [{action_id: R, action: URI, uri: "x://r"}]
          extras: {z: 1, a: "", j: '$json:{"n": 1.50, "l": [1, 2]}'}
        """
}
