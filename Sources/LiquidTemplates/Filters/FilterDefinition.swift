// SPDX-License-Identifier: MIT

public import DiagnosticSources
package import JSONTexts

/// A filter: a function with its name, arity, summary and examples.
///
/// Keyword arguments are passed to the function as one object after the positional arguments, as in Ruby.
///
/// A call counts as one instruction. The methods of the context charge for what the function reads and writes through
/// them: ``FilterContext/text(of:)``, ``FilterContext/elements(of:)`` and ``FilterContext/result(_:)``. A function that
/// does more work than that calls ``FilterContext/charge(work:)``.
public struct FilterDefinition: Sendable {
    /// The function of a filter: input, arguments, context.
    public typealias Function =
        @Sendable (_ input: Value, _ arguments: Arguments, _ context: inout FilterContext) throws(LiquidError) ->
        FilterResult

    /// A template and its output, which serves as documentation and as a test.
    public struct Example: Sendable {
        /// The template.
        public var template: String
        /// The output of the template.
        public var output: String

        /// Creates an example.
        public init(_ template: String, _ output: String) {
            self.template = template
            self.output = output
        }
    }

    /// The name as written in templates.
    public let name: String

    /// The number of arguments after the input.
    public let arity: ClosedRange<Int>

    /// One sentence of documentation.
    public let summary: String

    /// Examples of templates with the filter.
    public let examples: [Example]

    /// What is known about the results without calling the filter.
    public let traits: FilterTraits

    /// The function that computes the result.
    public let function: Function

    /// The operation that the renderer uses instead of ``function`` if the input and the only argument are integers.
    private(set) var calculation: IntegerOperation?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - name: the name as written in templates.
    ///   - arity: the number of arguments after the input; none by default.
    ///   - summary: one sentence of documentation.
    ///   - examples: templates and their outputs.
    ///   - traits: what is known about the results without calling the filter; static analysis relies on it.
    ///   - function: the function.
    public init(
        _ name: String,
        arity: ClosedRange<Int> = 0...0,
        summary: String,
        examples: [Example] = [],
        traits: FilterTraits = [],
        function: @escaping Function
    ) {
        self.name = name
        self.arity = arity
        self.summary = summary
        self.examples = examples
        self.traits = traits
        self.function = function
    }

    /// The filter with an operation on integers, which has to give the same results as the function.
    func calculating(_ operation: IntegerOperation) -> FilterDefinition {
        var filter = self
        filter.calculation = operation
        return filter
    }
}

/// An operation on two integers that the renderer does by itself, without a call of the filter.
enum IntegerOperation {
    case sum
    case difference
    case product

    /// The result of the operation; nil if it does not fit into an `Int`.
    @inline(__always)
    func result(_ left: Int, _ right: Int) -> Int? {
        let (result, overflow) =
            switch self {
            case .sum: left.addingReportingOverflow(right)
            case .difference: left.subtractingReportingOverflow(right)
            case .product: left.multipliedReportingOverflow(by: right)
            }
        return overflow ? nil : result
    }
}

/// What is known about the results of a filter without calling it.
public struct FilterTraits: OptionSet, Sendable {
    /// The traits as bits.
    public let rawValue: UInt8

    /// Creates a set of traits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every result is a text.
    public static let makesText = FilterTraits(rawValue: 1 << 0)

    /// Every result is an array.
    public static let makesList = FilterTraits(rawValue: 1 << 1)

    /// The result for a missing value is empty, so that a later `default` still applies.
    public static let keepsMissing = FilterTraits(rawValue: 1 << 2)

    /// If the input suits the filter, no result contains a character that has to be escaped in a JSON string.
    public static let isSafeInJSON = FilterTraits(rawValue: 1 << 3)

    /// If an output ends in the filter, the result is already HTML, and an environment with ``Environment/escapesHTML``
    /// prints it unchanged.
    public static let makesHTML = FilterTraits(rawValue: 1 << 4)
}

/// The result of a filter.
///
/// A text that is printed at once is copied from the buffer to the output, without creating a string.
public enum FilterResult: Sendable {
    /// The result is this value.
    case value(Value)
    /// The result is the text that the filter has just built in its context; see ``FilterContext/result(_:)``.
    case text(BuiltText)

    /// Marks the text in the buffer of a ``FilterContext`` as the result; only the context can create a mark.
    public struct BuiltText: Sendable {
        init() {}
    }

    /// The result null.
    public static var null: FilterResult { .value(.null) }

    /// A string as the result.
    public static func string(_ string: String) -> FilterResult { .value(.string(string)) }

    /// An array as the result.
    public static func array(_ elements: [Value]) -> FilterResult { .value(.array(elements)) }

    /// An integer as the result.
    public static func integer(_ integer: Int) -> FilterResult { .value(.integer(integer)) }

    /// A double as the result.
    public static func float(_ double: Double) -> FilterResult { .value(.float(double)) }

    /// A boolean as the result.
    public static func bool(_ bool: Bool) -> FilterResult { .value(.bool(bool)) }
}

/// What a call of a filter needs, as an element of a table.
///
/// The compiler wraps a function that is itself an array element, and each call would retain the wrapper, which all
/// threads share. A function that is a member of a struct is not wrapped.
struct FilterCode: Sendable {
    let function: FilterDefinition.Function
    let arity: ClosedRange<Int>
    let calculation: IntegerOperation?

    init(_ filter: FilterDefinition) {
        function = filter.function
        arity = filter.arity
        calculation = filter.calculation
    }
}

/// The arguments of a filter, in order; the view is valid only while the filter runs.
///
/// `Span` would express this in its type, but the optimiser of Swift 6.3 crashes on some functions with a `Span`
/// parameter.
public struct Arguments {
    private let values: UnsafeBufferPointer<Value>

    fileprivate init(_ values: UnsafeBufferPointer<Value>) { self.values = values }

    /// The number of arguments.
    public var count: Int { values.count }

    /// Whether there are no arguments.
    public var isEmpty: Bool { values.isEmpty }

    /// The indices of the arguments.
    public var indices: Range<Int> { 0..<values.count }

    /// The argument at an index; null after the last one.
    public subscript(index: Int) -> Value {
        indices.contains(index) ? values[index] : .null
    }
}

extension FilterDefinition {
    /// Calls a function, which reads its input and arguments in place.
    ///
    /// - Throws: the error of the function.
    @inline(__always)
    package static func call(
        _ function: Function,
        _ input: UnsafePointer<Value>,
        _ arguments: UnsafeBufferPointer<Value>,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        try input.borrow { (input) throws(LiquidError) in try function(input, Arguments(arguments), &context) }
    }
}

extension FilterDefinition {
    /// The filters of standard Liquid.
    public static let standard: [FilterDefinition] =
        [.date] + StringFilters.all + WhitespaceFilters.all + PartFilters.all + ReplaceFilters.all + HTMLFilters.all
        + URLFilters.all + MathFilters.all + ArrayFilters.all + SortFilters.all + SelectFilters.all + ValueFilters.all
}

/// A filter with the input and arguments of one call, none of which are copied: they are on the stack, in the data or
/// among the constants of a program.
///
/// It keeps none of these alive, so it must not be used after a change of the stack, the data or the variables; see
/// ``FixedTable``.
struct FilterApplication {
    let code: UnsafePointer<FilterCode>
    let input: UnsafePointer<Value>
    let arguments: UnsafeBufferPointer<Value>

    /// Creates a call whose arguments are constants.
    @inline(__always)
    init(of call: UnsafePointer<Program.FilterCall>, in program: Program, to input: UnsafePointer<Value>) {
        code = program.environment.functions.base + Int(call.pointee.filter)
        self.input = input
        arguments = program.arguments(of: call)
    }

    /// Creates a call with the first of some values as its input and the rest as its arguments; nil if there are no
    /// values.
    @inline(__always)
    init?(of code: UnsafePointer<FilterCode>, to values: UnsafeBufferPointer<Value>) {
        guard let input = values.baseAddress else { return nil }
        self.code = code
        self.input = input
        arguments = UnsafeBufferPointer(start: input + 1, count: values.count - 1)
    }

    /// The result of a filter that calculates, if its input and argument are integers; nil for any other call, or if
    /// the result does not fit into 64 bits.
    ///
    /// A filter that calculates always has exactly one argument, so the number of arguments is not checked.
    @inline(__always)
    var calculatedInteger: Int? {
        guard let operation = code.pointee.calculation, let left = input.integer,
            let right = arguments.baseAddress?.integer
        else { return nil }
        return operation.result(left, right)
    }
}

/// What a filter can use while it runs: a buffer for its output, the clock, time zones, and the host's data.
public struct FilterContext: ~Copyable {
    /// The buffer in which a filter builds its text; see ``result(_:)``.
    private var scratch: ByteBuffer

    /// The instant that counts as now.
    private let clock: Time

    /// Whether any filter has read the clock.
    public private(set) var readsClock = false

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

    /// The maximum number of bytes in the result of one filter.
    public var stringLimit: Int { scratch.limit }

    /// The instant that counts as now; calling this sets ``readsClock``.
    public mutating func now() -> Time {
        readsClock = true
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
    ///
    /// - Throws: `memory` if the rendering exceeds its limit of work.
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
    ///
    /// - Throws: `memory` if the text is longer, or if the rendering exceeds its limit of work.
    @inline(__always)
    public mutating func text(of value: Value) throws(LiquidError) -> String {
        guard case .string(let string) = value else { return try written(value) }
        try budget.charge(bytes: string.utf8.count)
        return string
    }

    /// The value as text, for a filter that looks at each character, so that each byte is charged as an element.
    ///
    /// - Throws: `memory` as ``text(of:)`` does.
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

    /// Throws an error if one or more texts with `count` bytes in total exceed ``stringLimit``.
    func checkLength(_ count: Int) throws(LiquidError) {
        if count > stringLimit { throw Self.textTooLong(limit: stringLimit) }
    }

    package static func textTooLong(limit: Int) -> LiquidError {
        LiquidError.overLimit(
            "the text that a filter builds exceeds the limit of \(limit) bytes (\(Limit.stringBytes.option))")
    }

    /// The maximum number of elements in the result of one filter: as many as fit into ``stringLimit`` bytes, but at
    /// least ten thousand.
    var elementLimit: Int { max(10_000, stringLimit / MemoryLayout<Value>.stride) }

    /// Throws an error if a result of `count` elements would be longer than ``elementLimit``.
    func checkCount(_ count: Int) throws(LiquidError) {
        guard count > elementLimit else { return }
        throw LiquidError.overLimit(
            "the array that a filter builds exceeds the limit of \(elementLimit) elements (\(Limit.stringBytes.option))"
        )
    }

    /// The elements over which an array filter iterates, whose work is charged: those of an array, with inner arrays
    /// flattened, the integers of a range, the parts of a time, none of nil, and any other value itself.
    ///
    /// - Throws: `memory` if there are too many, or if the rendering exceeds its limit of work.
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

    /// Reads JSON into a value, within the memory that values may still take.
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

/// The texts that the filter `date` has printed for strings.
///
/// The messages of a batch mostly contain few different dates, such as those of the trigger properties or of the next
/// days. Reading and printing a date takes longer than everything else in a short template. Each combination of date
/// and format belongs to one place, which other combinations may share; a place keeps only its last combination.
struct PrintedDates: ~Copyable {
    private struct Printed {
        var input = ""
        var format = ""
        var dialect = DateDialect.ruby
        var text = ""
        /// What is noted about the input each time it is printed.
        var need: UnreadInput.Need?
    }

    /// Empty until the first date is printed; an unused place has an empty format, which no printed date has.
    private var places: [Printed] = []

    private static let count = 512

    /// The maximum number of bytes that input, format and text may have together, because they are kept after the
    /// rendering.
    private static let limit = 256

    /// Appends the text for an input and a format if it is known; returns whether it is.
    func write(
        _ input: String,
        _ format: String,
        _ dialect: DateDialect,
        to buffer: inout ByteBuffer,
        _ need: inout UnreadInput.Need?
    ) -> Bool {
        guard !places.isEmpty else { return false }
        let place = Self.place(of: input, format)
        guard places[place].input.sameBytes(as: input), places[place].format.sameBytes(as: format),
            places[place].dialect == dialect
        else { return false }
        buffer.append(places[place].text)
        if places[place].need != nil { need = places[place].need }
        return true
    }

    /// Keeps the text that was printed for an input and a format.
    mutating func keep(
        _ input: String,
        _ format: String,
        _ dialect: DateDialect,
        _ need: UnreadInput.Need?,
        text: borrowing ByteBuffer
    ) {
        guard input.utf8.count + format.utf8.count + text.count <= Self.limit else { return }
        if places.isEmpty { places = Array(repeating: Printed(), count: Self.count) }
        let printed = Printed(input: input, format: format, dialect: dialect, text: text.string(), need: need)
        places[Self.place(of: input, format)] = printed
    }

    private static func place(of input: String, _ format: String) -> Int {
        // The seed is always the same, so the same dates always share a place.
        let hash = input.withBytes { Name.hash($0, seed: 0) }
        return Int(format.withBytes { Name.hash($0, seed: UInt64(hash)) }) & (count - 1)
    }
}
