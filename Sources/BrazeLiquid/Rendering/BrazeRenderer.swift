// SPDX-License-Identifier: MIT

public import Liquid
public import SourceText

/// How the fields of messages are rendered, the same for every user.
public struct BrazeSettings: Sendable {
    /// What `now` means, where the context does not say it.
    public var clock: Time

    /// The offsets of named time zones.
    public var timeZones: any TimeZoneProvider

    /// What `{% random %}` starts from.
    public var seed: Int

    /// What happens where a variable or attribute is printed that does not exist.
    public var undefinedPolicy: RenderInput.UndefinedPolicy

    /// The limits of a message: those of output, work and time are for all its fields together.
    public var limits: Limits

    /// What measures the time for the limit of seconds; nil for no such limit.
    public var stopwatch: (any Stopwatch)?

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

/// How the rendering of one field ended.
public enum BrazeOutcome: Sendable, Equatable {
    /// At its end; the text is in the renderer.
    case rendered
    /// At a tag that ends the message, which is not sent.
    case aborted(reason: String)
}

/// Renders the fields of messages, one message after the other.
///
/// ```swift
/// var renderer = BrazeRenderer(BrazeSettings(clock: now))
/// let title = try Template("Hi {{${first_name}}}", name: "title", environment: BrazeEnvironment.standard)
/// renderer.begin(context, recordID: "ana-1")
/// if try renderer.render(title, field: "title") == .rendered { print(renderer.text) }
/// ```
///
/// Nothing is fetched: connected content, catalogs and promotion codes come from the fixtures of the context. The
/// fields of a message share its data, its promotion codes and ``messageExtras``, but no variable. A renderer keeps its
/// memory from one field to the next and belongs to one thread at a time.
public struct BrazeRenderer: ~Copyable {
    private var renderer: Renderer
    private let settings: BrazeSettings
    private let state = MessageState()
    private var data = LiquidObject.empty
    private var clock: Time
    /// What the message that began last said of the clock.
    private var givenClock: Time?
    private var contentBlocks = LiquidObject.empty
    private var didReadClock = false
    /// Whether a field of the message was rendered, whose output, work and time count for the next.
    private var hasBegun = false

    /// Creates a renderer.
    public init(_ settings: BrazeSettings) {
        self.settings = settings
        clock = settings.clock
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
    ///   - context: what its fields may read.
    ///   - recordID: the user's id, of which `{% random %}` depends.
    public mutating func begin(_ context: RenderContext, recordID: String = "") {
        begin(data: context.root, fixtures: context.fixtures, clock: context.now, recordID: recordID)
    }

    /// Begins a message whose data is an object of namespaces and variables already.
    package mutating func begin(data: LiquidObject, fixtures: LiquidObject, clock: Time?, recordID: String) {
        self.data = data
        hasBegun = false
        // Most messages have the fixtures and the clock of the one before.
        let isAlike = fixtures === state.fixtures && clock === givenClock
        state.begin(fixtures, seed: settings.seed, recordID: recordID)
        if !isAlike { begin(clock: clock) }
    }

    private mutating func begin(clock: Time?) {
        givenClock = clock
        let blocks = state.members("content_blocks")
        let clock = clock ?? settings.clock
        if blocks !== contentBlocks || clock != self.clock {
            // The engine keeps what it compiled of content blocks, and its clock.
            didReadClock = didReadClock || renderer.readClock
            contentBlocks = blocks
            self.clock = clock
            renderer = Renderer(Self.input(settings, clock: clock, contentBlocks: blocks, state))
        }
    }

    /// Renders a field of the message.
    ///
    /// - Parameters:
    ///   - template: a template of ``BrazeEnvironment``.
    ///   - field: the field's name, of which `{% random %}` depends.
    /// - Returns: how it ended; the text is ``text``.
    /// - Throws: the first error, which ends the message too.
    public mutating func render(_ template: Template, field: String = "") throws(LiquidError) -> BrazeOutcome {
        state.begin(field: field)
        let continues = hasBegun
        hasBegun = true
        switch try renderer.render(template, data: data, continuing: continues) {
        case .stopped(let reason): return .aborted(reason: reason)
        case .completed:
            if let reason = state.pendingAbort { return .aborted(reason: reason) }
            return .rendered
        }
    }

    /// What the last field printed.
    public var text: String { renderer.output.string() }

    /// Runs `body` on the bytes that the last field printed.
    public func withUnsafeBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        renderer.output.withUnsafeBytes(body)
    }

    /// The units of work that the fields of the message took so far; see ``Limits/work``.
    public var work: Int { hasBegun ? renderer.work : 0 }

    /// What `{% message_extras %}` added to the message, in order.
    public var messageExtras: [(key: String, value: String)] { state.messageExtras }

    /// The fixtures that the message asked for, in order, each once.
    public var fixturesUsed: [FixtureUse] { state.fixturesUsed }

    /// What went on in the message although something was wrong, such as extras that were cut.
    public var warnings: [String] { state.warnings }

    /// Where the last field printed what does not exist, as ranges of its template, where the settings collect that.
    public var undefined: [SourceRange] { renderer.undefined }

    /// Whether any template so far asked for the time.
    public var readClock: Bool { didReadClock || renderer.readClock }
}

/// The content blocks of a context.
private struct ContentBlocks: PartialProvider {
    let sources: LiquidObject

    func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        if case .string(let source)? = sources[name] { return Array(source.utf8) }
        throw LiquidError(.fileSystem, unknownName("content block", name, in: sources.keys))
    }
}

/// The message about a name that is none of the known ones.
func unknownName(_ kind: String, _ name: String, in known: [String]) -> String {
    let message = "there is no \(kind) '\(name)'"
    if let near = nearestName(to: name, in: known) { return "\(message), did you mean '\(near)'?" }
    if known.isEmpty { return "\(message): the context holds none" }
    let listed = known.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
    return "\(message), expected one of \(listed)\(known.count > 5 ? ", …" : "")"
}
