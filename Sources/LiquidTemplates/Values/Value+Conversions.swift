// SPDX-License-Identifier: MIT

import BigInt
package import DiagnosticSources
import ScalarTexts

extension Value {
    /// Appends what `{{ value }}` prints, if printing takes no longer than copying the bytes.
    ///
    /// Returns false and appends nothing for any other value.
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

    /// Appends what `{{ value }}` prints: nothing for nil, the elements of an array without separators, or the value as
    /// text.
    package func writeOutput(to buffer: inout ByteBuffer) {
        guard case .array(let elements) = self else { return write(to: &buffer) }
        for element in elements {
            if buffer.isOverLimit { break }
            element.writeOutput(to: &buffer)
        }
    }

    /// Appends the value as text, in the form that filters use: arrays and objects are in Ruby's notation, such as
    /// `["a", 1]`.
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
    /// The text may be far longer than the memory of the value, because an array may contain the same text many times.
    /// The renderer limits its length.
    public var text: String {
        if case .string(let string) = self { return string }
        var buffer = ByteBuffer(capacity: 32)
        write(to: &buffer)
        return buffer.string()
    }

    /// The text if it has at most `limit` bytes; otherwise nil.
    func text(upTo limit: Int) -> String? {
        if case .string(let string) = self { return string.utf8.count <= limit ? string : nil }
        // Before the number of digits is known, writing a number reserves room for as many as there may be.
        let room = 64
        var buffer = ByteBuffer(capacity: 32, limit: limit + room)
        write(to: &buffer)
        return buffer.isOverLimit || buffer.count > limit ? nil : buffer.string()
    }

    /// Appends the value in Ruby's notation, in which strings are quoted and nil is written as `nil`.
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
                // `#` is escaped only where Ruby would interpolate.
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

/// Conversions of a value to a number; each follows a different rule of Ruby.
extension Value {
    /// The integer that a filter or loop uses as a position or length: Ruby's `Integer`, clamped to the range of `Int`.
    ///
    /// - Throws: `argument` for a value that is neither an integer nor the text of an integer.
    package func wholeNumber() throws(LiquidError) -> Int {
        switch self {
        case .integer(let integer): return integer
        case .bigInteger(let integer): return integer.clamped
        case .string(let string):
            if let integer = NumberText.integer(string) { return integer }
        default: break
        }
        throw LiquidError(.argument, "expected an integer", referenceText: "invalid integer")
    }

    /// The integer at the start of a value: Ruby's `to_i`, clamped to the range of `Int`; nil for values that Ruby
    /// cannot convert.
    var leadingInteger: Int? {
        switch self {
        case .integer(let integer): integer
        case .float(let double): Int(exactly: double.rounded(.towardZero)) ?? (double < 0 ? .min : .max)
        case .bigInteger(let integer): integer.clamped
        case .string(let string): NumberText.leadingInteger(string)
        case .null: 0
        case .time(let time): time.seconds
        case .bool, .array, .object, .range, .drop: nil
        }
    }

    /// A number as the nearest double; nil for any other value.
    package var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .float(let double): double
        case .bigInteger(let integer): Double(integer.value)
        case .null, .bool, .string, .array, .object, .range, .time, .drop: nil
        }
    }

    /// A bound of a range: Ruby's `to_i` for texts and nil, Ruby's `Integer` for other values.
    ///
    /// - Throws: `argument` for a value that is not an integer, and for an integer that does not fit into 64 bits,
    ///   although Ruby's ranges may have such bounds.
    func rangeBound() throws(LiquidError) -> Int {
        switch self {
        case .null: return 0
        case .string(let string):
            guard let bound = NumberText.leadingInteger(exactly: string) else { break }
            return bound
        case .bigInteger: break
        default: return try wholeNumber()
        }
        throw LiquidError(.argument, "found \(shortText) as a bound of a range, expected an integer of at most 64 bits")
    }

    /// The bound of a range whose bounds are both literals; nil if it does not fit into 64 bits.
    var literalRangeBound: Int? {
        switch self {
        case .bigInteger: nil
        case .float(let double): Int(exactly: double.rounded(.towardZero))
        case .string(let string): NumberText.leadingInteger(exactly: string)
        default: leadingInteger ?? 0
        }
    }
}

extension Value {
    /// Whether a condition treats the value as true: every value except nil and false.
    @inline(__always)
    package var isTruthy: Bool {
        switch self {
        case .null, .bool(false): false
        default: true
        }
    }

    /// Whether the value equals `empty`, as an empty string, array or object does.
    package var isEmpty: Bool {
        switch self {
        case .string(let string): string.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let object): object.count == 0
        default: false
        }
    }

    /// Whether the value equals `blank`, as nil, false, white space and empty values do.
    package var isBlank: Bool {
        switch self {
        case .null, .bool(false): true
        case .string(let string): string.utf8.allSatisfy(\.isRubySpace)
        default: isEmpty
        }
    }
}

extension Value {
    var isArray: Bool { if case .array = self { true } else { false } }

    /// Appends the elements over which an array filter iterates.
    ///
    /// Stops when there are more than `limit` elements, or when it has looked at `left` values; the values it looks at
    /// are subtracted from `left`. An array yields its elements, with inner arrays flattened; a range its integers; nil
    /// nothing; a time its parts, as Ruby's `Time#to_a` does; and any other value, even an object, itself.
    func appendElements(to elements: inout [Value], limit: Int, left: inout Int) {
        switch self {
        case .array(let array):
            for element in array {
                guard elements.count <= limit, left >= 0 else { return }
                left -= 1
                if case .array = element {
                    element.appendElements(to: &elements, limit: limit, left: &left)
                } else {
                    elements.append(element)
                }
            }
        case .range(let range):
            guard range.lower <= range.upper else { return }
            for integer in range.lower...range.upper {
                guard elements.count <= limit, left >= 0 else { return }
                left -= 1
                elements.append(.integer(integer))
            }
        case .time(let time): elements += time.parts
        case .null: break
        default: elements.append(self)
        }
    }
}

extension Time {
    /// Second, minute, hour, day, month, year, weekday from Sunday as 0, day of the year, whether daylight saving time
    /// is in effect (always false, because that is not known here), and the abbreviation of the zone.
    fileprivate var parts: [Value] {
        let civil = CivilTime(self)
        let integers = [
            civil.second, civil.minute, civil.hour, civil.day, civil.month, civil.year, civil.weekday, civil.yearDay,
        ]
        return integers.map { .integer($0) } + [.bool(false), zone.map { .string($0) } ?? .null]
    }
}
