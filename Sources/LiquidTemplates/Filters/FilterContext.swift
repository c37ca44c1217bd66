// SPDX-License-Identifier: MIT

public import DiagnosticSources
package import JSONTexts

/// The environment of a filter besides its input and arguments: a buffer for its output, the clock, time zones, and the
/// host's data.
public struct FilterContext: ~Copyable {
    /// The buffer in which a filter builds its text; see ``result(_:)``.
    private var scratch: ByteBuffer

    /// The instant that counts as now.
    private let clock: Time

    /// Whether a filter has asked for the time.
    public private(set) var readClock = false

    /// The offsets of named zones.
    public let timeZones: any TimeZoneProvider

    /// The identifier of the zone in which times without one are read and shown.
    public let timeZone: String

    /// The same zone with its offsets.
    let localZone: LocalZone

    /// Data that the host of the engine keeps for its own filters and tags during a rendering.
    public var host: (any Sendable)?

    /// The counters for the limits of the rendering.
    var budget: Budget

    /// The first value that the filter which runs could not read; see ``noteUnread(_:_:argument:)``.
    private(set) var unread: UnreadValue?

    /// What `date` has printed; the clock and the zones, on which it depends too, never change.
    private var printedDates = PrintedDates()

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - clock: the instant that counts as now.
    ///   - timeZones: the offsets of named zones.
    ///   - timeZone: the zone in which times without one are read and shown.
    ///   - stringLimit: the most bytes in the result of one filter.
    ///   - host: data for the host's filters.
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
        localZone = LocalZone(timeZone, timeZones)
        budget = Budget(limits, stopwatch: stopwatch)
    }

    /// The most bytes in the result of one filter.
    public var stringLimit: Int { scratch.limit }

    /// The instant that counts as now; calling it sets ``readClock``.
    public mutating func now() -> Time {
        readClock = true
        return clock
    }

    /// Builds the text that a filter returns, up to ``stringLimit`` bytes.
    ///
    /// - Throws: `memory` when the text passes the limit.
    public mutating func result(
        _ write: (inout ByteBuffer) throws(LiquidError) -> Void
    ) throws(LiquidError) -> FilterResult {
        try fill(write)
        return .text(FilterResult.BuiltText())
    }

    /// The result of a filter as a value.
    @inline(__always)
    package func value(of result: FilterResult) -> Value {
        switch result {
        case .value(let value): value
        case .text: .string(scratch.string())
        }
    }

    /// Appends the text that a filter has built.
    @inline(__always)
    mutating func appendText(to output: inout ByteBuffer) { scratch.withUnsafeBytes { output.append($0) } }

    /// Charges work beyond that of the context's own methods; see ``Limits/work``.
    ///
    /// - Throws: `memory` where the rendering passes its limit of work.
    @inline(__always)
    public mutating func charge(work units: Int) throws(LiquidError) { try budget.charge(work: units) }

    /// Charges a walk through a value.
    @inline(__always)
    package mutating func charge(reading value: Value) throws(LiquidError) {
        switch value {
        case .string(let string): try budget.charge(bytes: string.utf8.count)
        case .null, .bool, .integer: break
        default: try budget.charge(work: value.walk(most: budget.workLeft).units)
        }
    }

    /// Notes that the filter which runs cannot read a value and goes on without it, so that the renderer reports it.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - need: what the filter needs.
    ///   - argument: the index of the argument with the value; nil for the input.
    @inline(never)
    package mutating func noteUnread(_ value: Value, _ need: UnreadInput.Need, argument: Int? = nil) {
        if unread == nil { unread = UnreadValue(value, need, argument: argument) }
    }

    /// Returns ``unread`` and forgets it.
    mutating func takeUnread() -> UnreadValue? { unread.take() }

    /// Charges storage inside the array or object that a filter returns.
    package mutating func allocate(_ bytes: Int) { budget.allocate(bytes) }

    /// What `date` prints for a string if that is known; nil for anything else.
    mutating func printedDate(of input: Value, _ format: String, _ dialect: DateDialect) -> FilterResult? {
        guard case .string(let input) = input else { return nil }
        scratch.removeAll()
        var need: UnreadInput.Need?
        guard printedDates.write(input, format, dialect, to: &scratch, &need) else { return nil }
        if let need { noteUnread(.string(input), need) }
        return .text(FilterResult.BuiltText())
    }

    /// Keeps the text that `date` has built for a string, and what it noted about it.
    mutating func keepPrintedDate(
        of input: Value,
        _ format: String,
        _ dialect: DateDialect,
        _ need: UnreadInput.Need?
    ) {
        if case .string(let input) = input { printedDates.keep(input, format, dialect, need, text: scratch) }
    }

    /// Frees the memory of a long text.
    mutating func shrink() {
        scratch.removeAll()
        scratch.shrink()
    }

    /// Builds a text of up to ``stringLimit`` bytes.
    ///
    /// - Throws: `memory` when the text passes the limit.
    public mutating func string(_ write: (inout ByteBuffer) throws(LiquidError) -> Void) throws(LiquidError) -> Value {
        try fill(write)
        return .string(scratch.string())
    }

    private mutating func fill(_ write: (inout ByteBuffer) throws(LiquidError) -> Void) throws(LiquidError) {
        scratch.removeAll()
        try write(&scratch)
        try budget.charge(bytes: scratch.count)
        guard !scratch.isOverLimit else { throw Self.textTooLong(limit: scratch.limit) }
    }
}

extension FilterContext {
    /// A value as text of up to ``stringLimit`` bytes, which is charged; a string is returned unchanged.
    @inline(__always)
    public mutating func text(of value: Value) throws(LiquidError) -> String {
        guard case .string(let string) = value else { return try written(value) }
        try budget.charge(bytes: string.utf8.count)
        return string
    }

    /// A value as text for a filter that looks at each character: each byte counts as an element.
    package mutating func characters(of value: Value) throws(LiquidError) -> String {
        let text = try text(of: value)
        try charge(work: text.utf8.count)
        return text
    }

    /// Any value but a string as text.
    @inline(never)
    private mutating func written(_ value: Value) throws(LiquidError) -> String {
        try charge(reading: value)
        guard case .string(let text) = try string({ buffer in value.write(to: &buffer) }) else { return "" }
        return text
    }

    /// Fails where texts of `count` bytes would pass ``stringLimit``.
    func checkLength(_ count: Int) throws(LiquidError) {
        if count > stringLimit { throw Self.textTooLong(limit: stringLimit) }
    }

    package static func textTooLong(limit: Int) -> LiquidError {
        LiquidError(
            .memory,
            "the text that a filter builds passes the limit of \(limit) bytes (\(Limit.stringBytes.option))",
            referenceText: "Memory limits exceeded"
        )
    }

    /// The most elements in the result of one filter: as many as fit into ``stringLimit``, but at least ten thousand.
    package var elementLimit: Int { max(10_000, stringLimit / MemoryLayout<Value>.stride) }

    /// Fails where a result of `count` elements would pass ``elementLimit``.
    package func checkCount(_ count: Int) throws(LiquidError) {
        guard count > elementLimit else { return }
        throw LiquidError(
            .memory,
            "the array that a filter builds passes the limit of \(elementLimit) elements (\(Limit.stringBytes.option))",
            referenceText: "Memory limits exceeded"
        )
    }

    /// The elements that an array filter iterates over, which are charged; see ``Value/appendElements(to:limit:left:)``.
    public mutating func elements(of value: Value) throws(LiquidError) -> [Value] {
        if case .array(let elements) = value, !elements.contains(where: \.isArray) {
            try charge(work: elements.count)
            return elements
        }
        var elements: [Value] = []
        let limit = elementLimit
        let room = budget.workLeft
        var left = room
        value.appendElements(to: &elements, limit: limit, left: &left)
        try charge(work: room - left)
        try checkCount(elements.count)
        return elements
    }

    /// A property of an element; nil for elements that have no properties.
    mutating func item(_ property: Value, of element: Value) throws(LiquidError) -> Value? {
        try charge(reading: property)
        switch element {
        case .string, .bigInteger: try charge(reading: element)
        default: break
        }
        return try element.item(property)
    }

    /// Reads a property of each element and converts it with `value`, which gets nil for elements that have no
    /// properties.
    mutating func items(
        _ property: Value,
        of elements: [Value],
        _ value: (Value?) -> Value
    ) throws(LiquidError) -> [Value] {
        var items: [Value] = []
        items.reserveCapacity(elements.count)
        var parts = 0
        for element in elements {
            let item = value(try item(property, of: element))
            try count(item, of: element, in: &parts)
            items.append(item)
        }
        return items
    }

    /// Adds the bytes of a property that is a part of a text, for which a new text was made.
    ///
    /// - Throws: `memory` where all of them together pass the limit of one text.
    func count(_ item: Value, of element: Value, in parts: inout Int) throws(LiquidError) {
        guard case .string = element else { return }
        parts += item.textBytes
        try checkLength(parts)
    }

    /// Reads JSON within the bytes that values may still hold.
    ///
    /// - Throws: the first error of the text; `tooLarge` where the value passes the limit of live bytes.
    package mutating func value(json text: String) throws(JSONError) -> Value {
        let room = max(0, budget.liveLimit - budget.live)
        var left = room
        let value = try Value(json: text, within: &left)
        allocate(room - left)
        return value
    }

    /// The error for a value that passes the limit of live bytes.
    package var liveBytesError: LiquidError { Limit.liveBytes.error(at: budget.liveLimit) }
}
