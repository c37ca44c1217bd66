// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import Testing

@Suite
struct BrazeTagTests {
    private static let answers = """
        {"user": {"language": "pt", "id": "7"}, "connected_content": [
            {"url": "https://a.io/o", "body": {"x": [1]}}, {"url": "https://a.io/huge", "body": "{\\"x\\": 1e400}"},
            {"url": "https://a.io/text", "body": "{{${language}}} {% connected_content https://a.io/o %}!"},
            {"url": "https://a.io/post", "method": "post", "body": "posted"},
            {"url": "https://a.io/flaky", "status": 500}, {"url": "https://a.io/flaky", "body": "ok"},
            {"url": "https://a.io/down", "status": 502}
        ]}
        """

    @Test(arguments: [
        ("{% connected_content https://a.io/o :save r %}{{ r.x[0] }} {{ r.__http_status_code__ }}", "1 200"),
        ("{% connected_content https://a.io/text :rerender %}", "pt !"),
        ("{% connected_content https://a.io/text %}", "{{${language}}} {% connected_content https://a.io/o %}!"),
        (
            """
            {% connected_content
                https://a.io/post
                :method post
                :headers {"X-Id": "{{${id}}}", "A": "b :save"}
                :body a={{${id}}}&b=c :content_type application/json :cache_max_age 900 :basic_auth shop
            %}
            """, "posted"
        ),
        ("{% connected_content https://a.io/flaky :retry %}", "ok"),
        ("[{% connected_content https://a.io/flaky %}]", "[]"),
        (
            "{% connected_content https://a.io/down :retry %}x",
            "aborted: exhausted_cc_retries: https://a.io/down returned status 502"
        ),
        (
            "{% connected_content https://a.io/down :retry %}{% unless connected %}{% abort_message('down') %}{% endunless %}",
            "aborted: down"
        ),
        (
            "{% connected_content https://a.io/o?{{${none}}} %}",
            "no fixture for connected content GET https://a.io/o?, did you mean https://a.io/o?"
        ),
        (
            "{% connected_content ftp://a.io %}",
            "found 'ftp://a.io' as the URL of connected content, expected http:// or https://"
        ),
        (
            "{% connected_content https://a.io/huge :save r %}{{ r.x }}",
            "cannot read the response of connected content: found a number that is too large for a double, expected one up to 1.8e308"
        ),
        ("{% connected_content https://a.io/o :sav r %}", "unknown option ':sav', did you mean ':save'?"),
        ("{% connected_content https://a.io/o :save %}", "':save' takes a value"),
        (
            "{% connected_content https://a.io/o :method put %}",
            "found 'put' as the method of connected content, expected get or post"
        ),
    ])
    func `connected content comes from fixtures`(_ template: String, _ outcome: String) {
        #expect(result(template, Self.answers) == outcome)
    }

    @Test(arguments: [
        ("{% abort_message( 'a b' ) %}", "{}", "aborted: a b"),
        ("{% abort_message('') %}", "{}", "aborted: {% abort_message %} called"),
        ("{% abort_message(reason) %}", "{}", "found 'reason', expected a quoted text as the reason"),
        ("{% promotion('a') %}", #"{"promotion_codes": {"a": ["X-1", "X-2"]}}"#, "X-1"),
        ("{% promotion('a') %}", #"{"promotion_codes": {"a": []}}"#, "aborted: no promotion codes available in a"),
        (
            "{% promotion('a') %}", #"{"promotion_codes": {"spring": ["X-1"]}}"#,
            "there is no list of promotion codes 'a', expected one of 'spring'"
        ),
        ("{% promotion('a') %}", #"{"promotion_codes": {}}"#, "aborted: no promotion codes available in a"),
        (
            "{% promotion('a') %}", "{}",
            "there is no list of promotion codes 'a', and the data of the message has none at all"
        ),
        ("{% promotion(a) %}", "{}", "found 'a', expected the quoted name of a list of codes"),
        (
            "{% landing_page_url surway %}", #"{"landing_pages": {"survey": "https://l"}}"#,
            "there is no landing page 'surway', did you mean 'survey'?"
        ),
        (
            "{% translation hi %}Hi{% endtranslation %}",
            #"{"user": {"language": "pt", "first_name": "Ana"}, "translations": {"pt": {"hi": "Oi {{${first_name}}}"}}}"#,
            "Oi Ana"
        ),
        ("{% translation hi %}Hi{% endtranslation %}", #"{"translations": {"hi": "Hello"}}"#, "Hello"),
        (
            "{% translation a %}{% endtranslation %}",
            #"{"translations": {"a": "{% translation a %}{% endtranslation %}"}}"#,
            "the translation 'a' is inside another one, which Braze does not accept"
        ),
        (
            "{% catalog_items Gmaes 1 %}", #"{"catalogs": {"Games": {}}}"#,
            "there is no catalog 'Gmaes', did you mean 'Games'?"
        ),
        (
            "{% shopping_cart c %}", #"{"shopping_carts": {"c": 5}}"#,
            "the shopping cart 'c' is a number, expected an object"
        ),
        (
            "{{content_blocks.${a}}}", #"{"content_blocks": {"a": ["b"]}}"#,
            "the content block 'a' is an array, expected a text"
        ),
        (
            "{% catalog_items G {{ids}} %}{{ items | map: 't' | join: ',' }}",
            #"{"vars": {"ids": ["1", "2"]}, "catalogs": {"G": {"1": {"t": "a"}, "2": {"t": "b"}}}}"#, "a,b"
        ),
        (
            "{% catalog_items G context.${id} %}{{ items[0].t }}",
            #"{"context": {"id": 1}, "catalogs": {"G": {"1": {"t": "{{x}}"}}}}"#, "{{x}}"
        ),
        (
            "{% catalog_selection_items G none %}", #"{"catalog_selections": {"G": {}}}"#,
            "there is no selection of the catalog 'G' called 'none', and the data of the message has none at all"
        ),
        (
            "{% shopping_cart c %}", #"{"shopping_carts": {"c": {"abandoned": false}}}"#,
            "aborted: shopping cart c is not abandoned"
        ),
        ("{% shopping_cart c :abort_if_not_abandoned no %}", "{}", "found 'no', expected true or false"),
        ("{% render 'x' %}", "{}", "Braze has no tag 'render', expected {{content_blocks.${name}}}"),
        (
            "{{content_blocks.${promo}}}", #"{"content_blocks": {"promos": ""}}"#,
            "there is no content block 'promo', did you mean 'promos'?"
        ),
        ("{{content_blocks.${a}}}", #"{"content_blocks": {"a": "<{{content_blocks.${a}}}>"}}"#, "<<>>"),
        (
            "{% assign x = 1 %}{% assign y = 2 %}{{content_blocks.${a}}}{{content_blocks.${b}}}{{content_blocks.${a}}}",
            #"{"content_blocks": {"a": "{% cycle x, y %}", "b": "{% cycle x, y %}"}}"#, "112"
        ),
        ("{% random 0 %}", "{}", "found 0 as the limit of 'random', expected a number above 0"),
    ])
    func `tags do what Braze says, or tell what they miss`(_ template: String, _ context: String, _ outcome: String) {
        #expect(result(template, context) == outcome)
    }

    @Test
    func `random numbers depend on the record, and repeat with the same input`() throws {
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0), seed: 3))
        let source = "{% random 1000 %} {% random 1000 %}"
        let ana = try renderer.rendered(source, recordID: "ana")
        #expect(try renderer.rendered(source, recordID: "ana") == ana)
        #expect(try renderer.rendered(source, recordID: "ben") != ana)
        let parts = ana.split(separator: " ")
        #expect(parts.count == 2 && parts.first != parts.last)
        #expect(
            try renderer.rendered(
                "{% capture r %}{% random %}{% endcapture %}{% assign n = r | plus: 0 %}{% if n < 1 and n >= 0 %}y{% endif %}"
            ) == "y"
        )
    }

    @Test
    func `message extras are cut at one kilobyte`() throws {
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0)))
        let long = String(repeating: "é", count: 600)
        _ = try renderer.rendered("{% message_extras :key a :value \(long) %}{% message_extras :key b :value x %}")
        let (extras, warnings) = (renderer.messageExtras, renderer.warnings)
        #expect(extras.map(\.key) == ["a", "b"])
        #expect(extras.first?.value.utf8.count == 1022)
        #expect(warnings.count == 2)
    }

    @Test
    func `a renderer tells what a message used, and forgets it for the next`() throws {
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0)))
        let context = #"{"catalogs": {"G": {"1": {}}}, "content_blocks": {"b": "one"}, "now": "2026-11-20T09:00:00Z"}"#
        #expect(try renderer.rendered("{% catalog_items G 1 2 %}{{content_blocks.${b}}}", context) == "one")
        var (used, readsClock) = (renderer.fixturesUsed, renderer.readsClock)
        #expect(used.map(\.name) == ["G/1", "G/2"] && !readsClock)
        #expect(try renderer.rendered("{{content_blocks.${b}}}", #"{"content_blocks": {"b": "two"}}"#) == "two")
        used = renderer.fixturesUsed
        #expect(used.isEmpty)
        #expect(try renderer.rendered("{{ 'now' | date: '%F' }}", context) == "2026-11-20")
        readsClock = renderer.readsClock
        #expect(readsClock)
    }

    @Test
    func `an error in a content block carries the places that led to it`() {
        let context = #"{"content_blocks": {"a": "x{{content_blocks.${b}}}", "b": "{{ 1 | divided_by: 0 }}"}}"#
        let error = #expect(throws: LiquidError.self) { try rendered("Hi {{content_blocks.${a}}}", context) }
        #expect(error?.template == "b" && error?.range?.start == 7)
        #expect(error?.frames.map(\.template) == ["a", "body"])
        #expect(error?.frames.map(\.range.start) == [3, 5])
    }

    @Test(arguments: [
        (
            #"{"connected_content": [{"url": "https://a.io", "statu": 404}]}"#,
            "unknown key 'statu' in the fixture for https://a.io, did you mean 'status'?"
        ),
        (
            #"{"connected_content": [{"url": "https://a.io", "status": "404"}]}"#,
            "'status' of the fixture for https://a.io has to be an integer"
        ),
        (#"{"connected_content": [{"status": 404}]}"#, "an element of 'connected_content' has no 'url'"),
        (#"{"connected_content": {"https://a.io": {}}}"#, "'connected_content' has to be a list"),
        (#"{"promotion_codes": ["S-001"]}"#, "'promotion_codes' has to be an object of names and values"),
    ])
    func `fixtures that are none are refused before anything is rendered`(_ context: String, _ message: String) {
        #expect(result("", context) == message)
    }

    @Test
    func `a context is read from its short form`() throws {
        #expect(
            try rendered("{{context.${t} | date: '%F %H'}}", #"{"context": {"t": {"$time": "2020-05-28"}}}"#)
                == "2020-05-28 00"
        )
        #expect(
            result("", #"{"custom_atributes": {}}"#)
                == "unknown key 'custom_atributes' in the context, did you mean 'custom_attributes'?"
        )
        #expect(result("", #"{"user": []}"#) == "'user' has to be an object of names and values")
    }

    @Test(arguments: [
        ("{{custom_attribute.${ a.b }}}{{custom_attribute.${l[1]}}}", "xy"),
        ("{% if custom_attribute.${n} >2 and {{custom_attribute.${n}}} <4 %}in{% endif %}", "in"),
        ("{{ custom_attribute.${n} | plus: {{custom_attribute.${n} | times: {{custom_attribute.${n}}}}}}}", "12"),
        ("{% assign k = 'n' %}{{ custom_attribute[k] }}", "3"),
        ("{{ custom_attribute.${missing} | default: \"it's ${n}\" }}", "it's ${n}"),
        ("{%- liquid\n# don't\nassign q = {{custom_attribute.${n}}} | plus: 1\necho q\n-%}", "4"),
        ("{% raw %}{{{ ${a} <!-- x -->}}}{% endraw %}", "{{{ ${a} }}}"),
        ("{% comment %}{{{ }} ${ {% endcomment %}${n}", ""),
        ("a <!-- {{{ -->{{- 'b' -}} <!-- c --> d", "abd"),
    ])
    func `Braze's syntax works in every place`(_ template: String, _ output: String) throws {
        let context = #"{"custom_attributes": {"a": {"b": "x"}, "l": ["z", "y"], "n": 3}}"#
        #expect(try rendered(template, context) == output)
    }

    private func result(_ template: String, _ context: String) -> String {
        do {
            return try rendered(template, context)
        } catch {
            return (error as? LiquidError)?.message ?? "\(error)"
        }
    }
}
