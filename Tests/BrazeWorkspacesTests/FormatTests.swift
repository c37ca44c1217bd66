// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import Testing

@testable import BrazeWorkspaces

/// The addresses of Braze's API, and the formats of the files that `pull` writes.
@Suite struct FormatTests {
    @Test(arguments: [
        ("https://rest.iad-01.braze.com", true, true), ("https://rest.fra-01.braze.eu/", true, true),
        ("http://rest.iad-01.braze.com", false, false), ("https://braze.com.evil.example", false, false),
        ("https://evil-braze.com", false, false), ("https://user@rest.iad-01.braze.com", false, false),
        ("https://rest.iad-01.braze.com@evil.example", false, false), ("https://rest.iad-01.braze.com.", false, false),
        ("http://127.0.0.1:8080", true, false), ("http://localhost:8080", true, false),
        ("http://[::1]:8080", true, false),
        ("https://rest.iad-01.braze.com/x", false, false), ("rest.iad-01.braze.com", false, false),
        ("http://127.0.0.1.evil.example", false, false), ("https://rest.iad-01.braze.com:+1", false, false),
    ])
    func `the key is sent to Braze alone`(url: String, byUser: Bool, byConfiguration: Bool) {
        #expect(((try? RESTOrigin(url, from: .user(allowsAnyHost: false))) != nil) == byUser)
        #expect(((try? RESTOrigin(url, from: .configuration)) != nil) == byConfiguration)
    }

    @Test func `any host is allowed by the user alone, and by https`() throws {
        #expect(throws: PullFailure.self) { try RESTOrigin("http://proxy.example", from: .user(allowsAnyHost: true)) }
        #expect(
            try RESTOrigin("https://proxy.example", from: .user(allowsAnyHost: true)).text == "https://proxy.example")
    }

    @Test(arguments: [
        ("/a?b=c", "/a?b=c"), ("https://rest.iad-01.braze.com/a?b", "/a?b"),
        ("https://REST.iad-01.braze.com:443/a", "/a"),
        ("//evil.example/a", nil), ("https://evil.example/a", nil), ("http://rest.iad-01.braze.com/a", nil),
        ("https://rest.iad-01.braze.com:444/a", nil), ("https://rest.iad-01.braze.com@evil.example/a", nil),
        ("/a\"\nurl = \"https://evil.example", nil),
    ])
    func `a link is followed to the same origin`(link: String, target: String?) throws {
        let origin = try RESTOrigin("https://rest.iad-01.braze.com", from: .configuration)
        #expect((try? origin.target(ofLink: link)) == target)
    }

    @Test func `a key is shown nowhere`() throws {
        let key = try BrazeKey(" 01234567-89ab\n", named: "KEY")
        #expect(key.secret == "01234567-89ab")
        #expect(
            !"\(key) \(String(reflecting: key)) \(String(describing: Mirror(reflecting: key).children.map(\.value)))"
                .contains("0123"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("0123"))
        #expect(throws: PullFailure.self) { try BrazeKey("a b c d e f g", named: "KEY") }
        #expect(throws: PullFailure.self) { try BrazeKey("12345678\r\nX: y", named: "KEY") }
    }

    @Test func `the schema of a catalog does not change with the order of its fields in Braze`() {
        func names(_ fields: [String]) -> [Substring]? {
            let catalog = WorkspaceRegistry.Catalog(
                name: "shops", description: nil,
                fields: fields.map { WorkspaceRegistry.Catalog.Field(name: $0, type: nil) }, selections: nil)
            let text = RegistryFile.catalog(catalog, over: nil).map { String(decoding: $0, as: UTF8.self) }
            return text?.split(separator: "\n").filter { $0.hasPrefix("- name: ") }.map { $0.dropFirst(8) }
        }
        #expect(names(["city", "id", "address"]) == ["id", "address", "city"])
        #expect(names(["id", "address", "city"]) == ["id", "address", "city"])
    }

    @Test func `names of files are safe and unique`() {
        #expect(FileNames.slug("Order shipped – transactional") == "order-shipped-transactional")
        #expect(FileNames.slug("../../Etc/é e\u{301} 中文 😀!") == "etc-é-é-中文")
        let names = FileNames.unique([
            ("a", "11111111-1"), ("b", "22222222-2"), ("a", "11111111-3"), ("", "33333333-3"),
        ])
        #expect(names == ["a-11111111-1", "b", "a-11111111-3", "33333333"])
        #expect(!["", "..", ".x", "a/b", "a\\b", "a\u{0}"].contains(where: FileNames.isSafe))
    }

    private static let block = WorkspaceExport.Block(
        name: "footer", description: "Closing: line", tags: ["push"], content: "Bye {{ a | id: 'cb1' }}")

    @Test func `a block is written as braze-sync writes it`() {
        let text = String(decoding: BlockFile(block: Self.block).bytes(over: nil), as: UTF8.self)
        #expect(
            text == "---\nname: footer\ndescription: \"Closing: line\"\ntags:\n- push\n---\nBye {{ a | id: 'cb1' }}")
    }

    @Test(arguments: [
        "---\r\nname: footer\r\ntags: [push]\r\nstate: draft\r\ndescription: 'Closing: line'\r\n---\r\nBye {{ a | id: '__BRAZESYNC__' }}",
        "Bye {{ a | id: 'cb1' }}\n",
        "---\nname: footer\ndescription: 'Closing: line'\ntags: [push]\n---\nBye {{ a | id: '__BRAZESYNC.content_block.x__' }}",
    ])
    func `a block that has not changed keeps its bytes`(text: String) {
        let old = SourceFile(path: "footer.liquid", text: text)
        #expect(BlockFile(block: Self.block).bytes(over: old) == old.bytes)
    }

    @Test func `a block that has changed keeps the state and the placeholders`() {
        let old = SourceFile(
            path: "footer.liquid", text: "---\nname: footer\nstate: draft\n---\nHi {{ a | lid: '__BRAZESYNC__' }}")
        let text = String(decoding: BlockFile(block: Self.block).bytes(over: old), as: UTF8.self)
        #expect(
            text
                == "---\nname: footer\ndescription: \"Closing: line\"\ntags:\n- push\nstate: draft\n---\nBye {{ a | id: '__BRAZESYNC__' }}"
        )
    }

    @Test func `a registry of braze-sync keeps its bytes, and its own entries`() throws {
        typealias Attribute = WorkspaceRegistry.Attribute
        let some = [
            Attribute(name: "b", type: "time", description: nil, isBlocklisted: false),
            Attribute(name: "a", type: "object_array", description: "A: b", isBlocklisted: true),
        ]
        let text = """
            # Generated by braze-sync.
            attributes:
            - name: a
              type: object_array
              description: 'A: b'
              deprecated: true
            - name: b
              type: time
            - name: own
              type: string

            """
        let old = SourceFile(path: "registry.yaml", text: text)
        let merged = try #require(RegistryFile.attributes(some, over: old, prunes: false))
        #expect(merged.bytes == old.bytes && merged.gone == ["own"])
        let pruned = try #require(RegistryFile.attributes(some, over: old, prunes: true))
        #expect(!String(decoding: pruned.bytes, as: UTF8.self).contains("own"))
        let broken = SourceFile(path: "registry.yaml", text: "attributes: 3\n")
        #expect(RegistryFile.attributes(some, over: broken, prunes: false) == nil)
    }

    @Test func `the synthetic responses are written`() throws {
        // A saved response with the details of a campaign, which also has a draft version.
        let json = """
            {"message": "success", "name": "A", "has_post_launch_draft": false, "tags": [null, "t"], "messages": {
              "m1": {"channel": "ios_push", "name": null, "alert": "Hi", "extras": {"n": 1, "o": {"a": [1.50]}}, "new_key": 1},
              "m2": {"channel": "ios_push", "type": "control"}, "m3": {"channel": "webhook", "url": "https://x"},
              "m4": {"channel": "ios_push", "alert": "", "extras": []}}}
            """
        let folder = try TemporaryResponses(["campaign_details-c1.json": json])
        var selection = PullSelection()
        selection.parts = [.campaigns]
        let export = ExportReader(try SavedResponses(in: folder.path), selection).read()
        #expect(export.failure == nil)
        let plan = try PullPlan(export, in: folder.path + "/ws", prunes: false)
        #expect(plan.changes.count == 1)
        let text = String(decoding: plan.changes.first?.new ?? [], as: UTF8.self)
        #expect(text.contains("extras:\n    \"n\": \"1\"\n    o: \"{\\\"a\\\":[1.50]}\"\n"))
        #expect(text.contains("# Other channels, which are not pulled: webhook\n") && !text.contains("https://x"))
        #expect(plan.notes.contains { $0.contains("'new_key'") })
        #expect(plan.notes.count { $0.contains("is not written") } == 2)
    }
}
