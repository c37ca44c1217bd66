// SPDX-License-Identifier: MIT

import CampaignLanguageServer
import Foundation

extension Reader {
    /// A reader for sessions with the language server.
    ///
    /// An input is read twice: as bytes with headers, and with each of its lines as the JSON of a message. The folder
    /// of the client is the one in which the worker runs.
    static let languageServer = Reader(
        name: "lsp",
        path: "session",
        form: .text(words: Words.session, nests: Words.brackets),
        files: [
            .text("a.campaign.yml", "version: 1\npush: {title: Hi}\n"), .text("blocks/b.liquid", "See you\n"),
            .text(".payloadgen.yml", "version: 1\n"),
        ],
        seeds: { _ in sessions },
        use: { input, _ in
            let here = String(decoding: input, as: UTF8.self)
                .replacing("file://" + folder, with: "file://" + FileManager.default.currentDirectoryPath)
            let lines = Array(here.utf8).split(separator: UInt8(ascii: "\n")).filter { $0.first == UInt8(ascii: "{") }
            for session in [input, lines.flatMap(framed)] {
                if let fault = fault(in: session) { return fault }
            }
            return nil
        }
    )

    private static func framed(_ message: some Collection<UInt8>) -> [UInt8] {
        Array("Content-Length: \(message.count)\r\n\r\n".utf8) + message
    }

    /// What is wrong with the server's answers to a session; nil if nothing is.
    private static func fault(in session: [UInt8]) -> String? {
        let rest = Box(session[...])
        let answers = Box<[[UInt8]]>([])
        let server = LanguageServer(version: "1") { bytes in
            answers.change { $0.append(bytes) }
            return true
        }
        _ = server.run { buffer in
            rest.change { rest in
                let part = rest.prefix(buffer.count)
                buffer.copyBytes(from: part)
                rest = rest.dropFirst(part.count)
                return part.count
            }
        }
        for answer in answers.change({ $0 }) {
            guard let header = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
                return "an answer without a header"
            }
            let length = "Content-Length: \(answer.count - header.upperBound)"
            guard String(decoding: answer[..<header.lowerBound], as: UTF8.self) == length else {
                return "a wrong length"
            }
            guard (try? JSONSerialization.jsonObject(with: Data(answer[header.upperBound...]))) != nil else {
                return "an answer that is not JSON"
            }
        }
        return nil
    }

    /// A value that threads share.
    private final class Box<Value: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var value: Value

        init(_ value: Value) { self.value = value }

        func change<Result>(_ body: (inout Value) -> Result) -> Result {
            lock.lock()
            defer { lock.unlock() }
            return body(&value)
        }
    }

    /// The folder of the client as inputs name it, instead of the folder in which the worker runs.
    private static let folder = "/workspace"

    private static let sessions: [[UInt8]] = {
        let root = "file://" + folder
        let text = #"version: 1\ncontent_blocks: blocks/\npush:\n  title: \"Hi {{ ${first_name} | upcas }} 😀\"\n"#
        let place = #""textDocument":{"uri":"\#(root)/a.campaign.yml"},"position":{"line":3,"character":12}"#
        let range = #""range":{"start":{"line":0,"character":0},"end":{"line":3,"character":30}}"#
        func request(_ id: Int, _ method: String, _ parameters: String) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{\#(parameters)}}"#
        }
        func notice(_ method: String, _ parameters: String) -> String {
            #"{"jsonrpc":"2.0","method":"\#(method)","params":{\#(parameters)}}"#
        }
        let start = request(1, "initialize", #""processId":1,"rootUri":"\#(root)","capabilities":{"general":{}}"#)
        let open = notice(
            "textDocument/didOpen",
            #""textDocument":{"uri":"\#(root)/a.campaign.yml","languageId":"yaml","version":1,"text":"\#(text)"}"#)
        let change = notice(
            "textDocument/didChange",
            #""textDocument":{"uri":"\#(root)/a.campaign.yml","version":2},"contentChanges":[{\#(range),"text":"😀\n"}]"#
        )
        let methods = ["completion", "hover", "definition", "references", "documentSymbol"]
        let questions = methods.enumerated().map { request($0 + 2, "textDocument/" + $1, place) }
        let actions = request(9, "textDocument/codeAction", place + "," + range + #","context":{"diagnostics":[]}"#)
        let end = [notice("$/cancelRequest", #""id":9"#), request(10, "shutdown", ""), notice("exit", "")]
        return [
            [start, open] + questions + [actions] + end, [start, open, change, actions] + end,
            [start, change, notice("textDocument/didClose", place)] + end,
        ].map { messages in messages.flatMap { framed(($0 + "\n").utf8) } }
    }()
}

extension Words {
    /// The words of which messages of the Language Server Protocol consist.
    static let session =
        json + [
            "Content-Length: ", "Content-Length: 99999999999", "\r\n\r\n", "\"method\":", "\"id\":", "\"params\":",
            "\"textDocument/didChange\"", "\"textDocument/codeAction\"", "\"shutdown\"", "\"exit\"", "\"line\":-1",
            "\"character\":4294967296", "{{ ${", "{% if", "file:///etc/passwd",
        ]
}
