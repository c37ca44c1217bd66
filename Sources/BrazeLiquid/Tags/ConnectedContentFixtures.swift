// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// The response that a fixture gives for a URL.
struct ConnectedContentAnswer {
    var status: Int
    var body: String
    /// The duration of the response, in seconds.
    var elapsed: Double

    /// Whether Braze would use the response: it succeeds, is in time and is not too long.
    var isTaken: Bool {
        (200..<300).contains(status) && elapsed <= Self.longestSeconds && body.utf8.count <= Self.largestBytes
    }

    /// The reason why Braze would not use the response.
    var refusal: String {
        if elapsed > Self.longestSeconds { return "no answer within \(Int(Self.longestSeconds)) seconds" }
        if body.utf8.count > Self.largestBytes { return "an answer of more than \(Self.largestBytes) bytes" }
        return "status \(status)"
    }

    /// Whether Braze would try the request again.
    var isWorthRetrying: Bool { status >= 500 || status == 0 || elapsed > Self.longestSeconds }

    private static let longestSeconds = 2.0
    private static let largestBytes = 1_000_000
}

extension MessageState {
    /// The most retries that Braze makes for a request.
    private static let mostRetries = 5

    /// The units of work that finding the response to a request costs.
    var connectedContentWork: Int {
        if case .array(let fixtures)? = fixtures[ConnectedContentFixture.contextKey] { fixtures.count * 8 } else { 0 }
    }

    /// The response to a request, which Braze may refuse to insert.
    ///
    /// With `:retry`, further fixtures for the same URL are the responses to the retries. If none of them succeeds, the
    /// message ends after the field is rendered, unless `abort_message` ends it first.
    ///
    /// - Throws: `context` if there is no fixture for the URL.
    func answer(to request: ConnectedContentRequest) throws(LiquidError) -> ConnectedContentAnswer {
        let answers = try answers(to: request)
        use(ConnectedContentFixture.contextKey, request.url)
        guard var last = answers.first else {
            if tracesCalls { record(ConnectedContentCall(request, field: field)) }
            throw try missing(request)
        }
        var attempts = 1
        if !last.isTaken, request.retries, last.isWorthRetrying {
            for answer in answers.dropFirst().prefix(Self.mostRetries) {
                last = answer
                attempts += 1
                if answer.isTaken || !answer.isWorthRetrying { break }
            }
            if !last.isTaken, last.isWorthRetrying, pendingAbort == nil {
                pendingAbort = "exhausted_cc_retries: \(request.url) returned \(last.refusal)"
            }
        }
        if tracesCalls {
            var call = ConnectedContentCall(request, field: field)
            (call.status, call.byteCount, call.attempts) = (last.status, last.body.utf8.count, attempts)
            call.refusal = last.isTaken ? nil : last.refusal
            record(call)
        }
        return last
    }

    private func answers(to request: ConnectedContentRequest) throws(LiquidError) -> [ConnectedContentAnswer] {
        var exact: [ConnectedContentAnswer] = []
        var others: [ConnectedContentAnswer] = []
        for fixture in try ConnectedContentFixture.all(in: fixtures[ConnectedContentFixture.contextKey] ?? .null)
        where fixture.method ?? request.method == request.method {
            if fixture.url.sameBytes(as: request.url) {
                exact.append(try fixture.answer())
            } else if exact.isEmpty, URLPattern(fixture.url).matches(request.url) {
                others.append(try fixture.answer())
            }
        }
        // A fixture with the exact URL takes precedence over patterns.
        return exact.isEmpty ? others : exact
    }

    private func missing(_ request: ConnectedContentRequest) throws(LiquidError) -> LiquidError {
        var message = "no fixture for connected content \(request.method) \(request.url)"
        let fixtures = try ConnectedContentFixture.all(in: fixtures[ConnectedContentFixture.contextKey] ?? .null)
        if let near = nearestName(to: request.url, in: fixtures.map(\.url)) { message += ", did you mean \(near)?" }
        return LiquidError(.context, message)
    }
}

/// A fixture for connected content: a URL and its response.
struct ConnectedContentFixture {
    /// The key of the context that holds the fixtures.
    static let contextKey = "connected_content"

    let url: String
    private let members: LiquidObject

    /// The method of the requests that the fixture answers; nil for any method.
    var method: String? {
        if case .string(let method)? = members["method"] { method.uppercased() } else { nil }
    }

    private static let keys = ["url", "method", "status", "body", "elapsed"]

    /// Reads a list of fixtures; for nil, returns an empty list.
    ///
    /// - Throws: `argument` for an invalid list.
    static func all(in list: Value) throws(LiquidError) -> [ConnectedContentFixture] {
        switch list {
        case .null: return []
        case .array(let elements):
            var fixtures: [ConnectedContentFixture] = []
            for element in elements { fixtures.append(try ConnectedContentFixture(element)) }
            return fixtures
        default: throw LiquidError(.argument, "'\(contextKey)' has to be a list")
        }
    }

    private init(_ element: Value) throws(LiquidError) {
        guard case .object(let members) = element, case .string(let url)? = members["url"] else {
            throw LiquidError(.argument, "an element of '\(Self.contextKey)' has no 'url'")
        }
        self.url = url
        self.members = members
    }

    /// Checks the members of the fixture.
    ///
    /// - Throws: `argument` for an unknown key or a value of the wrong type.
    func check() throws(LiquidError) {
        for key in members.keys where !Self.keys.contains(key) {
            let near = nearestName(to: key, in: Self.keys)
            throw LiquidError(
                .argument,
                "unknown key '\(key)' in the fixture for \(url)" + didYouMean(near)
            )
        }
        _ = try answer()
    }

    /// The response: `status` (200 if missing), `body` (text, or a JSON value), `elapsed` (seconds).
    func answer() throws(LiquidError) -> ConnectedContentAnswer {
        var answer = ConnectedContentAnswer(status: 200, body: "", elapsed: 0)
        switch members["status"] {
        case .integer(let status)?: answer.status = status
        case nil: break
        default: throw LiquidError(.argument, "'status' of the fixture for \(url) has to be an integer")
        }
        switch members["body"] {
        case .string(let text)?: answer.body = text
        case nil, .null?: break
        case let value?:
            var writer = JSONWriter()
            value.write(json: &writer)
            answer.body = writer.buffer.string()
        }
        switch members["elapsed"] {
        case .integer(let seconds)?: answer.elapsed = Double(seconds)
        case .float(let seconds)?: answer.elapsed = seconds
        case nil, .null?: break
        default: throw LiquidError(.argument, "'elapsed' of the fixture for \(url) has to be a number of seconds")
        }
        return answer
    }
}
