// SPDX-License-Identifier: MIT

import BigInt

/// The number that a value is, by each of the rules of Ruby that Liquid follows.
extension Value {
    /// The number that a filter calculates with.
    ///
    /// A double is read as the decimal that its shortest digits write. A string is a decimal when it is wholly one,
    /// such as ` -1.50 `, else the integer that it starts with. Everything else is zero.
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
    /// - Throws: `argument` for what is neither an integer nor the text of one.
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

    /// The integer that a value begins with: Ruby's `to_i`, cut to what an `Int` holds; nil for values without it.
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

    /// A bound of a range: of texts and nil Ruby's `to_i`, of other values `Integer`.
    func rangeBound() throws(LiquidError) -> Int {
        switch self {
        case .null, .string: leadingInteger ?? 0
        default: try wholeNumber()
        }
    }
}
