// SPDX-License-Identifier: MIT

public import SourceText

/// Renders templates.
///
/// A renderer keeps its memory from one rendering to the next, so that a warm one allocates only what the values
/// themselves need. It belongs to one thread at a time.
public struct Renderer: ~Copyable {
    /// What the last rendering printed.
    public internal(set) var output = ByteBuffer(capacity: 1024)

    /// The first errors of the last rendering, where the policy goes on after one.
    public internal(set) var errors: [LiquidError] = []

    /// Where the last rendering printed variables that do not exist, where its input has them collected; at most
    /// ``undefinedLimit``.
    public internal(set) var undefined: [SourceRange] = []

    /// How many places of undefined variables are kept.
    public static let undefinedLimit = 64

    /// Whether the last rendering asked for the time.
    public var readClock: Bool { context.readClock }

    var input: RenderInput
    var context: FilterContext
    var frame = Frame()
    /// The frames around it, from that of the template on; each waits while a partial runs that does not share it.
    var outerFrames: [Frame] = []
    var stack = Stack<Value>()
    var loops = Stack<LoopState>()
    var captures: [Int] = []
    var cases: [(hasMatched: Bool, returnTo: Int)] = []
    /// The cycle whose turn is being printed, and the turn after it.
    var pendingTurn = (cycle: 0, next: 0)
    /// The interrupts that no loop has taken yet, innermost last.
    var interrupts: [Interrupt] = []
    var stopReason: String?
    var partials = PartialCache()
    /// The name of the partial that is being rendered.
    var templateName: String?
    /// The bytes of output that this rendering may still print, as those before it of one message left it.
    var outputLimit = 0
    /// Whether nodes are counted as the reference does.
    let countsScores: Bool
    var renderScore = 0
    var totalRenderScore = 0
    var assignScore = 0
    var totalAssignScore = 0
    /// How many partials of a dialect's values are open.
    var openPartials = 0

    /// Creates a renderer.
    public init(_ input: RenderInput) {
        self.input = input
        context = FilterContext(
            clock: input.clock,
            timeZones: input.timeZones,
            timeZone: input.timeZone,
            limits: input.limits,
            stopwatch: input.stopwatch,
            host: input.host
        )
        countsScores = input.limits.renderScore != nil || input.limits.totalRenderScore != nil
    }

    /// What the dialect's host keeps during a rendering.
    public var host: (any Sendable)? { context.host }

    /// Renders a template with other data; clock, partials and limits stay those of the renderer.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - data: the variables.
    ///   - continuing: whether the template belongs to the message of the last one, and output, work and time of both
    ///     together may reach the limits.
    /// - Returns: how it ended; the text is ``output``.
    /// - Throws: the first error, where the policy is to throw; a passed limit under any policy but inline.
    public mutating func render(
        _ template: Template,
        data: LiquidObject,
        continuing: Bool = false
    ) throws(LiquidError) -> RenderOutcome {
        // A message renders several templates with the same data.
        if input.data !== data { input.data = data }
        return try render(template, continuing: continuing)
    }

    /// Renders a template.
    public mutating func render(_ template: Template) throws(LiquidError) -> RenderOutcome {
        try render(template, continuing: false)
    }

    private mutating func render(_ template: Template, continuing: Bool) throws(LiquidError) -> RenderOutcome {
        prepare(template, continuing: continuing)
        do throws(LiquidError) {
            try execute(template.program, slots: nil)
            if output.isOverLimit { throw Limit.outputBytes.error(at: input.limits.outputBytes) }
        } catch {
            let placed = error.placed(template: templateName)
            guard input.errorPolicy == .inline else { throw placed }
            // The reference prints nothing but the error of a passed limit.
            keep(placed)
            output.removeAll()
            output.limit = .max
            output.append(placed.inlineText)
        }
        return stopReason.map { .stopped(reason: $0) } ?? .completed
    }

    /// The units of work that the last rendering took, and those that it continued; see ``Limits/work``.
    public var work: Int { context.budget.work }

    private mutating func prepare(_ template: Template, continuing: Bool) {
        outputLimit = continuing ? max(0, outputLimit - output.count) : input.limits.outputBytes
        output.removeAll()
        output.shrink()
        output.limit = outputLimit
        context.shrink()
        context.budget.begin(continuing: continuing)
        if !errors.isEmpty { errors.removeAll() }
        if !undefined.isEmpty { undefined.removeAll() }
        stack.drop(stack.count)
        loops.drop(loops.count)
        // Most of these are empty, and to ask costs less than to empty them.
        if !captures.isEmpty { captures.removeAll(keepingCapacity: true) }
        if !cases.isEmpty { cases.removeAll(keepingCapacity: true) }
        if !interrupts.isEmpty { interrupts.removeAll(keepingCapacity: true) }
        partials.begin(template)
        if !outerFrames.isEmpty { outerFrames.removeAll() }
        frame.reset(for: template.program)
        stopReason = nil
        if templateName != nil || template.name != nil { templateName = template.name }
        renderScore = 0
        totalRenderScore = 0
        assignScore = 0
        totalAssignScore = 0
        openPartials = 0
    }

    /// Adds to ``errors`` as long as there is room.
    mutating func keep(_ error: LiquidError) {
        if errors.count < input.limits.keptErrors { errors.append(error) }
    }

    /// The error of a limit that the reference has.
    func scoreError(_ name: String, _ limit: Int) -> LiquidError {
        LiquidError(
            .memory,
            "the rendering passes the limit '\(name)' of \(limit)",
            referenceText: "Memory limits exceeded"
        )
    }

    // MARK: for tags of a dialect

    /// Appends text to the output.
    public mutating func write(_ text: String) { output.append(text) }

    /// Sets a variable as `assign` does.
    ///
    /// - Throws: `memory` where the rendering passes a limit.
    public mutating func assign(_ name: String, _ value: Value) throws(LiquidError) {
        let known = frame.names.count
        try charge(work: 64 + name.utf8.count + known)
        let slot = frame.slot(Name(name))
        if frame.names.count > known { context.budget.allocate(Storage.variable + Storage.text(name.utf8.count)) }
        frame.slots[slot].outer = value
        if context.budget.needsCount() { try recount(holding: value) }
    }

    /// The limits of the rendering.
    public var limits: Limits { input.limits }

    /// Charges what a tag does beyond evaluating its expressions.
    ///
    /// - Parameters:
    ///   - units: the work; see ``Limits/work``.
    ///   - bytes: what the host keeps of it until the message ends; see ``Limits/liveBytes``.
    /// - Throws: `memory` where the rendering passes a limit.
    public mutating func charge(work units: Int, bytes: Int = 0) throws(LiquidError) {
        try charge(work: units)
        context.budget.keep(bytes)
        if context.budget.needsCount() { try recount() }
    }

    /// The value of a variable.
    public func variable(_ name: String) -> Value { variableNamed(name) }

    /// What the filters of a dialect get.
    public mutating func withFilterContext<Result>(
        _ body: (inout FilterContext) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        try body(&context)
    }

    /// Renders a source in place, with the variables of the template around.
    ///
    /// - Throws: the source's syntax errors, and its render errors where the policy is to throw.
    public mutating func render(source: String, name: String, environment: Environment) throws(LiquidError) {
        let template = try compile(source, name, environment)
        let outerName = templateName
        templateName = name
        defer { templateName = outerName }
        try runShared(template)
    }

    /// Reads a template that comes up while another one is rendered.
    private mutating func compile(
        _ source: String,
        _ name: String,
        _ environment: Environment
    ) throws(LiquidError) -> Template {
        try charge(work: 10_000 + Budget.product(source.utf8.count, 200))
        return try Template(source, name: name, environment: environment)
    }

    /// What a source renders, with the variables of the template around.
    ///
    /// - Throws: the source's syntax errors, and its render errors where the policy is to throw.
    public mutating func text(
        ofSource source: String,
        name: String,
        environment: Environment
    ) throws(LiquidError) -> String {
        try textOfShared(compile(source, name, environment))
    }
}
