// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit
import Testing

@testable import CampaignPreview

/// The page shows the texts, findings and people of a campaign.
@Suite struct PreviewPageTests {
    private func page(
        _ folder: PreviewFolder, _ query: String = "person=1", _ values: [(name: String, value: String)] = []
    ) throws -> String {
        let answers = PreviewAnswers(try folder.project())
        let page = try answers.page(PageView(query: query), DraftRequest(values), nonce: "n")
        return String(decoding: page.bytes, as: UTF8.self)
    }

    @Test func `text of a profile and of a campaign is never markup`() throws {
        let script = "<script>alert(1)</script>"
        let profile = #"{"external_id": "a", "first_name": "\#(script)", "custom_attributes": {"<b>": "\" onload=x"}}"#
        let folder = try PreviewFolder(PreviewFolder.campaign + "\n  uri: 'https://example.com/<img src=x>'\n", profile)
        for tab in PageView.Tab.allCases {
            let html = try page(folder, "person=1&tab=\(tab.rawValue)")
            #expect(!html.contains(script))
            #expect(!html.contains("<img"))
            #expect(!html.contains("\" onload"))
            #expect(html.contains("&lt;script&gt;") || tab == .profile || tab == .payload)
        }
        let still = String(decoding: try StaticPage(folder.project()).html(), as: UTF8.self)
        #expect(!still.contains(script))
        #expect(!still.contains("<img"))
    }

    @Test func `what a finding is about is underlined in its text`() throws {
        let folder = try PreviewFolder("version: 1\npush: {title: \"Hi {{ ${first_name} | upcas }}\", body: x}\n")
        #expect(try page(folder).contains(#/<span class="[a-z ]*\bsq\b[a-z ]*">upcas</#))
    }

    @Test func `the tab of the payload says why there is none`() throws {
        let folder = try PreviewFolder(
            "version: 1\npush: {title: \"{% abort_message('no level yet') %}\", body: x}\n")
        #expect(try page(folder, "person=1&tab=payload").contains("No payload: aborted, no level yet"))
    }

    @Test func `the objects of a payload are indented by their depth`() throws {
        let html = try page(PreviewFolder(), "person=1&tab=payload")
        for line in [#"{"#, #"  "aps": {"#, #"    "alert": {"#, "    }", "  },"] {
            let text = line.replacing("\"", with: "&quot;")
            #expect(html.contains(#"<span class="t">\#(text)</span>"#), "\(line)")
        }
    }

    @Test func `the Liquid in the file of a campaign has colours`() throws {
        let html = try page(PreviewFolder(), "person=1&editor=file")
        #expect(html.contains(#"<span class="f">default</span>"#))
    }

    @Test func `of the style sheet, only lines that are comments are left out`() {
        let source = "/* a */\n  .b { color: red } /* c */\n/* d */ .e { color: red }\n"
        #expect(
            PageTemplate.withoutComments(Array(source.utf8))
                == ".b { color: red } /* c */\n/* d */ .e { color: red }")
    }

    @Test func `a copy of a campaign is read with its own path`() throws {
        let project = try PreviewFolder().project()
        let bytes = Array(PreviewFolder.campaign.utf8)
        let (first, copy) = ("/a/hello.campaign.yml", "/b/hello.campaign.yml")
        _ = project.draft(project.read(first, bytes, isBase: true), saved: bytes, base: nil, app: 0)
        #expect(project.read(copy, bytes, isBase: true).file.path == copy)
    }

    @Test func `numbers and names that are far too long end no page`() throws {
        let profiles = (1...300).map { #"{"external_id": "u\#($0)"}"# }.joined(separator: "\n")
        let folder = try PreviewFolder("version: 1\npush: {category: lab, title: Hi, body: x}\n", profiles)
        try folder.writeApp(extras: nil)
        let list = try String(contentsOf: folder.url.appending(path: "Lab/Ext/Info.plist"), encoding: .utf8)
        for ratio in ["1e300", "-1.5"] {
            try folder.write("Lab/Ext/Info.plist", list.replacing("<real>0.5<", with: "<real>\(ratio)<"))
            #expect(try page(folder, "person=1&look=long").contains("draws here"))
        }
        #expect(try page(folder, "first=\(Int.max)").contains("of 300 profiles"))
        let name = String(repeating: "person:1:", count: 150_000) + "profile-json"
        #expect(DraftRequest([(name, "{}")]).profileJSON.isEmpty)
    }

    @Test func `a page of its own is the same twice, and fetches nothing`() throws {
        let folder = try PreviewFolder()
        let first = try StaticPage(folder.project()).html()
        #expect(try first == StaticPage(folder.project()).html())
        let html = String(decoding: first, as: UTF8.self)
        #expect(html.contains("Hi Ana"))
        #expect(!html.contains("<form"))
        #expect(!html.contains(" src="))
        #expect(!html.contains("href=\"?"))
    }

    private static let rich = """
        version: 1
        push:
          title: "{% if ${first_name} == 'Ana' %}{{ 'a' | modulo: 0 }}{% endif %}Hi {{ ${first_name} }}"
          body: "Dear {{ ${first_name} }},\\nyes"
          collapse_id: lab-7
          image: {url: "https://example.com/{{ ${first_name} }}.jpg", type: jpg}
          extras:
            level: "{{ custom_attribute.${level} }}"
            note: "a\\tb \\\"c\\\""
        """

    @Test func `a page of its own shows each text: what came of it, or its Liquid`() throws {
        let folder = try PreviewFolder(Self.rich, #"{"external_id": "b", "first_name": "Bea"}"#)
        let html = String(decoding: try StaticPage(folder.project()).html(), as: UTF8.self)
        #expect(html.contains("https://example.com/<mark") && html.contains(">lab-7<"))
        #expect(!html.contains(#"<div class="val"></div>"#))
        // For a person with an error in one text, all texts are shown.
        let broken = try PreviewFolder(Self.rich, PreviewFolder.ana)
        let page = String(decoding: try StaticPage(broken.project()).html(), as: UTF8.self)
        #expect(page.contains("Failed"))
        let message = try #require(page.firstRange(of: #"of-1"><div class="one-tab tab-message"#)).upperBound
        let end = try #require(page[message...].firstRange(of: "tab-payload")).lowerBound
        #expect(page[message..<end].contains("modulo"))
        #expect(!page[message..<end].contains(#"<div class="val"></div>"#))
    }

    @Test func `texts can be copied for Braze as they are written`() throws {
        let folder = try PreviewFolder(Self.rich)
        let html = try page(folder)
        #expect(html.contains(#"data-copy="Dear {{ ${first_name} }},"# + "\nyes\""))
        #expect(html.contains("to Message") && html.contains("to Rich notification media"))
        let pairs = "level\t{{ custom_attribute.${level} }}\nnote\t&quot;a\tb &quot;&quot;c&quot;&quot;&quot;\n"
        #expect(html.contains("data-copy=\"\(pairs)\"") && html.contains("to Settings, key-value pairs"))
        let still = String(decoding: try StaticPage(folder.project()).html(), as: UTF8.self)
        #expect(still.contains("data-copy=\"\(pairs)\""))
    }

    @Test func `a page without people names the folder for them`() throws {
        let folder = try PreviewFolder(PreviewFolder.campaign, "")
        #expect(try page(folder).contains("Nobody is here yet"))
        #expect(try !page(PreviewFolder()).contains("Nobody is here yet"))
    }

    @Test func `script and style are small`() {
        let parts = [PackageResources.page_js, PackageResources.measure_js, PackageResources.static_js]
        let bytes = (parts.map(PageTemplate.withoutComments) + [PageTemplate.style]).map(\.utf8.count).reduce(0, +)
        #expect(bytes <= 65_000)
    }

    @Test func `redacted values are samples`() throws {
        let folder = try PreviewFolder()
        let html = String(decoding: try StaticPage(folder.project { $0.redacts = true }).html(), as: UTF8.self)
        #expect(!html.contains("Silva"))
        #expect(!html.contains("ana-1"))
        #expect(html.contains("Person 1"))
    }

    @Test func `a campaign that cannot be read shows why, and the file`() throws {
        let folder = try PreviewFolder("version: 1\npush:\n  title: \"Hi\n")
        let html = try page(folder)
        #expect(html.contains("The campaign cannot be rendered"))
        #expect(html.contains("id=\"file\""))
    }

    @Test func `a misspelt filter has a fix that the form applies`() throws {
        let folder = try PreviewFolder(PreviewFolder.campaign.replacing("| default: 1", with: "| defualt: 1"))
        let html = try page(folder)
        let start = try #require(html.firstRange(of: "value=\"unknown-filter@"))
        let key = html[start.lowerBound...].dropFirst("value=\"".count).prefix { $0 != "\"" }
        let fixed = try page(folder, "person=1", [("fix", String(key))])
        #expect(fixed.contains("Edited, not saved"))
        #expect(!fixed.contains("defualt"))
    }

    @Test func `a quick answer has the message alone, unless there is none`() throws {
        let folder = try PreviewFolder()
        let answers = PreviewAnswers(try folder.project())
        func answer(_ title: String) throws -> (object: LiquidObject, html: String) {
            let body = #"{"n": 1, "view": "person=1", "quick": true, "values": [["field:title", "\#(title)"]]}"#
            let json = try answers.render(Array(body.utf8))
            guard case .object(let object) = try json.withUnsafeBufferPointer({ try Value(json: $0) }),
                case .string(let html)? = object["html"]
            else { throw PreviewProblem("not an object") }
            return (object, html)
        }
        let quick = try answer("Hello {{ ${first_name} | upcas }}")
        #expect(quick.object["quick"] != nil && quick.object["said"] == nil)
        #expect(quick.html.hasPrefix(#"<div class="device "#) && !quick.html.contains("panel"))
        #expect(quick.html.contains("Hello") && !quick.html.contains("upcase"))
        let broken = try answer("Hello {% if")
        #expect(broken.object["quick"] == nil && broken.html.contains(#"id="broken""#))
    }

    @Test func `values of the form change the message and no file`() throws {
        let folder = try PreviewFolder()
        #expect(try page(folder, "person=1", [("profile:$:first_name", "Bea")]).contains("Hi Bea"))
        #expect(try page(folder, "person=1", [("profile:$:first_name", "")]).contains("Hi you"))
        #expect(try page(folder, "person=1", [("now", "soon")]).contains("This is not a time"))
        #expect(folder.text == PreviewFolder.campaign)
    }

    @Test func `a time of a profile is a time in its JSON`() throws {
        let profile = #"{"external_id": "a", "custom_attributes": {"since": {"$time": "2026-11-20T09:00:00Z"}}}"#
        let edits = [(name: "profile:custom_attribute:since", value: "2026-12-24 20:30")]
        let folder = try PreviewFolder(PreviewFolder.campaign, profile)
        let html = try page(folder, "person=1&tab=profile&profile=json", edits)
        #expect(html.contains("$time") && html.contains("2026-12-24T20:30:00Z"))
    }

    @Test func `what is cut on the phone is named`() {
        let body = String(repeating: "word ", count: 40)
        let fit = PhoneText.fit(body, PageView(query: "look=banner"), hasImage: false)
        #expect(fit.lineCount > 2)
        #expect(body.hasSuffix(fit.lost))
        #expect(!fit.lost.isEmpty)
        #expect(PhoneText.fit("short", PageView(), hasImage: false).lost.isEmpty)
        #expect(PhoneText.fit("", PageView(), hasImage: false).lineCount == 1)
    }

    @Test func `a query is read as it is written`() {
        let path = "campaign=templates/a%26b%20%C3%A9.campaign.yml"
        let query = path + "&person=3&tab=payload&look=long&phone=dark&device=440&seen=hours&theme=dark"
        #expect(PageView(query: query).query == query)
        #expect(PageView(query: query).campaign == "templates/a&b é.campaign.yml")
        #expect(PageView(query: "tab=nothing&person=x&=&a&campaign=").query == "")
    }
}
