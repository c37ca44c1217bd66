// SPDX-License-Identifier: MIT

/// What a rendering has used of its limits, and where it has to stop.
///
/// **Work** is charged before it is done, by what an operation touches: blocks by their instructions, which the compiler
/// adds up; filters by the bytes and elements that they read, by ``FilterWork``, and by the bytes that they write;
/// comparisons by what they compare. It is a number that depends on the input alone.
///
/// **Live bytes** are charged where storage is made (texts, arrays, objects) and never given back one by one: values
/// share storage, and counting references to it would cost every rendering. So ``live`` is an upper bound. Where it
/// reaches ``recountAt``, the renderer counts what its variables really hold and goes on from there, as a garbage collector
/// does; see `Renderer.recount(holding:)`. A rendering that allocates little never counts, and one that does pays for it in
/// work.
struct Budget: Sendable {
    private let workLimit: Int
    private let secondsLimit: Int
    private let stopwatch: (any Stopwatch)?
    /// The most live bytes.
    let liveLimit: Int

    private(set) var work = 0
    /// The work at which the stopwatch is read next, at most the limit.
    private var workStop = 0
    /// When the stopwatch was read first in the message.
    private var start: Int?

    /// At least the bytes that values hold.
    private(set) var live = 0
    /// The number of live bytes at which they are counted.
    private(set) var recountAt = 0
    /// What the last count found.
    private var counted = 0
    /// At least the bytes that are held by values that the count cannot see: those of partials and tags in progress.
    var pinned = 0

    /// The bytes that something else than values holds.
    private var kept = 0

    /// How much work passes between two looks at the stopwatch.
    private static let workBetweenLooks = 1 << 24

    init(_ limits: Limits, stopwatch: (any Stopwatch)? = nil) {
        workLimit = limits.work
        secondsLimit = limits.seconds
        self.stopwatch = limits.seconds > 0 ? stopwatch : nil
        liveLimit = limits.liveBytes
        begin(continuing: false)
    }

    /// Begins a rendering; where it continues a message, work and time count on.
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
        workStop = stopwatch == nil ? workLimit : min(workLimit, work + Self.workBetweenLooks)
    }

    // MARK: work

    /// The work that is left.
    var workLeft: Int { max(0, workLimit - work) }

    /// Charges work that is about to be done.
    @inline(__always)
    mutating func charge(work units: Int) throws(LiquidError) {
        work &+= units
        if work > workStop { try pause() }
    }

    /// Charges work where nothing can be thrown: the next charge ends the rendering where a limit is passed.
    mutating func chargeLater(_ units: Int) { work &+= units }

    /// Charges a number of elements or bytes that each take some units.
    @inline(__always)
    mutating func charge(_ count: Int, by units: Int) throws(LiquidError) {
        try charge(work: Self.product(count, units))
    }

    /// A product that is cut to what a sum of some of them holds.
    static func product(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? 1 << 56 : min(product, 1 << 56)
    }

    /// Ends the rendering where a limit is passed.
    @inline(never)
    private mutating func pause() throws(LiquidError) {
        guard work <= workLimit else {
            // What is charged after the error, where one is handled, must not overflow.
            work = workLimit + 1
            throw Limit.work.error(at: workLimit)
        }
        if let now = stopwatch?.nanoseconds() {
            let start = start ?? now
            self.start = start
            guard now - start <= secondsLimit * 1_000_000_000 else { throw Limit.seconds.error(at: secondsLimit) }
        }
        setWorkStop()
    }

    // MARK: live bytes

    /// Adds storage that was made.
    @inline(__always)
    mutating func allocate(_ bytes: Int) { live &+= bytes }

    /// Adds storage that something else than values holds until the rendering ends.
    mutating func keep(_ bytes: Int) {
        kept &+= bytes
        live &+= bytes
    }

    /// Whether live bytes are to be counted now; `more` are held beside them.
    @inline(__always)
    func needsCount(holding more: Int = 0) -> Bool { live &+ more > recountAt }

    /// Whether it pays to count before more values go out of sight.
    var paysToCount: Bool { live > liveLimit / 4 && live - counted > liveLimit / 8 }

    /// Takes over what a count found.
    ///
    /// - Throws: `memory` where that passes the limit.
    mutating func setLive(_ bytes: Int) throws(LiquidError) {
        live = pinned + kept + bytes
        counted = live
        guard live <= liveLimit else { throw Limit.liveBytes.error(at: liveLimit) }
        recountAt = min(liveLimit, max(liveLimit / 2, live + liveLimit / 8))
    }
}
