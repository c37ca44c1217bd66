// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadKit
import Testing

/// What an app finds in a rendered payload; the app is in memory.
@Suite struct AppPayloadTests {
    private static let plist = """
        <plist version="1.0"><dict><key>NSExtension</key><dict>
        <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
        <key>NSExtensionAttributes</key><dict>
        <key>UNNotificationExtensionCategory</key><string>lab</string></dict></dict></dict></plist>
        """

    private func app(_ extras: String) throws -> App {
        try App(
            files: [
                SourceFile(path: "Lab/Info.plist", text: Self.plist),
                SourceFile(path: "Lab/payloadgen.extras.yml", text: extras),
            ],
            name: "Demo"
        )
    }

    @Test(arguments: [
        ("{}", "count: {type: integer, required: true}", "'count' is not sent, expected an integer"),
        ("{count: many}", "count: {type: integer, required: true}", "'count' is 'many', expected an integer"),
        ("{count: many}", "count: {type: integer}", "'count' is 'many', expected an integer"),
        ("{count: ''}", "count: {type: integer, required: true}", "'count' is blank, expected an integer"),
        ("{count: '$json:5'}", "count: {type: integer}", "'count' is sent as JSON, expected the text of an integer"),
        ("{count: '5'}", "count: {type: json}", "'count' is sent as text, expected JSON with '$json:'"),
        ("{count: '5'}", "count: {type: integer, required: true}", nil),
        ("{}", "count: {type: integer}", nil),
        ("{count: '$json:\"x\"'}", "count: {type: json, required: true}", nil),
        ("{count: {a: 1}}", "count: {type: json, required: true}", nil),
    ])
    func `the pairs are checked whether Liquid makes the category or not`(
        sent: String,
        read: String,
        message: String?
    ) throws {
        let app = try app(read)
        for category in ["lab", "{{ 'lab' }}"] {
            let text = "push:\n  title: t\n  category: \"\(category)\"\n  extras: \(sent)\n"
            let findings = app.check(try Messages.payload(text))
            #expect(findings.map(\.message) == (message.map { [$0] } ?? []), "\(category)")
            #expect(findings.allSatisfy { $0.rule.name == "extras-contract" && $0.severity == .error })
            #expect(findings.allSatisfy { $0.place?.file.path == "a.campaign.yml" })
            let related = findings.compactMap(\.related.first?.place.file.path)
            #expect(related.allSatisfy { $0 == "Lab/payloadgen.extras.yml" })
        }
    }

    /// Each read is one of an `app.json`; the push of category `lab` has the pair `kind`.
    @Test(arguments: [
        ("", Severity.error), (", \"categories\": [\"lab\"]", .error), (", \"categories\": [\"match\"]", nil),
        (", \"except_categories\": [\"match\"]", .error), (", \"except_categories\": [\"lab\"]", nil),
        (", \"conditional\": true", .warning), (", \"conditional\": true, \"with\": [\"kind\"]", .warning),
        (", \"conditional\": true, \"with\": [\"mode\"]", nil),
    ])
    func `a pair is needed in the pushes for which the code reads it`(condition: String, severity: Severity?) throws {
        let text = """
            {"version": 2, "name": "Demo", "extensions": [{"kind": "content", "categories": ["lab", "match"],
              "reads": [{"key": "score", "type": "string", "required": "crash"\(condition)}]}]}
            """
        let app = try App(json: SourceFile(path: "app.json", text: text))
        let campaign = "push:\n  title: t\n  category: lab\n  extras: {kind: big}\n"
        let copy = try App(json: SourceFile(path: "app.json", bytes: app.json(relativeTo: ".")))
        for app in [app, copy] {
            #expect(app.check(try Messages.payload(campaign)).map(\.severity) == (severity.map { [$0] } ?? []))
        }
    }

    @Test(arguments: [
        (1, "found version 1, expected 2 to 3; write the file again with this payloadgen"),
        (4, "found version 4, expected 2 to 3; a newer payloadgen may read it"),
    ])
    func `a file of another version says which versions are read`(version: Int, message: String) throws {
        let text = "{\"version\": \(version), \"name\": \"Demo\", \"extensions\": []}"
        let error = #expect(throws: InputError.self) { try App(json: SourceFile(path: "app.json", text: text)) }
        #expect(error?.diagnostics.map(\.message) == [message])
    }

    @Test(arguments: [
        ("title", "[\"aps\", \"alert\"]", "body: b", Severity.error),
        ("title", "[\"aps\", \"alert\"]", "title: t", nil),
        ("ab_uri", "[]", "title: t", .error), ("ab_uri", "[]", "title: t, uri: 'https://example.com'", nil),
        ("ab_use_webview", "[]", "title: t, uri: 'https://example.com'", nil), ("alert", "[\"aps\"]", "title: t", nil),
    ])
    func `what code needs of the push itself is compared with it`(
        key: String,
        path: String,
        push: String,
        severity: Severity?
    ) throws {
        let text = """
            {"version": 3, "name": "Demo", "extensions": [{"kind": "content", "categories": ["lab"],
              "reads": [{"key": "\(key)", "path": \(path), "type": "string", "required": "crash"}]}]}
            """
        let app = try App(json: SourceFile(path: "app.json", text: text))
        let payload = try Messages.payload("push: {\(push), category: lab}")
        #expect(app.check(payload).map(\.severity) == (severity.map { [$0] } ?? []))
    }

    @Test func `a pair of a category that no extension claims is nobody's`() throws {
        let findings = try app("count: {type: integer, required: true}")
            .check(Messages.payload("push: {title: t, category: other}"))
        #expect(findings.map(\.rule.name) == ["campaign-category-unclaimed"])
    }

    @Test func `what rendering has checked is reported once`() throws {
        let app = try app("count: {type: integer, required: true}")
        let text = "push: {title: t, category: lab, extras: {count: many}}"
        let campaign = try Messages.campaign(text).requiring(app)
        var options = RenderOptions(now: Messages.now)
        var rules = RuleLevels()
        let contract = try #require(app.check(Messages.payload(text)).first?.rule)
        rules[contract] = .severity(.warning)
        options.rules = rules
        let renderer = try campaign.renderer(options: options)
        guard case .rendered(let payload) = renderer.render(.unknown) else {
            Issue.record("no payload")
            return
        }
        #expect(payload.warnings.map(\.message) == ["extras.count: 'count' is 'many', expected an integer"])
        #expect(app.check(payload).isEmpty)
    }

    @Test func `an extension that is stricter than the campaign decides`() throws {
        let text = """
            push: {title: t, category: lab, extras: {count: many}}
            requires: {extras: {count: {type: string}}}
            """
        let findings = try app("count: {type: integer}").check(Messages.payload(text))
        #expect(findings.map(\.message) == ["'count' is 'many', expected an integer"])
    }

    @Test func `the static checks know the pairs of the app`() throws {
        let renderer = try Messages.campaign("push: {title: t, category: lab}")
            .renderer(options: RenderOptions(now: Messages.now))
        #expect(renderer.staticFindings().isEmpty)
        let findings = renderer.staticFindings(app: try app("count: {type: integer, required: true}"))
        #expect(findings.map(\.message) == ["'count' is not sent, expected an integer"])
    }

    /// The findings about pairs that code needs, with their severities, before a message is rendered.
    private func missing(_ campaign: String, extension code: String) throws -> [String] {
        let text = """
            {"version": 2, "name": "Demo", "extensions": [{\(code)}],
              "reads": [{"key": "deep", "type": "string", "required": "crash"},
                {"key": "link", "type": "string", "required": "return"}]}
            """
        let app = try App(json: SourceFile(path: "app.json", text: text))
        let renderer = try Messages.campaign(campaign).renderer(options: RenderOptions(now: Messages.now))
        return renderer.staticFindings(app: app).filter { $0.rule.name == "extras-contract" }.map { finding in
            let text = finding.message.firstRange(of: " is known").map { finding.message[..<$0.lowerBound] }
            return "\(finding.severity.rawValue) \(text ?? finding.message.prefix { $0 != "," })"
        }
    }

    @Test(arguments: [
        ("push: {title: t, mutable_content: true}", ["warning 'zed' is not sent", "warning 'deep' is not sent"]),
        ("push: {title: t, image: {url: 'https://a.b/c.png', type: png}, extras: {zed: a, deep: b}}", []),
        ("push: {title: t}", ["warning 'deep' is not sent"]),
        ("push: {content_available: true, mutable_content: true}", []),
    ])
    func `a push without a category is checked against the code that handles it`(
        campaign: String,
        expected: [String]
    ) throws {
        let service = #""kind": "service", "reads": [{"key": "zed", "type": "string", "required": "crash"}]"#
        #expect(try missing(campaign, extension: service) == expected)
        // What comes after an exit for other pushes may not be reached.
        let leaving = service.replacing("[{", with: #"[{"key": "url", "type": "string", "required": "return"}, {"#)
        let found = try missing(campaign, extension: leaving).filter { $0.contains("'zed'") }
        #expect(found == expected.filter { $0.contains("'zed'") }.map { $0.replacing("warning", with: "info") })
    }

    @Test(arguments: [
        ("category: lab, extras: {deep: a, 'k{{ ${language} }}': x}", "error 'beta' is not sent"),
        ("category: lab, extras: {deep: a, 'be{{ ${language} }}': x}", "info whether 'beta' is sent"),
        ("category: lab, extras: {deep: a, '{{ ${language} }}ta': x}", "info whether 'beta' is sent"),
        ("category: '{{ ${language} }}', extras: {deep: a}", "info whether 'beta' is needed"),
    ])
    func `what Liquid leaves open is reported`(fields: String, expected: String) throws {
        let content = """
            "kind": "content", "categories": ["lab"], "reads": [{"key": "beta", "type": "string", "required": "crash"}]
            """
        let found = try missing("push: {title: t, \(fields)}", extension: content)
        #expect(found.filter { !$0.contains("'link'") } == [expected])
        let whole = fields.replacing("deep: a", with: "deep: a, beta: b")
        #expect(try missing("push: {title: t, \(whole)}", extension: content).allSatisfy { $0.contains("'link'") })
    }

    @Test func `files in memory that are not what their names say are errors with their places`() throws {
        let broken = SourceFile(path: "Info.plist", text: "<plist>")
        #expect(throws: InputError.self) { try App(files: [broken], name: "x") }
        let taker = App(name: "Shop", extensions: [App.Extension(kind: .content)])
        let several = App.selection(of: nil, from: [App(name: "Demo"), taker], in: "apps")
        #expect(
            several.diagnostics.map(\.message) == ["'apps' has 2 apps, expected --target with one of 'Shop', 'Demo'"])
        let nothing = #expect(throws: InputError.self) { try App(files: [], name: "Demo") }
        #expect(nothing?.diagnostics.map(\.message) == ["none of the files of 'Demo' declares an app or an extension"])
        let wrong = #expect(throws: InputError.self) { try app("count: {typ: integer}") }
        #expect(wrong?.diagnostics.first?.place?.file.path == "Lab/payloadgen.extras.yml")
    }

    @Test func `a campaign in memory finds its files in memory`() throws {
        let text = """
            push: {title: "{{content_blocks.${footer}}}", body: "{% catalog_items Games 1 %}{{ items[0].title }}"}
            content_blocks: ../blocks
            fixtures: data/fixtures.yml
            """
        let folder = MemoryFolder([
            "../blocks/footer.liquid": "Bye", "../blocks/more/x.liquid": "no", "blocks/footer.liquid": "no",
            "data/fixtures.yml": "catalogs: {Games: {'1': {title: Go}}}",
        ])
        let file = SourceFile(path: "a.campaign.yml", text: text)
        let renderer = try Campaign(file: file, folder: folder).renderer(options: RenderOptions(now: Messages.now))
        guard case .rendered(let payload) = renderer.render(.unknown) else {
            Issue.record("no payload")
            return
        }
        #expect(payload.text(of: "title") == "Bye")
        #expect(payload.text(of: "body") == "Go")
    }
}
