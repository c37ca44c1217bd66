// SPDX-License-Identifier: MIT

package import SourceText

extension Value {
    /// Appends what `{{ value }}` prints, for values whose printing takes no longer than their bytes.
    ///
    /// Returns false, and appends nothing, for any other value.
    @inline(__always)
    func writePlainOutput(to buffer: inout ByteBuffer) -> Bool {
        switch self {
        case .string(let string): buffer.append(string)
        case .integer(let integer): buffer.append(decimal: integer)
        case .null: break
        default: return false
        }
        return true
    }

    /// Appends what `{{ value }}` prints: nothing for nil, the elements of an array without separators, else the text.
    package func writeOutput(to buffer: inout ByteBuffer) {
        switch self {
        case .string(let string): buffer.append(string)
        case .integer(let integer): buffer.append(decimal: integer)
        case .null: break
        case .array(let elements):
            for element in elements {
                if buffer.isOverLimit { break }
                element.writeOutput(to: &buffer)
            }
        default: write(to: &buffer)
        }
    }

    /// Appends the value as text, as filters see it: an array or object in Ruby's notation, such as `["a", 1]`.
    package func write(to buffer: inout ByteBuffer) {
        switch self {
        case .null: break
        case .bool(let bool): buffer.append(bool ? "true" : "false")
        case .integer(let integer): buffer.append(decimal: integer)
        case .float(let double): FloatText.write(double, to: &buffer)
        case .string(let string): buffer.append(string)
        case .array(let elements): Self.write(elements, to: &buffer)
        case .object(let object): Self.write(object, to: &buffer)
        case .range(let range):
            buffer.append(decimal: range.lower)
            buffer.append("..")
            buffer.append(decimal: range.upper)
        case .time(let time): buffer.append(time.text)
        case .bigInteger(let integer): buffer.append(integer.text)
        case .drop(let drop): buffer.append(drop.text)
        }
    }

    /// The value as text; see `write(to:)`.
    ///
    /// The text may be far longer than the value takes in memory, as an array may hold one text many times. The
    /// renderer limits it.
    public var text: String {
        if case .string(let string) = self { return string }
        var buffer = ByteBuffer(capacity: 32)
        write(to: &buffer)
        return buffer.string()
    }

    /// The text if it has at most `limit` bytes; else nil.
    func text(upTo limit: Int) -> String? {
        if case .string(let string) = self { return string.utf8.count <= limit ? string : nil }
        // A number reserves room for the most digits that it may have before their count is known.
        let room = 64
        var buffer = ByteBuffer(capacity: 32, limit: limit + room)
        write(to: &buffer)
        return buffer.isOverLimit || buffer.count > limit ? nil : buffer.string()
    }

    /// Appends the value in Ruby's notation, in which strings are quoted and nil is `nil`.
    private func writeNotation(to buffer: inout ByteBuffer) {
        switch self {
        case .null: buffer.append("nil")
        case .string(let string): Self.writeQuoted(string, to: &buffer)
        default: write(to: &buffer)
        }
    }

    private static func write(_ elements: [Value], to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "["))
        for (position, element) in elements.enumerated() {
            if buffer.isOverLimit { break }
            if position > 0 { buffer.append(", ") }
            element.writeNotation(to: &buffer)
        }
        buffer.append(UInt8(ascii: "]"))
    }

    private static func write(_ object: LiquidObject, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "{"))
        for position in 0..<object.count {
            if buffer.isOverLimit { break }
            let (key, value) = object.member(at: position)
            if position > 0 { buffer.append(", ") }
            writeQuoted(key, to: &buffer)
            buffer.append("=>")
            value.writeNotation(to: &buffer)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// Appends a string as Ruby's `inspect` writes it.
    private static func writeQuoted(_ string: String, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\""))
        let scalars = string.unicodeScalars
        var index = scalars.startIndex
        while index != scalars.endIndex {
            let scalar = scalars[index]
            index = scalars.index(after: index)
            switch scalar {
            case "\"": buffer.append("\\\"")
            case "\\": buffer.append("\\\\")
            case "\n": buffer.append("\\n")
            case "\r": buffer.append("\\r")
            case "\t": buffer.append("\\t")
            case "\u{7}": buffer.append("\\a")
            case "\u{8}": buffer.append("\\b")
            case "\u{B}": buffer.append("\\v")
            case "\u{C}": buffer.append("\\f")
            case "\u{1B}": buffer.append("\\e")
            case "#":
                // Escaped only where Ruby would interpolate.
                if index != scalars.endIndex, scalars[index] == "{" || scalars[index] == "$" || scalars[index] == "@" {
                    buffer.append(UInt8(ascii: "\\"))
                }
                buffer.append(UInt8(ascii: "#"))
            default:
                if isPrintable(scalar) { buffer.append(String(scalar)) } else { writeEscape(scalar, to: &buffer) }
            }
        }
        buffer.append(UInt8(ascii: "\""))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
        switch scalar.properties.generalCategory {
        case .control: return scalar == "\u{85}"
        case .unassigned, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: return true
        }
    }

    private static func writeEscape(_ scalar: Unicode.Scalar, to buffer: inout ByteBuffer) {
        let digits = scalar.value.hexadecimal(digits: 4, uppercase: true)
        buffer.append(scalar.value > 0xFFFF ? "\\u{\(digits)}" : "\\u" + digits)
    }
}
