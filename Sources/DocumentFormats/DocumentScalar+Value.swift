// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import ScalarTexts

extension DocumentScalar {
    /// The value of a scalar with its type.
    package enum Value: Sendable {
        case null
        case bool(Bool)
        case integer(Int)
        /// An integer that does not fit into 64 bits: its digits, as JSON writes them.
        case bigInteger(String)
        case float(Double)
        case string(String)
    }

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

    /// Whether the scalar is a number, `true`, `false` or `null` as JSON writes it, without the other forms of YAML.
    ///
    /// Numbers must be as in RFC 8259, so `007`, `.5`, `+1` and `0x1F` are not literals but text.
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
        // `0x1F`, `1_000` and `12:30` stay text, because it depends on the version of YAML whether they are numbers.
        guard let decimal = DecimalText(text.utf8) else { return nil }
        guard decimal.fraction == nil, decimal.exponent == nil else {
            return Double(text).flatMap { $0.isFinite ? .float($0) : nil }
        }
        if let integer = Int(text) { return .integer(integer) }
        // JSON has neither a plus sign nor leading zeros, so they are dropped.
        let digits = text.utf8.dropFirst(decimal.whole.lowerBound).drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= JSONReader.integerDigitLimit else { return nil }
        return .bigInteger((decimal.isNegative ? "-" : "") + String(Substring(digits)))
    }

    /// Whether the scalar is written as a number but is too large to be read as one, so that it counts as text.
    var isHugeNumber: Bool {
        guard style == .plain || style == .json, case .string = value, !text.hasPrefix("0x") else { return false }
        let first = text.utf8.first { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }
        return first.map { $0.isDigit || $0 == UInt8(ascii: ".") } ?? false && Double(text)?.isInfinite ?? false
    }
}
