// SPDX-License-Identifier: MIT

public import DiagnosticSources
package import JSONTexts

/// The environment in which a filter runs: a buffer for its output, the clock, time zones, and the host's data.
public struct FilterContext: ~Copyable {
    /// The buffer in which a filter builds its text; see ``result(_:)``.
    private var scratch: ByteBuffer

    /// The instant that counts as now.
    private let clock: Time

    /// Whether any filter has read the clock.
    public private(set) var readClock = false

    /// Provides the offsets of named time zones.
    public let timeZones: any TimeZoneProvider

    /// The identifier of the zone in which times without a zone are read and shown.
    public let timeZone: String

    /// The zone of ``timeZone`` with its offsets.
    let localZone: LocalZone

    /// Data that the host keeps for its own filters and tags during a rendering.
    public var host: (any Sendable)?

    /// The counters for the limits of the rendering.
    var budget: Budget

    /// The first value that the running filter could not read; see ``noteUnread(_:_:argument:)``.
    private(set) var unread: UnreadValue?

    /// The results of `date` so far; the clock and the zones, on which they depend as well, never change.
    private var printedDates = PrintedDates()

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - clock: the instant that counts as now.
    ///   - timeZones: provides the offsets of named time zones.
    ///   - timeZone: the zone in which times without a zone are read and shown.
    ///   - stringLimit: the most bytes in the result of one filter.
    ///   - host: data for the host's own filters.
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

    /// The instant that counts as now; calling this sets ``readClock``.
    public mutating func now() -> Time {
        readClock = true
        return clock
    }

    /// Builds the text that a filter returns, up to ``stringLimit`` bytes.
    ///
    /// - Throws: `memory` if the text is longer than the limit.
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

    /// Charges work that the context's own methods do not charge; see ``Limits/work``.
    ///
    /// - Throws: `memory` if the rendering exceeds its limit of work.
    @inline(__always)
    public mutating func charge(work units: Int) throws(LiquidError) { try budget.charge(work: units) }

    /// Charges the work of going through a value.
    @inline(__always)
    package mutating func charge(reading value: Value) throws(LiquidError) {
        switch value {
        case .string(let string): try budget.charge(bytes: string.utf8.count)
        case .null, .bool, .integer: break
        default: try budget.charge(work: value.walk(most: budget.workLeft).units)
        }
    }

    /// Notes that the running filter cannot read a value and continues without it, so that the renderer reports this.
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

    /// Charges memory inside the array or object that a filter returns.
    package mutating func allocate(_ bytes: Int) { budget.allocate(bytes) }

    /// The text that `date` prints for a string, if it is known from an earlier call; otherwise, and for any other
    /// value, nil.
    mutating func printedDate(of input: Value, _ format: String, _ dialect: DateDialect) -> FilterResult? {
        guard case .string(let input) = input else { return nil }
        scratch.removeAll()
        var need: UnreadInput.Need?
        guard printedDates.write(input, format, dialect, to: &scratch, &need) else { return nil }
        if let need { noteUnread(.string(input), need) }
        return .text(FilterResult.BuiltText())
    }

    /// Keeps the text that `date` has built for a string, with what it noted about the string.
    mutating func keepPrintedDate(
        of input: Value,
        _ format: String,
        _ dialect: DateDialect,
        _ need: UnreadInput.Need?
    ) {
        if case .string(let input) = input { printedDates.keep(input, format, dialect, need, text: scratch) }
    }

    /// Frees the buffer's memory if a long text has made it large.
    mutating func shrink() {
        scratch.removeAll()
        scratch.shrink()
    }

    /// Builds a text of up to ``stringLimit`` bytes.
    ///
    /// - Throws: `memory` if the text is longer than the limit.
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
    /// The value as text of up to ``stringLimit`` bytes, whose work is charged; a string is returned unchanged.
    @inline(__always)
    public mutating func text(of value: Value) throws(LiquidError) -> String {
        guard case .string(let string) = value else { return try written(value) }
        try budget.charge(bytes: string.utf8.count)
        return string
    }

    /// The value as text, for a filter that looks at each character, so that each byte is charged as an element.
    package mutating func characters(of value: Value) throws(LiquidError) -> String {
        let text = try text(of: value)
        try charge(work: text.utf8.count)
        return text
    }

    /// A value other than a string as text.
    @inline(never)
    private mutating func written(_ value: Value) throws(LiquidError) -> String {
        try charge(reading: value)
        guard case .string(let text) = try string({ buffer in value.write(to: &buffer) }) else { return "" }
        return text
    }

    /// Throws an error if texts of `count` bytes would be longer than ``stringLimit``.
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

    /// The most elements in the result of one filter: as many as fit into ``stringLimit`` bytes, but at least ten
    /// thousand.
    package var elementLimit: Int { max(10_000, stringLimit / MemoryLayout<Value>.stride) }

    /// Throws an error if a result of `count` elements would be longer than ``elementLimit``.
    package func checkCount(_ count: Int) throws(LiquidError) {
        guard count > elementLimit else { return }
        throw LiquidError(
            .memory,
            "the array that a filter builds passes the limit of \(elementLimit) elements (\(Limit.stringBytes.option))",
            referenceText: "Memory limits exceeded"
        )
    }

    /// The elements over which an array filter iterates, whose work is charged; see
    /// `Value.appendElements`.
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

    /// The value of an element's property; nil for an element that has no properties.
    mutating func item(_ property: Value, of element: Value) throws(LiquidError) -> Value? {
        try charge(reading: property)
        switch element {
        case .string, .bigInteger: try charge(reading: element)
        default: break
        }
        return try element.item(property)
    }

    /// Reads a property of each element and converts it with `value`, which gets nil for an element that has no
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

    /// If the element is a text, adds the bytes of its property to `parts`, because the property is a new text.
    ///
    /// - Throws: `memory` if all of these texts together are longer than the limit for one text.
    func count(_ item: Value, of element: Value, in parts: inout Int) throws(LiquidError) {
        guard case .string = element else { return }
        parts += item.textBytes
        try checkLength(parts)
    }

    /// Reads JSON into a value that takes at most as much memory as values may still take.
    ///
    /// - Throws: the first error of the text; `tooLarge` if the value exceeds the limit of live bytes.
    package mutating func value(json text: String) throws(JSONError) -> Value {
        let room = max(0, budget.liveLimit - budget.live)
        var left = room
        let value = try Value(json: text, within: &left)
        allocate(room - left)
        return value
    }

    /// The error for a value that exceeds the limit of live bytes.
    package var liveBytesError: LiquidError { Limit.liveBytes.error(at: budget.liveLimit) }
}
