// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import ScalarTexts

/// Filters that format numbers.
enum NumberFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "money",
            summary: "The number with two decimals, without a currency and without thousands separators.",
            examples: [
                .init("{{ 145 | money }}", "145.00"),
                .init("{{ 145 | divided_by: 100.00 | money }}", "1.45"),
                .init("{{ 17.8 | money }}", "17.80"),
            ],
            traits: [.makesText, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.characters(of: input)
            guard var number = PlainDecimal(text) else {
                if !input.isBlank { context.noteUnread(input, .numberToFormat) }
                return .string(text)
            }
            number.round(places: 2)
            return try context.result { number.write(separatesThousands: false, to: &$0) }
        },
        FilterDefinition(
            "number_with_delimiter",
            summary: "The number with commas between its thousands; the fraction is unchanged.",
            examples: [
                .init("{{ 123456 | number_with_delimiter }}", "123,456"),
                .init("{{ 1234567.5 | number_with_delimiter }}", "1,234,567.5"),
            ],
            traits: [.makesText, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.characters(of: input)
            guard let number = PlainDecimal(text) else {
                if !input.isBlank, !PlainDecimal.isDelimited(text) { context.noteUnread(input, .numberToFormat) }
                return .string(text)
            }
            return try context.result { number.write(separatesThousands: true, to: &$0) }
        },
    ]
}

/// A decimal number, stored as its digits before and after the decimal point.
struct PlainDecimal {
    private var isNegative = false
    private var whole: [UInt8] = []
    private var fraction: [UInt8] = []

    /// Reads digits with an optional sign, fraction and exponent; nil for any other text.
    ///
    /// White space around the number is ignored; an underscore, a comma or an exponent beyond ±399 makes it invalid.
    init?(_ text: String) {
        let bytes = Array(text.utf8.drop { $0.isRubySpace })
        let number = bytes[..<(bytes.lastIndex { !$0.isRubySpace }.map { $0 + 1 } ?? 0)]
        guard let read = DecimalText(number), !read.whole.isEmpty, read.fraction?.isEmpty != true else { return nil }
        isNegative = read.isNegative
        whole = Array(number[read.whole])
        fraction = read.fraction.map { Array(number[$0]) } ?? []
        let exponent = read.exponent.map { Int(String(decoding: number[$0], as: UTF8.self)) } ?? 0
        // No `Double` has an exponent outside this range.
        guard let exponent, (-399...399).contains(exponent) else { return nil }
        shift(exponent)
    }

    /// Whether a text is a number that already has commas between all its thousands and nowhere else.
    static func isDelimited(_ text: String) -> Bool {
        guard let number = PlainDecimal(text.filter { $0 != "," }) else { return false }
        var buffer = ByteBuffer(capacity: 32)
        number.write(separatesThousands: true, to: &buffer)
        return buffer.string().sameBytes(as: text)
    }

    private mutating func shift(_ exponent: Int) {
        let zero = UInt8(ascii: "0")
        if exponent > 0 {
            let moved = min(exponent, fraction.count)
            whole += fraction[..<moved] + repeatElement(zero, count: exponent - moved)
            fraction.removeFirst(moved)
        } else if exponent < 0 {
            let moved = min(-exponent, whole.count)
            fraction = repeatElement(zero, count: -exponent - moved) + whole.suffix(moved) + fraction
            whole.removeLast(moved)
        }
        let zeros = whole.prefix { $0 == UInt8(ascii: "0") }.count
        whole.removeFirst(min(zeros, max(0, whole.count - 1)))
        if whole.isEmpty { whole = [UInt8(ascii: "0")] }
    }

    /// Rounds to a number of decimals, with halves away from zero, and pads with zeros to that number.
    mutating func round(places: Int) {
        let roundsUp = fraction.count > places && fraction[places] >= UInt8(ascii: "5")
        fraction.removeLast(max(0, fraction.count - places))
        while fraction.count < places { fraction.append(UInt8(ascii: "0")) }
        if roundsUp, !Self.increment(&fraction), !Self.increment(&whole) { whole.insert(UInt8(ascii: "1"), at: 0) }
    }

    /// Adds one to the number that the digits form; returns false if the carry goes beyond the first digit.
    private static func increment(_ digits: inout [UInt8]) -> Bool {
        for position in digits.indices.reversed() {
            if digits[position] < UInt8(ascii: "9") {
                digits[position] += 1
                return true
            }
            digits[position] = UInt8(ascii: "0")
        }
        return false
    }

    func write(separatesThousands: Bool, to buffer: inout ByteBuffer) {
        let isZero = !(whole + fraction).contains { $0 != UInt8(ascii: "0") }
        if isNegative, !isZero { buffer.append(UInt8(ascii: "-")) }
        for (index, digit) in whole.enumerated() {
            if separatesThousands, index > 0, (whole.count - index) % 3 == 0 { buffer.append(UInt8(ascii: ",")) }
            buffer.append(digit)
        }
        guard !fraction.isEmpty else { return }
        buffer.append(UInt8(ascii: "."))
        for digit in fraction { buffer.append(digit) }
    }
}
