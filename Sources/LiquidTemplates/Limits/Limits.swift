// SPDX-License-Identifier: MIT

/// The most that a rendering may print, compute and hold in memory.
///
/// A template that exceeds a limit ends with an error of the code `memory` (`stackLevel` for ``depth``) that names the
/// limit. The defaults end a hostile template after a second or two and some hundred megabytes, and are far beyond what
/// a message needs. If a limit is above ``Limit/range``, the renderer uses the largest value of the range. See
/// <doc:LimitsOfRendering> for what is charged.
///
/// All limits except ``seconds`` depend only on the input: the same template and data exceed or keep them on every
/// machine.
public struct Limits: Sendable, Equatable {
    /// Bytes of output; for a message, the output of all its fields together.
    public var outputBytes = 16 << 20

    /// Bytes of one text that a filter, a capture or a partial builds, and of the elements of one array.
    public var stringBytes = 16 << 20

    /// Bytes that variables, loops, captures and temporary values hold at the same time.
    public var liveBytes = 256 << 20

    /// Units of work: instructions, elements, and 16 bytes of text, each of which takes 10 to 50 nanoseconds; for a
    /// message, the work for all its fields together.
    public var work = 30_000_000

    /// Seconds measured by the input's stopwatch; for a message, the time for all its fields together; 0 for no such
    /// limit.
    ///
    /// Without ``RenderInput/stopwatch`` the limit has no effect.
    public var seconds = 30

    /// The number of levels to which partials and loops may be nested.
    public var depth = 100

    /// Limits of the reference implementation, for programs that compare with it.
    package var scores = ScoreLimits()

    /// The most errors in ``Renderer/errors`` if rendering continues after errors; later errors are dropped.
    public var keptErrors = 1000

    /// Creates the default limits.
    public init() {}

    /// The limits, each at most the largest value in its ``Limit/range``, so that their sums and products do not
    /// overflow.
    var capped: Limits {
        var limits = self
        for limit in Limit.allCases { limits[limit] = min(limits[limit], limit.range.upperBound) }
        return limits
    }

    /// The value of a limit.
    public subscript(limit: Limit) -> Int {
        get {
            switch limit {
            case .outputBytes: outputBytes
            case .stringBytes: stringBytes
            case .liveBytes: liveBytes
            case .work: work
            case .seconds: seconds
            case .depth: depth
            }
        }
        set {
            switch limit {
            case .outputBytes: outputBytes = newValue
            case .stringBytes: stringBytes = newValue
            case .liveBytes: liveBytes = newValue
            case .work: work = newValue
            case .seconds: seconds = newValue
            case .depth: depth = newValue
            }
        }
    }
}

/// A limit that users may set; the cases are the rows of the table of limits.
///
/// The raw value is the key of the limit under `limits` in `.payloadgen.yml`.
public enum Limit: String, Sendable, CaseIterable {
    case outputBytes = "output_bytes"
    case stringBytes = "string_bytes"
    case liveBytes = "live_bytes"
    case work
    case seconds
    case depth

    /// The option with which commands set the limit, such as `--max-work`.
    public var option: String { "--max-" + String(rawValue.map { $0 == "_" ? "-" : $0 }) }

    /// What the limit counts, in the plural.
    public var unit: String {
        switch self {
        case .outputBytes, .stringBytes, .liveBytes: "bytes"
        case .work: "units of work"
        case .seconds: "seconds of processor time"
        case .depth: "levels"
        }
    }

    /// What is charged against the limit, in one sentence.
    public var summary: String {
        switch self {
        case .outputBytes: "Bytes that a message may print, all its fields together."
        case .stringBytes: "Bytes of one text that a filter, a capture or a content block builds."
        case .liveBytes: "Bytes that variables, loops and captures may hold at the same time."
        case .work: "Work of a message. A unit is an instruction, an element or 16 bytes of text: 10 to 50 nanoseconds."
        case .seconds: "Processor time of a message in seconds, for work that takes longer than usual; 0 for no limit."
        case .depth: "How deep content blocks and loops may nest."
        }
    }

    /// The values that the limit accepts.
    public var range: ClosedRange<Int> {
        switch self {
        case .outputBytes, .stringBytes, .liveBytes: 1...(1 << 40)
        case .work: 1...(1 << 60)
        case .seconds: 0...1_000_000
        // Deeper nesting would need more stack than a thread has.
        case .depth: 1...200
        }
    }

    /// ``range`` in words, for messages.
    public var rangeText: String { "a number from \(range.lowerBound) to \(range.upperBound)" }

    /// The error for a rendering that exceeds the limit.
    func error(at value: Int) -> LiquidError {
        LiquidError(
            .memory,
            "the rendering passes the limit of \(value) \(unit) (\(option))",
            referenceText: "Memory limits exceeded"
        )
    }
}

/// Measures the time of a rendering, for ``Limits/seconds``.
///
/// The engine does not read a clock. With a stopwatch that measures the processor time of the current thread, the limit
/// does not depend on what else the machine does.
public protocol Stopwatch: Sendable {
    /// Nanoseconds since a moment that stays the same for each thread.
    func nanoseconds() -> Int
}

/// Counts what a rendering uses, and ends the rendering when a limit is exceeded.
///
/// **Work** has one unit: an instruction, an element of a list or object, or 16 bytes of text that are read or written.
/// Blocks charge for their instructions, which the compiler adds up; filters and comparisons charge for what they go
/// through, and captures for what they keep. The sum depends only on the input.
///
/// **Live bytes** are charged where memory for texts, arrays and objects is allocated. They are not given back when a
/// value is dropped, because values share memory, and counting the references to it would slow down every rendering. So
/// ``live`` is an upper bound. When it reaches ``recountAt``, the renderer counts what its variables really hold and
/// continues with that number, like a garbage collector; see `Renderer.recount(holding:)`. A rendering that allocates
/// little never counts, and one that allocates much is charged work for counting.
///
/// A budget is never copied, because each copy would retain the stopwatch.
struct Budget: ~Copyable, Sendable {
    private let workLimit: Int
    private let secondsLimit: Int
    private let stopwatch: (any Stopwatch)?
    /// Whether there is a stopwatch to read; comparing `stopwatch` with nil would copy it.
    private let isTimed: Bool
    /// The most live bytes.
    let liveLimit: Int

    private(set) var work = 0
    /// The amount of work at which the stopwatch is read next, at most the limit.
    private var workStop = 0
    /// The first reading of the stopwatch in this message, in nanoseconds.
    private var start: Int?

    /// An upper bound of the bytes that values hold.
    private(set) var live = 0
    /// The value of ``live`` at which the renderer counts again.
    private(set) var recountAt = 0
    /// The live bytes after the last count.
    private var counted = 0
    /// An upper bound of the bytes of values that a count cannot reach: the values of partials and tags in progress.
    var pinned = 0

    /// The bytes, other than those of values, that the rendering holds until it ends.
    private var kept = 0

    /// The work between two readings of the stopwatch.
    private static let workBetweenReadings = 1 << 18

    init(_ limits: Limits, stopwatch: (any Stopwatch)? = nil) {
        workLimit = limits.work
        secondsLimit = limits.seconds
        self.stopwatch = stopwatch
        isTimed = limits.seconds > 0 && stopwatch != nil
        liveLimit = limits.liveBytes
        begin(continuing: false)
    }

    /// Begins a rendering; if it continues a message, its work and time are added to those of the message so far.
    mutating func begin(continuing: Bool) {
        live = 0
        counted = 0
        pinned = 0
        kept = 0
        recountAt = liveLimit / 2
        guard !continuing else { return }
        work = 0
        start = nil
        setWorkStop()
    }

    private mutating func setWorkStop() {
        workStop = isTimed ? min(workLimit, work + Self.workBetweenReadings) : workLimit
    }

    // MARK: - work

    /// The work that may still be done.
    var workLeft: Int { max(0, workLimit - work) }

    /// Charges work that is about to be done.
    @inline(__always)
    mutating func charge(work units: Int) throws(LiquidError) {
        work &+= units
        if work > workStop { try pause() }
    }

    /// Charges work where no error can be thrown; if this exceeds a limit, the next charge ends the rendering.
    mutating func chargeLater(_ units: Int) { work &+= units }

    /// Charges the reading or writing of text.
    @inline(__always)
    mutating func charge(bytes: Int) throws(LiquidError) { try charge(work: bytes >> 4) }

    /// A product, capped so that several can be added without overflow.
    static func product(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? 1 << 56 : min(product, 1 << 56)
    }

    /// Ends the rendering if a limit is exceeded; otherwise, sets the next amount of work at which to check.
    @inline(never)
    private mutating func pause() throws(LiquidError) {
        guard work <= workLimit else {
            // Work charged while the error is handled must not overflow.
            work = workLimit + 1
            throw Limit.work.error(at: workLimit)
        }
        if isTimed, let now = stopwatch?.nanoseconds() {
            let start = start ?? now
            self.start = start
            guard now - start <= secondsLimit * 1_000_000_000 else { throw Limit.seconds.error(at: secondsLimit) }
        }
        setWorkStop()
    }

    // MARK: - live bytes

    /// Adds memory that was allocated for a value.
    @inline(__always)
    mutating func allocate(_ bytes: Int) { live &+= bytes }

    /// Adds memory that does not belong to a value and is held until the rendering ends.
    mutating func keep(_ bytes: Int) {
        kept &+= bytes
        live &+= bytes
    }

    /// Whether live bytes have to be counted now, if `more` bytes are held in addition.
    @inline(__always)
    func needsCount(holding more: Int = 0) -> Bool { live &+ more > recountAt }

    /// Whether enough was allocated since the last count to make counting again worthwhile before a partial or tag
    /// runs.
    var paysToCount: Bool { live > liveLimit / 4 && live - counted > liveLimit / 8 }

    /// Replaces the upper bound with the result of a count.
    ///
    /// - Throws: `memory` if the result exceeds the limit.
    mutating func setLive(_ bytes: Int) throws(LiquidError) {
        live = pinned + kept + bytes
        counted = live
        guard live <= liveLimit else { throw Limit.liveBytes.error(at: liveLimit) }
        recountAt = min(liveLimit, max(liveLimit / 2, live + liveLimit / 8))
    }
}

/// Limits on what a rendering uses, as the reference implementation counts it; nil for no limit.
package struct ScoreLimits: Sendable, Equatable {
    /// The most nodes of blocks that one template may render.
    package var nodes: Int?

    /// The most nodes for a template and its partials together.
    package var totalNodes: Int?

    /// The largest total size of assigned values in one template: a string counts its bytes, any other value one.
    package var assigned: Int?

    /// The largest total size of assigned values for a template and its partials together.
    package var totalAssigned: Int?
}

/// What a rendering has used so far, as the reference implementation counts it.
struct Scores {
    /// The two quantities that are counted.
    private struct Counts {
        var nodes = 0
        var assigned = 0
    }

    /// Whether nodes are counted.
    let countsNodes: Bool
    /// Whether assigned values are counted.
    let countsAssigned: Bool
    /// The counts since the last template or partial began.
    private var own = Counts()
    private var total = Counts()
    private let limits: ScoreLimits

    init(_ limits: ScoreLimits) {
        self.limits = limits
        countsNodes = limits.nodes != nil || limits.totalNodes != nil
        countsAssigned = limits.assigned != nil || limits.totalAssigned != nil
    }

    /// Begins a rendering.
    mutating func begin() {
        own = Counts()
        total = Counts()
    }

    /// Begins a partial; as in the reference implementation, the counts of the surrounding template are not restored
    /// after it.
    mutating func beginPartial() throws(LiquidError) {
        own = Counts()
        // If an earlier partial exceeded a total limit, only that partial ended, so this one has to fail too.
        try add(nodes: 0)
        try add(assigned: 0)
    }

    /// Counts the nodes of a block.
    mutating func add(nodes: Int) throws(LiquidError) {
        own.nodes += nodes
        total.nodes += nodes
        try check(own.nodes, limits.nodes, "render score")
        try check(total.nodes, limits.totalNodes, "total render score")
    }

    /// Counts the size of an assigned value; see ``Value/assignScore``.
    mutating func add(assigned size: Int) throws(LiquidError) {
        own.assigned += size
        total.assigned += size
        try check(own.assigned, limits.assigned, "assign score")
        try check(total.assigned, limits.totalAssigned, "total assign score")
    }

    private func check(_ score: Int, _ limit: Int?, _ name: String) throws(LiquidError) {
        guard let limit, score > limit else { return }
        throw LiquidError(
            .memory,
            topic: .score,
            "the rendering passes the limit '\(name)' of \(limit)",
            referenceText: "Memory limits exceeded"
        )
    }
}

extension LiquidError.Topic {
    /// The topic of errors about a score that exceeds its limit.
    static let score = LiquidError.Topic(rawValue: "score")
}

extension Value {
    /// The size of an assigned value as the reference implementation counts it: a string counts its bytes, any other
    /// value one plus the sizes of its parts.
    var assignScore: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .array(let elements): elements.reduce(1) { $0 + $1.assignScore }
        case .object(let object):
            zip(object.keys, object.values).reduce(1) { $0 + $1.0.utf8.count + $1.1.assignScore }
        default: 1
        }
    }
}
