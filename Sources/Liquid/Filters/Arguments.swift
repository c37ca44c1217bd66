// SPDX-License-Identifier: MIT

/// The arguments of a filter, in order: a view that is good for as long as the filter runs.
///
/// `Span` would say so in its type, but Swift 6.3's optimiser crashes on some functions that take one.
public struct Arguments {
    private let values: UnsafeBufferPointer<Value>

    fileprivate init(_ values: UnsafeBufferPointer<Value>) { self.values = values }

    /// The number of arguments.
    public var count: Int { values.count }

    /// Whether there is none.
    public var isEmpty: Bool { values.isEmpty }

    /// The indices of the arguments.
    public var indices: Range<Int> { 0..<values.count }

    /// The argument at an index; nil's value after the last one.
    public subscript(index: Int) -> Value {
        indices.contains(index) ? values[index] : .null
    }
}

extension FilterDefinition {
    /// Calls a function on an input with the arguments after it.
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
