// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit
import PayloadgenTestSupport
import Testing

@testable import CampaignPreview

/// Whatever text a campaign, a profile or an app contains, every page shows it as text and not as HTML.
@Suite struct HostilePageTests {
    private static let hostile =
        "\"'><xx-evil xx-attr=\"1\" onload='x'>&lt;</bdi></textarea></title></style></script><!-- {{ x }}"

    private func expectHarmless(_ html: String, _ comment: Comment, isPart: Bool = false) {
        let tokens = HTMLTokens(html)
        #expect(tokens.faults == [], comment)
        #expect(!tokens.elements.contains { $0.contains("xx") }, comment)
        #expect(!tokens.attributes.contains { $0.hasPrefix("xx") || $0.hasPrefix("on") || $0 == "style" }, comment)
        #expect(Set(tokens.ids).count == tokens.ids.count || isPart, comment)
    }

    // MARK: - Every value of every template

    /// The sources of all page templates, by the names of their files.
    private static let templates: [(name: String, source: String)] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/CampaignPreview/Page")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".liquid") }.sorted().compactMap { name in
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)).map { (name, $0) }
        }
    }()

    @Test func `outputs of the templates are text or quoted values, and only our own resources are raw`() {
        #expect(Self.templates.count > 30)
        for (name, source) in Self.templates {
            let raw = source.matches(of: #/{{(?:(?!}}).)*\b(?:raw|escape|h|escape_once|script_json)\s*}}/#)
                .map { String($0.0) }
            #expect(Set(raw).isSubset(of: ["{{ style | raw }}", "{{ script | raw }}"]), "\(name): \(raw)")
            let markup = source.replacing(#/{%.*?%}/#, with: "").replacing("\n", with: "")
            #expect(!markup.contains(#/<[a-z][^<>"]*{{/#), "\(name): a value in a tag without quotes")
            #expect(!markup.contains(#/=[^"]?{{/#), "\(name): a value without quotes")
            #expect(!markup.contains(#/<(?:style|script)[^>]*>[^<]*{{ (?!style|script)/#), "\(name)")
            #expect(!markup.contains(#/ on[a-z]+=| style=/#), "\(name): a handler or a style in the markup")
        }
    }

    /// A copy of a value in which every text is replaced by hostile text.
    private func hostile(_ value: Value) -> Value {
        switch value {
        case .string: .string(Self.hostile)
        case .array(let elements): .array(elements.map(hostile))
        case .object(let object):
            .object(LiquidObject(zip(object.keys, object.values).map { (key: $0, value: hostile($1)) }))
        default: value
        }
    }

    private func hostile(_ model: PageModel) -> PageModel {
        var hostile: PageModel = [:]
        for (name, value) in zip(model.object.keys, model.object.values) {
            // The style sheet and the script of a page are part of the program, so they stay as they are.
            hostile[name] = ["style", "script"].contains(name) ? value : self.hostile(value)
        }
        return hostile
    }

    private static let queries =
        PageView.Tab.allCases.map { "tab=\($0.rawValue)" } + [
            "look=long&phone=dark", "look=banner&device=440", "editor=file", "tab=profile&profile=json", "branches=1",
        ]

    /// The numbers of the people for whom a view is tested: all people if it depends on their messages.
    private static func people(of query: String) -> [Int] {
        ["tab=message", "tab=payload"].contains(query) ? [0, 1, 2, 3] : [1]
    }

    @Test func `every text of every model may be hostile, and no value is missing`() throws {
        let folder = try PreviewFolder(Self.campaign("Hi", "x"), Self.profiles("Ana"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let project = try folder.project { $0.fetchesImages = true }
        for query in Self.queries {
            for person in Self.people(of: query) {
                let scene = try Scene(project, PageView(query: "\(query)&person=\(person)"), DraftRequest())
                let model = ScenePage(scene: scene).model
                for model in [model, hostile(model)] {
                    let html = try PageTemplate.page.html(model, undefined: .failing).string()
                    expectHarmless(html, "\(query), person \(person)", isPart: true)
                }
            }
        }
        let model = try StaticPage(project).model
        for model in [model, hostile(model)] {
            expectHarmless(try PageTemplate.still.html(model, undefined: .failing).string(), "static", isPart: true)
        }
    }

    // MARK: - Every field of the files

    private static func campaign(_ name: String, _ text: String) -> String {
        func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
        let condition = "${first_name} == \"\(name.filter { $0 != "\"" })\""
        let abort = "{% abort_message('\(text.filter { $0 != "'" })') %}"
        let body = "{% if ${last_name} == \"stop\" %}\(abort){% endif %}{{ ${last_name} | default: \"x\" }}"
        return """
            version: 1
            name: \(quoted(name))
            push:
              title: \(quoted("{% if \(condition) %}\(text){% endif %}{{ ${first_name} }}"))
              subtitle: \(quoted(text))
              body: \(quoted(body))
              category: lab
              thread_id: \(quoted(text))
              uri: \(quoted("https://example.com/" + text))
              image: {url: \(quoted("https://example.com/" + text)), type: jpg}
              extras:
                level: \(quoted("{{ api_trigger_properties.${gift} }}" + text))
                \(quoted(text)): \(quoted("{{ ${language} }}"))
            requires: {extras: {\(quoted(text)): {type: integer, required: true}}}

            """
    }

    private static func profiles(_ name: String) -> String {
        func json(_ text: String) -> String {
            String(decoding: (try? JSONSerialization.data(withJSONObject: [text])) ?? Data(), as: UTF8.self)
                .dropFirst().dropLast().description
        }
        return [
            "{\"external_id\": \(json(name)), \"first_name\": \(json(name)), \"last_name\": \"b\", "
                + "\"language\": \(json(name)), \"time_zone\": \(json(name)), \"custom_attributes\": {\(json(name)): \(json(name))}}",
            "{\"external_id\": \"2\", \"first_name\": \(json(name)), \"last_name\": \"stop\"}",
            "{\(json(name)): ",
        ].joined(separator: "\n")
    }

    private func expectHarmlessPages(_ folder: PreviewFolder, _ comment: Comment) throws {
        let project = try folder.project { $0.fetchesImages = true }
        let answers = PreviewAnswers(project)
        let values = [("trigger:gift", Self.hostile), ("now", Self.hostile), ("profile:$:city", Self.hostile)]
        for query in Self.queries {
            for person in Self.people(of: query) {
                let view = PageView(query: "\(query)&person=\(person)")
                let page = try answers.page(view, DraftRequest(values), nonce: "n")
                let html = String(decoding: page.bytes, as: UTF8.self)
                expectHarmless(html, comment)
                for link in HTMLTokens(html).links {
                    let isOwn = ["?", "#", "export?", "api/", "data:,", "page.css"].contains { link.hasPrefix($0) }
                    #expect(isOwn, "\(link)")
                }
            }
        }
        let still = String(decoding: try StaticPage(project).html(), as: UTF8.self)
        expectHarmless(still, comment)
        #expect(still.contains("xx-evil"), comment)
    }

    @Test func `hostile files are text`() throws {
        let folder = try PreviewFolder(Self.campaign(Self.hostile, Self.hostile), Self.profiles(Self.hostile))
        try folder.writeApp(extras: "level: {type: integer}\n")
        try expectHarmlessPages(folder, "campaign")
    }

    @Test(arguments: [
        "push: {title: '{{ x | <xx-evil xx-attr> }}', body: \"{% <xx-evil> %}\"}",
        "push: {title: '{{ <xx-evil> | nope: \"<xx-evil>\" }}{% if %}'}", "push:\n  <xx-evil xx-attr=\"1\">: 'x",
        "<xx-evil>: 1\npush: {title: Hi, category: \"</script><xx-evil>\"}",
    ])
    func `messages about hostile files are text`(campaign: String) throws {
        let folder = try PreviewFolder("version: 1\n" + campaign + "\n", Self.profiles(Self.hostile))
        try expectHarmlessPages(folder, "\(campaign)")
    }
}
