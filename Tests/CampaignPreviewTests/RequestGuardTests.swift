// SPDX-License-Identifier: MIT

import Testing

@testable import CampaignPreview

/// The guard refuses requests of other pages, and of programs that do not know the token.
@Suite struct RequestGuardTests {
    private static let check = RequestGuard(token: "0123456789abcdef0123456789abcdef", port: 4000)

    private static func request(
        _ method: String = "GET",
        _ path: String = "/0123456789abcdef0123456789abcdef/",
        host: String? = "127.0.0.1:4000",
        origin: String? = nil,
        site: String? = nil,
        type: String? = nil,
        mark: String? = nil,
        isNavigation: Bool = false
    ) -> RequestHead {
        let headers = [
            "host": host, "origin": origin, "sec-fetch-site": site, "content-type": type, "x-payloadgen": mark,
            "sec-fetch-mode": isNavigation ? "navigate" : nil, "sec-fetch-dest": isNavigation ? "document" : nil,
        ]
        return RequestHead(method: method, path: path, query: "", headers: headers.compactMapValues(\.self))
    }

    private func status(_ request: RequestHead) -> Int {
        do throws(RequestGuard.Refusal) {
            _ = try Self.check.route(request)
            return 200
        } catch {
            return error.status
        }
    }

    @Test func `the page itself may ask`() throws {
        #expect(try Self.check.route(Self.request()) == "")
        #expect(
            status(Self.request(host: "localhost:4000", origin: "http://localhost:4000", site: "same-origin")) == 200)
        #expect(status(Self.request(site: "none")) == 200)
        let render = "/0123456789abcdef0123456789abcdef/api/render"
        let own = "http://127.0.0.1:4000"
        #expect(
            status(Self.request("POST", render, origin: own, type: "application/json; charset=utf-8", mark: "1")) == 200
        )
        let form = "/0123456789abcdef0123456789abcdef/form-save"
        #expect(status(Self.request("POST", form, origin: own, type: "application/x-www-form-urlencoded")) == 200)
    }

    @Test(arguments: ["example.com", "127.0.0.1", "127.0.0.1:4001", "127.0.0.1:4000.example.com", "[::1]:4000", ""])
    func `another host is misdirected`(host: String) {
        #expect(status(Self.request(host: host)) == 421)
        #expect(status(Self.request(host: nil)) == 421)
    }

    @Test func `clients leave out the port of HTTP`() {
        let check = RequestGuard(token: Self.check.token, port: 80)
        for host in ["127.0.0.1", "localhost", "127.0.0.1:80"] {
            let request = Self.request(host: host, origin: "http://" + host)
            #expect(throws: Never.self) { try check.route(request) }
        }
        let other = Self.request(host: "example.com")
        #expect(throws: RequestGuard.Refusal.self) { try check.route(other) }
    }

    @Test(arguments: ["HEAD", "OPTIONS", "DELETE", "get"])
    func `a method that nothing here has is refused`(method: String) {
        #expect(status(Self.request(method)) == 405)
    }

    @Test(arguments: [
        "/", "", "/0123456789abcdef0123456789abcde/", "/0123456789abcdef0123456789abcdef",
        "/0123456789abcdef0123456789abcdeg/",
        "/0123456789abcdef0123456789abcdef0/", "//0123456789abcdef0123456789abcdef/",
        "/../0123456789abcdef0123456789abcdef/",
    ])
    func `a path without the token is nothing`(path: String) {
        #expect(status(Self.request("GET", path)) == 404)
    }

    @Test(arguments: ["http://example.com", "https://127.0.0.1:4000", "http://127.0.0.1:4001", "null"])
    func `another origin is refused`(origin: String) {
        #expect(status(Self.request(origin: origin)) == 403)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `a request that another site starts is refused`(site: String) {
        #expect(status(Self.request(site: site)) == 403)
    }

    @Test func `the file that opens the page leads there, and to nothing else`() {
        func navigation(_ method: String = "GET", _ route: String = "") -> RequestHead {
            Self.request(
                method, "/0123456789abcdef0123456789abcdef/" + route, site: "cross-site", type: "application/json",
                mark: "1", isNavigation: true)
        }
        #expect(status(navigation()) == 200)
        #expect(status(navigation("GET", "api/state")) == 403)
        #expect(status(navigation("POST")) == 403)
    }

    @Test func `a form of another site can neither render nor save`() {
        let own = "http://127.0.0.1:4000"
        let api = "/0123456789abcdef0123456789abcdef/api/campaign"
        #expect(status(Self.request("PUT", api, origin: own, type: "text/plain", mark: "1")) == 415)
        #expect(status(Self.request("PUT", api, origin: own, type: "application/json")) == 403)
        #expect(status(Self.request("POST", api, origin: own, type: "application/x-www-form-urlencoded")) == 415)
        let form = "/0123456789abcdef0123456789abcdef/form-save"
        #expect(status(Self.request("POST", form, type: "application/x-www-form-urlencoded")) == 403)
        #expect(status(Self.request("POST", form, origin: own, type: "text/plain")) == 415)
    }

    @Test func `tokens are long and differ`() {
        let tokens = Set((0..<100).map { _ in RequestGuard.newToken() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.utf8.count == 32 })
    }
}
