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

    /// The work of a call.
    public let work: FilterWork

    /// The function.
    public let function: Function

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - name: the name as written in templates.
    ///   - arity: the number of arguments after the input.
    ///   - summary: one sentence of documentation.
    ///   - examples: templates and what they print.
    ///   - work: the work of a call; by default 20 units for each byte of the input and the arguments.
    ///   - function: the function.
    public init(
        _ name: String,
        arity: ClosedRange<Int>,
        summary: String,
        examples: [Example] = [],
        work: FilterWork = .text(320),
        function: @escaping Function
    ) {
        self.name = name
        self.arity = arity
        self.summary = summary
        self.examples = examples
        self.work = work
        self.function = function
    }
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

/// The function and work of a filter, as an element of a table.
///
/// A function that is itself an array element is wrapped by the compiler, and each call would retain the wrapper, which
/// all threads share. As a member of a struct it is not.
struct FilterCode: Sendable {
    let function: FilterDefinition.Function
    let work: FilterWork
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
    /// Calls a function with an input, the first of `values`, and the arguments after it.
    @inline(__always)
    package static func call(
        _ function: Function,
        _ values: UnsafeBufferPointer<Value>,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        guard let input = values.baseAddress else { return .null }
        let arguments = Arguments(UnsafeBufferPointer(start: input + 1, count: values.count - 1))
        return try input.borrow { (input) throws(LiquidError) in try function(input, arguments, &context) }
    }
}

extension FilterDefinition {
    /// The filters of standard Liquid.
    public static let standard: [FilterDefinition] =
        [.date] + StringFilters.all + WhitespaceFilters.all + PartFilters.all + ReplaceFilters.all + HTMLFilters.all
        + URLFilters.all + MathFilters.all + ArrayFilters.all + SortFilters.all + SelectFilters.all + ValueFilters.all
}
