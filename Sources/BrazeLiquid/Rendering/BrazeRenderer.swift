// SPDX-License-Identifier: MIT

public import DiagnosticSources
public import LiquidTemplates

/// Settings for rendering the fields of messages, the same for all users.
public struct BrazeSettings: Sendable {
    /// The instant of `now`, unless the context sets another one.
    public var clock: Time

    /// Provides the offsets of named time zones.
    public var timeZones: any TimeZoneProvider

    /// The seed of `{% random %}`.
    public var seed: Int

    /// What happens when a variable or attribute that does not exist is printed.
    public var undefinedPolicy: RenderInput.UndefinedPolicy

    /// The limits of a message; the limits of output, work and time apply to all fields of the message together.
    public var limits: Limits

    /// The stopwatch for the limit of seconds; nil for no such limit.
    public var stopwatch: (any Stopwatch)?

    /// Whether ``BrazeRenderer/connectedContentCalls`` are recorded.
    public var tracesConnectedContent = false

    /// Creates settings.
    public init(
        clock: Time,
        timeZones: any TimeZoneProvider = NoTimeZones(),
        seed: Int = 0,
        undefinedPolicy: RenderInput.UndefinedPolicy = .ignoring,
        limits: Limits = Limits(),
        stopwatch: (any Stopwatch)? = nil
    ) {
        self.clock = clock
        self.timeZones = timeZones
        self.seed = seed
        self.undefinedPolicy = undefinedPolicy
        self.limits = limits
        self.stopwatch = stopwatch
    }
}

/// How the rendering of a field ended.
public enum BrazeOutcome: Sendable, Equatable {
    /// The field was rendered completely; ``BrazeRenderer/text`` has the result.
    case rendered
    /// A tag ended the message, which is not sent.
    case aborted(reason: String)
}

/// Renders the fields of messages, one message at a time.
///
/// ```swift
/// var renderer = BrazeRenderer(BrazeSettings(clock: now))
/// let title = try Template("Hi {{${first_name}}}", name: "title", environment: BrazeEnvironment.standard)
/// renderer.begin(context, recordID: "ana-1")
/// if try renderer.render(title, field: "title") == .rendered { print(renderer.text) }
/// ```
///
/// Nothing is fetched: connected content, catalogs and promotion codes come from the fixtures of the context. The
/// fields of a message share its data, its promotion codes and ``messageExtras``, but no variables. A renderer reuses
/// its memory for each field, and only one thread at a time may use it.
public struct BrazeRenderer: ~Copyable {
    @usableFromInline var renderer: Renderer
    private let settings: BrazeSettings
    private let state = MessageState()
    private var clock: Time
    /// The clock that the context of the current message sets; nil if it sets none.
    private var givenClock: Time?
    private var contentBlocks = LiquidObject.empty
    private var didReadClock = false
    /// Whether a field of the message has been rendered, so that its output, work and time count towards the limits.
    private var hasBegun = false

    /// Records what rendering the fields does; nil to record nothing.
    ///
    /// The recorder forgets all templates and counts when the content blocks or the clock of a message differ from
    /// those of the message before.
    public var recorder: Recorder? {
        didSet { renderer.recorder = recorder }
    }

    /// Creates a renderer.
    public init(_ settings: BrazeSettings) {
        self.settings = settings
        clock = settings.clock
        state.tracesCalls = settings.tracesConnectedContent
        renderer = Renderer(Self.input(settings, clock: settings.clock, contentBlocks: .empty, state))
    }

    private static func input(
        _ settings: BrazeSettings,
        clock: Time,
        contentBlocks: LiquidObject,
        _ state: MessageState
    ) -> RenderInput {
        var input = RenderInput(
            isDataShared: true,
            clock: clock,
            timeZones: settings.timeZones,
            partials: ContentBlocks(sources: contentBlocks),
            limits: settings.limits,
            host: state
        )
        input.undefinedPolicy = settings.undefinedPolicy
        input.stopwatch = settings.stopwatch
        return input
    }

    /// Begins a message.
    ///
    /// - Parameters:
    ///   - context: the data that the fields may read.
    ///   - recordID: the user's ID, which is one of the inputs of `{% random %}`.
    public mutating func begin(_ context: RenderContext, recordID: String = "") {
        begin(data: context.root, fixtures: context.fixtures, clock: context.now, recordID: recordID)
    }

    /// Begins a message whose data is already one object of namespaces and variables.
    package mutating func begin(
        data: consuming LiquidObject,
        fixtures: LiquidObject,
        clock: Time?,
        recordID: String
    ) {
        hasBegun = false
        // Most messages have the same fixtures and clock as the message before.
        let isAlike = fixtures === state.fixtures && clock === givenClock
        state.begin(fixtures, seed: settings.seed, recordID: recordID)
        if !isAlike { begin(clock: clock) }
        renderer.setData(data)
    }

    private mutating func begin(clock: Time?) {
        givenClock = clock
        let blocks = state.members("content_blocks")
        let clock = clock ?? settings.clock
        if blocks !== contentBlocks || clock != self.clock {
            // The engine caches compiled content blocks and the clock, so a change needs a new renderer.
            didReadClock = didReadClock || renderer.readsClock
            contentBlocks = blocks
            self.clock = clock
            renderer = Renderer(Self.input(settings, clock: clock, contentBlocks: blocks, state))
            recorder?.removeAll()
            renderer.recorder = recorder
        }
    }

    /// Renders a field of the message.
    ///
    /// - Parameters:
    ///   - template: a template of ``BrazeEnvironment``.
    ///   - field: the field's name, which is one of the inputs of `{% random %}`.
    /// - Returns: whether the field was rendered or ended the message; if it was rendered, ``text`` has the result.
    /// - Throws: the first error, which also ends the message.
    public mutating func render(_ template: Template, field: String = "") throws(LiquidError) -> BrazeOutcome {
        state.begin(field: field)
        return try run(template) ? .rendered : .aborted(reason: abortReason)
    }

    /// Renders the field that has the same name as the template, without changing reference counts of the name.
    ///
    /// - Returns: whether the message continues; otherwise, ``abortReason`` is the reason.
    /// - Throws: the first error, which also ends the message.
    package mutating func renderField(_ template: Template) throws(LiquidError) -> Bool {
        state.begin(fieldOf: template)
        defer { state.endField() }
        return try run(template)
    }

    @inline(__always)
    private mutating func run(_ template: Template) throws(LiquidError) -> Bool {
        let continues = hasBegun
        hasBegun = true
        if case .stopped(let reason) = try renderer.render(template, continuing: continues) {
            state.pendingAbort = reason
        }
        // Binding the reason to a variable would copy it for each field.
        return state.pendingAbort == nil
    }

    /// Why the last field ended the message; empty if it did not.
    package var abortReason: String { state.pendingAbort ?? "" }

    /// The text of the last field.
    public var text: String { renderer.output.string() }

    /// Calls `body` with the UTF-8 of the last field's text.
    @inlinable @inline(__always)
    public func withUnsafeBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        renderer.output.withUnsafeBytes(body)
    }

    /// The units of work that the fields of the message have used so far; see `Limits.work`.
    public var work: Int { hasBegun ? renderer.work : 0 }

    /// The extras that `{% message_extras %}` added to the message, in order.
    public var messageExtras: [(key: String, value: String)] { state.messageExtras }

    /// Whether ``messageExtras`` has elements; unlike reading these, this changes no reference counts.
    package var hasMessageExtras: Bool { !state.messageExtras.isEmpty }

    /// The fixtures that the message has read, in order and without repetitions.
    public var fixturesUsed: [FixtureUse] { state.fixturesUsed }

    /// Problems that did not end the message, such as extras that were cut.
    public var warnings: [String] { state.warnings.map(\.message) }

    /// The problems of ``warnings``, each with the field in which it occurred.
    package var messageWarnings: [MessageWarning] { state.warnings }

    /// Whether ``warnings`` has elements; unlike reading these, this changes no reference counts.
    package var hasWarnings: Bool { !state.warnings.isEmpty }

    /// The calls of connected content that the message made, in order, if the settings record them.
    public var connectedContentCalls: [ConnectedContentCall] { state.calls }

    /// Whether ``connectedContentCalls`` has elements; unlike reading these, this changes no reference counts.
    package var hasConnectedContentCalls: Bool { !state.calls.isEmpty }

    /// The ranges in the last field's template that printed a variable or attribute that does not exist, if the
    /// settings collect them; `source` is the missing value that was assigned to the variable, as written; nil if none
    /// was.
    public var undefined: [(range: SourceRange, source: String?)] { renderer.undefined }

    /// The variables and attributes that do not exist but are printed by content blocks and other templates inside the
    /// last field, if the settings collect them; each has the first range that prints it, with the text there.
    public var undefinedInPartials: [(partial: String, variable: String, range: SourceRange, text: String)] {
        renderer.undefinedInPartials
    }

    /// The values that filters of the last field could not read; only the first value at each place.
    public var unreadInputs: [UnreadInput] { renderer.unreadInputs }

    /// The comparisons of the last field that are probably not what is meant; only the first at each place.
    public var unlikeComparisons: [UnlikeComparison] { renderer.unlikeComparisons }

    /// Whether ``undefined``, ``undefinedInPartials``, ``unreadInputs`` or ``unlikeComparisons`` may have elements.
    package var hasObservations: Bool { renderer.hasObservations }

    /// Whether any template rendered so far has read the clock.
    public var readsClock: Bool { didReadClock || renderer.readsClock }
}

/// The content blocks of a context; as with all fixtures, a missing content block is an error of the context.
private struct ContentBlocks: PartialProvider {
    let sources: LiquidObject

    func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        if case .string(let source)? = sources[name] { return Array(source.utf8) }
        if let value = sources[name] {
            throw LiquidError(.context, "the content block '\(name)' is \(value.kindName), expected a text")
        }
        throw LiquidError(.context, unknownName("content block", name, in: sources.keys))
    }
}

/// The message about an unknown name; it suggests a similar known name or else lists the first few known names.
func unknownName(_ kind: String, _ name: String, in known: [String]) -> String {
    let message = "there is no \(kind) '\(name)'"
    if let near = nearestName(to: name, in: known) { return message + didYouMean(near) }
    if known.isEmpty { return "\(message), and the data of the message has none at all" }
    return "\(message), expected one of \(known.quoted(atMost: 5))"
}
