// SPDX-License-Identifier: MIT

extension UnsafePointer<Value> {
    /// Borrows the value in place; nothing may write to it until `body` returns.
    ///
    /// Each call on `pointee` would copy the value and retain and release its references, as the compiler cannot know
    /// that the call leaves the memory alone. A noncopyable value is borrowed instead, so the value is read as the only
    /// member of a noncopyable struct, which has the same layout.
    @inline(__always)
    func borrow<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        try UnsafeRawPointer(self).assumingMemoryBound(to: Borrowed.self).pointee.borrow(body)
    }
}

private struct Borrowed: ~Copyable {
    let value: Value

    @inline(__always)
    borrowing func borrow<Result, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(value)
    }
}
