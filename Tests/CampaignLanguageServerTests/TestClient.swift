// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import POSIXFiles
import Testing

@testable import CampaignLanguageServer

/// A client of a language server in the same process; it keeps all messages that the server sends.
final class TestClient: Sendable {
    private struct State: Sendable {
        var sent: [UInt8] = []
        var isClosed = false
        var received: [JSONNode] = []
        var lastID = 0
        /// Whether the client asked for the shutdown before the server ended; nil while the server runs.
        var isShutDown: Bool?
    }

    /// Why a test of the server cannot continue.
    enum Fault: Error { case noAnswer(String), malformed(String) }

    private let state = Locked(State())
    private let condition = NSCondition()

    /// Starts a server on a thread of its own.
    init() {
        let server = LanguageServer(version: "1") { [state, condition] bytes in
            let separator = Array("\r\n\r\n".utf8)
            let text = String(decoding: bytes, as: UTF8.self)
            let end = text.utf8.count - (bytes.firstRange(of: separator)?.upperBound ?? 0)
            let body = Array(bytes.suffix(end))
            guard text.hasPrefix("Content-Length: \(end)\r\n\r\n"),
                let message = try? JSONDocument(SourceFile(path: "answer", bytes: body)).root
            else {
                Issue.record("malformed: \(text.prefix(200))")
                return false
            }
            state.withLock { $0.received.append(message) }
            condition.lock()
            condition.broadcast()
            condition.unlock()
            return true
        }
        Thread.detachNewThread { [state, condition] in
            let isShutDown = server.run { buffer in
                condition.lock()
                defer { condition.unlock() }
                while true {
                    let taken = state.withLock { state -> Int? in
                        guard !state.sent.isEmpty else { return state.isClosed ? 0 : nil }
                        let count = min(buffer.count, state.sent.count)
                        buffer.copyBytes(from: state.sent.prefix(count))
                        state.sent.removeFirst(count)
                        return count
                    }
                    if let taken { return taken }
                    condition.wait()
                }
            }
            state.withLock { $0.isShutDown = isShutDown }
            condition.lock()
            condition.broadcast()
            condition.unlock()
        }
    }

    // MARK: - Sending

    /// Sends bytes to the server, unchanged.
    func send(bytes: some Sequence<UInt8>) {
        state.withLock { $0.sent += bytes }
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Sends a message, given as JSON; the header is added.
    func send(_ json: String) { send(bytes: Array("Content-Length: \(json.utf8.count)\r\n\r\n\(json)".utf8)) }

    func notify(_ method: String, _ parameters: String) {
        send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#)
    }

    /// Sends a request without waiting for the answer; returns the request's id.
    @discardableResult
    func start(_ method: String, _ parameters: String) -> Int {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#)
        return id
    }

    /// Ends the input of the server.
    func close() {
        state.withLock { $0.isClosed = true }
        send(bytes: [])
    }

    // MARK: - Receiving

    var received: [JSONNode] { state.withLock { $0.received } }

    /// Waits until a function finds something in the received messages; `what` describes it for the error.
    func wait<Found>(for what: String, _ find: ([JSONNode]) -> Found?) throws -> Found {
        let limit = Date(timeIntervalSinceNow: 120)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let found = find(received) { return found }
            guard condition.wait(until: limit) else { throw Fault.noAnswer(what) }
        }
    }

    /// Waits until the server ends; returns whether it was asked to shut down before.
    func end() throws -> Bool {
        let state = state
        return try wait(for: "end") { _ in state.withLock { $0.isShutDown } }
    }

    /// Waits for the answer to the request with an id.
    func answer(_ id: Int) throws -> JSONNode {
        try wait(for: "answer \(id)") { received in
            received.last { $0["method"] == nil && $0["id"]?.integer == id }
        }
    }

    /// Sends a request and returns its result; an error in the answer fails the test.
    func request(_ method: String, _ parameters: String) throws -> JSONNode {
        let answer = try answer(start(method, parameters))
        guard let result = answer["result"] else { throw Fault.malformed(answer.source) }
        return result
    }

    /// Waits for the findings that the server publishes about a version of a text.
    func findings(_ uri: String, version: Int) throws -> [JSONNode] {
        let message = try wait(for: "findings of \(uri), version \(version)") { received in
            received.last {
                $0["method"]?.string == "textDocument/publishDiagnostics" && $0["params"]?["uri"]?.string == uri
                    && $0["params"]?["version"]?.integer == version
            }
        }
        return message["params"]?["diagnostics"].map { Array($0.elements) } ?? []
    }

    // MARK: - Sessions

    /// Begins a session with an open folder.
    func begin(in folder: String, encoding: String = "utf-16") throws {
        let capabilities = """
            {"general":{"positionEncodings":["\(encoding)"]},"textDocument":{"hover":{"contentFormat":["markdown"]},
            "documentSymbol":{"hierarchicalDocumentSymbolSupport":true}},"workspace":{"workspaceEdit":{"documentChanges":true}}}
            """
        _ = try request(
            "initialize",
            #"{"processId":null,"rootUri":\#(FileURI.uri(folder).json),"capabilities":\#(capabilities)}"#)
        notify("initialized", "{}")
    }

    /// Opens a text in the server; returns its URI.
    func open(_ path: String, _ text: String, version: Int = 1) -> String {
        let uri = FileURI.uri(path)
        notify(
            "textDocument/didOpen",
            #"{"textDocument":{"uri":\#(uri.json),"languageId":"yaml","version":\#(version),"text":\#(text.json)}}"#)
        return uri
    }

    /// Changes an open text as a whole, or only a range of it, which is given as JSON.
    func change(_ uri: String, version: Int, to text: String, range: String? = nil) {
        let range = range.map { #""range":\#($0),"# } ?? ""
        notify(
            "textDocument/didChange",
            #"{"textDocument":{"uri":\#(uri.json),"version":\#(version)},"contentChanges":[{\#(range)"text":\#(text.json)}]}"#
        )
    }

    /// The parameters of a request about the position after a mark in a text.
    static func place(_ uri: String, _ text: String, after mark: String) throws -> String {
        let range = try #require(text.range(of: mark))
        let before = text[..<range.upperBound]
        let line = before.utf8.count { $0 == UInt8(ascii: "\n") }
        let start = before.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        let column = before[start...].utf16.count
        return """
            {"textDocument":{"uri":\(uri.json)},"position":{"line":\(line),"character":\(column)},
            "context":{"includeDeclaration":true}}
            """
    }
}

extension String {
    /// The text as a JSON string.
    var json: String {
        var json = JSONWriter()
        json.string(self)
        return json.buffer.string()
    }
}

extension JSONNode {
    /// The first element of an array; nil if there is none.
    var firstElement: JSONNode? { elements.first { _ in true } }

    /// The value of a JSON text; nil if the text is invalid.
    static func of(_ json: String) -> JSONNode? {
        try? JSONDocument(SourceFile(path: "test", text: json)).root
    }
}
