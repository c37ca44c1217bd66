// SPDX-License-Identifier: MIT

/// A filter with the input and the arguments of one call, all of them where they are: on the stack, in the data or
/// among the constants of a program.
///
/// It keeps none of these alive, so it must not outlive a change of the stack, the data or the variables; see
/// ``FixedTable``.
struct FilterApplication {
    let code: UnsafePointer<FilterCode>
    let input: UnsafePointer<Value>
    let arguments: UnsafeBufferPointer<Value>

    /// A call with constants as its arguments.
    @inline(__always)
    init(of call: UnsafePointer<Program.FilterCall>, in program: Program, to input: UnsafePointer<Value>) {
        code = program.environment.functions.base + Int(call.pointee.filter)
        self.input = input
        arguments = program.arguments(of: call)
    }

    /// A call with the first of some values as its input, and the others as its arguments; nil without a value.
    @inline(__always)
    init?(of code: UnsafePointer<FilterCode>, to values: UnsafeBufferPointer<Value>) {
        guard let input = values.baseAddress else { return nil }
        self.code = code
        self.input = input
        arguments = UnsafeBufferPointer(start: input + 1, count: values.count - 1)
    }

    /// The result of a filter that calculates, for an input and an argument that are integers; nil for any other call,
    /// and where the result does not fit 64 bits.
    ///
    /// Each filter that calculates has exactly one argument, so the count is not checked.
    @inline(__always)
    var calculatedInteger: Int? {
        guard let operation = code.pointee.calculation, let left = input.integer,
            let right = arguments.baseAddress?.integer
        else { return nil }
        return operation.result(left, right)
    }
}
