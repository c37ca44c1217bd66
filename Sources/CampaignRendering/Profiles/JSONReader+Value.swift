// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

extension JSONReader {
    /// Reads any value; `{"$time": …}` becomes a time.
    mutating func readAnyValue() throws(JSONError) -> Value {
        try value(of: try readValue())
    }

    /// Reads any value; nil for null.
    mutating func readPresentValue() throws(JSONError) -> Value? {
        let token = try readValue()
        if case .null = token { return nil }
        return try value(of: token)
    }

    /// Reads an object; skips any other value and returns nil.
    mutating func readObject() throws(JSONError) -> LiquidObject? {
        let token = try readValue()
        guard token == .object else {
            try skipRest(of: token)
            return nil
        }
        return try objectMembers()
    }

    /// Skips the rest of a value whose first token was read.
    mutating func skipRest(of token: JSONToken) throws(JSONError) {
        switch token {
        case .object:
            while try nextKey() != nil { try skipValue() }
        case .array:
            while try nextElement() { try skipValue() }
        default: break
        }
    }

    /// Reads the rest of a value whose first token was read.
    ///
    /// The depth limit of the reader bounds the recursion.
    private mutating func value(of token: JSONToken) throws(JSONError) -> Value {
        switch token {
        case .null: return .null
        case .bool(let bool): return .bool(bool)
        case .integer(let integer): return .integer(integer)
        case .bigInteger: return try Value(json: string(in: tokenRange))
        case .double(let double): return .float(double)
        case .string(let text): return .string(string(text))
        case .array:
            var elements: [Value] = []
            while try nextElement() { elements.append(try readAnyValue()) }
            return .array(elements)
        case .object:
            let object = try objectMembers()
            if object.count == 1, case .string(let text)? = object["$time"], let time = Time(attribute: text) {
                return .time(time)
            }
            return .object(object)
        }
    }

    mutating func objectMembers() throws(JSONError) -> LiquidObject {
        var builder = LiquidObject.Builder()
        while let key = try nextKey() {
            let name = string(key)
            builder.set(name, try readAnyValue())
        }
        return LiquidObject(builder)
    }

    /// The text of the value that was read last, if it is a number that Liquid may print differently, such as `1.0`,
    /// `-0` or one beyond 64 bits; nil for any other value.
    func number(_ value: Value?) -> String? {
        switch value {
        case .float?, .bigInteger?, .integer(0)?: string(in: tokenRange)
        default: nil
        }
    }

    /// Whether a key has these bytes after its escapes are resolved.
    func matches(_ key: JSONText, _ name: [UInt8]) -> Bool {
        name.withUnsafeBufferPointer { matches(key, $0) }
    }
}

extension JSONToken {
    /// The kind of value that begins with the token, as messages name it.
    var kindName: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a text"
        case .integer, .bigInteger, .double: "a number"
        case .bool: "a boolean"
        case .null: "null"
        }
    }
}
