// SPDX-License-Identifier: MIT

public import BrazeLiquid
import DiagnosticSources
import JSONTexts
public import LiquidTemplates

/// Renders one campaign for any number of users, one after the other, and reuses its memory.
///
/// A session belongs to one thread at a time.
public struct RenderSession: ~Copyable {
    let renderer: CampaignRenderer
    /// The parts of the renderer's message.
    let layout: MessageLayout
    var engine: MessageEngine
    var writer = PayloadWriter()
    var faults: [RenderError] = []
    var warnings: [Diagnostic] = []
    /// Whether each required pair is sent, by the index of its requirement.
    var sentExtras: [Bool]
    /// Minifies the JSON of a pair.
    var minifier = JSONMinifier()
    private var data: MessageData
    /// The texts of the campaign, listed when the first warning is reported: a batch may repeat the warning for every
    /// user.
    private var texts: [TemplateText] = []
    /// Whether to report fields of profiles that are not read.
    ///
    /// For a single profile, rules of `lint` report them.
    var reportsUnreadFields = false
    /// Counts the branches that messages take; nil if they are not counted.
    var coverageRecorder: CoverageRecorder?

    init(_ renderer: CampaignRenderer, coverage: CoverageRecorder? = nil) {
        self.renderer = renderer
        layout = MessageLayout(renderer.message)
        engine = MessageEngine(renderer.options, blocks: renderer.campaign.blocks, recorder: coverage?.recorder)
        coverageRecorder = coverage
        data = MessageData(renderer)
        sentExtras = renderer.message.contracts.map { _ in false }
    }

    var push: PushMessage { renderer.campaign.push }

    /// The branches that the messages of the session have taken; nil if they are not counted.
    public var coverage: Coverage? { coverageRecorder?.coverage }

    /// Whether a template asked for the time in the last rendering.
    public var readsClock: Bool { engine.readsClock }

    /// The calls of connected content in the last rendering; empty unless the options ask for them.
    public var connectedContentCalls: [ConnectedContentCall] { engine.calls }

    /// Renders the message for one user.
    ///
    /// - Parameters:
    ///   - profile: the user.
    ///   - triggerProperties: `api_trigger_properties`; a property of the profile takes precedence.
    /// - Returns: the payload, or the reason that there is none.
    public mutating func render(_ profile: Profile, triggerProperties: LiquidObject = .empty) -> Outcome {
        do throws(Interruption) {
            let parts = try write(profile, triggerProperties)
            suggestAttributes(profile, triggerProperties)
            if let error = error() { return .failed(error) }
            return .rendered(payload(parts, recipient: profile.externalID))
        } catch {
            return error.outcome
        }
    }

    /// The size of the payload, and its fields, whether or not the payload passes the checks; nil if there is none.
    mutating func size(of profile: Profile) -> (size: SizeBudget, fields: [Payload.Field])? {
        guard let parts = try? write(profile, .empty) else { return nil }
        return (parts.size, writer.fields)
    }

    // MARK: - The payload

    /// The parts of a payload that the writer does not hold.
    struct WrittenPayload {
        /// The category as rendered; nil if there is none, or if it is ``MessageLayout/constantCategory``.
        let renderedCategory: String?
        let hasImage: Bool
        /// The headers; nil if they are the same for all messages.
        let headers: [Payload.Header]?
        let size: SizeBudget
    }

    /// Writes the payload of one user.
    ///
    /// - Throws: the reason that the message ends before its payload is complete.
    mutating func write(_ profile: Profile, _ triggerProperties: LiquidObject) throws(Interruption) -> WrittenPayload {
        guard coverageRecorder != nil else { return try writeMessage(profile, triggerProperties) }
        defer { coverageRecorder?.endMessage() }
        return try writeMessage(profile, triggerProperties)
    }

    private mutating func writeMessage(
        _ profile: Profile,
        _ triggerProperties: LiquidObject
    ) throws(Interruption) -> WrittenPayload {
        if !faults.isEmpty { faults.removeAll(keepingCapacity: true) }
        if !warnings.isEmpty { warnings.removeAll(keepingCapacity: true) }
        let (root, fixtures, clock) = data.inputs(for: profile, triggerProperties)
        if renderer.readsDevice, profile.deviceCount > 1, root["most_recently_used_device"] == nil {
            report(.severalDevices, RenderMessages.severalDevices(profile.deviceCount), at: nil)
        }
        engine.begin(data: root, fixtures: fixtures, clock: clock, id: profile.id)
        if !profile.unreadFields.isEmpty, reportsUnreadFields {
            for message in profile.unreadFields.messages { report(.profileField, message, at: nil) }
        }
        let (category, hasImage) = try writeFields()
        let headers = layout.hasConstantHeaders ? nil : try headers()
        if !engine.missing.isEmpty, let severity = renderer.missingSeverity, severity != .error {
            for value in engine.missing {
                warnings.append(value.finding)
                warnings[warnings.count - 1].severity = severity
            }
        }
        if !engine.misusedValues.isEmpty {
            for value in engine.misusedValues {
                report(value.rule, value.message, field: value.field, at: value.place, severity: value.severity)
            }
        }
        if engine.hasWarnings {
            for warning in engine.warnings {
                report(
                    .renderWarning,
                    warning.message,
                    at: place(ofField: warning.field),
                    severity: warning.isHandled ? .info : nil
                )
            }
        }
        let size = SizeBudget(writer, budget: renderer.options.budget)
        check(size)
        if !warnings.isEmpty, let isSuppressed = renderer.options.isSuppressed {
            warnings.removeAll(where: isSuppressed)
        }
        return WrittenPayload(renderedCategory: category, hasImage: hasImage, headers: headers, size: size)
    }

    /// Adds suggestions to the findings about missing values: attributes of the user with similar names.
    ///
    /// A batch does not do this, because there the same finding is about many users.
    mutating func suggestAttributes(_ profile: Profile, _ triggerProperties: LiquidObject) {
        guard !engine.missing.isEmpty else { return }
        let suggested = engine.suggestAttributes(from: data.inputs(for: profile, triggerProperties).root)
        for index in warnings.indices where warnings[index].rule == .missingValue {
            warnings[index].message = suggested[warnings[index].message] ?? warnings[index].message
        }
    }

    private mutating func place(ofField field: String) -> SourcePlace? {
        if texts.isEmpty { texts = push.texts }
        return texts.first { $0.field.sameBytes(as: field) }?.place
    }

    /// The error that prevents the message from being sent; nil if it can be sent.
    ///
    /// Missing values make texts blank, which may break other rules. Where missing values are errors, only they are
    /// reported.
    func error() -> RenderError? {
        if faults.isEmpty, !missesValues { return nil }
        let faults = missesValues ? engine.missing.map(\.error) : faults
        guard var error = faults.first else { return nil }
        error.others = Array(faults.dropFirst())
        return error
    }

    /// Whether the message cannot be sent because a text prints a missing value.
    var missesValues: Bool { !engine.missing.isEmpty && renderer.missingSeverity == .error }

    /// The payload that was written.
    func payload(_ written: WrittenPayload, recipient: String?) -> Payload {
        // Inside the call below, the closure of `??` would copy the renderer.
        let category = written.renderedCategory ?? layout.constantCategory
        var use = renderer.shared.categoryUse
        use.category = category
        return Payload(
            bytes: writer.buffer.withUnsafeBytes { Array($0) },
            fields: writer.fields,
            parts: writer.parts,
            size: written.size,
            headers: Payload.Headers(
                written.headers ?? renderer.message.constantHeaders ?? [],
                isBackground: renderer.message.isBackground
            ),
            categoryUse: use,
            messageExtras: engine.messageExtras,
            connectedContentCalls: engine.calls,
            warnings: warnings,
            readsClock: engine.readsClock,
            shared: renderer.shared,
            recipient: recipient
        )
    }

    // MARK: - Headers and size

    /// The headers that the campaign sets.
    private mutating func headers() throws(Interruption) -> [Payload.Header] {
        var headers: [Payload.Header] = []
        for field in renderer.message.headers {
            if let header = field.header {
                headers.append(header)
            } else if let text = field.text, let value = try textUnlessBlank(text) {
                if let message = StaticChecks.overLimitMessage(field.field, bytes: value.utf8.count) {
                    let place = text.counted.source.place
                    report(field.field.rule ?? .campaignSyntax, message, field: field.name.text, at: place)
                }
                headers.append(Payload.Header(field.field, value))
            }
        }
        return headers
    }

    private mutating func check(_ size: SizeBudget) {
        guard size.isOverLimit || size.isOverBudget else { return }
        // Braze may send more than its API returned for the campaign.
        let isLeast = renderer.campaign.isCategoryNotGiven
        report(
            .payloadSize,
            size.isOverLimit
                ? RenderMessages.overLimit(size, writer.fields, isLeast: isLeast)
                : RenderMessages.overBudget(size, writer.fields, isLeast: isLeast),
            at: SourcePlace(wholeFile: renderer.campaign.file),
            severity: size.isOverLimit ? .error : .warning
        )
    }

    // MARK: - Parts

    /// Renders a text; returns nil, and warns, if the output is only white space.
    mutating func textUnlessBlank(_ text: Uncounted<CompiledText>?) throws(Interruption) -> String? {
        guard let text else { return nil }
        try engine.render(text)
        guard !engine.isBlank(text) else {
            warnLeftOut(text)
            return nil
        }
        return engine.output(of: text)
    }

    /// Reports a finding with the severity that the options give to its rule.
    ///
    /// An error prevents the message from being sent.
    mutating func report(
        _ rule: RuleID,
        _ message: String,
        field: String? = nil,
        at place: SourcePlace?,
        severity: Severity? = nil,
        related: [Diagnostic.Related] = []
    ) {
        let rules = renderer.options.rules
        let levels = rules.overrides.isEmpty ? rules : rules.levels(at: (place?.file ?? renderer.campaign.file).path)
        guard let severity = levels.severity(of: rule, severity ?? rule.severity) else { return }
        var error = RenderError(message, rule: rule, field: field, at: place)
        error.related = related
        if severity == .error { return faults.append(error) }
        warnings.append(error.diagnostic)
        warnings[warnings.count - 1].severity = severity
    }

    mutating func warnLeftOut(_ text: Uncounted<CompiledText>) {
        let text = text.counted.source
        report(.blankField, RenderMessages.leftOut(text.field), at: text.place)
    }
}

/// The parts of a message, in the order in which a session writes them.
///
/// The message has to outlive this value.
struct MessageLayout: ~Copyable {
    let alert: UncountedList<Part>
    let aps: UncountedList<Part>
    let top: UncountedList<Part>
    let extras: UncountedList<Uncounted<CompiledMessage.Extra>>
    /// The category, if it is among the ``ConstantFields``; nil if it is written on its own, or there is none.
    let constantCategory: String?
    let category: Uncounted<CompiledMessage.Field>?
    let imageURL: Uncounted<CompiledText>?
    let hasRenderedKeys: Bool
    let hasConstantHeaders: Bool
    /// The id of the campaign as JSON.
    let apiID: ByteBuffer
    /// Keeps the constant fields alive that the lists refer to.
    private let constants: [ConstantFields]

    /// A field, or adjacent fields that are the same in every message.
    enum Part: BitwiseCopyable {
        case field(Uncounted<CompiledMessage.Field>)
        case constants(Uncounted<ConstantFields>)
    }

    init(_ message: CompiledMessage) {
        var kept: [ConstantFields] = []
        alert = Self.parts(message.alert, &kept)
        aps = Self.parts(message.aps, &kept)
        top = Self.parts(message.top, &kept)
        constants = kept
        extras = UncountedList(message.extras.map { Uncounted($0) })
        category = message.category.map { Uncounted($0) }
        constantCategory = message.category.flatMap { $0.isConstant ? $0.text?.counted.text : nil }
        imageURL = message.imageURL.map { Uncounted($0) }
        hasRenderedKeys = message.hasRenderedKeys
        hasConstantHeaders = message.constantHeaders != nil
        var apiID = ByteBuffer(capacity: 64)
        if let id = message.apiID { apiID.appendJSON(id) } else { apiID.append("null") }
        self.apiID = apiID
    }

    /// Splits fields into parts; `kept` gets the constant fields, which have to outlive the result.
    private static func parts(
        _ fields: [CompiledMessage.Field],
        _ kept: inout [ConstantFields]
    ) -> UncountedList<Part> {
        var parts: [Part] = []
        var rest = fields[...]
        while let field = rest.first {
            let run = rest.prefix(while: \.isConstant)
            if run.isEmpty {
                parts.append(.field(Uncounted(field)))
            } else {
                let constants = ConstantFields(run)
                kept.append(constants)
                parts.append(.constants(Uncounted(constants)))
            }
            rest = rest.dropFirst(max(1, run.count))
        }
        return UncountedList(parts)
    }
}

/// A message that its author is still working on.
package struct MessageDraft: Sendable {
    /// The outcome, as `render` reports it.
    package let outcome: Outcome

    /// The payload, even if it does not pass its checks: Braze does not run them, and would send it.
    ///
    /// Nil if the message was aborted, or if Liquid failed.
    package let payload: Payload?
}

extension RenderSession {
    /// Renders the message for one user, and keeps the payload even if it does not pass its checks.
    ///
    /// - Parameters:
    ///   - profile: the user.
    ///   - triggerProperties: `api_trigger_properties`; a property of the profile takes precedence.
    /// - Returns: the outcome and the payload.
    package mutating func draft(_ profile: Profile, triggerProperties: LiquidObject = .empty) -> MessageDraft {
        do throws(Interruption) {
            let parts = try write(profile, triggerProperties)
            suggestAttributes(profile, triggerProperties)
            let payload = payload(parts, recipient: profile.externalID)
            return MessageDraft(outcome: error().map { .failed($0) } ?? .rendered(payload), payload: payload)
        } catch {
            return MessageDraft(outcome: error.outcome, payload: nil)
        }
    }
}
