// SPDX-License-Identifier: MIT

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
