// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadKit
import Testing

@testable import CampaignPreview

/// The server of the preview answers each request with the right bytes, and refuses the others.
@Suite(.serialized) struct ServerTests {
    /// Starts a server, and gives its port and path to a function.
    private func withServer(
        _ folder: PreviewFolder,
        _ change: (inout PreviewSettings) -> Void = { _ in },
        until isOver: @escaping @Sendable () -> Bool = { false },
        _ body: (_ port: UInt16, _ path: String) async throws -> Void
    ) async throws {
        let server = try PreviewServer(folder.project(change))
        Thread.detachNewThread { server.serve(until: isOver) }
        defer { server.stop() }
        let url = try #require(URL(string: server.address))
        let port = try #require(url.port)
        // `URL.path` leaves out the slash at the end.
        try await body(UInt16(port), url.path + "/")
    }

    private func get(_ port: UInt16, _ path: String, _ headers: String = "") async throws -> RawAnswer {
        try await RawAnswer.ask(
            port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\(headers)\r\n")
    }

    private func send(
        _ port: UInt16,
        _ method: String,
        _ path: String,
        _ body: String,
        type: String = "application/json",
        headers: String = "X-Payloadgen: 1\r\n"
    ) async throws -> RawAnswer {
        try await RawAnswer.ask(
            port,
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\nContent-Type: \(type)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
        )
    }

    @Test func `the page is served with its headers, and nothing outside of the token`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let page = try await get(port, path)
            #expect(page.status == 200)
            #expect(page.body.contains("Hi Ana"))
            #expect(page.headers["cache-control"] == "no-store")
            #expect(page.headers["referrer-policy"] == "no-referrer")
            #expect(page.headers["x-content-type-options"] == "nosniff")
            #expect(page.headers["cross-origin-opener-policy"] == "same-origin")
            #expect(page.headers["access-control-allow-origin"] == nil)
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'nonce-"))
            #expect(policy.contains("frame-ancestors 'none'; base-uri 'none'; form-action 'self'"))
            #expect(!policy.contains("unsafe"))
            #expect(!page.body.contains(" style="))
            #expect(!page.body.contains("<script>"))
            let answer1 = try await get(port, "/")
            #expect(answer1.status == 404)
            let answer2 = try await get(port, "/0123456789abcdef0123456789abcdef/")
            #expect(answer2.status == 404)
            let answer3 = try await get(port, path + "../ana.json")
            #expect(answer3.status == 404)
            let answer4 = try await get(port, path + "..%2fana.json")
            #expect(answer4.status == 404)
            let answer5 = try await get(port, path + "ana.json")
            #expect(answer5.status == 404)
            let answer6 = try await get(port, path, "Origin: http://example.com\r\n")
            #expect(answer6.status == 403)
            let answer7 = try await get(port, path, "Sec-Fetch-Site: cross-site\r\n")
            #expect(answer7.status == 403)
            let wrong = try await RawAnswer.ask(
                port, "GET \(path) HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")
            #expect(wrong.status == 421)
        }
    }

    @Test func `a text that was made from an unknown revision is not saved over the file`() async throws {
        let folder = try PreviewFolder()
        let mine = PreviewFolder.campaign.replacing("Hi", with: "Mine")
        let values = [["base", String(repeating: "0", count: 64)], ["text", mine]]
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: ["view": "", "values": values]), as: UTF8.self)
        try await withServer(folder) { port, path in
            let answer = try await send(port, "POST", path + "api/render", body)
            #expect(answer.body.contains(values[0][1]) && answer.body.contains("Save asks which text is kept"))
            #expect(try await send(port, "PUT", path + "api/campaign", body).status == 409)
            #expect(folder.text == PreviewFolder.campaign)
        }
    }

    @Test func `only the loopback address listens`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            await #expect(throws: (any Error).self) {
                try await RawAnswer.ask(
                    port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", address: "127.0.0.2")
            }
        }
    }

    @Test func `a text is rendered and saved with only its edit`() async throws {
        let folder = try PreviewFolder(PreviewFolder.campaign.replacing("\n", with: "\r\n") + "\r\n")
        try await withServer(folder) { port, path in
            let edit = #"{"n": 7, "view": "person=1", "values": [["field:body", "It's \"late\""]], "data": true}"#
            let answer = try await send(port, "POST", path + "api/render", edit)
            #expect(answer.status == 200)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(object["n"] as? Int == 7)
            #expect(object["edited"] as? Bool == true)
            let records = try #require(object["records"] as? [[String: Any]])
            let costs = try #require(records[0]["costs"] as? [String: Int])
            let payload = try #require(records[0]["payload"])
            let size = try JSONSerialization.data(withJSONObject: payload, options: [.withoutEscapingSlashes]).count
            #expect(costs.values.reduce(0, +) == size)
            let text = try #require(object["text"] as? String)
            #expect(text.contains(#"body: 'It''s "late"'"#))
            #expect(folder.text.contains("It''s time"))
            let base = try #require(object["base"] as? String)
            let save = try JSONSerialization.data(withJSONObject: [
                "view": "", "values": [["base", base], ["text", text]],
            ])
            #expect(
                try await send(port, "PUT", path + "api/campaign", String(decoding: save, as: UTF8.self)).status == 200)
            let wanted = PreviewFolder.campaign.replacing("'It''s time'", with: #"'It''s "late"'"#) + "\n"
            #expect(folder.text == wanted.replacing("\n", with: "\r\n"))
        }
    }

    @Test func `a form without script previews and saves`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let form = "field%3Atitle=Bye+%7B%7B+%24%7Bfirst_name%7D+%7D%7D"
            let origin = "Origin: http://127.0.0.1:\(port)\r\n"
            let type = "application/x-www-form-urlencoded"
            let page = try await send(port, "POST", path + "form-preview?person=1", form, type: type, headers: origin)
            #expect(page.status == 200)
            #expect(page.body.contains("Bye Ana"))
            #expect(folder.text == PreviewFolder.campaign)
            let saved = try await send(port, "POST", path + "form-save?person=1", form, type: type, headers: origin)
            #expect(saved.status == 303)
            #expect(saved.headers["location"] == path + "?person=1")
            #expect(folder.text.contains(#"title: "Bye {{ ${first_name} }}""#))
            let other = "Origin: http://example.com\r\n"
            let answer8 = try await send(port, "POST", path + "form-save", form, type: type, headers: other)
            #expect(answer8.status == 403)
            let answer9 = try await send(port, "POST", path + "form-save", form, type: type, headers: "")
            #expect(answer9.status == 403)
        }
    }

    @Test func `a read-only preview saves nothing`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { settings in
            settings.isReadOnly = true
        } _: { port, path in
            let body = #"{"view": "", "values": [["text", "version: 1"]]}"#
            let answer10 = try await send(port, "PUT", path + "api/campaign", body)
            #expect(answer10.status == 422)
            #expect(folder.text == PreviewFolder.campaign)
            let page = try await get(port, path)
            #expect(!page.body.contains("<textarea"))
        }
    }

    @Test func `a link out of the folder is not written through`() async throws {
        let folder = try PreviewFolder()
        let other = try PreviewFolder()
        let manager = FileManager.default
        try manager.removeItem(at: folder.file)
        try manager.createSymbolicLink(at: folder.file, withDestinationURL: other.file)
        let body = #"{"view": "", "values": [["text", "version: 1"]]}"#
        try await withServer(folder) { port, path in
            let answer = try await send(port, "PUT", path + "api/campaign", body)
            #expect(answer.status == 422)
            #expect(answer.body.contains("leads out of the project"))
            #expect(other.text == PreviewFolder.campaign)
            let kind = try manager.attributesOfItem(atPath: folder.file.path)[.type] as? FileAttributeType
            #expect(kind == .typeSymbolicLink)
        }
        // A symbolic link within the folder is kept, and the file to which it leads is written.
        let inner = folder.url.appending(path: "inner.campaign.yml")
        try Data(PreviewFolder.campaign.utf8).write(to: inner)
        try manager.removeItem(at: folder.file)
        try manager.createSymbolicLink(at: folder.file, withDestinationURL: inner)
        try await withServer(folder) { port, path in
            #expect(try await send(port, "PUT", path + "api/campaign", body).status == 200)
            #expect(try String(contentsOf: inner, encoding: .utf8) == "version: 1")
            let kind = try manager.attributesOfItem(atPath: folder.file.path)[.type] as? FileAttributeType
            #expect(kind == .typeSymbolicLink)
        }
    }

    @Test func `images are fetched only where the command allows it`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let answer = try await send(port, "POST", path + "api/image", #"{"view": ""}"#)
            #expect(answer.status == 422)
            #expect(answer.body.contains("--allow-images"))
        }
        let image = "\n  image: {url: 'https://127.0.0.1/a.png', type: png}\n"
        let campaign = PreviewFolder.campaign.replacing("\n  extras:", with: image + "  extras:")
        try await withServer(try PreviewFolder(campaign)) { settings in
            settings.fetchesImages = true
        } _: { port, path in
            let answer = try await send(port, "POST", path + "api/image", #"{"view": "person=1"}"#)
            #expect(answer.status == 422)
            #expect(answer.body.contains("private network"))
        }
    }

    @Test func `branches are answered with those who reach them`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let answer = try await send(port, "POST", path + "api/cover", #"{"view": "", "values": []}"#)
            #expect(answer.status == 200)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(object["done"] as? Bool == true)
            #expect(object["profiles"] as? Int == 1)
            #expect((object["people"] as? [Int])?.sorted() == [0, 1])
            let branches = try #require(object["arms"] as? [[String: Any]])
            #expect(branches.first?["label"] as? String == "${first_name} has a value")
            #expect(branches.first?["reached_by"] as? Int == 1)
        }
    }

    @Test func `a file that another program changed is merged, or asked about`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let state = try await get(port, path + "api/state")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(state.body.utf8)) as? [String: Any])
            let base = try #require(object["base"] as? String)
            let mine = PreviewFolder.campaign.replacing("Hi {{", with: "Hello {{")
            let theirs = PreviewFolder.campaign.replacing("default: 1", with: "default: 2")
            try Data(theirs.utf8).write(to: folder.file)
            func save(_ text: String) async throws -> RawAnswer {
                let body = try JSONSerialization.data(withJSONObject: [
                    "view": "", "values": [["base", base], ["text", text]],
                ])
                return try await send(port, "PUT", path + "api/campaign", String(decoding: body, as: UTF8.self))
            }
            let answer11 = try await save(mine)
            #expect(answer11.status == 200)
            #expect(folder.text == mine.replacing("default: 1", with: "default: 2"))
            let conflicting = PreviewFolder.campaign.replacing("Hi {{", with: "Dear {{")
            let conflict = try await save(conflicting)
            #expect(conflict.status == 409)
            #expect(conflict.body.contains("Hello {{"))
            #expect(folder.text.contains("Hello {{"))
        }
    }

    @Test func `too large a request is refused and not taken for another one`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let inner = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            let body = inner + String(repeating: "x", count: 2_000_100)
            let answer = try await send(port, "POST", path + "api/render", body)
            #expect(answer.status == 413)
            #expect(!answer.body.contains("Hi Ana"))
        }
    }

    @Test func `a method that nothing here has is answered with those that requests may have`() async throws {
        try await withServer(try PreviewFolder()) { port, path in
            let answer = try await send(port, "DELETE", path, "")
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "GET, POST, PUT")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `as many requests as are answered at one time may come together`() async throws {
        let gate = Locked(false)
        try await withServer(try PreviewFolder(), until: { gate.withLock { $0 } }) { port, path in
            let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r"
            let connections = try (0..<32).map { _ in
                let connection = try RawConnection(port)
                try connection.send(request)
                return connection
            }
            // The server accepts connections in order, so the earlier ones are accepted when this one is answered.
            #expect(try await get(port, "/").status == 404)
            try gate.withLock { _ in
                for connection in connections { try connection.send("\n") }
            }
            for connection in connections {
                let answer = try await waiting { try RawAnswer(from: connection) }
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `the first request with the token is noticed, and none before it`() async throws {
        let server = try PreviewServer(PreviewFolder().project())
        let entries = Locked(0)
        let isOver = Locked(false)
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.serve(until: { isOver.withLock { $0 } }, onEntry: { entries.withLock { $0 += 1 } })
            end.signal()
        }
        let url = try #require(URL(string: server.address))
        let port = UInt16(try #require(url.port))
        #expect(try await get(port, "/").status == 404)
        #expect(entries.withLock { $0 } == 0)
        #expect(try await get(port, url.path + "/page.css").status == 200)
        #expect(try await get(port, url.path + "/page.css").status == 200)
        isOver.withLock { $0 = true }
        try await waiting { end.wait() }
        #expect(entries.withLock { $0 } == 1)
    }

    @Test func `a port that cannot be used is an error with its reason`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, _ in
            let problem = #expect(throws: PreviewProblem.self) {
                try PreviewServer(folder.project { $0.port = port })
            }
            #expect(problem?.message == "cannot listen on port \(port) of 127.0.0.1: it is in use")
        }
        #expect(
            PreviewProblem(cannotListenOn: 81, EACCES).message
                == "cannot listen on port 81 of 127.0.0.1: \(String(cString: strerror(EACCES)))")
    }

    // MARK: - Strangers

    @Test(.timeLimit(.minutes(1)), arguments: [16_384, 32_768, 65_536, 262_144])
    func `a long line, or a long head, is refused once it is too long`(count: Int) async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let long = String(repeating: "x", count: count)
            let line = try await get(port, "/" + long)
            #expect(line.status == 414)
            let head = try await get(port, path, "A: \(long)\r\nB: \(long)\r\nC: \(long)\r\n")
            #expect(head.status == 431)
            let headers = try await get(port, path, String(repeating: "A: b\r\n", count: count / 64))
            #expect(headers.status == 431)
            let page = try await get(port, path)
            #expect(page.status == 200)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `strangers do not keep the owner out`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let host = "Host: 127.0.0.1:\(port)\r\n"
            var strangers = try (0..<40).map { _ in
                let connection = try RawConnection(port)
                try connection.send("POST /x/api/render HTTP/1.1\r\n\(host)Content-Length: 1000\r\n\r\n")
                return connection
            }
            let first = try await get(port, path)
            #expect(first.status == 200)
            // These requests are answered without waiting for their bodies.
            for connection in strangers {
                let answer = try await waiting { try connection.read(until: "\r\n\r\n") }
                #expect(answer.hasPrefix("HTTP/1.1 404 "))
            }
            strangers = try (0..<80).map { number in
                let connection = try RawConnection(port)
                if number > 40 { try connection.send("GET \(path) HTTP/1.1\r\nA: ") }
                return connection
            }
            let second = try await get(port, path)
            #expect(second.status == 200)
            // The oldest of these connections was closed for a new one.
            let oldest = strangers[0]
            let rest = try await waiting { try oldest.readAll() }
            #expect(rest.isEmpty)
            // A connection that has shown the token is not closed for a new one.
            let own = try RawConnection(port)
            let body = #"{"view": ""}"#
            try own.send(
                "POST \(path)api/cover HTTP/1.1\r\n\(host)Content-Type: application/json\r\nX-Payloadgen: 1\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n")
            strangers = try (0..<80).map { _ in try RawConnection(port) }
            let third = try await get(port, path)
            #expect(third.status == 200)
            try own.send(body)
            let answer = try await waiting { try RawAnswer(from: own) }
            #expect(answer.status == 200)
            withExtendedLifetime(strangers) {}
        }
    }

    @Test func `what is not a request of HTTP 1 is refused`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let host = "Host: 127.0.0.1:\(port)\r\n"
            for request in [
                "hello\n", "\r\n", "GET \(path) HTTP/1.1\n\n", "GET \(path) HTTP/2\r\n\(host)\r\n",
                "GET http://127.0.0.1:\(port)\(path) HTTP/1.1\r\n\(host)\r\n", "GET \(path)\r\n\(host)\r\n",
                "GET \(path) HTTP/1.1\r\n\(host)\(host)\r\n", "GET \(path) HTTP/1.1\r\n\(host) folded\r\n\r\n",
                "GET \(path) HTTP/1.1\r\nHost : 127.0.0.1:\(port)\r\n\r\n", "GET \(path)\u{0} HTTP/1.1\r\n\(host)\r\n",
                "GET \(path) HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
                "GET \(path) HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
            ] {
                let answer = try await RawAnswer.ask(port, request)
                #expect(answer.status == 400, "\(request)")
            }
            let chunks = try await get(port, path, "Transfer-Encoding: chunked\r\n")
            #expect(chunks.status == 411)
            let huge = try await get(port, path, "Content-Length: 99999999999999999999\r\n")
            #expect(huge.status == 413)
        }
    }

    @Test func `one connection is one request, in any pieces`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let request = "GET \(path)page.css HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            let two = try await RawAnswer.ask(port, request + request)
            #expect(two.status == 200 && two.headers["connection"] == "close")
            #expect(!two.body.contains("HTTP/1.1"))
            let pieces = try RawConnection(port)
            for character in request { try pieces.send(String(character)) }
            pieces.finishSending()
            let answer = try await waiting { try RawAnswer(from: pieces) }
            #expect(answer.body == two.body)
        }
    }

    @Test func `a change of a file is an event`() async throws {
        let folder = try PreviewFolder()
        try await withServer(folder) { port, path in
            let stream = try RawConnection(port)
            try stream.send("GET \(path)api/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            let first = try await waiting { try stream.read(until: #""revision":1}"#) }
            #expect(first.contains("text/event-stream"))
            try Data((PreviewFolder.campaign + "\n").utf8).write(to: folder.file)
            let second = try await waiting { try stream.read(until: #""revision":2}"#) }
            #expect(second.contains("event: state"))
        }
    }
}
