// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import POSIXFiles
import PlatformLibc

/// A language server (Language Server Protocol 3.17) for one editor, over one input and one output.
///
/// It writes no files, and reads nothing outside the client's folders.
package final class LanguageServer: Sendable {
    /// The state of the session with the client.
    private struct Session: Sendable {
        enum Phase: Sendable { case new, running, shutDown }

        var phase = Phase.new
        var client = Client()
        /// The last message with findings that was sent for each text, by the text's URI.
        var published: [String: ProtocolValue] = [:]
        /// Whether bytes that are not a message were reported since the last valid message.
        var hasReportedFault = false
        var isClosed = false
    }

    /// What the client can do, as it declared when the session began.
    struct Client: Sendable {
        var encoding = PositionEncoding.utf16
        var readsMarkdown = false
        var hasSymbolTrees = false
        var hasVersionedEdits = false
        var watchesFiles = false
        var process: Int32?
    }

    /// The error with which a request is answered instead of a result.
    private struct Refusal: Error {
        let code: Int
        let message: String

        static let notRunning = Refusal(code: -32_002, message: "expected 'initialize' before other requests")
        static let cancelled = Refusal(code: -32_800, message: "the request was cancelled")
        static func invalid(_ message: String) -> Refusal { Refusal(code: -32_600, message: message) }
        static func parameters(_ message: String) -> Refusal { Refusal(code: -32_602, message: message) }
        static func unknown(_ method: String) -> Refusal {
            Refusal(code: -32_601, message: "the method '\(ShownText(method.shortened(to: 80)))' is not known")
        }
    }

    private let version: String
    private let inbox = Inbox()
    private let session = Locked(Session())
    private let analysis = Locked<Analysis?>(nil)
    private let output: Locked<@Sendable ([UInt8]) -> Bool>

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - version: the version of the program.
    ///   - write: writes all of the given bytes; returns false if the client no longer reads.
    package init(version: String, write: @escaping @Sendable ([UInt8]) -> Bool) {
        self.version = version
        output = Locked(write)
    }

    /// Handles messages until the client ends the session or its input ends.
    ///
    /// - Parameter read: reads some bytes and returns their number; 0 at the end.
    /// - Returns: whether the client asked for the shutdown first, as the protocol requires.
    package func run(read: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        let analysis = Analysis(
            clientRuns: { [session] in
                guard let process = session.withLock({ $0.client.process }) else { return true }
                return kill(process, 0) == 0 || errno != ESRCH
            },
            abandon: { [inbox] in inbox.abandon() },
            publish: { [weak self] in self?.publish($0) }
        )
        self.analysis.withLock { $0 = analysis }
        guard analysis.start(), LargeStack.start({ [inbox] in inbox.fill(MessageReader(read)) }) else { return false }
        defer {
            session.withLock { $0.isClosed = true }
            analysis.end()
        }
        while true {
            let (item, isCancelled) = inbox.next()
            switch item {
            case .end: return session.withLock { $0.phase == .shutDown }
            case .fault(let reason, let isJSON): report(fault: reason, isJSON: isJSON)
            case .message(let message):
                session.withLock { $0.hasReportedFault = false }
                if message["method"]?.string == "exit" { return session.withLock { $0.phase == .shutDown } }
                receive(message, isCancelled: isCancelled, analysis)
            }
        }
    }

    /// Sends a message to the client; ends the session if the client no longer reads.
    private func send(_ message: ProtocolValue) {
        let bytes = message.message()
        output.withLock { if !$0(bytes) { inbox.abandon() } }
    }

    private func report(fault: String, isJSON: Bool) {
        let isNew = session.withLock { session in
            defer { session.hasReportedFault = true }
            return !session.hasReportedFault
        }
        // Each byte of invalid input could give an error, so only the first one is reported.
        guard isNew || isJSON else { return }
        answer(nil, .failure(Refusal(code: -32_700, message: fault)))
    }

    private func answer(_ id: JSONNode?, _ result: Result<ProtocolValue, Refusal>) {
        let id: ProtocolValue =
            switch id?.kind {
            case .string: ProtocolValue(id?.string)
            case .number: ProtocolValue(id?.integer)
            default: .null
            }
        switch result {
        case .success(let value): send(["jsonrpc": "2.0", "id": id, "result": value == .nothing ? .null : value])
        case .failure(let refusal):
            send([
                "jsonrpc": "2.0", "id": id,
                "error": ["code": .integer(refusal.code), "message": .string(refusal.message)],
            ])
        }
    }

    // MARK: - Messages

    private func receive(_ message: JSONNode, isCancelled: Bool, _ analysis: Analysis) {
        guard message.kind == .object else {
            return answer(nil, .failure(.invalid("found \(message.kind.rawValue), expected an object")))
        }
        guard let method = message["method"]?.string else {
            // The server needs no answers to its own requests.
            if message["result"] != nil || message["error"] != nil { return }
            return answer(message["id"], .failure(.invalid("expected a 'method'")))
        }
        guard let id = message["id"] else { return handleNotification(method, message["params"], analysis) }
        guard id.string != nil || id.integer != nil else {
            return answer(nil, .failure(.invalid("expected an 'id' that is a text or an integer")))
        }
        if isCancelled { return answer(id, .failure(.cancelled)) }
        do throws(Refusal) {
            answer(id, .success(try result(method, message["params"], analysis)))
        } catch {
            answer(id, .failure(error))
        }
    }

    /// Handles a notification, which has no response; ignores unknown ones.
    private func handleNotification(_ method: String, _ parameters: JSONNode?, _ analysis: Analysis) {
        let (phase, client) = session.withLock { ($0.phase, $0.client) }
        guard phase == .running else { return }
        let uri = parameters?["textDocument"]?["uri"]?.string
        switch method {
        case "initialized":
            if client.watchesFiles { send(Self.registration) }
        case "textDocument/didOpen":
            guard let text = OpenText(parameters?["textDocument"]) else { return }
            analysis.change { $0.texts[text.uri] = text }
        case "textDocument/didChange":
            guard let uri else { return }
            analysis.change { $0.texts[uri]?.change(parameters, client.encoding) }
        case "textDocument/didClose":
            guard let uri else { return }
            analysis.change { $0.texts[uri] = nil }
            session.withLock { $0.published[uri] = nil }
            if FileURI.isFile(uri) { send(Self.publication(uri, nil, [])) }
        case "textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration":
            analysis.change { _ in }
        case "workspace/didChangeWorkspaceFolders":
            let event = parameters?["event"]
            let removed = Set(Self.paths(event?["removed"]))
            let added = Self.paths(event?["added"])
            analysis.change { workspace in
                workspace.folders.removeAll { removed.contains($0) }
                workspace.folders += added
            }
        default: break
        }
    }

    private func result(
        _ method: String,
        _ parameters: JSONNode?,
        _ analysis: Analysis
    ) throws(Refusal) -> ProtocolValue {
        let (phase, client) = session.withLock { ($0.phase, $0.client) }
        switch (method, phase) {
        case ("initialize", .new): return initialize(parameters, analysis)
        case ("initialize", _): throw .invalid("found a second 'initialize'")
        case (_, .new): throw .notRunning
        case (_, .shutDown): throw .invalid("found '\(ShownText(method.shortened(to: 80)))' after 'shutdown'")
        case ("shutdown", _):
            session.withLock { $0.phase = .shutDown }
            return .null
        default: break
        }
        guard let feature = Feature(rawValue: method) else { throw .unknown(method) }
        guard let uri = parameters?["textDocument"]?["uri"]?.string, let text = analysis.workspace.texts[uri] else {
            throw .parameters("expected the address of an open text")
        }
        let offset = TextPosition(parameters?["position"]).map { text.file.offset(of: $0, client.encoding) }
        // These answers must be quick while a text is being edited, and need no findings, so they do not wait for a
        // check.
        let workspace =
            [.completion, .symbols].contains(feature) ? analysis.workspace : analysis.checked()
        let request = FeatureRequest(text: text, offset: offset, workspace: workspace, client: client)
        switch (feature, offset) {
        case (.actions, _):
            guard let range = text.file.offsets(of: parameters?["range"], client.encoding) else {
                throw .parameters("expected a range")
            }
            return request.actions(in: range, only: parameters?["context"]?["only"]?.elements.compactMap(\.string))
        case (.symbols, _): return request.symbols
        case (_, nil): throw .parameters("expected a position")
        case (.completion, let offset?): return request.completion(at: offset)
        case (.hover, let offset?): return request.hover(at: offset)
        case (.definition, let offset?): return request.locations(ofMentionAt: offset, .definitions)
        case (.references, let offset?):
            let all = parameters?["context"]?["includeDeclaration"]?.bool ?? true
            return request.locations(ofMentionAt: offset, all ? .all : .uses)
        }
    }

    /// The methods of the protocol that ask something about a text.
    private enum Feature: String {
        case completion = "textDocument/completion"
        case hover = "textDocument/hover"
        case definition = "textDocument/definition"
        case references = "textDocument/references"
        case actions = "textDocument/codeAction"
        case symbols = "textDocument/documentSymbol"
    }

    // MARK: - Initialization

    private func initialize(_ parameters: JSONNode?, _ analysis: Analysis) -> ProtocolValue {
        let capabilities = parameters?["capabilities"]
        let texts = capabilities?["textDocument"]
        var client = Client()
        let encodings = capabilities?["general"]?["positionEncodings"]?.elements.compactMap(\.string) ?? []
        if encodings.contains(PositionEncoding.utf8.rawValue) { client.encoding = .utf8 }
        client.readsMarkdown =
            texts?["hover"]?["contentFormat"]?.elements.contains { $0.string == "markdown" } ?? false
        client.hasSymbolTrees = texts?["documentSymbol"]?["hierarchicalDocumentSymbolSupport"]?.bool ?? false
        let workspace = capabilities?["workspace"]
        client.hasVersionedEdits = workspace?["workspaceEdit"]?["documentChanges"]?.bool ?? false
        client.watchesFiles = workspace?["didChangeWatchedFiles"]?["dynamicRegistration"]?.bool ?? false
        // A process that this one cannot see, such as one outside a container, is not watched: its end could not be
        // noticed.
        client.process = parameters?["processId"]?.integer.flatMap { Int32(exactly: $0) }.flatMap { process in
            process > 0 && kill(process, 0) == 0 ? process : nil
        }
        var folders = Self.paths(parameters?["workspaceFolders"])
        if folders.isEmpty, let uri = parameters?["rootUri"]?.string, let path = FileURI.path(uri) { folders = [path] }
        if folders.isEmpty, let path = parameters?["rootPath"]?.string, path.hasPrefix("/") {
            folders = [path.standardizedPath]
        }
        session.withLock { session in
            session.phase = .running
            session.client = client
        }
        analysis.change { $0.folders = folders }
        return [
            "capabilities": [
                "positionEncoding": .string(client.encoding.rawValue),
                "textDocumentSync": ["openClose": true, "change": 2, "save": true],
                "completionProvider": ["triggerCharacters": ["{", "$", "|", ".", "%", " ", ":"]],
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentSymbolProvider": true,
                "codeActionProvider": ["codeActionKinds": ["quickfix", "source.fixAll"]],
                "workspace": ["workspaceFolders": ["supported": true, "changeNotifications": true]],
            ],
            "serverInfo": ["name": "payloadgen", "version": .string(version)],
        ]
    }

    private static func paths(_ folders: JSONNode?) -> [String] {
        folders?.elements.compactMap { $0["uri"]?.string.flatMap(FileURI.path) } ?? []
    }

    /// The request to the client to report all changes of files in its folders.
    private static let registration: ProtocolValue = [
        "jsonrpc": "2.0", "id": "files", "method": "client/registerCapability",
        "params": [
            "registrations": [
                [
                    "id": "files", "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": ["watchers": [["globPattern": "**/*"]]],
                ]
            ]
        ],
    ]

    // MARK: - Findings

    /// Sends the client the findings of those open texts whose findings have changed.
    ///
    /// Texts that are not files, such as those with a `git:` URI, are left out.
    private func publish(_ workspace: CheckedWorkspace) {
        let encoding = session.withLock { $0.client.encoding }
        for text in workspace.texts.values.sorted(by: { $0.uri < $1.uri }) where FileURI.isFile(text.uri) {
            let findings = workspace.findings(in: text).map { $0.value(in: text, workspace, encoding) }
            let message = Self.publication(text.uri, text.version, findings)
            let isNew = session.withLock { session in
                guard !session.isClosed, session.published[text.uri] != message else { return false }
                session.published[text.uri] = message
                return true
            }
            if isNew { send(message) }
        }
    }

    private static func publication(_ uri: String, _ version: Int?, _ findings: [ProtocolValue]) -> ProtocolValue {
        [
            "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics",
            "params": ["uri": .string(uri), "version": ProtocolValue(version), "diagnostics": .array(findings)],
        ]
    }
}
