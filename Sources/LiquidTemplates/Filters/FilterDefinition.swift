// SPDX-License-Identifier: MIT

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
    ///   - arity: the number of arguments after the input.
    ///   - summary: one sentence of documentation.
    ///   - examples: templates and their outputs.
    ///   - traits: what is known about the results without calling the filter; static analysis relies on it.
    ///   - function: the function.
    public init(
        _ name: String,
        arity: ClosedRange<Int>,
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

/// An operation on two integers.
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

    /// Stands for the text in the buffer of a ``FilterContext``; only the context can create one.
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
