// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

extension TagDefinition {
    /// `{% connected_content URL :save name … %}`: sets a variable to the response of the fixture for the URL, or
    /// prints the response.
    ///
    /// Source: Braze, "Making a Connected Content call" and related pages.
    static let connectedContent = TagDefinition(
        "connected_content",
        summary: "Sets a variable to the JSON response of a URL, or prints the response; responses come from fixtures.",
        takesText: true
    ) { (markup) throws(LiquidError) -> ConnectedContentMarkup in
        try ConnectedContentMarkup(&markup)
    } run: { (markup, values, renderer) throws(LiquidError) in
        let request = try ConnectedContentRequest(markup, values, renderer.limits)
        let state = try renderer.messageState()
        try renderer.charge(work: state.connectedContentWork)
        let answer = try state.answer(to: request)
        guard answer.isTaken else {
            state.warn(
                "connected content \(request.url) returned \(answer.refusal): nothing is inserted",
                isHandled: renderer.worksWithout(request.variable)
            )
            try renderer.assign(request.variable, .null)
            return .proceed
        }
        let body =
            request.rerenders ? try renderer.rerendered(answer.body, name: "connected content") : answer.body
        let value = try renderer.withFilterContext { (context) throws(LiquidError) in
            try Value(connectedContent: body, &context)
        }
        if let value {
            try renderer.assign(request.variable, value.withStatus(answer.status))
        } else {
            renderer.write(body)
        }
        return .proceed
    }
}

/// The markup of `connected_content`: the URL, and the name and text of each option.
struct ConnectedContentMarkup: Sendable {
    /// The known options, each with whether it takes a value.
    static let known: [String: Bool] = [
        "auth_credentials": true, "basic_auth": true, "body": true, "cache": true, "cache_max_age": true,
        "content_type": true, "headers": true, "method": true, "no_cache": false, "rerender": false, "retry": false,
        "save": true,
    ]

    let url: MarkupText
    private(set) var options: [(name: String, value: MarkupText)] = []

    init(_ markup: inout TagMarkup) throws(LiquidError) {
        let (url, options) = Self.split(markup)
        guard let url else {
            throw markup.error("expected an address, such as https://example.com/weather.json, before the options")
        }
        self.url = try markup.readText(url)
        for option in options {
            let name = String(markup.text(option.name).dropFirst())
            guard let takesValue = Self.known[name] else {
                let near = nearestName(to: name, in: Self.known.keys.sorted())
                throw markup.error(
                    "unknown option ':\(name)'" + didYouMean(near.map { ":" + $0 }),
                    at: option.name
                )
            }
            if takesValue == option.value.isEmpty {
                throw markup.error("':\(name)' takes \(takesValue ? "a" : "no") value", at: option.name)
            }
            self.options.append((name, try markup.readText(option.value)))
        }
    }

    /// The range of the URL, and the ranges of each option's name and value.
    private static func split(
        _ markup: borrowing TagMarkup
    ) -> (url: Range<Int>?, options: [(name: Range<Int>, value: Range<Int>)]) {
        var url: Range<Int>?
        var options: [(name: Range<Int>, value: Range<Int>)] = []
        var nesting = Nesting()
        for word in markup.words(in: markup.range) {
            if nesting.isClosed, markup[word.lowerBound] == UInt8(ascii: ":"), word.count > 1,
                markup[word.lowerBound + 1] | 0x20 >= UInt8(ascii: "a")
            {
                options.append((word, word.upperBound..<word.upperBound))
                continue
            }
            if let last = options.indices.last {
                let lower = options[last].value.isEmpty ? word.lowerBound : options[last].value.lowerBound
                options[last].value = lower..<word.upperBound
                for offset in word { nesting.read(markup[offset]) }
            } else {
                url = (url?.lowerBound ?? word.lowerBound)..<word.upperBound
            }
        }
        return (url, options)
    }

    /// The brackets and quotes of inline JSON that are open; between them, a word with a colon is not an option.
    private struct Nesting {
        private var depth = 0
        private var isQuoted = false
        private var isEscaped = false

        var isClosed: Bool { depth <= 0 }

        mutating func read(_ byte: UInt8) {
            if isEscaped {
                isEscaped = false
                return
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "\""): if depth > 0 { isQuoted.toggle() }
            case UInt8(ascii: "{"), UInt8(ascii: "["): if !isQuoted { depth += 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if !isQuoted { depth -= 1 }
            default: break
            }
        }
    }
}

/// The request of a `connected_content` tag.
struct ConnectedContentRequest {
    let url: String
    var method = "GET"
    var variable = "connected"
    var retries = false
    var rerenders = false
    var headers: String?
    var body: String?
    var contentType: String?
    var credential: String?

    /// Evaluates the texts of the tag's markup.
    init(_ markup: ConnectedContentMarkup, _ values: TagValues, _ limits: Limits) throws(LiquidError) {
        // Like Braze, this also removes no-break spaces from the URL.
        url = try values.text(markup.url, limits).trimmedSpace.withoutNoBreakSpaces
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
            throw LiquidError(.argument, "found '\(url)' as the URL of connected content, expected http:// or https://")
        }
        for (option, text) in markup.options {
            let value = try values.text(text, limits).trimmedSpace
            switch option {
            case "method": method = try Self.method(value)
            case "save": variable = try Self.variable(value)
            case "retry": retries = true
            case "rerender": rerenders = true
            case "cache_max_age", "cache":
                guard let seconds = Int(value), seconds >= 0 else {
                    throw LiquidError(.argument, "found '\(value)' as ':\(option)', expected a number of seconds")
                }
            case "headers":
                guard let headers = try? Value(json: value), case .object = headers else {
                    throw LiquidError(.argument, "':headers' of connected content has to be a JSON object")
                }
                self.headers = value
            case "body": body = value
            case "content_type": contentType = value
            case "basic_auth", "auth_credentials": credential = value
            default: break
            }
        }
    }

    private static func method(_ value: String) throws(LiquidError) -> String {
        let method = value.uppercased()
        guard method == "GET" || method == "POST" else {
            throw LiquidError(.argument, "found '\(value)' as the method of connected content, expected get or post")
        }
        return method
    }

    private static func variable(_ value: String) throws(LiquidError) -> String {
        let isName =
            value.utf8.first.map { !$0.isDigit } ?? false
            && value.utf8.allSatisfy(\.isWordByte)
        guard isName else {
            throw LiquidError(
                .argument,
                "found '\(value)' as the name after ':save', expected letters, digits and '_'"
            )
        }
        return value
    }
}

extension String {
    /// The text without U+00A0.
    fileprivate var withoutNoBreakSpaces: String {
        guard unicodeScalars.contains("\u{A0}") else { return self }
        var result = UnicodeScalarView()
        for scalar in unicodeScalars where scalar != "\u{A0}" { result.append(scalar) }
        return String(result)
    }
}

extension Value {
    /// The value of a response that is a JSON object or array; nil for text.
    ///
    /// A single number or word counts as text, because most services that return one mean text.
    fileprivate init?(connectedContent body: String, _ context: inout FilterContext) throws(LiquidError) {
        try context.charge(work: body.utf8.count)
        let value: Value
        do throws(JSONError) {
            value = try context.value(json: body)
        } catch {
            switch error.fault {
            case .tooLarge: throw context.liveBytesError
            case .numberTooLarge, .tooManyDigits:
                throw LiquidError(.argument, "cannot read the response of connected content: \(error.message)")
            default: return nil
            }
        }
        switch value {
        case .object, .array: self = value
        default: return nil
        }
    }

    /// Adds the status of the response to an object; returns any other value unchanged.
    fileprivate func withStatus(_ status: Int) -> Value {
        guard case .object(let object) = self else { return self }
        var builder = LiquidObject.Builder(object)
        builder.set("__http_status_code__", .integer(status))
        return .object(LiquidObject(builder))
    }
}

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
    /// The maximum number of retries that Braze makes for a request.
    private static let mostRetries = 5

    /// The units of work that finding the response to a request costs.
    var connectedContentWork: Int {
        if case .array(let fixtures)? = fixtures[ConnectedContentFixture.contextKey] { fixtures.count * 8 } else { 0 }
    }

    /// The response to a request, which Braze may refuse to insert.
    ///
    /// With `:retry`, the second and later fixtures for the same URL are the responses to the retries. If the last
    /// response fails in a way that Braze would retry, the message ends after the field is rendered, unless
    /// `abort_message` ends it first.
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

/// The URL of a fixture, in which `*` matches any run of characters.
///
/// A pattern lets one fixture answer the different URLs of all users in a batch.
package struct URLPattern: Sendable {
    private let pattern: [UInt8]

    /// Whether the URL contains a `*`.
    package let isPattern: Bool

    /// Creates a pattern from the URL of a fixture.
    package init(_ text: String) {
        pattern = Array(text.utf8)
        isPattern = pattern.contains(UInt8(ascii: "*"))
    }

    /// Whether a URL matches; in the worst case, the time is proportional to the product of both lengths.
    package func matches(_ address: String) -> Bool {
        guard isPattern else { return pattern.elementsEqual(address.utf8) }
        return Wildcards.matches(Array(address.utf8)[...], pattern[...]) {
            $0 == $1
        } isAny: {
            $0 == UInt8(ascii: "*")
        }
    }
}

/// A call of connected content that a message made, and its outcome.
public struct ConnectedContentCall: Sendable, Hashable {
    /// The field of the message, such as `title`.
    public var field: String

    /// `GET` or `POST`.
    public var method: String

    /// The URL, with the Liquid in it rendered.
    public var url: String

    /// The JSON object after `:headers`; nil if there is none.
    public var headers: String?

    /// The text after `:body`; nil if there is none.
    public var body: String?

    /// The text after `:content_type`; nil if there is none.
    public var contentType: String?

    /// The name after `:basic_auth` or `:auth_credentials`; nil if there is none.
    public var credential: String?

    /// How many times the call was made; more than once only with `:retry`.
    public var attempts = 1

    /// The status of the last response; nil if no fixture answers the call.
    public var status: Int?

    /// The number of bytes of the last response.
    public var byteCount = 0

    /// Why Braze would not use the response; nil if Braze would use it, or if no fixture answers the call.
    public var refusal: String?

    /// Whether Braze would use the response.
    public var isTaken: Bool { status != nil && refusal == nil }

    /// The call and its outcome on one line.
    public var summary: String { "\(method) \(url): \(outcome)" }

    /// The outcome of the call, in words.
    public var outcome: String {
        guard let status else { return "no fixture answers" }
        let repeated = attempts > 1 ? ", after \(attempts) attempts" : ""
        if let refusal { return "not taken: \(refusal)\(repeated)" }
        return "taken: status \(status), \(counted(byteCount, "byte"))\(repeated)"
    }

    init(_ request: ConnectedContentRequest, field: String) {
        self.field = field
        method = request.method
        url = request.url
        headers = request.headers
        body = request.body
        contentType = request.contentType
        credential = request.credential
    }
}
