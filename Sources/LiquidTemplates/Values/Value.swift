// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources
public import JSONTexts

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
    /// If the old value is an integer, it is simply overwritten: destroying it would call a function that does nothing
    /// for an integer.
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

extension Value {
    /// Reads one JSON text.
    ///
    /// Members keep their order, a repeated key gets its last value, and integers stay exact.
    ///
    /// - Throws: the first error of the text, which may be an integer of more than 10,000 digits or another number that
    ///   is too large for a double.
    public init(json bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try Value(reading: &reader)
        try reader.finish()
    }

    /// Reads one JSON text from a string, by the same rules as from bytes.
    ///
    /// - Throws: the first error of the text.
    public init(json text: String) throws(JSONError) {
        var storage = Int.max
        try self.init(json: text, within: &storage)
    }

    /// Reads the next value from a reader.
    ///
    /// - Throws: the first error of the value.
    public init(reading json: inout JSONReader) throws(JSONError) {
        json.requiresFiniteNumbers = true
        var building = Building(storage: .max)
        self = try Value(reading: &json, &building)
    }

    /// Reads one JSON text into a value of at most `storage` bytes, and subtracts the bytes that the value takes.
    ///
    /// - Throws: the first error of the text, or `tooLarge`.
    init(json text: String, within storage: inout Int) throws(JSONError) {
        // The standard library's `withUTF8` supports only untyped throws.
        let result: Result<(Value, Int), JSONError> = text.withBytes { bytes in
            do throws(JSONError) {
                var reader = JSONReader(bytes)
                reader.requiresFiniteNumbers = true
                var building = Building(storage: storage)
                let value = try Value(reading: &reader, &building)
                try reader.finish()
                return .success((value, building.storage))
            } catch {
                return .failure(error)
            }
        }
        (self, storage) = try result.get()
    }

    /// The state of reading one text.
    private struct Building {
        var shapes = ShapeCache()
        /// The bytes of memory that the rest of the value may take.
        var storage: Int

        mutating func take(_ bytes: Int, at json: borrowing JSONReader) throws(JSONError) {
            storage -= bytes
            if storage < 0 { throw .tooLarge(at: Int(json.tokenRange.start)) }
        }
    }

    private init(reading json: inout JSONReader, _ building: inout Building) throws(JSONError) {
        switch try json.readValue() {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .integer(integer)
        case .bigInteger:
            let digits = json.string(in: json.tokenRange)
            self = BigInt(digits).map(BigInteger.value) ?? .null
            try building.take(96 + digits.utf8.count / 2, at: json)
        case .double(let double): self = .float(double)
        case .string(let text):
            let string = json.string(text)
            try building.take(Storage.text(string.utf8.count), at: json)
            self = .string(string)
        case .array:
            var elements: [Value] = []
            var capacity = 0
            while try json.nextElement() {
                elements.append(try Value(reading: &json, &building))
                // The memory is charged while the array grows, so it cannot first grow beyond the limit.
                guard elements.capacity > capacity else { continue }
                try building.take((elements.capacity - capacity) * MemoryLayout<Value>.stride, at: json)
                capacity = elements.capacity
            }
            try building.take(Storage.array(capacity: 0), at: json)
            self = .array(elements)
        case .object:
            var members = LiquidObject.Builder()
            while let key = try json.nextKey() {
                let key = json.string(key)
                try building.take(Storage.object(count: 1) - Storage.object(count: 0), at: json)
                try building.take(Storage.text(key.utf8.count), at: json)
                members.set(key, try Value(reading: &json, &building))
            }
            try building.take(Storage.object(count: 0), at: json)
            self = .object(LiquidObject(members, &building.shapes))
        }
    }

    /// Writes the value as JSON; times, ranges and drops become their text, NaN and the infinities become null.
    package func write(json writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .integer(let integer): writer.integer(integer)
        case .float(let double): writer.double(double)
        case .string(let string): writer.string(string)
        case .array(let elements):
            writer.beginArray()
            for element in elements {
                // Without this check, a value that contains the same part many times would be traversed far beyond the
                // limit of the output.
                if writer.buffer.isOverLimit { break }
                element.write(json: &writer)
            }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for (key, value) in zip(object.keys, object.values) {
                if writer.buffer.isOverLimit { break }
                writer.key(key)
                value.write(json: &writer)
            }
            writer.endObject()
        case .bigInteger(let integer):
            var digits = integer.text
            digits.withUTF8 { writer.raw($0) }
        case .range, .time, .drop: writer.string(text)
        }
    }
}
