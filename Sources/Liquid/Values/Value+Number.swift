// SPDX-License-Identifier: MIT

import BigInt

/// Conversions of a value to a number: each follows a different rule of Ruby.
extension Value {
    /// The number that a filter calculates with.
    ///
    /// A double counts as the decimal that its shortest digits spell. A string is a decimal where the whole text is
    /// one, such as ` -1.50 `, else the integer that it starts with. Any other value is zero.
    ///
    /// - Throws: `argument` for a decimal with a null byte around it, `memory` for one with too many digits.
    package func number() throws(LiquidError) -> Number {
        switch self {
        case .integer(let integer): .integer(integer)
        case .float(let double): .decimal(ExactDecimal(double))
        case .bigInteger(let integer): .bigInteger(integer.value)
        case .string(let string): try NumberText.number(string)
        default: .integer(0)
        }
    }

    /// The integer that a filter or loop takes as a position or length: Ruby's `Integer`, cut to what an `Int` holds.
    ///
    /// - Throws: `argument` for a value that is neither an integer nor the text of one.
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

    /// The integer that a value begins with: Ruby's `to_i`, cut to the range of an `Int`; nil for values that Ruby
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

    /// A bound of a range: Ruby's `to_i` for texts and nil, `Integer` for other values.
    func rangeBound() throws(LiquidError) -> Int {
        switch self {
        case .null, .string: leadingInteger ?? 0
        default: try wholeNumber()
        }
    }
}
