// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Decides whether a request may come from the page of this preview.
///
/// Other pages of the same browser can send requests to this machine too. They know neither the token in the path, nor
/// can they choose the headers that browsers set.
struct RequestGuard: Sendable {
    /// What a request asks for and where it comes from.
    struct Request: Sendable {
        var method: String
        /// The path without the query, as it was sent.
        var path: String
        var host: String?
        var origin: String?
        var fetchSite: String?
        /// Whether a browser asks for a page to show in a tab.
        var isNavigation = false
        var contentType: String?
        /// The header `X-Payloadgen`, which no form can send.
        var mark: String?
    }

    /// Why a request is refused.
    struct Refusal: Error, Equatable {
        var status: Int
        var code: String
        var message: String

        /// What was sent is not a request that this server reads.
        static let malformed = Refusal(status: 400, code: "syntax", message: "expected a request of HTTP 1.1")

        /// Nothing is at the path.
        static let notFound = Refusal(status: 404, code: "not-found", message: "there is nothing here")
    }

    /// The methods that requests may have.
    static let methods = ["GET", "POST", "PUT"]

    let token: String
    let port: UInt16

    /// A token that cannot be guessed: 128 random bits.
    static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in (generator.next() as UInt64).hexadecimal(digits: 16) }.joined()
    }

    /// The path after the token.
    ///
    /// - Throws: why the request is refused.
    func route(_ request: Request) throws(Refusal) -> String {
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, isToken(parts[1]) else { throw .notFound }
        var hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        // Clients leave out the port of HTTP.
        if port == 80 { hosts += ["127.0.0.1", "localhost"] }
        guard let host = request.host?.lowercased(), hosts.contains(host) else {
            throw Refusal(status: 421, code: "host", message: "this server answers only to 127.0.0.1:\(port)")
        }
        if let origin = request.origin, !hosts.contains(where: { origin.lowercased() == "http://" + $0 }) {
            throw Refusal(status: 403, code: "origin", message: "the request comes from another page")
        }
        let route = String(parts[2])
        // The file that opens the page in a browser is another site: it may lead there, but read nothing.
        let isOpening = request.isNavigation && request.method == "GET" && route.isEmpty
        if let site = request.fetchSite, site != "same-origin", site != "none", !isOpening {
            throw Refusal(status: 403, code: "site", message: "the request comes from another page")
        }
        guard Self.methods.contains(request.method) else {
            throw Refusal(status: 405, code: "method", message: "expected \(Self.methods.joined(separator: ", "))")
        }
        if request.method != "GET" { try checkWrite(route, request) }
        return route
    }

    /// Checks a request that carries data.
    private func checkWrite(_ route: String, _ request: Request) throws(Refusal) {
        let type = request.contentType?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        if route.hasPrefix("form-") {
            guard request.origin != nil else {
                throw Refusal(status: 403, code: "origin", message: "the form does not say which page it was sent from")
            }
            guard type == "application/x-www-form-urlencoded" else {
                throw Refusal(status: 415, code: "type", message: "expected the data of a form")
            }
            return
        }
        guard type == "application/json" else {
            throw Refusal(status: 415, code: "type", message: "expected application/json")
        }
        guard request.mark == "1" else {
            throw Refusal(status: 403, code: "mark", message: "expected the header X-Payloadgen")
        }
    }

    /// Compares in a time that does not depend on where the first difference is.
    private func isToken(_ text: Substring) -> Bool {
        let expected = Array(token.utf8)
        let found = Array(text.utf8)
        var difference = expected.count ^ found.count
        for index in expected.indices {
            difference |= Int(expected[index] ^ (index < found.count ? found[index] : 0))
        }
        return difference == 0
    }
}

extension RequestGuard.Request {
    init(_ head: RequestHead) {
        self.init(
            method: head.method,
            path: head.path,
            host: head["host"],
            origin: head["origin"],
            fetchSite: head["sec-fetch-site"],
            isNavigation: head["sec-fetch-mode"] == "navigate" && head["sec-fetch-dest"] == "document",
            contentType: head["content-type"],
            mark: head["x-payloadgen"]
        )
    }
}
