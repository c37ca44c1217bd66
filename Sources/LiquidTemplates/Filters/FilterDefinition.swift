// SPDX-License-Identifier: MIT

/// A filter: a function with its name, arity, summary and examples.
///
/// Keyword arguments are passed to the function as one object after the positional arguments, as in Ruby.
public struct FilterDefinition: Sendable {
    /// The function of a filter: input, arguments, context.
    public typealias Function =
        @Sendable (_ input: Value, _ arguments: Arguments, _ context: inout FilterContext) throws(LiquidError) ->
        FilterResult

    /// A template and its output, which serves as documentation and as a test.
    public struct Example: Sendable {
        /// The template.
        public var template: String
        /// Its output.
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

    /// Examples.
    public let examples: [Example]

    /// The units of work that a call charges.
    public let work: FilterWork

    /// What is known of its results without a call.
    public let traits: FilterTraits

    /// The function.
    public let function: Function

    /// What the renderer does instead of calling ``function``, where it can.
    private(set) var shortcut: FilterShortcut?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - name: the name as written in templates.
    ///   - arity: the number of arguments after the input.
    ///   - summary: one sentence of documentation.
    ///   - examples: templates and what they print.
    ///   - work: the work of a call; by default 20 units for each byte of the input and the arguments.
    ///   - traits: what is known of its results without a call; static analysis relies on it.
    ///   - function: the function.
    public init(
        _ name: String,
        arity: ClosedRange<Int>,
        summary: String,
        examples: [Example] = [],
        work: FilterWork = .text(320),
        traits: FilterTraits = [],
        function: @escaping Function
    ) {
        self.name = name
        self.arity = arity
        self.summary = summary
        self.examples = examples
        self.work = work
        self.traits = traits
        self.function = function
    }

    /// The same filter with a shortcut, which gives the results that the function would.
    func with(_ shortcut: FilterShortcut) -> FilterDefinition {
        var filter = self
        filter.shortcut = shortcut
        return filter
    }
}

/// What the renderer does instead of calling the function of a filter that has one positional argument.
enum FilterShortcut {
    /// An operation, if the input and the argument are integers.
    case calculation(IntegerOperation)
    /// The argument replaces the input where ``ValueFilters/isReplaced(_:options:)`` is true.
    case replacement
}

/// An operation on two integers.
enum IntegerOperation {
    case sum
    case difference
    case product

    /// The result; nil if it does not fit into an integer.
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

/// What is known of the results of a filter without a call.
public struct FilterTraits: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates traits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every result is a text.
    public static let makesText = FilterTraits(rawValue: 1 << 0)

    /// Every result is an array.
    public static let makesList = FilterTraits(rawValue: 1 << 1)

    /// The result for a missing value is empty, so that a `default` after the filter still applies.
    public static let keepsMissing = FilterTraits(rawValue: 1 << 2)

    /// No result for an input that suits the filter holds a character that has to be escaped within a string of JSON.
    public static let isSafeInJSON = FilterTraits(rawValue: 1 << 3)

    /// An output that ends in the filter is HTML already: an environment with ``Environment/escapesHTML`` prints it as
    /// it is.
    public static let makesHTML = FilterTraits(rawValue: 1 << 4)
}

/// The result of a filter.
///
/// A text that is printed immediately is copied from the buffer to the output, without creating a string.
public enum FilterResult: Sendable {
    /// A value.
    case value(Value)
    /// The text that the filter has just built in its context; see ``FilterContext/result(_:)``.
    case text(BuiltText)

    /// A text in the buffer of a ``FilterContext``; only the context creates one.
    public struct BuiltText: Sendable {
        init() {}
    }

    /// The null value.
    public static var null: FilterResult { .value(.null) }

    /// A string.
    public static func string(_ string: String) -> FilterResult { .value(.string(string)) }

    /// An array.
    public static func array(_ elements: [Value]) -> FilterResult { .value(.array(elements)) }

    /// An integer.
    public static func integer(_ integer: Int) -> FilterResult { .value(.integer(integer)) }

    /// A double.
    public static func float(_ double: Double) -> FilterResult { .value(.float(double)) }

    /// A boolean.
    public static func bool(_ bool: Bool) -> FilterResult { .value(.bool(bool)) }
}

/// What a call of a filter needs, as an element of a table.
///
/// A function that is itself an array element is wrapped by the compiler, and each call would retain the wrapper, which
/// all threads share. As a member of a struct it is not.
struct FilterCode: Sendable {
    let function: FilterDefinition.Function
    let arity: ClosedRange<Int>
    let work: FilterWork
    let shortcut: FilterShortcut?

    init(_ filter: FilterDefinition) {
        function = filter.function
        arity = filter.arity
        work = filter.work
        shortcut = filter.shortcut
    }
}

/// The arguments of a filter, in order: a view that is valid only while the filter runs.
///
/// `Span` would express that in its type, but the optimiser of Swift 6.3 crashes on some functions with a `Span`
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
    /// Calls a function with an input and arguments, which it reads in place.
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

/// The work of a call of a filter, charged before the filter runs; see ``Limits/work``.
///
/// The numbers are units, each about a nanosecond of a current machine; they were measured and rounded up. The text
/// that a filter writes is charged in addition when it is written.
public struct FilterWork: Sendable {
    /// The parts of the input and the arguments that a filter reads.
    enum Reading: Sendable {
        /// Texts, but not those inside arrays and objects.
        case texts
        /// Everything, converted to text.
        case text
        /// The elements that an array filter sees, converted to text.
        case joined
        /// Everything, hashed and compared.
        case contents
        /// The elements that an array filter sees.
        case elements
        /// The elements, each compared with the arguments, and the bytes of those that are texts.
        case choice
        /// The elements, each as often as sorting compares it: by the logarithm of their number.
        case order
        /// Numbers, whose cost is the square of their digits.
        case numbers
    }

    let reading: Reading
    /// The units for each call.
    let call: Int
    /// The units for each element.
    let element: Int
    /// The units for each 16 bytes of text.
    let block: Int

    private init(_ reading: Reading, call: Int, element: Int = 0, block: Int = 0) {
        self.reading = reading
        self.call = call
        self.element = element
        self.block = block
    }

    /// The work of a filter that checks only the kind of its input.
    public static let constant = FilterWork(.texts, call: 64)

    /// The work of a filter that reads its input and arguments if they are texts, but not arrays and objects.
    ///
    /// - Parameters:
    ///   - block: the units for each 16 bytes.
    ///   - call: the units for each call.
    /// - Returns: the work.
    public static func texts(_ block: Int, call: Int = 64) -> FilterWork {
        FilterWork(.texts, call: call, block: block)
    }

    /// The work of a filter that converts its input and arguments to text.
    ///
    /// - Parameters:
    ///   - block: the units for each 16 bytes.
    ///   - call: the units for each call.
    /// - Returns: the work.
    public static func text(_ block: Int, call: Int = 64) -> FilterWork {
        FilterWork(.text, call: call, element: 64, block: block)
    }

    /// The work of a filter that writes the elements of its input one after the other.
    static let joined = FilterWork(.joined, call: 100, element: 64, block: 8)

    /// The work of a filter that reads the elements of its input, but not their contents.
    ///
    /// - Parameter element: the units for each.
    /// - Returns: the work.
    public static func elements(_ element: Int) -> FilterWork {
        FilterWork(.elements, call: 100, element: element, block: 0)
    }

    /// The work of a filter that reads a property of each element and compares it.
    static let choice = FilterWork(.choice, call: 100, element: 80, block: 96)

    /// The work of a filter that removes duplicate elements by comparing all of their contents.
    static let distinct = FilterWork(.contents, call: 200, element: 200, block: 128)

    /// The work of a filter that sorts elements.
    ///
    /// - Parameters:
    ///   - element: the units for each comparison.
    ///   - block: the units for each 16 bytes that are compared.
    /// - Returns: the work.
    static func order(_ element: Int, block: Int) -> FilterWork {
        FilterWork(.order, call: 200, element: element, block: block)
    }

    /// The work of a filter that calculates.
    static let numbers = FilterWork(.numbers, call: 64)

    /// What the arguments of a call add to its work; for constants the compiler finds that out.
    struct ArgumentBytes: Sendable {
        /// The bytes of the arguments; -1 where their work depends on more than that.
        fileprivate let bytes: Int32

        init(_ values: UnsafeBufferPointer<Value>, of code: UnsafePointer<FilterCode>) {
            var bytes = 0
            var isPlain = true
            if let first = values.baseAddress {
                for index in values.indices where isPlain {
                    isPlain = code.pointee.work.isPlain(first + index, &bytes)
                }
            }
            self.bytes = isPlain && bytes <= Int32.max ? Int32(truncatingIfNeeded: bytes) : -1
        }
    }

    /// The units of a call on an input and its arguments.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - values: the arguments.
    ///   - arguments: what is known of the arguments.
    ///   - budget: what is left; counting ends beyond that.
    /// - Returns: the units.
    @inline(__always)
    func units(
        _ input: UnsafePointer<Value>,
        _ values: UnsafeBufferPointer<Value>,
        _ arguments: ArgumentBytes,
        _ budget: borrowing Budget
    ) -> Int {
        // Most inputs and arguments are texts and integers.
        var bytes = Int(arguments.bytes)
        guard bytes >= 0, isPlain(input, &bytes) else { return call + measured(input, values, most: budget.workLeft) }
        // The bytes of texts in memory, times a small constant, cannot overflow.
        return call &+ (bytes &* block) >> 4
    }

    /// Whether the work on a value depends on no more than its bytes, which are added.
    @inline(__always)
    private func isPlain(_ value: UnsafePointer<Value>, _ bytes: inout Int) -> Bool {
        value.borrow { value in
            switch value {
            case .string(let string):
                bytes &+= string.utf8.count
                // The work of a number in text depends on its digits.
                return reading != .numbers
            case .null, .bool, .integer: return true
            default: return reading == .texts
            }
        }
    }

    @inline(never)
    private func measured(
        _ input: UnsafePointer<Value>,
        _ arguments: UnsafeBufferPointer<Value>,
        most: Int
    ) -> Int {
        if reading == .numbers {
            return arguments.reduce(input.borrow(Self.numberWork)) { $0 + Self.numberWork(of: $1) }
        }
        var all = Extent(reading == .elements ? .elements : .everything, most: most / max(element, 1))
        if reading == .choice {
            var elements = Extent(.elements, most: most / element)
            input.borrow { elements.add($0) }
            for argument in arguments { all.add(argument) }
            return work(of: elements) + Budget.product(elements.elements, all.work)
        }
        input.borrow { all.add($0) }
        for argument in arguments { all.add(argument) }
        switch reading {
        case .texts, .numbers, .choice, .contents: return work(of: all)
        // The filter does not read the bytes of texts, so only the number of elements counts.
        case .elements: return Budget.product(all.elements, element)
        case .text:
            // Texts inside arrays are written in quotes, with escapes.
            return work(of: all) + all.innerBytes * 8
        case .joined:
            if case .range(let range) = input.pointee { all.elements += min(range.count, 1 << 24) }
            return work(of: all) + all.innerBytes * 8
        case .order:
            return Budget.product(work(of: all), Int.bitWidth - max(all.elements, 1).leadingZeroBitCount)
        }
    }

    private func work(of extent: Extent) -> Int {
        let bytes = extent.bytes + extent.innerBytes
        return Budget.product(extent.elements, element) + Budget.product(bytes, block) / 16 + extent.units
    }

    /// The units of work to read a number and to write the result.
    static func numberWork(of value: Value) -> Int {
        switch value {
        case .integer, .null, .bool: return 0
        case .float(let double):
            // The number of digits that an exact decimal needs before and after the point.
            let digits = double.isFinite && double != 0 ? abs(Int(double.exponent)) * 3 / 10 : 0
            return 2_000 + digits * 16 + digits * digits / 4
        case .bigInteger(let integer): return integer.textWork
        case .string(let string):
            let digits = min(string.utf8.count, Number.maximumDigits)
            return string.utf8.count * 2 + (digits > 16 ? 2_000 + digits * digits / 8 : 200)
        case .array, .object, .range, .time, .drop: return 0
        }
    }
}
