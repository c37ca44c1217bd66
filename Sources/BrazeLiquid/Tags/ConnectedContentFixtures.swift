// SPDX-License-Identifier: MIT

import Liquid
import SourceText

/// What a URL answers.
struct ConnectedContentAnswer {
    var status: Int
    var body: String
    /// Seconds.
    var elapsed: Double

    /// Whether Braze would take the answer: in time, not too long, and a success.
    var isTaken: Bool {
        (200..<300).contains(status) && elapsed <= Self.longestSeconds && body.utf8.count <= Self.largestBytes
    }

    /// Why not.
    var refusal: String {
        if elapsed > Self.longestSeconds { return "no answer within \(Int(Self.longestSeconds)) seconds" }
        if body.utf8.count > Self.largestBytes { return "an answer of more than \(Self.largestBytes) bytes" }
        return "status \(status)"
    }

    /// Whether asking again may help.
    var isWorthRetrying: Bool { status >= 500 || status == 0 || elapsed > Self.longestSeconds }

    private static let longestSeconds = 2.0
    private static let largestBytes = 1_000_000
}

extension MessageState {
    /// How often Braze asks again.
    private static let mostRetries = 5

    /// The answer to a request; nil where nothing of it is inserted.
    ///
    /// With `:retry` the next fixtures of the same URL are what asking again answers; when none of them helps, the
    /// message ends, unless it aborts itself.
    ///
    /// - Throws: `context` where there is no fixture for the URL, `argument` for a fixture that is none.
    func answer(to request: ConnectedContentRequest) throws(LiquidError) -> ConnectedContentAnswer? {
        let answers = try answers(to: request)
        use("connected_content", request.url)
        guard var last = answers.first else { throw missing(request) }
        if !last.isTaken, request.retries, last.isWorthRetrying {
            for answer in answers.dropFirst().prefix(Self.mostRetries) {
                last = answer
                if answer.isTaken || !answer.isWorthRetrying { break }
            }
            if !last.isTaken, last.isWorthRetrying, pendingAbort == nil {
                pendingAbort = "exhausted_cc_retries: \(request.url) gave \(last.refusal)"
            }
        }
        if last.isTaken { return last }
        warn("connected content \(request.url) gave \(last.refusal): nothing is inserted")
        return nil
    }

    private func answers(to request: ConnectedContentRequest) throws(LiquidError) -> [ConnectedContentAnswer] {
        guard let list = fixtures["connected_content"] else { return [] }
        guard case .array(let fixtures) = list else {
            throw LiquidError(.argument, "'connected_content' of the context has to be a list")
        }
        var answers: [ConnectedContentAnswer] = []
        for fixture in fixtures {
            guard case .object(let fixture) = fixture, case .string(let url)? = fixture["url"] else {
                throw LiquidError(.argument, "an element of 'connected_content' has no 'url'")
            }
            guard url.sameBytes(as: request.url) else { continue }
            if case .string(let method)? = fixture["method"], method.uppercased() != request.method { continue }
            answers.append(try ConnectedContentAnswer(fixture, url))
        }
        return answers
    }

    private func missing(_ request: ConnectedContentRequest) -> LiquidError {
        var message = "no fixture for connected content \(request.method) \(request.url)"
        if case .array(let fixtures)? = fixtures["connected_content"] {
            let urls = fixtures.compactMap { fixture -> String? in
                guard case .object(let fixture) = fixture, case .string(let url)? = fixture["url"] else { return nil }
                return url
            }
            if let near = nearestName(to: request.url, in: urls) { message += ", did you mean \(near)?" }
        }
        return LiquidError(.context, message)
    }
}

extension ConnectedContentAnswer {
    /// Reads a fixture: `status` (200 where it is left out), `body` (text, or JSON as a value), `elapsed`.
    fileprivate init(_ fixture: LiquidObject, _ url: String) throws(LiquidError) {
        switch fixture["status"] {
        case .integer(let status)?: self.status = status
        case nil: status = 200
        default: throw LiquidError(.argument, "'status' of the fixture for \(url) has to be an integer")
        }
        switch fixture["body"] {
        case .string(let text)?: body = text
        case nil, .null?: body = ""
        case let value?:
            var writer = JSONWriter()
            value.write(json: &writer)
            body = writer.buffer.string()
        }
        switch fixture["elapsed"] {
        case .integer(let seconds)?: elapsed = Double(seconds)
        case .float(let seconds)?: elapsed = seconds
        case nil, .null?: elapsed = 0
        default: throw LiquidError(.argument, "'elapsed' of the fixture for \(url) has to be a number of seconds")
        }
    }
}
