// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid
import SourceText

/// A text of a campaign, read once: its template, or nothing more where rendering cannot change it.
struct CompiledText: Sendable {
    let source: TemplateText
    let template: Template?

    init(_ source: TemplateText, environment: Environment, mode: ErrorMode) throws(LiquidError) {
        self.source = source
        guard source.holdsLiquid else {
            template = nil
            return
        }
        template = try Template(source.text, name: source.field, environment: environment, mode: mode)
    }
}

/// How a message ends before its payload is whole.
enum Interruption: Error {
    case aborted(reason: String)
    case failed(RenderError)
}

/// The one place where this module meets the Liquid engine.
///
/// One text is rendered at a time; what it printed stands ready until the next.
struct MessageEngine: ~Copyable {
    private var renderer: Renderer
    private var data: LiquidObject = .empty
    /// The text that was asked for last, where it needs no rendering.
    private var constant: String?

    init(_ options: RenderOptions) {
        var input = RenderInput(isDataShared: true, clock: options.now, timeZones: options.timeZones)
        input.failsOnUndefined = options.failsOnMissing
        renderer = Renderer(input)
    }

    /// Begins a message: its fields share the data, and nothing that a template sets.
    mutating func begin(_ data: LiquidObject) {
        self.data = data
        constant = nil
    }

    /// Whether a template asked for the time.
    var readsClock: Bool { renderer.readClock }

    /// Renders a text.
    mutating func render(_ text: CompiledText) throws(Interruption) {
        guard let template = text.template else {
            constant = text.source.text
            return
        }
        constant = nil
        let outcome: RenderOutcome
        do throws(LiquidError) {
            outcome = try renderer.render(template, data: data)
        } catch {
            throw .failed(RenderError(error, in: text.source))
        }
        if case .stopped(let reason) = outcome { throw .aborted(reason: reason) }
    }

    /// Runs `body` on what was printed.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard var constant else { return renderer.output.withUnsafeBytes(body) }
        return constant.withUTF8(body)
    }

    /// What was printed.
    var text: String { constant ?? renderer.output.string() }

    /// Whether nothing but white space was printed.
    var isBlank: Bool { withBytes { PayloadKit.isBlank($0) } }

    /// Writes what was printed as the value of the field that was begun.
    func writeString(to writer: inout PayloadWriter) {
        guard let constant else {
            renderer.output.withUnsafeBytes { writer.buffer.appendJSON(utf8: $0) }
            return
        }
        writer.buffer.appendJSON(constant)
    }
}

extension RenderError {
    /// An error of Liquid in a text, placed in the file that the text stands in.
    init(_ error: LiquidError, in text: TemplateText) {
        // Inside a content block the place is that of the tag that led there.
        let isInPartial = error.template != nil && error.template != text.field
        let range = isInPartial ? error.frames.last?.range : error.range
        var message = error.message
        if isInPartial, let template = error.template { message += ", in '\(template)'" }
        self.init(message, field: text.field, at: range.map { text.place(of: $0) } ?? text.place)
    }
}

extension Environment {
    /// The dialect of messages.
    static var messages: Environment { .standard }
}
