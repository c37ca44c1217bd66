// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// Renders templates.
///
/// A renderer reuses its memory, so that renderings after the first allocate only what the values themselves need. It
/// must be used by one thread at a time.
public struct Renderer: ~Copyable {
    /// The output of the last rendering.
    public internal(set) var output = ByteBuffer(capacity: 1024)

    /// The first errors of the last rendering, if the policy is to continue after an error.
    public var errors: [LiquidError] { remarks?.errors ?? [] }

    /// The ranges in which the last rendering printed variables that do not exist, if the input collects them, each
    /// once; at most ``undefinedLimit``.
    ///
    /// A variable of which the template tests the existence is not among them; see ``VariableRead/Guard``.
    public var undefined: [SourceRange] { remarks?.undefined ?? [] }

    /// The variables that do not exist and that the partials of the last rendering printed, if the input collects them,
    /// each once: the name of the partial, the variable as it is written there, and its first range; at most
    /// ``undefinedLimit``.
    public var undefinedInPartials: [(partial: String, variable: String, range: SourceRange)] {
        remarks?.undefinedInPartials ?? []
    }

    /// The values that filters of the last rendering could not read, the first at each place; at most
    /// ``undefinedLimit``.
    public var unreadInputs: [UnreadInput] { remarks?.unreadInputs ?? [] }

    /// The comparisons of the last rendering that the types of their values decide, the first at each place; at most
    /// ``undefinedLimit``.
    public var unlikeComparisons: [UnlikeComparison] { remarks?.unlikeComparisons ?? [] }

    /// The most of each of these that are kept.
    public static let undefinedLimit = 64

    /// What a rendering reports besides its output.
    struct Remarks {
        var errors: [LiquidError] = []
        var undefined: [SourceRange] = []
        var undefinedInPartials: [(partial: String, variable: String, range: SourceRange)] = []
        var unreadInputs: [UnreadInput] = []
        var unlikeComparisons: [UnlikeComparison] = []
        /// The places of divisions whose quotient is not printed as it is.
        var unprintedQuotients: Set<SourceRange> = []
        /// Why a tag has stopped the message; nil while it goes on.
        var stopReason: String?
    }

    /// Whether there may be anything in ``errors``, ``undefined``, ``undefinedInPartials``, ``unreadInputs`` or
    /// ``unlikeComparisons``; reading those changes reference counts.
    package var hasRemarks: Bool { remarks != nil }

    /// The remarks on the last rendering; nil for most, so that the next one has nothing to clear.
    var remarks: Remarks?

    /// Records what renderings do; nil to record nothing, which costs nothing.
    public var recorder: Recorder?

    /// Whether the last rendering read the clock.
    public var readClock: Bool { context.readClock }

    let input: RenderInput
    /// What filters get; it has the budget of the rendering.
    var context: FilterContext
    /// The variables.
    var scope: Scope
    var machine = Machine()
    var partials = PartialCache()
    var scores: Scores
    var guardedReads = GuardedReads()
    var comparedTerms = ComparedTerms()
    /// The values that the current instruction has compared, if their types decide the result.
    var unlike: UnlikeValues?
    /// The name of the partial that is being rendered.
    var partialName: String?
    /// The template that is rendered, which the caller keeps alive, so it is not retained; nil after the rendering.
    private unowned(unsafe) var template: Template?
    /// How many partials that the dialect reads as values are being rendered inside one another.
    var openPartials = 0
    /// Whether the last rendering ended early, so that it may have left values, loops, captures or frames.
    private var endedEarly = false
    /// The bytes of output that this rendering may still print, after those of earlier renderings for the same message.
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

    /// Data that the host keeps during a rendering.
    public var host: (any Sendable)? { context.host }

    /// Renders a template with other data; all other inputs stay the same.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - data: the variables.
    ///   - continuing: whether the template belongs to the same message as the last one, so that the limits of output,
    ///     work and time are for both together.
    /// - Returns: whether the end of the template was reached; the text is in ``output``.
    /// - Throws: the first error if the policy is to throw; a passed limit under any policy but inline.
    public mutating func render(
        _ template: Template,
        data: LiquidObject,
        continuing: Bool = false
    ) throws(LiquidError) -> RenderOutcome {
        // Several templates of one message have the same data.
        if scope.data !== data { scope.data = data }
        return try run(template, continuing: continuing)
    }

    /// Renders a template.
    public mutating func render(_ template: Template) throws(LiquidError) -> RenderOutcome {
        try run(template, continuing: false)
    }

    /// Sets the data of the renderings that follow, so that each of them changes no reference count for it.
    package mutating func setData(_ data: consuming LiquidObject) { scope.data = data }

    /// Renders a template with the data of the last rendering, or of ``setData(_:)``.
    package mutating func render(_ template: Template, continuing: Bool) throws(LiquidError) -> RenderOutcome {
        try run(template, continuing: continuing)
    }

    @inline(__always)
    private mutating func run(_ template: Template, continuing: Bool) throws(LiquidError) -> RenderOutcome {
        prepare(template, continuing: continuing)
        defer { end() }
        do throws(LiquidError) {
            try runIsolated(template)
            if output.isOverLimit { throw Limit.outputBytes.error(at: input.limits.outputBytes) }
        } catch {
            endedEarly = true
            let placed = error.placed(template: templateName)
            guard input.errorPolicy == .inline else { throw placed }
            // For a passed limit, the reference prints only the error.
            keep(placed)
            output.removeAll()
            output.limit = .max
            output.append(template.environment.inlineText(of: placed))
        }
        guard let reason = remarks?.stopReason else { return .completed }
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
        if remarks != nil { remarks = nil }
        if endedEarly { clear() }
        machine.begin()
        partials.begin(template)
        scope.begin(template.program)
        scores.begin()
        self.template = template
    }

    /// Closes what a rendering that ended early has left open.
    @inline(never)
    private mutating func clear() {
        machine.clear()
        scope.clear()
        partialName = nil
        openPartials = 0
        endedEarly = false
    }

    /// Drops what refers to the template.
    @inline(__always)
    private mutating func end() {
        scope.end()
        template = nil
    }

    /// Whether the template that is being rendered, or one of its partials so far, works without the value of a
    /// variable: it tests it, or reads it with a default.
    package mutating func worksWithout(_ variable: String) -> Bool {
        let templates = (template.map { [$0] } ?? []) + partials.begun
        for template in templates where guardedReads.contains(variable: variable, of: template.program.parsed) {
            return true
        }
        return false
    }

    /// The name of the partial that is being rendered or, outside of partials, of the template.
    var templateName: String? { partialName ?? template?.name }

    /// Adds an error to ``errors``, up to the limit of kept errors.
    mutating func keep(_ error: LiquidError) {
        if errors.count < input.limits.keptErrors { remark { $0.errors.append(error) } }
    }

    /// Whether a tag has stopped the message.
    var isStopped: Bool { remarks?.stopReason != nil }

    /// Adds to the remarks on the rendering.
    mutating func remark(_ change: (inout Remarks) -> Void) {
        var remarks = remarks.take() ?? Remarks()
        change(&remarks)
        self.remarks = remarks
    }

    // MARK: - for tags of a dialect

    /// Appends text to the output.
    public mutating func write(_ text: String) { output.append(text) }

    /// Sets a variable as `assign` does.
    ///
    /// - Throws: `memory` where the rendering passes a limit.
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

    /// Charges work of a tag beyond evaluating its expressions.
    ///
    /// - Parameters:
    ///   - units: the work; see ``Limits/work``.
    ///   - bytes: the bytes that the host keeps until the message ends; see ``Limits/liveBytes``.
    /// - Throws: `memory` if the rendering passes a limit.
    public mutating func charge(work units: Int, bytes: Int = 0) throws(LiquidError) {
        try charge(work: units)
        context.budget.keep(bytes)
        if context.budget.needsCount() { try recount() }
    }

    /// The value of a variable; after the rendering, only of the data.
    public func variable(_ name: String) -> Value { scope.variable(Name(name), ofFrame: scope.frame.base) ?? .null }

    /// Calls `body` with the context that filters get.
    public mutating func withFilterContext<Result>(
        _ body: (inout FilterContext) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        try body(&context)
    }

    /// Renders a source in place, with the variables of the current template, and as strictly as it.
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

    /// Runs `body` without the recorder, as text that is fetched has no place in a file of the author.
    private mutating func withoutRecorder<Result>(
        _ body: (inout Renderer) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        let outer = recorder
        recorder = nil
        defer { recorder = outer }
        return try body(&self)
    }

    /// Compiles a template during the rendering of another one.
    private mutating func compile(
        _ source: String,
        _ name: String,
        _ environment: Environment,
        _ mode: ErrorMode = .lax
    ) throws(LiquidError) -> Template {
        try charge(work: 256 + Budget.product(source.utf8.count, 4))
        return try Template(source, name: name, environment: environment, mode: mode)
    }

    /// The text of a source rendered with the variables of the current template.
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
