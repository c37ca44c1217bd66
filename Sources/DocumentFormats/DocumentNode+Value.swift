// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
package import LiquidTemplates

extension DocumentScalar {
    /// The value of the scalar.
    ///
    /// Quoted scalars and blocks are text; plain scalars follow YAML's core schema
    /// (<https://yaml.org/spec/1.2.2/#103-core-schema>), which includes JSON's numbers and words.
    package var value: Value {
        guard style == .plain || style == .json else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: return number ?? .string(text)
        }
    }

    /// Whether the scalar is written as a number, `true`, `false` or `null` of JSON, without the other forms that YAML
    /// has for them.
    ///
    /// Numbers are those of RFC 8259, so `007`, `.5`, `+1` and `0x1F` are text.
    package var isJSONLiteral: Bool {
        guard style == .plain || style == .json, let first = text.utf8.first else { return false }
        switch text {
        case "true", "false", "null": return true
        default: break
        }
        guard first == UInt8(ascii: "-") || first.isDigit else { return false }
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(bytes)
            return (try? json.skipValue()) != nil && (try? json.finish()) != nil
        }
    }

    private var number: Value? {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        guard let first = digits.first, first == UInt8(ascii: ".") || first.isDigit else { return nil }
        if digits.allSatisfy(\.isDigit) {
            if let integer = Int(text) { return .integer(integer) }
            // JSON has neither a plus sign nor leading zeros.
            let sign = text.hasPrefix("-") ? "-" : ""
            return try? Value(json: sign + String(Substring(digits.drop { $0 == UInt8(ascii: "0") })))
        }
        // `0x1F`, `1_000` and `12:30` stay text: they are numbers in one version of YAML and not in another.
        var rest = digits.drop(while: \.isDigit)
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop(while: \.isDigit) }
        if let sign = rest.first, sign | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard !rest.isEmpty else { return nil }
            rest = rest.drop(while: \.isDigit)
        }
        guard rest.isEmpty, digits.contains(where: \.isDigit) else { return nil }
        var spelling = text
        if first == UInt8(ascii: "."), let point = spelling.firstIndex(of: ".") { spelling.insert("0", at: point) }
        return Double(spelling).flatMap { $0.isFinite ? .float($0) : nil }
    }

    /// Whether the scalar is written as a number that no value holds: it counts as text.
    var isHugeNumber: Bool {
        guard style == .plain || style == .json, case .string = value, !text.hasPrefix("0x") else { return false }
        let first = text.utf8.first { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }
        return first.map { $0.isDigit || $0 == UInt8(ascii: ".") } ?? false && Double(text)?.isInfinite ?? false
    }
}

extension DocumentNode {
    /// The node as a Liquid value.
    ///
    /// Objects keep the order of their keys; of a key that occurs twice, the last value is taken.
    package var value: Value {
        switch content {
        case .scalar(let scalar): return scalar.value
        case .sequence(let elements): return .array(elements.map(\.value))
        case .mapping: return .object(object)
        }
    }

    /// The members as a Liquid object; empty for anything but a mapping.
    package var object: LiquidObject {
        var builder = LiquidObject.Builder()
        for member in members ?? [] { builder.set(member.name, member.value.value) }
        return LiquidObject(builder)
    }
}
