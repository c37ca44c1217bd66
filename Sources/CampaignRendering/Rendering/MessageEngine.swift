// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Renders the texts of messages; this is the only code of the module that renders with the Liquid engine.
///
/// One text is rendered at a time; its output is available until the next one is rendered. To read the output, the
/// caller passes the text again: the engine keeps no reference to it, as that would change two reference counts per
/// text.
struct MessageEngine: ~Copyable {
    private var renderer: BrazeRenderer

    /// The texts of the campaign's content blocks by their names.
    private let blocks: [String: TemplateText]

    /// The missing values that texts of the message print.
    ///
    /// Such values are rendered as nothing, so that one run reports all of them.
    private(set) var missing: [MissingValue] = []

    /// The missing values so far, by their places in the texts, as many messages miss the same values.
    ///
    /// The texts are kept alive, so that a new text cannot get the identity of a freed one.
    private var missingValues: [OutputPlace: (text: CompiledText, value: MissingValue)] = [:]

    /// The values that texts of the message use in a way that is probably a mistake.
    private(set) var misusedValues: [MisusedValue] = []

    /// A value that a filter in a text could not read, or that is compared with a value of another type.
    struct MisusedValue: Sendable {
        let rule: RuleID
        let severity: Severity
        let message: String
        let field: String
        let place: SourcePlace
    }

    /// A missing value that a text prints; a class for the same reason as ``CompiledText``.
    final class MissingValue: Sendable {
        /// The value, as it is written in the text.
        let variable: String
        let error: RenderError
        /// ``error`` as a finding.
        let finding: Diagnostic

        convenience init(
            _ variable: String, in partial: String? = nil, of text: CompiledText, at place: SourcePlace
        ) {
            let message = RenderMessages.missing(variable, in: partial)
            self.init(variable, RenderError(message, rule: .missingValue, field: text.source.field, at: place))
        }

        private init(_ variable: String, _ error: RenderError) {
            (self.variable, self.error) = (variable, error)
            finding = error.diagnostic
        }

        /// The missing value with a suggestion: the attribute in the data whose name is similar.
        func suggesting(from data: LiquidObject) -> MissingValue {
            guard let near = RenderMessages.nearAttribute(to: variable, in: data) else { return self }
            var error = error
            error.message += " (did you mean '\(near)'?)"
            return MissingValue(variable, error)
        }
    }

    private struct OutputPlace: Hashable {
        let text: ObjectIdentifier
        let range: SourceRange
        let source: String?
    }

    /// A text that was rendered, with the origin of its output.
    struct Record {
        let field: String
        let output: String
        let spans: [OutputSpan]
    }

    /// The texts rendered since ``beginRecords()``; nil if they are not recorded.
    private var records: [Record]?

    init(_ options: RenderOptions, blocks: [ContentBlock] = [], recorder: Recorder? = nil) {
        self.blocks = Dictionary(blocks.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
        var settings = BrazeSettings(
            clock: options.now,
            timeZones: options.timeZones,
            seed: options.seed,
            undefinedPolicy: options.missingPolicy == .ignoring ? .ignoring : .collecting,
            limits: options.limits,
            stopwatch: options.stopwatch
        )
        settings.tracesConnectedContent = options.connectedContentTrace != .none
        renderer = BrazeRenderer(settings)
        if let recorder { renderer.recorder = recorder }
    }

    /// Records the texts that are rendered from now on.
    mutating func beginRecords() { records = [] }

    /// Returns the texts since ``beginRecords()``, and stops recording.
    mutating func takeRecords() -> [Record] {
        defer { records = nil }
        return records ?? []
    }

    /// Begins a message.
    ///
    /// The fields of the message share the data, but not the variables that templates set.
    mutating func begin(data: consuming LiquidObject, fixtures: LiquidObject, clock: Time?, id: String?) {
        renderer.begin(data: data, fixtures: fixtures, clock: clock, recordID: id ?? "")
        if !missing.isEmpty { missing.removeAll(keepingCapacity: true) }
        if !misusedValues.isEmpty { misusedValues.removeAll(keepingCapacity: true) }
    }

    /// Whether a template of the message asked for the time.
    var readsClock: Bool { renderer.readsClock }

    /// The units of work of the message so far.
    var work: Int { renderer.work }

    /// What `{% message_extras %}` added to the message.
    var messageExtras: [(key: String, value: String)] { renderer.hasMessageExtras ? renderer.messageExtras : [] }

    /// The calls of connected content of the message, if the options ask for them.
    var calls: [ConnectedContentCall] { renderer.connectedContentCalls }

    /// Whether ``calls`` has elements; reading ``calls`` would change reference counts.
    var hasCalls: Bool { renderer.hasConnectedContentCalls }

    /// The warnings of the message.
    var warnings: [MessageWarning] { renderer.messageWarnings }

    /// Whether ``warnings`` may have elements; reading ``warnings`` would change reference counts.
    var hasWarnings: Bool { renderer.hasWarnings }

    /// Renders a text; its output is available until the next text is rendered.
    mutating func render(_ text: Uncounted<CompiledText>) throws(Interruption) {
        guard let template = text.template else { return }
        let result: Result<Bool, LiquidError> = template.with { template in
            do throws(LiquidError) {
                return .success(try renderer.renderField(template))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let isRendered):
            if renderer.hasObservations { collectObservations(in: text.counted) }
            if !isRendered { throw .aborted(reason: renderer.abortReason) }
            if records != nil, let recorder = renderer.recorder {
                records?.append(Record(field: text.counted.field, output: renderer.text, spans: recorder.spans))
            }
        case .failure(let error): throw .failed(RenderError(error, in: text.counted.source))
        }
    }

    /// Adds a suggestion to each missing value for which the data has an attribute with a similar name.
    ///
    /// - Parameter data: the data of the message.
    /// - Returns: the new messages of the findings, by their earlier messages.
    mutating func suggestAttributes(from data: LiquidObject) -> [String: String] {
        let suggested = missing.map { $0.suggesting(from: data) }
        let changed = zip(missing, suggested).map { ($0.finding.message, $1.finding.message) }
        missing = suggested
        return Dictionary(first: changed)
    }

    private mutating func collectObservations(in text: CompiledText) {
        for (range, source) in renderer.undefined { missing.append(missingValue(at: range, from: source, in: text)) }
        let source = text.source
        for (partial, variable, range, written) in renderer.undefinedInPartials {
            let place = placeInBlock(of: range, partial, at: range, is: written) ?? source.place
            missing.append(MissingValue(variable, in: partial, of: text, at: place))
        }
        for input in renderer.unreadInputs {
            var place = source.place(of: input.range)
            if let partial = input.partial {
                place = placeInBlock(of: input.range, partial, at: input.filterRange, is: input.filter) ?? source.place
            }
            let message = RenderMessages.unread(input)
            misusedValues.append(
                MisusedValue(
                    rule: input.rule, severity: input.severity, message: message, field: source.field, place: place)
            )
        }
        for compared in renderer.unlikeComparisons {
            let (range, text) = (compared.range, compared.writtenText)
            var place = source.place(of: range)
            if let partial = compared.partial {
                place = placeInBlock(of: range, partial, at: range, is: text) ?? source.place
            }
            let message = RenderMessages.unlike(compared)
            misusedValues.append(
                MisusedValue(
                    rule: .valueComparison, severity: .warning, message: message, field: source.field, place: place)
            )
        }
    }

    /// The place of a range in a content block, if the campaign has the text of the block that was rendered.
    ///
    /// - Parameters:
    ///   - range: the range to locate.
    ///   - partial: the name of the block.
    ///   - mark: a range in the block that is compared.
    ///   - text: the rendered block's text at `mark`.
    /// - Returns: the place; nil if the campaign has no such block, or has a different text at `mark`, because the
    ///   block came from a context or a user.
    private func placeInBlock(
        of range: SourceRange,
        _ partial: String,
        at mark: SourceRange,
        is text: String
    ) -> SourcePlace? {
        guard let block = blocks[partial], block.text(of: mark) == text else { return nil }
        return block.place(of: range)
    }

    /// The missing value at a range of a text; `source` is what the variable at the range was set to, if that is
    /// missing.
    private mutating func missingValue(
        at range: SourceRange, from source: String?, in text: CompiledText
    ) -> MissingValue {
        let place = OutputPlace(text: ObjectIdentifier(text), range: range, source: source)
        if let known = missingValues[place] { return known.value }
        let value = MissingValue(source ?? text.source.text(of: range), of: text, at: text.source.place(of: range))
        missingValues[place] = (text, value)
        return value
    }

    /// Calls `body` with the output of the text that was rendered last.
    @inline(__always)
    func withBytes<Result>(
        of text: Uncounted<CompiledText>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        guard text.template == nil else { return renderer.withUnsafeBytes(body) }
        return text.with { text in
            if let result = text.text.utf8.withContiguousStorageIfAvailable(body) { return result }
            var copy = text.text
            return copy.withUTF8(body)
        }
    }

    /// The output of the text that was rendered last.
    func output(of text: Uncounted<CompiledText>) -> String {
        text.template == nil ? text.with { $0.text } : renderer.text
    }

    /// Whether the output of the text that was rendered last is only white space.
    func isBlank(_ text: Uncounted<CompiledText>) -> Bool {
        text.template == nil ? text.with { $0.isBlank } : renderer.withUnsafeBytes { CampaignRendering.isBlank($0) }
    }

    /// Writes the output of the text that was rendered last, which has to be JSON, without white space between its
    /// parts.
    func minifyJSON(of text: Uncounted<CompiledText>, with minifier: inout JSONMinifier) throws(JSONError) {
        let result: Result<Void, JSONError> = withBytes(of: text) { bytes in
            do throws(JSONError) {
                return .success(try minifier.minify(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes the output of the text that was rendered last as the value of the field that was begun.
    func writeString(of text: Uncounted<CompiledText>, to writer: inout PayloadWriter) {
        if text.template == nil {
            text.with { text in text.json.withUnsafeBytes { writer.buffer.append($0) } }
        } else {
            renderer.withUnsafeBytes { writer.buffer.appendJSON(utf8: $0) }
        }
    }
}

extension Uncounted<CompiledText> {
    /// The template of the text; nil if rendering cannot change it.
    @inline(__always)
    fileprivate var template: Uncounted<Template>? { with { $0.uncountedTemplate } }
}

extension RenderError {
    /// Creates an error from one that Liquid reports in a text, with its place in the file of the text.
    init(_ error: LiquidError, in text: TemplateText) {
        // An error in a content block is reported at the tag that includes the block.
        let range = error.isInPartial ? error.frames.last?.range : error.range
        var message = error.message
        if error.topic == .unknownOperator, !error.isInPartial, let range {
            let rest = text.text.utf8.dropFirst(Int(range.end)).drop { $0 == UInt8(ascii: " ") }
            let next = String(
                decoding: rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }, as: UTF8.self)
            message = RenderMessages.unknownOperator(text.text(of: range), before: next)
        }
        if error.isInPartial, let template = error.template { message += ", in '\(template)'" }
        self.init(message, rule: error.rule, field: text.field, at: range.map { text.place(of: $0) } ?? text.place)
    }
}
