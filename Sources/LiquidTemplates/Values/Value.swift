// SPDX-License-Identifier: MIT

/// A Liquid value.
///
/// Strings are compared by bytes and measured in Unicode scalars, as in Ruby, never in grapheme clusters: use
/// `equals(_:)` and the functions of this module, not `String`'s own `==`, `count` or `<`.
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
    /// An integer beyond 64 bits; smaller ones are always ``integer(_:)``.
    case bigInteger(BigInteger)
    /// An object of the engine or of the host, such as `forloop`.
    case drop(any Drop)
}

/// A range of integers, such as `(1..3)`.
///
/// It is empty when `lower` is greater than `upper`, and still prints both.
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

    /// The number of elements, cut to what an `Int` holds.
    public var count: Int {
        guard lower <= upper else { return 0 }
        let (span, overflow) = upper.subtractingReportingOverflow(lower)
        return overflow || span == .max ? .max : span + 1
    }
}

/// An object whose properties are computed, such as `forloop`.
public protocol Drop: AnyObject, Sendable {
    /// The value of a property; nil when there is no such property.
    func property(_ name: String) -> Value?

    /// The text that is printed for the object.
    var text: String { get }
}

extension UnsafePointer<Value> {
    /// Whether the value there is a drop or null.
    @inline(__always)
    var isDropOrNull: Bool {
        self.borrow { value in
            switch value {
            case .drop, .null: true
            default: false
            }
        }
    }

    /// The integer there; nil for any other value, which is not retained to find that out.
    @inline(__always)
    var integer: Int? {
        self.borrow { if case .integer(let integer) = $0 { integer } else { nil } }
    }
}

extension UnsafeMutablePointer<Value> {
    /// Sets the value there.
    ///
    /// A number is overwritten: to end the life of the old value would call a function that does nothing for it.
    @inline(__always)
    func replace(with value: consuming Value) {
        if UnsafePointer(self).integer != nil { initialize(to: value) } else { pointee = value }
    }
}

extension UnsafePointer {
    /// Borrows the value in place; nothing may write to it until `body` returns.
    ///
    /// Each call on `pointee` would copy the value and retain and release its references, as the compiler cannot know
    /// that the call leaves the memory alone. A noncopyable value is borrowed instead, so the value is read as the only
    /// member of a noncopyable struct, which has the same layout.
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
