// SPDX-License-Identifier: MIT

import DiagnosticSources

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

    /// The maximum number of errors in ``Renderer/errors`` if rendering continues after errors; later errors are
    /// dropped.
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
        get { self[keyPath: limit.value] }
        set { self[keyPath: limit.value] = newValue }
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

    fileprivate var value: WritableKeyPath<Limits, Int> {
        switch self {
        case .outputBytes: \.outputBytes
        case .stringBytes: \.stringBytes
        case .liveBytes: \.liveBytes
        case .work: \.work
        case .seconds: \.seconds
        case .depth: \.depth
        }
    }

    /// The option of commands that sets the limit, such as `--max-work`.
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
        LiquidError.overLimit("the rendering exceeds the limit of \(value) \(unit) (\(option))")
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
    /// The maximum number of live bytes.
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
    /// The maximum number of nodes of blocks that one template may render.
    package var nodes: Int?

    /// The maximum number of nodes for a template and its partials together.
    package var totalNodes: Int?

    /// The largest total size of assigned values in one template; see ``Value/assignScore``.
    package var assigned: Int?

    /// The largest total size of assigned values for a template and its partials together.
    package var totalAssigned: Int?
}

/// What a rendering has used so far, as the reference implementation counts it.
struct Scores {
    /// The two scores: the number of nodes, and the size of assigned values; see ``ScoreLimits``.
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

    /// Sets all scores to 0 for a new rendering.
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
    ///
    /// - Throws: `memory` if a score exceeds its limit.
    mutating func add(nodes: Int) throws(LiquidError) {
        own.nodes += nodes
        total.nodes += nodes
        try check(own.nodes, limits.nodes, "render score")
        try check(total.nodes, limits.totalNodes, "total render score")
    }

    /// Counts the size of an assigned value; see ``Value/assignScore``.
    ///
    /// - Throws: `memory` if a score exceeds its limit.
    mutating func add(assigned size: Int) throws(LiquidError) {
        own.assigned += size
        total.assigned += size
        try check(own.assigned, limits.assigned, "assign score")
        try check(total.assigned, limits.totalAssigned, "total assign score")
    }

    private func check(_ score: Int, _ limit: Int?, _ name: String) throws(LiquidError) {
        guard let limit, score > limit else { return }
        throw LiquidError.overLimit("the rendering exceeds the limit '\(name)' of \(limit)", topic: .score)
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

/// Estimates the bytes that values take in memory, including the overhead of the allocator: the unit of live bytes.
enum Storage {
    /// The longest text, in bytes, that Swift stores in the string itself, without an allocation.
    static let inlineBytes = 15

    static func text(_ bytes: Int) -> Int { bytes > inlineBytes ? bytes + 48 : 0 }

    static func array(capacity: Int) -> Int { 48 + capacity * MemoryLayout<Value>.stride }

    /// The bytes of an object that shares its keys with no other object.
    static func object(count: Int) -> Int {
        192 + count * (MemoryLayout<Value>.stride + MemoryLayout<Name>.stride + 16)
    }

    static func number(_ integer: BigInteger) -> Int { 96 + integer.bitWidth / 8 }

    static let cycle = MemoryLayout<Value>.stride + MemoryLayout<Int>.stride

    /// The bytes of a variable including its name.
    static let variable = MemoryLayout<Frame.Slot>.stride + MemoryLayout<Name>.stride + 64
}

/// Adds up the bytes of values; memory that several of them share counts only once.
struct StorageCount {
    private(set) var bytes = 0
    /// The number of elements visited so far.
    private(set) var elements = 0
    /// The addresses of the memory counted so far; nothing is read through them.
    ///
    /// Short texts and small arrays are left out: there are many of them, and counting one twice matters little.
    private var seen: Set<UnsafeRawPointer> = []

    private let most: Int

    private static let leastShared = 512

    /// Creates a count that ends after `most` elements, because the work for more would exceed the limit.
    init(most: Int) { self.most = most }

    private mutating func isNew(_ address: UnsafeRawPointer?, _ size: Int) -> Bool {
        guard size >= Self.leastShared, let address else { return true }
        return seen.insert(address).inserted
    }

    mutating func add(_ value: Value?) {
        switch value {
        case nil, .null?, .bool?, .integer?, .float?, .range?: break
        case .string(let string)?:
            let count = string.utf8.count
            guard count > Storage.inlineBytes else { return }
            if isNew(string.withBytes { UnsafeRawPointer($0.baseAddress) }, count) { bytes += Storage.text(count) }
        case .array(let elements)?: add(elements)
        case .object(let object)?: add(object)
        case .time?: bytes += 96
        case .bigInteger(let integer)?: bytes += Storage.number(integer)
        case .drop(let drop as SelfDrop)?: if let variables = drop.variables { add(.object(variables)) }
        case .drop?: bytes += 256
        }
    }

    mutating func add(_ array: [Value]) {
        let size = Storage.array(capacity: array.capacity)
        guard isNew(array.withUnsafeBytes { $0.baseAddress }, size) else { return }
        bytes += size
        elements += array.count
        for element in array {
            if elements > most { return }
            add(element)
        }
    }

    private mutating func add(_ object: LiquidObject) {
        let size = Storage.object(count: object.count)
        guard isNew(object.address, size) else { return }
        bytes += size
        elements += object.count
        for index in 0..<object.count {
            if elements > most { return }
            let (key, value) = object.member(at: index)
            bytes += Storage.text(key.utf8.count)
            add(value)
        }
    }
}

extension LiquidError {
    static var tooDeepValue: LiquidError {
        LiquidError(
            .memory,
            "a value nests deeper than \(Value.greatestDepth) arrays and objects",
            referenceText: "Nesting too deep"
        )
    }
}

/// The counting of live bytes; see ``Budget``.
extension Renderer {
    /// Charges the memory of a new value.
    @inline(__always)
    mutating func chargeMemory(of value: Value, bytes: Int) throws(LiquidError) {
        context.budget.allocate(bytes)
        if context.budget.needsCount() { try recount(holding: value) }
    }

    /// Counts the bytes held by variables, temporary values, loops, captures and `value`.
    ///
    /// Values of partials and tags in progress cannot be reached from here. For these, the count adds
    /// ``Budget/pinned``, an upper bound of everything that was held when they began.
    ///
    /// - Throws: `memory` if the result exceeds a limit.
    @inline(never)
    mutating func recount(holding value: Value = .null) throws(LiquidError) {
        var count = StorageCount(most: context.budget.workLeft)
        count.add(value)
        for slot in 0..<scope.frame.count where scope.frame[slot].isUsed {
            count.add(scope.frame[slot].inner)
            count.add(scope.frame[slot].outer)
            count.add(scope.frame[slot].counter)
        }
        for cycle in scope.frame.cycles { count.add(cycle.key) }
        count.add(scope.frame.lastChanged.map { .string($0) })
        for value in machine.stack.last(machine.stack.count) { count.add(value) }
        for loop in 0..<machine.loops.count {
            if case .elements(let elements) = machine.loops[loop].elements.source { count.add(elements) }
            count.add(machine.loops[loop].hiddenVariable)
            count.add(machine.loops[loop].hiddenLoop)
        }
        try charge(work: 64 + scope.frame.count + count.elements)
        let own = scope.frame.count * Storage.variable + scope.frame.cycles.count * Storage.cycle
        try context.budget.setLive(count.bytes + own + output.count)
    }

    /// Runs code that holds values that a count cannot reach.
    mutating func pinning<Result>(
        _ body: (inout Renderer) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        if context.budget.paysToCount { try recount() }
        let outer = context.budget.pinned
        context.budget.pinned = context.budget.live
        defer { context.budget.pinned = outer }
        return try body(&self)
    }
}

/// A walk through values that counts the units of work for reading, writing or comparing them.
struct ValueWalk {
    /// The units of work so far: one for each value, one for every 16 bytes of text, and more for big integers.
    private(set) var units = 0
    /// The deepest nesting of arrays and objects so far.
    private(set) var depth = 0
    /// The units at which the walk ends, because no work is left for more.
    private let most: Int

    init(most: Int) { self.most = most }

    /// Adds a value with all of its elements or members.
    mutating func add(_ value: Value, depth: Int = 0) {
        units += 1
        switch value {
        case .string(let string): units += string.utf8.count >> 4
        case .array(let array):
            self.depth = max(self.depth, depth + 1)
            guard depth <= Value.greatestDepth else { return }
            for element in array {
                if units > most { return }
                add(element, depth: depth + 1)
            }
        case .object(let object):
            self.depth = max(self.depth, depth + 1)
            guard depth <= Value.greatestDepth else { return }
            for index in 0..<object.count {
                if units > most { return }
                let (key, value) = object.member(at: index)
                units += key.utf8.count >> 4
                add(value, depth: depth + 1)
            }
        case .bigInteger(let integer): units += integer.words * integer.words
        case .drop(let drop as SelfDrop): self.depth = max(self.depth, depth + drop.valueDepth)
        case .null, .bool, .integer, .float, .range, .time, .drop: break
        }
    }
}

extension Value {
    /// How deep arrays and objects may be nested.
    ///
    /// Templates cannot build deeper values, so recursion over a value is safe. The limit for JSON is lower.
    static let greatestDepth = 640

    /// The bytes of a text; 0 for any other value.
    package var textBytes: Int {
        if case .string(let string) = self { string.utf8.count } else { 0 }
    }

    /// A walk through the value, which ends if it takes more than `most` units.
    func walk(most: Int) -> ValueWalk {
        var walk = ValueWalk(most: most)
        walk.add(self)
        return walk
    }
}

extension BigInteger {
    /// The number of 64-bit words.
    ///
    /// Writing the number costs the square of this many units, because the whole number is divided again and again.
    fileprivate var words: Int { bitWidth / 64 }
}

/// Comparisons, with charges for what they may read.
extension Budget {
    /// Whether a comparison of two values is true.
    mutating func holds(_ left: Value, _ comparison: Comparison, _ right: Value) throws(LiquidError) -> Bool {
        try charge(comparing: left, comparison, right)
        return try left.holds(against: right, comparison)
    }

    mutating func charge(comparing left: Value, _ comparison: Comparison, _ right: Value) throws(LiquidError) {
        switch (left, right) {
        case (.string(let text), .string(let other)):
            try charge(
                bytes: comparison == .contains
                    ? text.utf8.count + other.utf8.count : min(text.utf8.count, other.utf8.count))
        case (.array(let elements), _) where comparison == .contains:
            try charge(work: Self.product(elements.count, right.walk(most: workLeft).units))
        case (.string(let text), .array), (.string(let text), .object):
            // The array or object is written as text only up to the length of the string.
            if comparison == .contains { try charge(work: text.utf8.count) }
        case (.array(let first), .array(let second)):
            // Arrays of different lengths can be ordered, but are never equal.
            if comparison == .less || first.count == second.count { try charge(work: left.walk(most: workLeft).units) }
        case (.object(let first), .object(let second)):
            if first.count == second.count { try charge(work: left.walk(most: workLeft).units) }
        case (.bigInteger, _), (_, .bigInteger):
            try charge(work: left.walk(most: workLeft).units + right.walk(most: workLeft).units)
        // In a search for a key of an object, only the key is read.
        default: if comparison == .contains { try charge(bytes: right.textBytes) }
        }
    }
}
