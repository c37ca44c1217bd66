// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources
public import JSONTexts

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

    /// Reads one JSON text.
    public init(json text: String) throws(JSONError) {
        var text = text
        // The standard library's `withUTF8` supports only untyped throws.
        let result: Result<Value, JSONError> = text.withUTF8 { bytes in
            do throws(JSONError) { return .success(try Value(json: bytes)) } catch { return .failure(error) }
        }
        self = try result.get()
    }

    /// Reads the next value from a reader.
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
