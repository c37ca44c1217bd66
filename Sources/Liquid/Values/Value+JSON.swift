// SPDX-License-Identifier: MIT

import BigInt
public import SourceText

extension Value {
    /// Reads one JSON text.
    ///
    /// Members keep their order, of a key that comes twice the last value counts, and integers of at most 10,000
    /// digits keep every one of them.
    ///
    /// - Throws: the first fault of the text.
    public init(json bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try Value(reading: &reader)
        try reader.finish()
    }

    /// Reads one JSON text.
    public init(json text: String) throws(JSONError) {
        var text = text
        // `withUTF8` of the library takes untyped throws only.
        let result: Result<Value, JSONError> = text.withUTF8 { bytes in
            do throws(JSONError) { return .success(try Value(json: bytes)) } catch { return .failure(error) }
        }
        self = try result.get()
    }

    /// Reads the next value of a reader.
    public init(reading json: inout JSONReader) throws(JSONError) {
        var shapes = ShapeCache()
        self = try Value(reading: &json, &shapes)
    }

    private init(reading json: inout JSONReader, _ shapes: inout ShapeCache) throws(JSONError) {
        switch try json.readValue() {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .integer(integer)
        case .bigInteger:
            let digits = json.string(in: json.tokenRange)
            // The time to read an integer grows with the square of its length.
            if digits.utf8.count > Number.maximumDigits {
                self = .float(Double(digits) ?? .infinity)
            } else {
                self = BigInt(digits).map(BigInteger.value) ?? .null
            }
        case .double(let double): self = .float(double)
        case .string(let text): self = .string(json.string(text))
        case .array:
            var elements: [Value] = []
            while try json.nextElement() { elements.append(try Value(reading: &json, &shapes)) }
            self = .array(elements)
        case .object:
            var members = LiquidObject.Builder()
            while let key = try json.nextKey() { members.set(json.string(key), try Value(reading: &json, &shapes)) }
            self = .object(LiquidObject(members, &shapes))
        }
    }

    /// Writes the value as JSON: a time and an object of the host as their text, a number that is none as null.
    package func write(json writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .integer(let integer): writer.integer(integer)
        case .float(let double): writer.double(double)
        case .string(let string): writer.string(string)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(json: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for (key, value) in zip(object.keys, object.values) {
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
