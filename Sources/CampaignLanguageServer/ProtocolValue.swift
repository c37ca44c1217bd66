// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// A JSON value that is sent to the client.
indirect enum ProtocolValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([ProtocolValue])
    case object([Member])
    /// A missing value: a member with this value is left out of its object.
    case nothing

    struct Member: Sendable, Equatable {
        let name: String
        let value: ProtocolValue
    }

    /// The value as a message of the protocol: a header with the length, and JSON.
    func message() -> [UInt8] {
        var json = JSONWriter()
        write(into: &json)
        let header = Array("Content-Length: \(json.buffer.count)\r\n\r\n".utf8)
        return json.buffer.withUnsafeBytes { header + $0 }
    }

    private func write(into json: inout JSONWriter) {
        switch self {
        case .null, .nothing: json.null()
        case .bool(let value): json.bool(value)
        case .integer(let value): json.integer(value)
        case .string(let value): json.string(value)
        case .array(let values):
            json.beginArray()
            for value in values { value.write(into: &json) }
            json.endArray()
        case .object(let members):
            json.beginObject()
            for member in members where member.value != .nothing {
                json.key(member.name)
                member.value.write(into: &json)
            }
            json.endObject()
        }
    }

    /// Whether this is an array without elements.
    var isEmpty: Bool { self == .array([]) }
}

extension ProtocolValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    init(dictionaryLiteral elements: (String, ProtocolValue)...) {
        self = .object(elements.map { Member(name: $0, value: $1) })
    }

    init(arrayLiteral elements: ProtocolValue...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a string; ``nothing`` for nil.
    init(_ text: String?) { self = text.map(ProtocolValue.string) ?? .nothing }

    /// Creates an integer; ``nothing`` for nil.
    init(_ number: Int?) { self = number.map(ProtocolValue.integer) ?? .nothing }
}
