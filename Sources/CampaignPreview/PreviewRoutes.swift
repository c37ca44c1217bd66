// SPDX-License-Identifier: MIT

import JSONTexts
import POSIXFiles

/// Chooses the answer to each request that ``RequestGuard`` has allowed.
struct PreviewRoutes: Sendable {
    let project: PreviewProject
    let token: String

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - head: the head of the request.
    ///   - route: the path after the token.
    ///   - body: the body of the request.
    /// - Returns: the answer, which may report that nothing is at the path.
    func response(to head: RequestHead, _ route: String, _ body: [UInt8]) -> Response {
        do throws(PreviewProblem) {
            return try answer(head, route, body)
        } catch {
            return Response(RequestGuard.Refusal(status: 422, code: "content", message: error.message))
        }
    }

    private func answer(
        _ head: RequestHead,
        _ route: String,
        _ body: [UInt8]
    ) throws(PreviewProblem) -> Response {
        let view = PageView(query: head.query)
        let pages = PreviewAnswers(project)
        switch (head.method, route) {
        case ("GET", ""), ("GET", "form-preview"): return try page(pages, view, DraftRequest())
        case ("GET", "page.css"): return Response(Array(PageTemplate.style.utf8), "text/css; charset=utf-8")
        case ("GET", "page.js"): return Response(script: PackageResources.page_js)
        case ("GET", "measure.js"): return Response(script: PackageResources.measure_js)
        case ("GET", "export"):
            let page = try StaticPage(project, campaign: view.campaign)
            return Response(try page.html(), "text/html; charset=utf-8").saved(as: "preview.html")
        case ("GET", "api/state"): return Response(json: try pages.state(view))
        case ("GET", "api/payload"):
            let values = FormData.values(Array(head.query.utf8))
            let format = values.first { $0.name == "format" }?.value ?? "simulator"
            let suffix = format == "simulator" ? "apns" : "json"
            return Response(json: try pages.payload(view, format: format)).saved(as: "push.\(suffix)")
        case ("GET", "api/profile"): return Response(json: try pages.profile(view)).saved(as: "profile.json")
        case ("POST", "form-preview"): return try page(pages, view, DraftRequest(FormData.values(body)))
        case ("POST", "form-save"):
            let request = DraftRequest(FormData.values(body))
            guard try pages.save(view, request) else { return try page(pages, view, request, status: 409) }
            var response = Response([], "text/plain", status: 303)
            response.headers.append(("Location", "/\(token)/" + view.link { _ in }))
            return response
        case ("POST", "api/render"): return Response(json: try pages.render(body))
        case ("POST", "api/complete"): return Response(json: try pages.complete(body))
        case ("POST", "api/cover"): return Response(json: try pages.cover(body))
        case ("POST", "api/image"):
            let url = try pages.imageURL(body)
            let image = try ImageFetch().image(at: url)
            return Response(
                json: PreviewAnswers.answer { json in
                    json.member("url", url)
                    json.member("image", image)
                }
            )
        case ("PUT", "api/campaign"):
            let saved = try pages.save(body)
            return Response(json: saved.json, status: saved.isConflicting ? 409 : 200)
        default: return Response(.notFound)
        }
    }

    private func page(
        _ pages: PreviewAnswers,
        _ view: PageView,
        _ request: DraftRequest,
        status: Int = 200
    ) throws(PreviewProblem) -> Response {
        let nonce = RequestGuard.newToken()
        let html = try pages.page(view, request, nonce: nonce)
        var response = Response(html.bytes, "text/html; charset=utf-8", status: html.isFound ? status : 404)
        response.policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src 'self' data:; "
            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
        return response
    }
}

/// The answer to a request.
struct Response: Sendable {
    private let status: Int
    private let type: String
    private let body: [UInt8]

    /// The `Content-Security-Policy`, by which the browser limits what the answer can load and run.
    var policy = "default-src 'none'; frame-ancestors 'none'"

    /// The headers that the answer has in addition to the usual ones.
    var headers: [(name: String, value: String)] = []

    init(_ body: [UInt8], _ type: String, status: Int = 200) {
        self.status = status
        self.type = type
        self.body = body
    }

    init(script: [UInt8]) {
        self.init(Array(PageTemplate.withoutComments(script).utf8), "text/javascript; charset=utf-8")
    }

    init(json: [UInt8], status: Int = 200) { self.init(json, "application/json", status: status) }

    init(_ refusal: RequestGuard.Refusal) {
        self.init(json: PreviewAnswers.error(refusal.code, refusal.message), status: refusal.status)
        if status == 405 { headers.append(("Allow", RequestGuard.methods.joined(separator: ", "))) }
    }

    /// The same answer, marked so that a browser saves it as a file.
    func saved(as name: String) -> Response {
        var response = self
        response.headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
        return response
    }

    /// The bytes of the whole answer, after which the connection is closed.
    var bytes: [UInt8] {
        Array(head(more: [("Content-Length", "\(body.count)")]).utf8) + body
    }

    /// The head of an answer that sends events until the connection ends.
    static var eventStream: [UInt8] { Array(Response([], "text/event-stream").head(more: []).utf8) }

    private func head(more: [(name: String, value: String)]) -> String {
        let common: [(name: String, value: String)] = [
            ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"), ("Content-Security-Policy", policy), ("Connection", "close"),
        ]
        let lines = (common + headers + more).map { "\($0.name): \($0.value)\r\n" }
        return "HTTP/1.1 \(status) \(Self.phrases[status] ?? "Error")\r\n\(lines.joined())\r\n"
    }

    private static let phrases = [
        200: "OK", 303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 409: "Conflict", 411: "Length Required", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type",
        421: "Misdirected Request", 422: "Unprocessable Content", 431: "Request Header Fields Too Large",
        503: "Service Unavailable",
    ]
}
