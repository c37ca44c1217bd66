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

    /// The open brackets and quotes of inline JSON, inside of which a word with a colon is not an option.
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
        url = try values.text(markup.url, limits).trimmedSpace.replacingNoBreakSpaces
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
    fileprivate var replacingNoBreakSpaces: String {
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
