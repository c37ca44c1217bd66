// SPDX-License-Identifier: MIT

import Foundation
import JSONTexts
import PayloadLinting
import PayloadgenTestSupport
import Testing

@testable import CampaignLanguageServer

/// The answers to requests about a place in a text, such as completion and hover.
@Suite struct FeatureTests {
    private let project: TestProject
    private let client = TestClient()
    private let campaign: String

    init() throws {
        project = try TestProject()
        campaign = project.path("campaigns/a.campaign.yml")
        try client.begin(in: project.root)
    }

    /// The labels of the suggestions after a mark in a text.
    private func labels(_ text: String, after mark: String, at path: String? = nil) throws -> [String] {
        let uri = client.open(path ?? campaign, text)
        _ = try client.request("textDocument/definition", TestClient.place(uri, text, after: mark))
        let result = try client.request("textDocument/completion", TestClient.place(uri, text, after: mark))
        return try #require(result["items"]).elements.compactMap { $0["label"]?.string }
    }

    @Test func `completion of keys and values`() throws {
        let text = TestProject.campaign
        #expect(try labels(text + "req", after: "\nreq") == ["requires"])
        #expect(try labels(text.replacing("  category", with: "  cat"), after: "  cat") == ["category"])
        #expect(try labels(text.replacing("category: lab", with: "category: "), after: "category: ") == ["lab"])
        #expect(try labels(text.replacing("    level", with: "    le"), after: "    le") == ["level"])
        #expect(
            try labels(text + "requires:\n  extras:\n    level: {}\n  user_interaction: ", after: "interaction: ")
                == ["true", "false"])
        #expect(
            try labels("version: 1\nrules:\n  unused-as", after: "unused-as", at: project.path(".payloadgen.yml"))
                == ["unused-assign"])
        let extras = project.path("ios/Lab/payloadgen.extras.yml")
        #expect(try labels("level:\n  ty", after: "  ty", at: extras) == ["type"])
        #expect(try labels("level:\n  type: int", after: "int", at: extras) == ["integer"])
    }

    @Test func `completion of Liquid`() throws {
        let text = TestProject.campaign
        #expect(try labels(text.replacing("| default: 'you'", with: "| upca"), after: "| upca") == ["upcase"])
        #expect(try labels(text.replacing("${first_name}", with: "${first_"), after: "${first_") == ["first_name"])
        #expect(try labels(text.replacing("${sign_off}", with: "${"), after: "blocks.${") == ["sign_off"])
        #expect(try labels(text + "{% unle", after: "{% unle") == ["unless"])
        #expect(
            try labels("Bye {{ 'a' | appen", after: "appen", at: project.path("campaigns/blocks/sign_off.liquid"))
                == ["append"])
        // `|` begins a block of text here, so no filter is suggested after it.
        #expect(try labels(text.replacing("body: \"", with: "body: |"), after: "body: |") == [])
    }

    /// The text after the only suggestion for a place in it is accepted.
    private func completed(_ text: String, after mark: String) throws -> String {
        let uri = client.open(campaign, text)
        _ = try client.request("textDocument/definition", TestClient.place(uri, text, after: mark))
        let result = try client.request("textDocument/completion", TestClient.place(uri, text, after: mark))
        let item = try #require(result["items"]?.count == 1 ? result["items"]?.firstElement : nil)
        let edit = try #require(item["textEdit"])
        return try changed(
            text, by: [#"{"range":\#(edit["range"]?.source ?? ""),"text":\#(edit["newText"]?.source ?? "")}"#])
    }

    @Test func `an accepted suggestion replaces what was typed, and closes an attribute once`() throws {
        let text = TestProject.campaign
        #expect(try completed(text.replacing("category: lab", with: "category: l"), after: "category: l") == text)
        let typed = text.replacing("${first_name}", with: "${first_}")
        #expect(try completed(typed, after: "${first_") == text)
        #expect(try completed(typed.replacing("${first_}", with: "${first_"), after: "${first_") == text)
    }

    private func hover(_ text: String, on mark: String, at path: String? = nil) throws -> String {
        let uri = client.open(path ?? campaign, text)
        let result = try client.request("textDocument/hover", TestClient.place(uri, text, after: mark))
        return result["contents"]?["value"]?.string ?? ""
    }

    @Test func `hover`() throws {
        let text = TestProject.campaign
        let title = try hover(text, on: "  tit")
        #expect(title.contains("`aps.alert.title`") && title.contains("at least"), "\(title)")
        #expect(try hover(text, on: "| defau").contains("a filter"))
        #expect(try hover(text, on: "{ ${first_na").contains("`first_name` of a profile"))
        #expect(try hover(text, on: "category: l").contains("ios/Lab/Info.plist:"))
        #expect(try hover(text, on: "    lev").contains("Lab: integer, required"))
        #expect(try hover("# payloadgen:disable unused-as\n" + text, on: "unused-as") == "")
        #expect(try hover("# payloadgen:disable unused-assign\n" + text, on: "unused-as").contains("(warning)"))
        #expect(try hover("{% if a %}{% endif %}", on: "{% i", at: project.path("x.liquid")).contains("a tag"))
        #expect(try hover(text, on: "version: ") == "")
        #expect(try hover(text.replacing("default: 'you'", with: "upcas"), on: "| upc").contains("unknown-filter"))
    }

    @Test func `hover on a name of two words shows the whole name`() throws {
        let text = TestProject.campaign.replacing("custom_attribute.${level}", with: "custom_attribute.${gold level}")
        #expect(try hover(text, on: "${gol").contains("**gold level**, an attribute"))
    }

    /// The places in an answer, each as `FILE:LINE` with lines from 1.
    private func places(_ method: String, _ text: String, _ mark: String, at path: String? = nil) throws -> Set<String>
    {
        let uri = client.open(path ?? campaign, text)
        let result = try client.request(method, TestClient.place(uri, text, after: mark))
        return Set(
            result.elements.compactMap { place in
                guard let uri = place["uri"]?.string, let file = FileURI.path(uri),
                    let line = place["range"]?["start"]?["line"]?.integer
                else { return nil }
                return "\(file.dropFirst(project.root.count + 1)):\(line + 1)"
            })
    }

    @Test(.needsSwift) func `definitions and references`() throws {
        let text = TestProject.campaign
        let definition = "textDocument/definition"
        #expect(try places(definition, text, "category: l") == ["ios/Lab/Info.plist:10"])
        let reads: Set = ["ios/Lab/payloadgen.extras.yml:1", "ios/Lab/NotificationViewController.swift:6"]
        #expect(try places(definition, text, "    lev") == reads)
        #expect(try places(definition, text, "blocks.${sign") == ["campaigns/blocks/sign_off.liquid:1"])
        #expect(try places(definition, text, "profiles/an") == ["profiles/ana.json:1"])
        #expect(try places(definition, text, "version") == [])
        let references = "textDocument/references"
        #expect(try places(references, text, "    lev") == reads.union(["campaigns/a.campaign.yml:8"]))
        let uses: Set = ["campaigns/a.campaign.yml:5", "campaigns/b.campaign.yml:3"]
        let block = project.path("campaigns/blocks/sign_off.liquid")
        #expect(
            try places(references, "See you\n", "See", at: block).subtracting(uses) == [
                "campaigns/blocks/sign_off.liquid:1"
            ])
        #expect(try places(references, "See you\n", "See", at: block).isSuperset(of: uses))
    }

    @Test func `symbols are the keys`() throws {
        let uri = client.open(campaign, TestProject.campaign)
        let parameters = #"{"textDocument":{"uri":\#(uri.json)}}"#
        let symbols = Array(try client.request("textDocument/documentSymbol", parameters).elements)
        #expect(symbols.compactMap { $0["name"]?.string } == ["version", "content_blocks", "push", "tests"])
        #expect(symbols.last?["children"]?.elements.compactMap { $0["name"]?.string } == ["Ana"])
    }

    /// The text after the edits of a code action.
    private func applied(_ action: JSONNode, to text: String) throws -> String {
        let edits = try #require(action["edit"]?["documentChanges"]?.firstElement?["edits"])
        let changes = edits.elements.reversed().map { edit in
            #"{"range":\#(edit["range"]?.source ?? ""),"text":\#(edit["newText"]?.source ?? "")}"#
        }
        return try changed(text, by: changes)
    }

    /// A text after changes, each of which is a range and a text in JSON.
    private func changed(_ text: String, by changes: [String]) throws -> String {
        var open = try #require(OpenText(.of(#"{"uri":"file:///a","text":\#(text.json)}"#)))
        open.change(.of(#"{"contentChanges":[\#(changes.joined(separator: ","))]}"#), .utf16)
        return open.text
    }

    private func actions(_ text: String, at path: String? = nil, only: String = "") throws -> [JSONNode] {
        let uri = client.open(path ?? campaign, text)
        let end = #"{"line":9999,"character":0}"#
        let parameters = """
            {"textDocument":{"uri":\(uri.json)},"range":{"start":{"line":0,"character":0},"end":\(end)},
            "context":{"diagnostics":[]\(only)}}
            """
        return Array(try client.request("textDocument/codeAction", parameters).elements)
    }

    @Test(arguments: ["\n", "\r\n"]) func `fixes, and comments that suppress, leave no finding`(lineBreak: String)
        throws
    {
        let wrong = TestProject.campaign.replacing("default: 'you'", with: "upcas").replacing("\n", with: lineBreak)
        let found = try actions(wrong)
        let titles = found.compactMap { $0["title"]?.string }
        #expect(titles.contains("write 'upcase'") && titles.contains("suppress 'unknown-filter' here"), "\(titles)")
        for action in found {
            let title = action["title"]?.string ?? ""
            let rule = action["diagnostics"]?.firstElement?["code"]?.string
            let uri = client.open(campaign, try applied(action, to: wrong), version: 100 + title.hashValue % 97)
            let left = try client.request(
                "textDocument/codeAction",
                #"{"textDocument":{"uri":\#(uri.json)},"range":{"start":{"line":0,"character":0},"end":{"line":99,"character":0}},"context":{"diagnostics":[]}}"#
            ).elements.compactMap { $0["diagnostics"]?.firstElement?["code"]?.string }
            #expect(!left.contains(rule ?? "unknown-filter"), "\(title): \(left)")
            #expect(!left.contains("unused-suppression"), "\(title): \(left)")
        }
        let all = try actions(wrong, only: #","only":["source"]"#)
        #expect(all.compactMap { $0["kind"]?.string } == ["source.fixAll"])
    }

    @Test func `a comment in a block of text, a content block and a property list`() throws {
        let text = TestProject.campaign.replacing(
            "  body: \"", with: "  body: |\n    Hi\n    {{ 'a' | upcas }}\n  subtitle: \"")
        let action = try #require(
            try actions(text).first { $0["title"]?.string == "suppress 'unknown-filter' here" })
        let line = "\n  # payloadgen:disable unknown-filter\n  body: |\n"
        #expect(try applied(action, to: text).contains(line))
        let block = project.path("campaigns/blocks/sign_off.liquid")
        let inBlock = try #require(
            try actions("{{ 'a' | upcas }}\n", at: block).first {
                $0["title"]?.string?.hasSuffix("in this block") == true
            })
        #expect(
            try applied(inBlock, to: "{{ 'a' | upcas }}\n")
                == "{% comment %}payloadgen:disable unknown-filter{% endcomment %}{{ 'a' | upcas }}\n")
        let plist = project.path("ios/Lab/Info.plist")
        let list = try #require(TestProject.files["ios/Lab/Info.plist"]).replacing("0.6", with: "0.01")
        let inList = try #require(
            try actions(list, at: plist).first { $0["title"]?.string == "suppress 'ratio-tiny' here" })
        let fixed = try applied(inList, to: list)
        #expect(try actions(fixed, at: plist).isEmpty, "\(fixed)")
    }
}
