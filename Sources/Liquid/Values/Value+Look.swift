// SPDX-License-Identifier: MIT

extension UnsafePointer<Value> {
    /// Looks at the value where it lies; nobody may write there meanwhile.
    ///
    /// For each call on `pointee` the value would be copied, and the references in it counted up and down, as the compiler
    /// cannot know that the call leaves the memory alone. What is not copyable is borrowed instead, and so the value is
    /// looked at as the only member of such a struct, which has its layout.
    @inline(__always)
    func look<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        try UnsafeRawPointer(self).assumingMemoryBound(to: Looked.self).pointee.look(body)
    }
}

private struct Looked: ~Copyable {
    let value: Value

    @inline(__always)
    borrowing func look<Result, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(value)
    }
}
