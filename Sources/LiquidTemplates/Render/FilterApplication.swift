// SPDX-License-Identifier: MIT

/// A filter with the input and arguments of one call, none of which are copied: they are on the stack, in the data or
/// among the constants of a program.
///
/// It keeps none of these alive, so it must not be used after a change of the stack, the data or the variables; see
/// ``FixedTable``.
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
