// SPDX-License-Identifier: MIT

/// A Liquid value.
///
/// Strings are compared by bytes and measured in Unicode scalars, as in Ruby, never in grapheme clusters. So use
/// `equals(_:)` and the functions of this module, not the operators `==` and `<` or the `count` of `String`.
public enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case float(Double)
    case string(String)
    case array([Value])
    case object(LiquidObject)
    case range(LiquidRange)
    case time(Time)
    /// An integer that does not fit into 64 bits; an integer that does is always ``integer(_:)``.
    case bigInteger(BigInteger)
    /// An object of the engine or of the host, such as `forloop`.
    case drop(any Drop)
}

/// A range of integers, such as `(1..3)`.
///
/// It is empty if `lower` is greater than `upper`, but still prints both.
public struct LiquidRange: Sendable, Hashable {
    /// The first element.
    public var lower: Int
    /// The last element.
    public var upper: Int

    /// Creates a range.
    public init(_ lower: Int, _ upper: Int) {
        self.lower = lower
        self.upper = upper
    }

    /// The number of elements, clamped to the range of `Int`.
    public var count: Int {
        guard lower <= upper else { return 0 }
        let (span, overflow) = upper.subtractingReportingOverflow(lower)
        return overflow || span == .max ? .max : span + 1
    }
}

/// An object whose properties are computed, such as `forloop`.
public protocol Drop: AnyObject, Sendable {
    /// The value of a property; nil if there is no such property.
    func property(_ name: String) -> Value?

    /// The text that is printed for the object.
    var text: String { get }
}

extension UnsafePointer<Value> {
    /// Whether the value in memory is a drop or null.
    @inline(__always)
    var isDropOrNull: Bool {
        self.borrow { value in
            switch value {
            case .drop, .null: true
            default: false
            }
        }
    }

    /// The integer in memory; nil for any other value, which is not retained for this check.
    @inline(__always)
    var integer: Int? {
        self.borrow { if case .integer(let integer) = $0 { integer } else { nil } }
    }
}

extension UnsafeMutablePointer<Value> {
    /// Sets the value in memory.
    ///
    /// If the old value is a number, it is simply overwritten: destroying it would call a function that does nothing
    /// for a number.
    @inline(__always)
    func replace(with value: consuming Value) {
        if UnsafePointer(self).integer != nil { initialize(to: value) } else { pointee = value }
    }
}

extension UnsafePointer {
    /// Borrows the value in place; nothing may write to the memory until `body` returns.
    ///
    /// Each use of `pointee` would copy the value and retain and release its references, because the compiler cannot
    /// know that nothing changes the memory meanwhile. A noncopyable value is borrowed instead, so the value is read as
    /// the only member of a noncopyable struct, which has the same layout.
    @inline(__always)
    func borrow<Result, Failure: Error>(_ body: (Pointee) throws(Failure) -> Result) throws(Failure) -> Result {
        try UnsafeRawPointer(self).assumingMemoryBound(to: Borrowed<Pointee>.self).pointee.borrow(body)
    }
}

private struct Borrowed<Value>: ~Copyable {
    let value: Value

    @inline(__always)
    borrowing func borrow<Result, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(value)
    }
}
