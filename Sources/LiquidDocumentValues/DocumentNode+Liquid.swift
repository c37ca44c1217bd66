// SPDX-License-Identifier: MIT

package import DocumentFormats
package import LiquidTemplates

extension DocumentScalar {
    /// The scalar as a Liquid value: a text, number, boolean or nil.
    package var liquidValue: LiquidTemplates.Value {
        switch value {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .integer(let integer): .integer(integer)
        case .bigInteger(let digits): (try? LiquidTemplates.Value(json: digits)) ?? .string(text)
        case .float(let number): .float(number)
        case .string(let text): .string(text)
        }
    }
}

extension DocumentNode {
    /// The YAML or JSON node as a Liquid value.
    ///
    /// Objects keep the order of their keys; if a key repeats, its last value is used.
    package var value: Value {
        switch content {
        case .scalar(let scalar): scalar.liquidValue
        case .sequence(let elements): .array(elements.map(\.value))
        case .mapping: .object(object)
        }
    }

    /// The keys and values of a mapping as a Liquid object; empty for a node of another kind.
    package var object: LiquidObject {
        var builder = LiquidObject.Builder()
        for member in members ?? [] { builder.set(member.name, member.value.value) }
        return LiquidObject(builder)
    }

    /// The node's text as a time; nil if it is not a time in ISO 8601.
    package var time: Time? { scalar.flatMap { Time(iso8601: $0.text) } }

    /// The value of a key as a time; nil if the key is missing or its value is not a time in ISO 8601.
    package func time(_ key: String) -> Time? { self[key]?.time }
}

extension DocumentReader {
    /// Converts data for templates to a Liquid value, and reports numbers that are too large for one.
    package mutating func data(_ node: DocumentNode) -> Value {
        reportHugeNumbers(in: node)
        return node.value
    }

    /// Converts a mapping of data for templates to a Liquid object, and reports numbers that are too large for a Liquid
    /// value.
    package mutating func properties(_ node: DocumentNode) -> LiquidObject {
        reportHugeNumbers(in: node)
        return node.object
    }
}
