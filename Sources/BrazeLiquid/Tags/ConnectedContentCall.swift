// SPDX-License-Identifier: MIT

import DiagnosticSources

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

    /// The status of the last response; nil if no fixture has the URL.
    public var status: Int?

    /// The number of bytes of the last response.
    public var byteCount = 0

    /// Why Braze would not use the response; nil if Braze would use it.
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
