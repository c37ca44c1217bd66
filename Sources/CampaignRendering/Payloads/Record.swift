// SPDX-License-Identifier: MIT

public import BrazeLiquid
import DiagnosticSources
public import JSONTexts

/// One line of a batch: the outcome of one profile.
public struct Record: Sendable {
    /// The id of the user; nil if the profile has none or is broken.
    public var id: String?

    /// The path of the input file, with `!member` for a member of a zip archive; nil if there is only one input.
    public var file: String?

    /// The line in the input file, from 1; nil outside a batch.
    public var line: Int?

    /// The outcome of the message.
    public var outcome: Outcome

    /// The calls of connected content that the message made.
    public var connectedContentCalls: [ConnectedContentCall] = []

    /// For a message that is not sent: the warnings about fields of the profile that are not read.
    var fieldWarnings: [Diagnostic] = []

    /// Whether the record lists the calls of connected content.
    var writesCalls = true

    /// The values of `status`.
    static let statuses: Set<String> = ["rendered", "aborted", "failed"]

    /// Creates a record.
    public init(id: String?, file: String? = nil, line: Int? = nil, outcome: Outcome) {
        self.id = id
        self.file = file
        self.line = line
        self.outcome = outcome
    }

    /// Creates the record of a line that is not a profile.
    ///
    /// - Parameters:
    ///   - error: what is wrong with it; its range counts bytes of the line.
    ///   - path: the file as it is shown in messages.
    ///   - line: the line of the file, from 1.
    ///   - text: the bytes of the line.
    public init(broken error: ProfileError, in path: String, line: Int, text: some Sequence<UInt8>) {
        let file = SourceFile(path: path, line: line, bytes: Array(text))
        let place = SourcePlace(file, error.range)
        self.init(
            id: nil,
            line: line,
            outcome: .failed(RenderError(error.message, rule: .profileSyntax, at: place))
        )
    }

    /// The record as JSON.
    ///
    /// - Parameter pretty: whether each member is on a line of its own.
    /// - Returns: UTF-8 without a line break at its end.
    public func json(pretty: Bool = false) -> [UInt8] {
        var json = JSONWriter()
        write(into: &json)
        let bytes = json.buffer.withUnsafeBytes { Array($0) }
        return pretty ? Payload.formatted(bytes) : bytes
    }

    /// Writes the record as JSON on one line, without a line break at its end.
    ///
    /// The members are in this order, and members that do not apply are left out: `id`, `file`, `line`, `status`,
    /// `bytes`, `payload`, `reason`, `error`, `blank`, `message_extras`, `warnings`, `connected_content`.
    public func write(into json: inout JSONWriter) {
        Self.begin(id, file, line: line, &json)
        switch outcome {
        case .rendered(let payload):
            payload.bytes.withUnsafeBufferPointer { bytes in
                Self.write(bytes, blank: payload.blank, payload.messageExtras, payload.warnings, into: &json)
            }
        case .aborted(let reason):
            json.member("status", "aborted")
            json.escapingForDisplay { $0.member("reason", reason) }
        case .failed(let error):
            json.member("status", "failed")
            write(error, into: &json)
        }
        Self.write(fieldWarnings, into: &json)
        if writesCalls { Self.write(connectedContentCalls, into: &json) }
        json.endObject()
    }

    /// Writes the record of a sent message directly from the session that rendered it.
    static func write(
        rendered session: borrowing RenderSession,
        id: String?,
        line: Int,
        of block: borrowing LineBlock,
        into json: inout JSONWriter
    ) {
        begin(id, block.file, line: line, &json)
        session.writer.buffer.withUnsafeBytes { bytes in
            write(bytes, blank: session.writer.blank, session.engine.messageExtras, session.warnings, into: &json)
        }
        if session.renderer.options.connectedContentTrace == .recorded { write(session.engine.calls, into: &json) }
        json.endObject()
    }

    /// Begins the record of a message with the members from `id` to `line`.
    static func begin(_ id: String?, _ file: String?, line: Int?, _ json: inout JSONWriter) {
        json.beginObject()
        json.key(json: #""id":"#)
        if let id { json.string(id) } else { json.null() }
        if let file { json.member("file", file) }
        if let line {
            json.key(json: #""line":"#)
            json.integer(line)
        }
    }

    private static func write(
        _ payload: UnsafeBufferPointer<UInt8>,
        blank: [String],
        _ messageExtras: [(key: String, value: String)],
        _ warnings: [Diagnostic],
        into json: inout JSONWriter
    ) {
        // The order and form of these two members are fixed, so they are written as one text.
        json.key(json: #""status":"rendered","bytes":"#)
        json.integer(payload.count)
        json.key(json: #""payload":"#)
        json.raw(payload)
        if !blank.isEmpty { json.array("blank", blank) { $0.string($1) } }
        if !messageExtras.isEmpty {
            json.object("message_extras") { json in
                for (key, value) in messageExtras { json.member(key, value) }
            }
        }
        write(warnings, into: &json)
    }

    private static func write(_ warnings: [Diagnostic], into json: inout JSONWriter) {
        guard !warnings.isEmpty else { return }
        json.escapingForDisplay { json in
            json.array("warnings", warnings) { json, warning in
                json.object { json in
                    json.member("message", warning.message)
                    json.member("rule", warning.rule.name)
                }
            }
        }
    }

    private static func write(_ calls: [ConnectedContentCall], into json: inout JSONWriter) {
        guard !calls.isEmpty else { return }
        json.array("connected_content", calls) { json, call in
            json.object { json in
                json.member("field", call.field)
                json.member("method", call.method)
                json.member("url", call.url)
                let sent = [
                    ("headers", call.headers), ("body", call.body), ("content_type", call.contentType),
                    ("credential", call.credential),
                ]
                for (key, value) in sent {
                    if let value { json.member(key, value) }
                }
                if call.attempts > 1 { json.member("attempts", call.attempts) }
                if let status = call.status {
                    json.member("status", status)
                    json.member("bytes", call.byteCount)
                }
                json.member("taken", call.isTaken)
                if !call.isTaken { json.member("reason", call.refusal ?? call.outcome) }
            }
        }
    }

    private func write(_ error: RenderError, into json: inout JSONWriter) {
        json.object("error") { json in
            json.escapingForDisplay { $0.member("message", error.message) }
            json.member("rule", (error.rule ?? .renderError).name)
            if let field = error.field { json.escapingForDisplay { $0.member("field", field) } }
            if let start = error.place?.start {
                json.member("line", start.line)
                json.member("column", start.column)
            }
        }
    }
}
