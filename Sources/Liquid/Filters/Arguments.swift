// SPDX-License-Identifier: MIT

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
