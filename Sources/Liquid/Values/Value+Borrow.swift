// SPDX-License-Identifier: MIT

extension UnsafePointer<Value> {
    /// Borrows the value in place; nothing may write to it in the meantime.
    ///
    /// For each call on `pointee` the value would be copied, and the references in it counted up and down, as the compiler
    /// cannot know that the call leaves the memory alone. What is not copyable is borrowed instead, and so the value is
    /// borrowed as the only member of such a struct, which has its layout.
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
