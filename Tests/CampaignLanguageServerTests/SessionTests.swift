// SPDX-License-Identifier: MIT

import Foundation
import JSONTexts
import POSIXFiles
import Testing

@testable import CampaignLanguageServer

/// Whole sessions of a client with the server, from the first message to the end.
@Suite struct SessionTests {
    private let initialize = #"{"processId":null,"rootUri":null,"capabilities":{}}"#

    private func code(_ client: TestClient, _ id: Int) throws -> Int? {
        try client.answer(id)["error"]?["code"]?.integer
    }

    @Test func `requests have their time`() throws {
        let client = TestClient()
        #expect(try code(client, client.start("textDocument/hover", "{}")) == -32_002)
        #expect(try client.answer(client.start("initialize", initialize))["result"]?["capabilities"] != nil)
        #expect(try code(client, client.start("initialize", initialize)) == -32_600)
        #expect(try code(client, client.start("textDocument/foldingRange", "{}")) == -32_601)
        #expect(try code(client, client.start("$/unknown", "{}")) == -32_601)
        #expect(try code(client, client.start("textDocument/hover", "{}")) == -32_602)
        #expect(
            try code(client, client.start("textDocument/hover", #"{"textDocument":{"uri":"file:///x"}}"#)) == -32_602)
        #expect(try client.request("shutdown", "null").isNull)
        #expect(try code(client, client.start("textDocument/hover", "{}")) == -32_600)
        client.notify("exit", "null")
        #expect(try client.end())
        #expect(client.received.count == 9)
    }

    @Test func `exit without shutdown, and an end of the input, are failures`() throws {
        let client = TestClient()
        _ = try client.answer(client.start("initialize", initialize))
        client.notify("exit", "null")
        #expect(try !client.end())
        let other = TestClient()
        other.close()
        #expect(try !other.end())
    }

    @Test func `the session ends after the client has ended, and not before`() {
        let questions = Locked(0)
        let questionsAtEnd = Locked<Int?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        let analysis = Analysis(
            clientInterval: 0.001,
            clientRuns: {
                questions.withLock { count in
                    count += 1
                    return count < 3
                }
            },
            abandon: {
                questionsAtEnd.withLock { $0 = $0 ?? questions.withLock(\.self) }
                hasEnded.signal()
            },
            publish: { _ in }
        )
        #expect(analysis.start())
        #expect(hasEnded.wait(timeout: .now() + 120) == .success)
        analysis.end()
        #expect(questionsAtEnd.withLock(\.self) == 3)
    }

    @Test func `malformed messages are answered, and the next ones too`() throws {
        let client = TestClient()
        for text in ["{", "nonsense", "[1,2]", "3", #"{"id":true,"method":"a"}"#, #"{"id":7}"#, ""] {
            client.send(text)
        }
        client.send(bytes: Array("Garbage\r\n\r\nMore\r\n\r\n".utf8))
        #expect(try client.answer(client.start("initialize", initialize))["result"] != nil)
        let codes = client.received.compactMap { $0["error"]?["code"]?.integer }
        #expect(codes == [-32_700, -32_700, -32_600, -32_600, -32_600, -32_600, -32_700])
        client.notify("exit", "null")
        _ = try client.end()
    }

    @Test func `a request that is cancelled before its turn is refused, and answered once`() throws {
        let project = try TestProject()
        let client = TestClient()
        try client.begin(in: project.root)
        let uri = client.open(project.path("campaigns/a.campaign.yml"), TestProject.campaign)
        let place = try TestClient.place(uri, TestProject.campaign, after: "category: l")
        // The first request waits for a check, so the others wait behind it and can be cancelled.
        let first = client.start("textDocument/definition", place)
        let others = (0..<20).map { _ in client.start("textDocument/definition", place) }
        for id in others { client.notify("$/cancelRequest", #"{"id":\#(id)}"#) }
        client.notify("$/cancelRequest", #"{"id":9999}"#)
        #expect(try client.answer(first)["result"]?.count == 1)
        for id in others { _ = try client.answer(id) }
        _ = try client.request("shutdown", "null")
        let codes = try others.map { try code(client, $0) }
        #expect(codes.contains(-32_800))
        #expect(codes.allSatisfy { $0 == nil || $0 == -32_800 })
        let ids = client.received.filter { $0["method"] == nil }.compactMap { $0["id"]?.integer }
        #expect(ids.count == Set(ids).count)
        client.notify("exit", "null")
        #expect(try client.end())
    }

    @Test func `the client chooses the units`() throws {
        for encoding in ["utf-8", "utf-16"] {
            let project = try TestProject()
            let client = TestClient()
            try client.begin(in: project.root, encoding: encoding)
            let text = TestProject.campaign.replacing("you' }} 😀", with: "you' }} 😀 {{ 1 | upcas }}")
            let uri = client.open(project.path("campaigns/a.campaign.yml"), text)
            let finding = try #require(
                try client.findings(uri, version: 1).first { $0["code"]?.string == "unknown-filter" })
            let start = try #require(finding["range"]?["start"])
            let column = text.components(separatedBy: "\n")[3].components(separatedBy: "upcas")[0]
            #expect(start["line"]?.integer == 3)
            #expect(start["character"]?.integer == (encoding == "utf-8" ? column.utf8.count : column.utf16.count))
            #expect(column.utf8.count - column.utf16.count == 2)
            client.close()
        }
    }

    @Test func `nothing outside the folders is read, and such a text says that it is not checked`() throws {
        let project = try TestProject([
            ".payloadgen.yml": "version: 1\nrules: {unknown-filter: error}\n",
            "campaigns/a.campaign.yml": TestProject.campaign,
        ])
        let client = TestClient()
        // The client's folder is inside a project whose root is above it.
        try client.begin(in: project.path("campaigns"))
        let text = TestProject.campaign.replacing("default: 'you'", with: "defualt")
        let uri = client.open(project.path("campaigns/a.campaign.yml"), text)
        let found = try client.findings(uri, version: 1)
        let filter = try #require(found.first { $0["code"]?.string == "unknown-filter" })
        #expect(filter["severity"]?.integer == 2, "the configuration is outside")
        #expect(
            found.contains { $0["code"]?.string == "missing-file" }, "the profile is outside: \(found.map(\.source))")
        let outside = client.open(project.path("profiles/b.campaign.yml"), text)
        let reason = try client.findings(outside, version: 1)
        #expect(reason.count == 1 && reason[0]["message"]?.string?.contains("outside") == true)
        client.close()
    }

    @Test(arguments: ["untitled:1", "git:/a.campaign.yml?ref"])
    func `nothing is published for a text that is not a file`(address: String) throws {
        let project = try TestProject()
        let client = TestClient()
        try client.begin(in: project.root)
        client.notify(
            "textDocument/didOpen",
            #"{"textDocument":{"uri":\#(address.json),"languageId":"yaml","version":1,"text":"push: {}"}}"#)
        let uri = client.open(project.path("campaigns/a.campaign.yml"), TestProject.campaign)
        _ = try client.findings(uri, version: 1)
        client.notify("textDocument/didClose", #"{"textDocument":{"uri":\#(address.json)}}"#)
        _ = try client.request("shutdown", "null")
        #expect(!client.received.contains { $0["params"]?["uri"]?.string == address })
        client.close()
    }

    @Test func `a configuration that cannot be read is reported in each text`() throws {
        let project = try TestProject()
        let client = TestClient()
        try client.begin(in: project.root)
        let uri = client.open(project.path("campaigns/a.campaign.yml"), TestProject.campaign)
        #expect(try client.findings(uri, version: 1).isEmpty)
        let configuration = client.open(project.path(".payloadgen.yml"), "version: 1\nruels: {}\n")
        #expect(try !client.findings(configuration, version: 1).isEmpty)
        let reasons = try client.wait(for: "the reason") { received in
            received.last { $0["params"]?["uri"]?.string == uri }?["params"]?["diagnostics"].flatMap { found in
                found.count > 0 ? Array(found.elements) : nil
            }
        }
        #expect(reasons.count == 1 && reasons[0]["relatedInformation"]?.count == 1, "\(reasons.map(\.source))")
        client.change(configuration, version: 2, to: "version: 1\n")
        #expect(try client.findings(configuration, version: 2).isEmpty)
        client.change(uri, version: 2, to: TestProject.campaign)
        #expect(try client.findings(uri, version: 2).isEmpty)
        client.close()
    }

    @Test func `findings are about the newest text, and end when it is closed`() throws {
        let project = try TestProject()
        let client = TestClient()
        try client.begin(in: project.root)
        let uri = client.open(project.path("campaigns/a.campaign.yml"), TestProject.campaign)
        for version in 2...30 {
            client.change(uri, version: version, to: TestProject.campaign + "ups\(version): 1\n")
        }
        let last = try client.findings(uri, version: 30)
        #expect(last.contains { $0["message"]?.string?.contains("ups30") == true }, "\(last.map(\.source))")
        let published = client.received.filter { $0["method"]?.string == "textDocument/publishDiagnostics" }
        #expect(published.count < 10)
        client.notify("textDocument/didClose", #"{"textDocument":{"uri":\#(uri.json)}}"#)
        _ = try client.request("shutdown", "null")
        let end = client.received.last { $0["params"]?["uri"]?.string == uri }
        #expect(end?["params"]?["diagnostics"]?.count == 0)
        client.close()
    }
}
