// SPDX-License-Identifier: MIT

public import SourceText

/// What a filter may use besides its input and arguments: a buffer for its output, the clock, the zones, the host.
public struct FilterContext: ~Copyable {
    /// Bytes that a filter builds its text in; see ``string(_:)``.
    private var scratch: ByteBuffer

    /// The given clock.
    private let clock: Time

    /// Whether a filter asked for the time.
    public private(set) var readClock = false

    /// The offsets of named zones.
    public let timeZones: any TimeZoneProvider

    /// The identifier of the zone in which times without one are read and shown.
    public let timeZone: String

    /// Whatever the host of the engine keeps for its own filters and tags during a render.
    public var host: (any Sendable)?

    /// What the rendering has used of its limits.
    var budget: Budget

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - clock: what `now` means.
    ///   - timeZones: the offsets of named zones.
    ///   - timeZone: the zone in which times without one are read and shown.
    ///   - stringLimit: how many bytes the result of one filter may hold.
    ///   - host: for filters of the host.
    public init(
        clock: Time,
        timeZones: any TimeZoneProvider,
        timeZone: String = "UTC",
        stringLimit: Int,
        host: (any Sendable)? = nil
    ) {
        var limits = Limits()
        limits.stringBytes = stringLimit
        self.init(clock: clock, timeZones: timeZones, timeZone: timeZone, limits: limits, stopwatch: nil, host: host)
    }

    init(
        clock: Time,
        timeZones: any TimeZoneProvider,
        timeZone: String,
        limits: Limits,
        stopwatch: (any Stopwatch)?,
        host: (any Sendable)?
    ) {
        scratch = ByteBuffer(capacity: 256, limit: limits.stringBytes)
        self.clock = clock
        self.timeZones = timeZones
        self.timeZone = timeZone
        self.host = host
        budget = Budget(limits, stopwatch: stopwatch)
    }

    /// How many bytes the result of one filter may hold.
    public var stringLimit: Int { scratch.limit }

    /// The given instant; that it was asked for is remembered in ``readClock``.
    public mutating func now() -> Time {
        readClock = true
        return clock
    }

    /// Builds the text that a filter returns, of bounded length.
    ///
    /// - Throws: `memory` when the text passes the limit.
    public mutating func result(
        _ write: (inout ByteBuffer) throws(LiquidError) -> Void
    ) throws(LiquidError) -> FilterResult {
        try fill(write)
        return .text(FilterResult.BuiltText())
    }

    /// What a filter has returned, as a value.
    @inline(__always)
    package func value(of result: FilterResult) -> Value {
        switch result {
        case .value(let value): value
        case .text: .string(scratch.string())
        }
    }

    /// Appends the text that a filter has built, and charges it.
    mutating func appendText(to output: inout ByteBuffer) throws(LiquidError) {
        try budget.charge(work: scratch.count / 2)
        scratch.withUnsafeBytes { output.append($0) }
    }

    /// Charges work that depends on more than the filter's input and arguments.
    ///
    /// - Throws: `memory` where the rendering passes its limit of work.
    public mutating func charge(work units: Int) throws(LiquidError) { try budget.charge(work: units) }

    /// Adds storage that a filter made inside of the array or object that it returns.
    package mutating func allocate(_ bytes: Int) { budget.allocate(bytes) }

    /// Gives back the memory of a long text.
    mutating func shrink() {
        scratch.removeAll()
        scratch.shrink()
    }

    /// Builds a text of bounded length.
    ///
    /// - Throws: `memory` when the text passes the limit.
    public mutating func string(_ write: (inout ByteBuffer) throws(LiquidError) -> Void) throws(LiquidError) -> Value {
        try fill(write)
        return .string(scratch.string())
    }

    private mutating func fill(_ write: (inout ByteBuffer) throws(LiquidError) -> Void) throws(LiquidError) {
        scratch.removeAll()
        try write(&scratch)
        guard !scratch.isOverLimit else { throw Self.textTooLong(limit: scratch.limit) }
    }
}
