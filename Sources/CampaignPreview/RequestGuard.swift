// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Decides whether a request may come from the page of this preview.
///
/// Other pages in the same browser can also send requests to this machine. But they do not know the token in the path,
/// and cannot choose the headers that browsers set.
struct RequestGuard: Sendable {
    /// Why a request is refused, with the status of the answer.
    struct Refusal: Error, Equatable {
        var status: Int
        var code: String
        var message: String

        /// The refusal of a request that is malformed.
        static let malformed = Refusal(status: 400, code: "syntax", message: "expected a request of HTTP 1.1")

        /// The refusal of a request without the token, or for an unknown path.
        static let notFound = Refusal(status: 404, code: "not-found", message: "page not found")
    }

    /// The methods of HTTP that requests may have.
    static let methods = ["GET", "POST", "PUT"]

    let token: String
    let port: UInt16

    /// A new token that cannot be guessed: 128 random bits.
    static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in (generator.next() as UInt64).hexadecimal(digits: 16) }.joined()
    }

    /// The path of an allowed request after the token.
    ///
    /// - Throws: the reason that the request is refused.
    func route(_ request: RequestHead) throws(Refusal) -> String {
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, isToken(parts[1]) else { throw .notFound }
        var hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        // Clients leave out the port 80, which is the default of HTTP.
        if port == 80 { hosts += ["127.0.0.1", "localhost"] }
        guard let host = request["host"]?.lowercased(), hosts.contains(host) else {
            throw Refusal(status: 421, code: "host", message: "this server answers only to 127.0.0.1:\(port)")
        }
        if let origin = request["origin"], !hosts.contains(where: { origin.lowercased() == "http://" + $0 }) {
            throw Refusal(status: 403, code: "origin", message: "the request comes from another page")
        }
        let route = String(parts[2])
        // The file that opens the page in a browser counts as another site: it may show the page, but not read from it.
        let isOpening = request.isNavigation && request.method == "GET" && route.isEmpty
        if let site = request["sec-fetch-site"], site != "same-origin", site != "none", !isOpening {
            throw Refusal(status: 403, code: "site", message: "the request comes from another page")
        }
        guard Self.methods.contains(request.method) else {
            throw Refusal(status: 405, code: "method", message: "expected \(Self.methods.joined(separator: ", "))")
        }
        if request.method != "GET" { try checkWrite(route, request) }
        return route
    }

    /// Checks a request that changes something or sends data.
    private func checkWrite(_ route: String, _ request: RequestHead) throws(Refusal) {
        let type = request["content-type"]?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        if route.hasPrefix("form-") {
            guard request["origin"] != nil else {
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
        guard request["x-payloadgen"] == "1" else {
            throw Refusal(status: 403, code: "mark", message: "expected the header X-Payloadgen")
        }
    }

    /// Whether a text is the token; the comparison takes the same time wherever they differ, so that the time reveals
    /// nothing.
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
