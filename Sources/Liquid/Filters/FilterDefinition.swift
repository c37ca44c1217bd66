// SPDX-License-Identifier: MIT

/// A filter: a function with its name, arity, summary and examples.
///
/// Keyword arguments reach the function as one object after the positional arguments, as in Ruby.
public struct FilterDefinition: Sendable {
    /// The function of a filter: input, arguments, context.
    public typealias Function =
        @Sendable (_ input: Value, _ arguments: Arguments, _ context: inout FilterContext) throws(LiquidError) ->
        FilterResult

    /// A template and what it prints; part of the documentation, and a test.
    public struct Example: Sendable {
        /// The template.
        public var template: String
        /// What it prints.
        public var output: String

        /// Creates an example.
        public init(_ template: String, _ output: String) {
            self.template = template
            self.output = output
        }
    }

    /// The name as written in templates.
    public let name: String

    /// How many arguments may follow the input.
    public let arity: ClosedRange<Int>

    /// One sentence of documentation.
    public let summary: String

    /// Examples.
    public let examples: [Example]

    /// What a call costs.
    public let work: FilterWork

    /// The function.
    public let function: Function

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - name: the name as written in templates.
    ///   - arity: how many arguments may follow the input.
    ///   - summary: one sentence of documentation.
    ///   - examples: templates and what they print.
    ///   - work: what a call costs; by default 20 units for each byte of the input and the arguments.
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

/// What a filter returns.
///
/// A text that is printed at once is copied to the output from where it was built, and never made a string of.
public enum FilterResult: Sendable {
    /// A value.
    case value(Value)
    /// The text that the filter has just built in its context; see ``FilterContext/result(_:)``.
    case text(BuiltText)

    /// A text in the buffer of a ``FilterContext``, which alone makes one.
    public struct BuiltText: Sendable {
        init() {}
    }

    /// Nil's value.
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

/// The function of a filter as an element of a table.
///
/// A function that is an element itself is wrapped, and each call would count references to the wrapper, which all threads
/// share.
struct FilterCode: Sendable {
    let function: FilterDefinition.Function
    let work: FilterWork
}
