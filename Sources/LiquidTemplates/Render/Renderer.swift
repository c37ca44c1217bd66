// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The inputs of a rendering: data, clock, time zones, partials, limits, and the policies for errors.
public struct RenderInput: Sendable {
    /// What happens after an error in a part of a template.
    public enum ErrorPolicy: Sendable {
        /// The first error ends the rendering.
        case throwing
        /// The error text of the reference implementation is printed instead of the part, and rendering continues.
        case inline
        /// The part is left out, the error is added to ``Renderer/errors``, and rendering continues.
        case collecting
    }

    /// What happens when a variable that does not exist is printed.
    public enum UndefinedPolicy: Sendable {
        /// The variable prints nothing.
        case ignoring
        /// The variable prints nothing, and its range is added to ``Renderer/undefined``.
        case collecting
        /// The variable causes an error.
        case failing
    }

    /// The variables.
    public var data: LiquidObject

    /// Whether partials called by `render` can read the data too, and counters ignore the data.
    ///
    /// The reference implementation calls such data a static environment. If this is false, a counter starts from the
    /// variable with the same name.
    public var isDataShared: Bool

    /// The instant of `now`.
    public var clock: Time

    /// Provides the offsets of named time zones.
    public var timeZones: any TimeZoneProvider

    /// The identifier of the zone in which times without a zone are read and shown.
    public var timeZone: String

    /// Provides the sources of partials.
    public var partials: any PartialProvider

    /// The limits of the rendering.
    public var limits: Limits

    /// The stopwatch for ``Limits/seconds``; nil for no limit on time.
    public var stopwatch: (any Stopwatch)?

    /// What happens after an error in a part of the template.
    public var errorPolicy: ErrorPolicy

    /// What happens when a variable that does not exist is printed; conditions and `default` may always read one.
    public var undefinedPolicy = UndefinedPolicy.ignoring

    /// Whether error texts contain the line number, which is an option of the reference implementation.
    public var showsLines = true

    /// Data that the host keeps for its own filters and tags.
    public var host: (any Sendable)?

    /// Creates an input.
    public init(
        data: LiquidObject = .empty,
        isDataShared: Bool = false,
        clock: Time = Time(seconds: 0),
        timeZones: any TimeZoneProvider = NoTimeZones(),
        timeZone: String = "UTC",
        partials: any PartialProvider = NoPartials(),
        limits: Limits = Limits(),
        errorPolicy: ErrorPolicy = .throwing,
        host: (any Sendable)? = nil
    ) {
        self.data = data
        self.isDataShared = isDataShared
        self.clock = clock
        self.timeZones = timeZones
        self.timeZone = timeZone
        self.partials = partials
        self.limits = limits
        self.errorPolicy = errorPolicy
        self.host = host
    }
}

/// A provider that knows only UTC.
public struct NoTimeZones: TimeZoneProvider {
    /// Creates the provider.
    public init() {}

    /// The offset 0 for `UTC` and `Etc/UTC`; nil for any other zone.
    public func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)? {
        identifier == "UTC" || identifier == "Etc/UTC" ? (0, "UTC") : nil
    }
}

/// How a rendering ended.
public enum RenderOutcome: Sendable, Equatable {
    /// The template was rendered completely.
    case completed
    /// A tag stopped the message.
    case stopped(reason: String)
}

/// Renders templates.
///
/// A renderer reuses its memory, so that renderings after the first allocate only what the values need. Only one thread
/// at a time may use it.
public struct Renderer: ~Copyable {
    /// The output of the last rendering.
    public internal(set) var output = ByteBuffer(capacity: 1024)

    /// The first errors of the last rendering, if the policy is to continue after errors.
    public var errors: [LiquidError] { observations?.errors ?? [] }

    /// The ranges at which the last rendering printed variables that do not exist, if the input collects them; without
    /// repetitions, and at most ``undefinedLimit``.
    ///
    /// A variable whose existence the template tests is not included; see ``VariableRead/Guard``. Where a variable is
    /// printed that was assigned a missing value, `source` is that value as written.
    public var undefined: [(range: SourceRange, source: String?)] { observations?.undefined ?? [] }

    /// The variables that do not exist but were printed by partials of the last rendering, if the input collects them.
    ///
    /// Each is listed once, with the name of the partial, and the first range that prints it with the text there; at
    /// most ``undefinedLimit``.
    public var undefinedInPartials: [(partial: String, variable: String, range: SourceRange, text: String)] {
        observations?.undefinedInPartials ?? []
    }

    /// The values that filters of the last rendering could not read, only the first at each place; at most
    /// ``undefinedLimit``.
    public var unreadInputs: [UnreadInput] { observations?.unreadInputs ?? [] }

    /// The comparisons of the last rendering that are probably not what is meant, only the first at each place; at most
    /// ``undefinedLimit``.
    public var unlikeComparisons: [UnlikeComparison] { observations?.unlikeComparisons ?? [] }

    /// The maximum number of entries in each of ``undefined``, ``undefinedInPartials``, ``unreadInputs`` and
    /// ``unlikeComparisons``.
    public static let undefinedLimit = 64

    /// Everything that a rendering reports in addition to its output.
    struct Observations {
        var errors: [LiquidError] = []
        var undefined: [(range: SourceRange, source: String?)] = []
        var undefinedInPartials: [(partial: String, variable: String, range: SourceRange, text: String)] = []
        /// The variables that were assigned a missing value, and that value as written.
        var missingVariables: [String: String] = [:]
        var unreadInputs: [UnreadInput] = []
        var unlikeComparisons: [UnlikeComparison] = []
        /// The divisions whose quotient is not simply printed, for example because another filter uses it.
        var unprintedQuotients: Set<SourceRange> = []
        /// Why a tag stopped the message; nil if none did.
        var stopReason: String?
    }

    /// Whether ``errors``, ``undefined``, ``undefinedInPartials``, ``unreadInputs`` or ``unlikeComparisons`` may have
    /// elements; unlike reading these, this changes no reference counts.
    package var hasObservations: Bool { observations != nil }

    /// The observations on the last rendering; usually nil, so that the next rendering has nothing to clear.
    var observations: Observations?

    /// Records what renderings do; nil to record nothing, which takes no time.
    public var recorder: Recorder?

    /// Whether any rendering so far has read the clock.
    public var readsClock: Bool { context.readsClock }

    let input: RenderInput
    /// The context that filters get, which has the budget of the rendering.
    var context: FilterContext
    /// The variables and the data.
    var scope: Scope
    var machine = Machine()
    var partials = PartialCache()
    var scores: Scores
    lazy var guardedReads = GuardedReads()
    lazy var comparedTerms = ComparedTerms()
    /// The values that the current instruction has compared, if the comparison is probably a mistake; otherwise nil.
    var unlike: UnlikeValues?
    /// The name of the partial that is being rendered; nil outside of partials.
    var partialName: String?
    /// The template that is being rendered; nil after the rendering.
    ///
    /// The caller keeps it alive, so it is not retained.
    private unowned(unsafe) var template: Template?
    /// The number of nested partials that the dialect reads as values and that are being rendered.
    var openPartials = 0
    /// Whether the last rendering ended early, so that values, loops, captures or frames may still be open.
    private var endedEarly = false
    /// The bytes of output that this rendering may print; earlier renderings for the same message have reduced them.
    var outputLimit = 0

    /// Creates a renderer.
    public init(_ input: RenderInput) {
        var input = input
        input.limits = input.limits.capped
        self.input = input
        context = FilterContext(
            clock: input.clock,
            timeZones: input.timeZones,
            timeZone: input.timeZone,
            limits: input.limits,
            stopwatch: input.stopwatch,
            host: input.host
        )
        scope = Scope(input)
        scores = Scores(input.limits.scores)
    }

    /// The data that the host keeps during a rendering.
    public var host: (any Sendable)? { context.host }

    /// Renders a template with new data; all other inputs stay the same.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - data: the variables.
    ///   - continuing: whether the template belongs to the same message as the last one, so that the limits of output,
    ///     work and time apply to both together.
    /// - Returns: whether the template was rendered completely or a tag stopped the message; the text is in ``output``.
    /// - Throws: the first error if the policy is to throw; unless the policy is inline, an error for an exceeded
    ///   limit.
    public mutating func render(
        _ template: Template,
        data: LiquidObject,
        continuing: Bool = false
    ) throws(LiquidError) -> RenderOutcome {
        // Several templates of one message get the same data.
        if scope.data !== data { scope.data = data }
        return try render(template, continuing: continuing)
    }

    /// Sets the data for all following renderings, so that none of them changes reference counts for it.
    package mutating func setData(_ data: consuming LiquidObject) { scope.data = data }

    /// Renders a template with the data of the last rendering, or of the input if there was none.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - continuing: whether the template belongs to the same message as the last one.
    /// - Returns: whether the template was rendered completely or a tag stopped the message; the text is in ``output``.
    /// - Throws: as ``render(_:data:continuing:)``.
    public mutating func render(
        _ template: Template,
        continuing: Bool = false
    ) throws(LiquidError) -> RenderOutcome {
        prepare(template, continuing: continuing)
        defer { end() }
        do throws(LiquidError) {
            try runIsolated(template)
            if output.isOverLimit { throw Limit.outputBytes.error(at: input.limits.outputBytes) }
        } catch {
            endedEarly = true
            let placed = error.placed(template: templateName)
            guard input.errorPolicy == .inline else { throw placed }
            // After an exceeded limit, the reference implementation prints only the error.
            keep(placed)
            output.removeAll()
            output.limit = .max
            output.append(template.environment.inlineText(of: placed))
        }
        guard let reason = observations?.stopReason else { return .completed }
        endedEarly = true
        return .stopped(reason: reason)
    }

    /// The units of work of the last rendering and of those that it continued; see ``Limits/work``.
    public var work: Int { context.budget.work }

    @inline(__always)
    private mutating func prepare(_ template: Template, continuing: Bool) {
        outputLimit = continuing ? max(0, outputLimit - output.count) : input.limits.outputBytes
        output.removeAll()
        output.shrink()
        output.limit = outputLimit
        recorder?.beginOutput()
        context.shrink()
        context.budget.begin(continuing: continuing)
        if observations != nil { observations = nil }
        if endedEarly { clear() }
        machine.begin()
        partials.begin(template)
        scope.begin(template.program)
        scores.begin()
        self.template = template
    }

    /// Closes everything that a rendering that ended early has left open.
    @inline(never)
    private mutating func clear() {
        machine.clear()
        scope.clear()
        partialName = nil
        openPartials = 0
        endedEarly = false
    }

    /// Drops the references to the template.
    @inline(__always)
    private mutating func end() {
        scope.end()
        template = nil
    }

    /// Whether the template that is being rendered, or a partial that it has begun, works without the value of a
    /// variable, because it tests the variable or reads it with a default.
    package mutating func worksWithout(_ variable: String) -> Bool {
        let templates = (template.map { [$0] } ?? []) + partials.begun
        for template in templates where guardedReads.contains(variable: variable, of: template.program.parsed) {
            return true
        }
        return false
    }

    /// The name of the partial that is being rendered or, outside of partials, the name of the template.
    var templateName: String? { partialName ?? template?.name }

    /// Adds an error to ``errors``, up to the limit of kept errors.
    mutating func keep(_ error: LiquidError) {
        if errors.count < input.limits.keptErrors { observe { $0.errors.append(error) } }
    }

    /// Whether a tag has stopped the message.
    var isStopped: Bool { observations?.stopReason != nil }

    /// Changes the observations on the rendering, which are created if needed.
    mutating func observe(_ change: (inout Observations) -> Void) {
        var observations = observations.take() ?? Observations()
        change(&observations)
        self.observations = observations
    }

    // MARK: - for tags of a dialect

    /// Appends text to the output.
    public mutating func write(_ text: String) { output.append(text) }

    /// Sets a variable as `assign` does.
    ///
    /// - Throws: `memory` if the rendering exceeds a limit.
    public mutating func assign(_ name: String, _ value: Value) throws(LiquidError) {
        let known = scope.frame.count
        try charge(work: 4 + (name.utf8.count + known) / 16)
        let slot = scope.frame.slot(Name(name))
        if scope.frame.count > known { context.budget.allocate(Storage.variable + Storage.text(name.utf8.count)) }
        scope.frame[slot].outer = value
        if context.budget.needsCount() { try recount(holding: value) }
    }

    /// The limits of the rendering.
    public var limits: Limits { input.limits }

    /// Charges work that a tag does in addition to evaluating its expressions.
    ///
    /// - Parameters:
    ///   - units: the work; see ``Limits/work``.
    ///   - bytes: the bytes that the host keeps until the message ends; see ``Limits/liveBytes``.
    /// - Throws: `memory` if the rendering exceeds a limit.
    public mutating func charge(work units: Int, bytes: Int = 0) throws(LiquidError) {
        try charge(work: units)
        context.budget.keep(bytes)
        if context.budget.needsCount() { try recount() }
    }

    /// The value of a variable, null if there is none; after the rendering, only variables of the data have one.
    public func variable(_ name: String) -> Value { scope.variable(Name(name), ofFrame: scope.frame.base) ?? .null }

    /// Calls `body` with the context that filters get.
    ///
    /// - Throws: the error of `body`.
    public mutating func withFilterContext<Result>(
        _ body: (inout FilterContext) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        try body(&context)
    }

    /// Renders a source in place, with the variables and in the error mode of the current template.
    ///
    /// - Throws: the source's syntax errors, and its rendering errors if the policy is to throw.
    public mutating func render(source: String, name: String) throws(LiquidError) {
        guard let outer = self.template else { return }
        let template = try compile(source, name, outer.environment, outer.program.parsed.mode)
        let outerName = partialName
        partialName = name
        defer { partialName = outerName }
        try withoutRecorder { (renderer) throws(LiquidError) in try renderer.runShared(template) }
    }

    /// Runs `body` without the recorder, because fetched text has no place in a file of the author.
    private mutating func withoutRecorder<Result>(
        _ body: (inout Renderer) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        let outer = recorder
        recorder = nil
        defer { recorder = outer }
        return try body(&self)
    }

    /// Compiles a template while another one is being rendered.
    private mutating func compile(
        _ source: String,
        _ name: String,
        _ environment: Environment,
        _ mode: ErrorMode = .lax
    ) throws(LiquidError) -> Template {
        try charge(work: 256 + Budget.product(source.utf8.count, 4))
        return try Template(source, name: name, environment: environment, mode: mode)
    }

    /// Renders a source with the variables of the current template, and returns its text.
    ///
    /// - Throws: the source's syntax errors, and its rendering errors if the policy is to throw.
    public mutating func text(
        ofSource source: String,
        name: String,
        environment: Environment
    ) throws(LiquidError) -> String {
        let template = try compile(source, name, environment)
        return try withoutRecorder { (renderer) throws(LiquidError) in try renderer.textOfShared(template) }
    }
}
