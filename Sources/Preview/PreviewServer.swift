// SPDX-License-Identifier: MIT

internal import Files
internal import FlyingFox
internal import FlyingSocks
internal import Foundation
internal import JSON

/// Serves the page of a preview on 127.0.0.1, and nowhere else.
package struct PreviewServer: Sendable {
    private let project: PreviewProject
    private let token: String

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - project: what the page shows.
    ///   - token: the part of the address that nobody else knows.
    package init(_ project: PreviewProject, token: String? = nil) {
        self.project = project
        self.token = token ?? RequestGuard.newToken()
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter onListening: receives the address of the page once it can be opened.
    /// - Throws: why the server cannot listen.
    package func run(onListening: @escaping @Sendable (String) -> Void) async throws(PreviewProblem) {
        let address: sockaddr_in
        do { address = try .inet(ip4: "127.0.0.1", port: project.settings.port) } catch {
            throw PreviewProblem("cannot use 127.0.0.1")
        }
        let port = Locked<UInt16>(0)
        let handler = PreviewHandler(project: project, token: token, port: port)
        let sockets = PromptSockets(pool: HTTPServer.defaultPool())
        let server = HTTPServer(
            config: HTTPServer.Configuration(address: address, pool: sockets, logger: .disabled), handler: handler
        )
        let announcement = Task {
            try await server.waitUntilListening()
            guard case .ip4(_, let number)? = await server.listeningAddress else { return }
            port.withLock { $0 = number }
            let query = project.settings.isOnePerBranch ? "?branches=1" : ""
            onListening("http://127.0.0.1:\(number)/\(token)/\(query)")
        }
        let watch = Task {
            var spent = Duration.zero
            while !Task.isCancelled {
                // Looking at the files of a large project takes an eighth of the time at most.
                try await Task.sleep(for: max(.milliseconds(250), spent * 8))
                var changes: [String: PreviewProject.Stamp] = [:]
                spent = ContinuousClock().measure { changes = project.changes }
                if !changes.isEmpty { project.reload(changes) }
            }
        }
        defer {
            announcement.cancel()
            watch.cancel()
        }
        do { try await server.run() } catch {
            if Task.isCancelled { return }
            let number = project.settings.port
            throw PreviewProblem(
                number == 0
                    ? "cannot listen on 127.0.0.1" : "cannot listen on port \(number) of 127.0.0.1: it is in use"
            )
        }
    }
}

/// Answers requests.
private struct PreviewHandler: HTTPHandler {
    let project: PreviewProject
    let token: String
    let port: Locked<UInt16>
    private let load = Locked((requests: 0, streams: 0))

    init(project: PreviewProject, token: String, port: Locked<UInt16>) {
        self.project = project
        self.token = token
        self.port = port
    }

    /// The most bytes of a request.
    private static let bodyLimit = 2_000_000

    /// The most requests and streams at one time.
    private static let requestLimit = 32

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let isFree = load.withLock { load in
            guard load.requests + load.streams < Self.requestLimit else { return false }
            load.requests += 1
            return true
        }
        guard isFree else { return error(503, "busy", "too many requests at one time") }
        defer { load.withLock { $0.requests -= 1 } }
        do throws(RequestGuard.Refusal) {
            return try await answer(request)
        } catch {
            await drain(request)
            return self.error(error.status, error.code, error.message)
        }
    }

    private func answer(_ request: HTTPRequest) async throws(RequestGuard.Refusal) -> HTTPResponse {
        let check = RequestGuard(token: token, port: port.withLock { $0 })
        let route = try check.route(
            RequestGuard.Request(
                method: request.method.rawValue,
                path: request.target.path(),
                host: request.headers[.host],
                origin: request.headers[HTTPHeader("Origin")],
                fetchSite: request.headers[HTTPHeader("Sec-Fetch-Site")],
                contentType: request.headers[.contentType],
                mark: request.headers[HTTPHeader("X-Payloadgen")]
            )
        )
        let view = View(query: request.target.query())
        let pages = PreviewAnswers(project)
        switch (request.method.rawValue, route) {
        case ("GET", ""), ("GET", "form-preview"): return page(pages, view, DraftRequest())
        case ("GET", "page.css"): return file(PackageResources.page_css, "text/css; charset=utf-8")
        case ("GET", "page.js"): return file(PackageResources.page_js, "text/javascript; charset=utf-8")
        case ("GET", "measure.js"): return file(PackageResources.measure_js, "text/javascript; charset=utf-8")
        case ("GET", "export"): return try export(view)
        case ("GET", "api/state"): return json(try wrap { () throws(PreviewProblem) in try pages.state(view) })
        case ("GET", "api/payload"): return try payload(pages, view, request)
        case ("GET", "api/profile"):
            let profile = try wrap { () throws(PreviewProblem) in try pages.profile(view) }
            var response = response(200, profile, "application/json")
            response.headers[.contentDisposition] = "attachment; filename=\"profile.json\""
            return response
        case ("GET", "api/events"): return events()
        case ("POST", "form-preview"):
            return page(pages, view, DraftRequest(FormData.values(try await body(of: request))))
        case ("POST", "form-save"): return try save(pages, view, try await body(of: request))
        case ("POST", "api/render"):
            let body = try await body(of: request)
            return json(try wrap { () throws(PreviewProblem) in try pages.render(body) })
        case ("POST", "api/complete"):
            let body = try await body(of: request)
            return json(try wrap { () throws(PreviewProblem) in try pages.complete(body) })
        case ("POST", "api/cover"):
            let body = try await body(of: request)
            return json(try wrap { () throws(PreviewProblem) in try pages.cover(body) })
        case ("POST", "api/image"):
            let body = try await body(of: request)
            return try await image(at: try wrap { () throws(PreviewProblem) in try pages.imageURL(body) })
        case ("PUT", "api/campaign"):
            let body = try await body(of: request)
            let saved = try wrap { () throws(PreviewProblem) in try pages.save(body) }
            return response(saved.isConflicting ? 409 : 200, saved.json, "application/json")
        default: throw RequestGuard.Refusal(status: 404, code: "not-found", message: "there is nothing here")
        }
    }

    // MARK: - Answers

    private func page(_ pages: PreviewAnswers, _ view: View, _ request: DraftRequest, status: Int = 200) -> HTTPResponse
    {
        let nonce = RequestGuard.newToken()
        let html = pages.page(view, request, nonce: nonce)
        var response = response(html.isFound ? status : 404, html.bytes, "text/html; charset=utf-8")
        response.headers[HTTPHeader("Content-Security-Policy")] =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src 'self' data:; "
            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
        return response
    }

    private func export(_ view: View) throws(RequestGuard.Refusal) -> HTTPResponse {
        let page = try wrap { () throws(PreviewProblem) in try StaticPage(project, campaign: view.campaign) }
        var response = response(200, page.html(), "text/html; charset=utf-8")
        response.headers[.contentDisposition] = "attachment; filename=\"preview.html\""
        return response
    }

    private func payload(
        _ pages: PreviewAnswers,
        _ view: View,
        _ request: HTTPRequest
    ) throws(RequestGuard.Refusal) -> HTTPResponse {
        let format = request.query["format"] ?? "simulator"
        let json = try wrap { () throws(PreviewProblem) in try pages.payload(view, format: format) }
        var response = response(200, json, "application/json")
        let suffix = format == "simulator" ? "apns" : "json"
        response.headers[.contentDisposition] = "attachment; filename=\"push.\(suffix)\""
        return response
    }

    /// Fetches an image, on a thread that may wait.
    private func image(at url: String) async throws(RequestGuard.Refusal) -> HTTPResponse {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(PreviewProblem) in try ImageFetch().image(at: url) }
                )
            }
        }
        let image = try wrap { () throws(PreviewProblem) in try result.get() }
        return json(
            PreviewAnswers.answer { json in
                json.beginObject()
                json.member("url", url)
                json.member("image", image)
                json.endObject()
            }
        )
    }

    private func save(
        _ pages: PreviewAnswers,
        _ view: View,
        _ body: [UInt8]
    ) throws(RequestGuard.Refusal) -> HTTPResponse {
        let request = DraftRequest(FormData.values(body))
        let isSaved = try wrap { () throws(PreviewProblem) in try pages.save(view, request) }
        guard isSaved else { return page(pages, view, request, status: 409) }
        var response = response(303, [], "text/plain")
        response.headers[.location] = "/\(token)/" + view.link { _ in }
        return response
    }

    private func events() -> HTTPResponse {
        let isFree = load.withLock { load in
            guard load.streams < Self.requestLimit / 2 else { return false }
            load.streams += 1
            return true
        }
        guard isFree else { return error(503, "busy", "too many pages are open") }
        let stream = EventStream(project: project) { [load] in load.withLock { $0.streams -= 1 } }
        var response = HTTPResponse(
            statusCode: .ok, headers: headers("text/event-stream"), body: HTTPBodySequence(from: stream)
        )
        response.headers[HTTPHeader("X-Accel-Buffering")] = "no"
        return response
    }

    // MARK: - Requests

    /// The bytes of a request.
    ///
    /// - Throws: that there are too many.
    private func body(of request: HTTPRequest) async throws(RequestGuard.Refusal) -> [UInt8] {
        let tooLarge = RequestGuard.Refusal(
            status: 413, code: "size", message: "a request has at most \(Self.bodyLimit) bytes")
        let count = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard count <= Self.bodyLimit, request.headers[.transferEncoding] == nil else { throw tooLarge }
        guard let data = try? await request.bodyData, data.count <= Self.bodyLimit else { throw tooLarge }
        return [UInt8](data)
    }

    /// Reads the rest of a request that is refused, so that it is not taken for the next one.
    private func drain(_ request: HTTPRequest) async {
        do {
            for try await _ in request.bodySequence {}
        } catch {
            // The connection is broken, and closed by the server.
        }
    }

    private func wrap<Result>(_ body: () throws(PreviewProblem) -> Result) throws(RequestGuard.Refusal) -> Result {
        do throws(PreviewProblem) {
            return try body()
        } catch {
            throw RequestGuard.Refusal(status: 422, code: "content", message: error.message)
        }
    }

    // MARK: - Responses

    private func headers(_ type: String) -> HTTPHeaders {
        [
            .contentType: type,
            .cacheControl: "no-store",
            HTTPHeader("X-Content-Type-Options"): "nosniff",
            HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
            HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
            HTTPHeader("Referrer-Policy"): "no-referrer",
            HTTPHeader("Content-Security-Policy"): "default-src 'none'; frame-ancestors 'none'",
        ]
    }

    private func response(_ status: Int, _ bytes: [UInt8], _ type: String) -> HTTPResponse {
        let phrases = [
            200: "OK", 303: "See Other", 403: "Forbidden", 404: "Not Found", 409: "Conflict",
            413: "Payload Too Large", 415: "Unsupported Media Type", 421: "Misdirected Request",
            422: "Unprocessable Content", 503: "Service Unavailable",
        ]
        let code = HTTPStatusCode(status, phrase: phrases[status] ?? "Error")
        // In one piece: otherwise every 4,096 bytes are written, and read, on their own.
        let body = HTTPBodySequence(data: Data(bytes), suggestedBufferSize: max(1, bytes.count))
        return HTTPResponse(statusCode: code, headers: headers(type), body: body)
    }

    private func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse { response(200, bytes, type) }

    private func json(_ bytes: [UInt8]) -> HTTPResponse { response(200, bytes, "application/json") }

    private func error(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
        response(status, PreviewAnswers.error(code, message), "application/json")
    }
}

/// Sends what is written at once.
///
/// Otherwise the system holds back the body of a response until the browser has confirmed its head, which takes up to
/// 40 ms.
private struct PromptSockets<Pool: AsyncSocketPool>: AsyncSocketPool {
    let pool: Pool

    func prepare() async throws { try await pool.prepare() }

    func run() async throws { try await pool.run() }

    /// Connections inherit the option from the socket that waits for them.
    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}

/// The stream of events: the number of the state of the files, whenever it changes.
private struct EventStream: AsyncBufferedSequence {
    typealias Element = UInt8

    let project: PreviewProject
    let onEnd: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator { Iterator(project: project, end: End(onEnd)) }

    /// Runs a function when the stream is no longer used, whatever ended it.
    fileprivate final class End: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        deinit { body() }
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let project: PreviewProject
        private let end: End
        private var last = 0

        fileprivate init(project: PreviewProject, end: End) {
            self.project = project
            self.end = end
        }

        mutating func next() async throws -> UInt8? { nil }

        /// The next event; after 10 seconds without one a comment, by which a closed connection is noticed.
        ///
        /// An empty buffer would end the stream.
        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            for _ in 0..<100 {
                let revision = project.revision
                if revision != last {
                    last = revision
                    return Array("event: state\ndata: {\"revision\":\(revision)}\n\n".utf8)
                }
                try await Task.sleep(nanoseconds: 100_000_000)
            }
            return Array(": still here\n\n".utf8)
        }
    }
}
