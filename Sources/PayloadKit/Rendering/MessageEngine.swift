// SPDX-License-Identifier: MIT

import BrazeLiquid
import JSON
import Liquid
import SourceText

/// A text of a campaign, read once: its template, or what it prints where rendering cannot change it.
///
/// It is a class because each message hands on all texts, and a copy of one would count a reference for each of its parts.
/// What rendering reads of it is its own, so that threads with texts of their own share nothing.
final class CompiledText: Sendable {
    let source: TemplateText
    let field: String
    let template: Template?

    /// What a text without a template prints.
    let text: String
    /// The same as JSON.
    let json: ByteBuffer
    /// Whether that is nothing but white space.
    let isBlank: Bool

    /// A text that is taken as it is written.
    init(_ source: TemplateText) {
        self.source = source
        field = source.field.detached
        template = nil
        text = source.text.detached
        json = ByteBuffer(json: text)
        isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }

    init(_ source: TemplateText, environment: Environment, mode: ErrorMode) throws(LiquidError) {
        self.source = source
        field = source.field.detached
        template = try Template(source.text, name: field, environment: environment, mode: mode)
        text = ""
        json = ByteBuffer()
        isBlank = false
    }
}

/// How a message ends before its payload is whole.
enum Interruption: Error {
    case aborted(reason: String)
    case failed(RenderError)

    /// What became of the message.
    var outcome: Outcome {
        switch self {
        case .aborted(let reason): .aborted(reason: reason)
        case .failed(let error): .failed(error)
        }
    }
}

/// The one place where this module meets the Liquid engine.
///
/// One text is rendered at a time; what it printed stands ready until the next.
struct MessageEngine: ~Copyable {
    private var renderer: BrazeRenderer
    /// The text that was asked for last, where it needs no rendering.
    private var constant: CompiledText?

    /// What the texts of the message print although it does not exist; it leaves its place blank, so that one run tells of
    /// everything.
    private(set) var missing: [RenderError] = []

    init(_ options: RenderOptions) {
        renderer = BrazeRenderer(
            BrazeSettings(
                clock: options.now,
                timeZones: options.timeZones,
                seed: options.seed,
                undefinedPolicy: options.missingPolicy == .ignoring ? .ignoring : .collecting,
                limits: options.limits,
                stopwatch: options.stopwatch
            )
        )
    }

    /// Begins a message: its fields share the data, and nothing that a template sets.
    mutating func begin(data: LiquidObject, fixtures: LiquidObject, clock: Time?, id: String?) {
        renderer.begin(data: data, fixtures: fixtures, clock: clock, recordID: id ?? "")
        constant = nil
        if !missing.isEmpty { missing.removeAll() }
    }

    /// Whether a template asked for the time.
    var readsClock: Bool { renderer.readClock }

    /// What `{% message_extras %}` added to the message.
    var messageExtras: [(key: String, value: String)] { renderer.messageExtras }

    /// What went on in the message although something was wrong.
    var warnings: [String] { renderer.warnings }

    /// Renders a text.
    mutating func render(_ text: CompiledText) throws(Interruption) {
        guard let template = text.template else {
            constant = text
            return
        }
        if constant != nil { constant = nil }
        let outcome: BrazeOutcome
        do throws(LiquidError) {
            outcome = try renderer.render(template, field: text.field)
        } catch {
            throw .failed(RenderError(error, in: text.source))
        }
        for range in renderer.undefined {
            missing.append(
                RenderError(
                    "'\(text.source.text(of: range))' is missing",
                    rule: .missingValue,
                    field: text.source.field,
                    at: text.source.place(of: range)
                )
            )
        }
        if case .aborted(let reason) = outcome { throw .aborted(reason: reason) }
    }

    /// Runs `body` on what was printed.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard let constant else { return renderer.withUnsafeBytes(body) }
        var text = constant.text
        return text.withUTF8(body)
    }

    /// What was printed.
    var text: String { constant?.text ?? renderer.text }

    /// Whether nothing but white space was printed.
    var isBlank: Bool { constant?.isBlank ?? renderer.withUnsafeBytes { PayloadKit.isBlank($0) } }

    /// Writes what was printed, which has to be JSON, without the white space between its parts.
    func minifyJSON(with writer: inout JSONWriter) throws(JSONError) {
        let result: Result<Void, JSONError> = withBytes { bytes in
            do throws(JSONError) {
                return .success(try PayloadKit.minifyJSON(bytes, with: &writer))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes what was printed as the value of the field that was begun.
    func writeString(to writer: inout PayloadWriter) {
        if let constant {
            constant.json.withUnsafeBytes { writer.buffer.append($0) }
        } else {
            renderer.withUnsafeBytes { writer.buffer.appendJSON(utf8: $0) }
        }
    }
}

extension RenderError {
    /// An error of Liquid in a text, placed in the file that the text stands in.
    init(_ error: LiquidError, in text: TemplateText) {
        // Inside a content block the place is that of the tag that led there.
        let range = error.isInPartial ? error.frames.last?.range : error.range
        var message = error.message
        if error.isInPartial, let template = error.template { message += ", in '\(template)'" }
        self.init(message, field: text.field, at: range.map { text.place(of: $0) } ?? text.place)
    }
}
