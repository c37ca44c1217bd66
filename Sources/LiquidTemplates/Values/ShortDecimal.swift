// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// A decimal with few digits, `significand ÷ 10^places`, for arithmetic without allocations.
///
/// An operation returns nil if its result might differ from the double that exact arithmetic gives; the caller then
/// uses ``ExactDecimal``.
struct ShortDecimal {
    private var significand: Int
    private var places: Int

    /// The decimal of an integer or of a double with few digits; nil for any other value.
    @inline(__always)
    init?(_ value: Value) {
        switch value {
        case .integer(let integer): self.init(significand: integer, places: 0)
        case .float(let double): self.init(double)
        default: return nil
        }
    }

    private init(significand: Int, places: Int) {
        self.significand = significand
        self.places = places
    }

    /// The decimal of a double with few digits; nil for any other double.
    init?(_ double: Double) {
        // A zero may be negative, which an integer cannot represent.
        guard double != 0 else { return nil }
        var power = 1.0
        for places in 0...6 {
            defer { power *= 10 }
            let product = double * power
            guard product.magnitude < 1e15 else { return nil }
            // Adding a number whose last bit has the value one rounds the product to an integer.
            let significand = (product + 0x1.8p52) - 0x1.8p52
            // A cheap check comes first: a difference too large to come from two roundings is rejected without a
            // division.
            guard (product - significand).magnitude <= product.magnitude * 0x1p-50 else { continue }
            // No two decimals of up to 15 digits share a double, so the decimal that gives this double is the shortest
            // one.
            if significand / power == double {
                self.init(significand: Int(significand), places: places)
                return
            }
        }
        return nil
    }

    /// The nearest double; nil for zero, whose sign is unknown, and if more than one rounding would be needed.
    private var double: Double? {
        guard significand != 0, significand.magnitude <= 1 << 53, places <= 22 else { return nil }
        return Double(significand) / powerOfTen(places)
    }

    /// Writes the shortest digits that identify the double; an integer gets `.0`.
    ///
    /// Returns false and writes nothing if the number is so small that Ruby writes it with an exponent.
    func write(to buffer: inout ByteBuffer) -> Bool {
        let power: Int = powerOfTen(places)
        let (whole, rest) = significand.magnitude.quotientAndRemainder(dividingBy: power.magnitude)
        guard whole > 0 || rest * 10_000 >= power.magnitude else { return false }
        if significand < 0 { buffer.append(UInt8(ascii: "-")) }
        buffer.append(decimal: Int(whole))
        buffer.append(UInt8(ascii: "."))
        buffer.append(decimal: Int(rest), digits: max(places, 1))
        return true
    }

    static func sum(_ left: ShortDecimal, _ right: ShortDecimal) -> Double? { result(of: .sum, left, right) }

    static func difference(_ left: ShortDecimal, _ right: ShortDecimal) -> Double? {
        result(of: .difference, left, right)
    }

    @inline(__always)
    private static func result(
        of operation: IntegerOperation,
        _ left: ShortDecimal,
        _ right: ShortDecimal
    ) -> Double? {
        guard let (first, second, places) = aligned(left, right), let result = operation.result(first, second) else {
            return nil
        }
        return ShortDecimal(significand: result, places: places).double
    }

    static func product(_ left: ShortDecimal, _ right: ShortDecimal) -> Double? {
        let (product, overflow) = left.significand.multipliedReportingOverflow(by: right.significand)
        return overflow ? nil : ShortDecimal(significand: product, places: left.places + right.places).double
    }

    static func quotient(_ left: ShortDecimal, _ right: ShortDecimal) -> Double? {
        guard let (first, second, _) = aligned(left, right), first != 0, second != 0, first.magnitude <= 1 << 53,
            second.magnitude <= 1 << 53
        else { return nil }
        return Double(first) / Double(second)
    }

    static func remainder(_ left: ShortDecimal, _ right: ShortDecimal) -> Double? {
        guard let (first, second, places) = aligned(left, right), second != 0, second != -1 else { return nil }
        let rest = first % second
        let floored = rest != 0 && (rest < 0) != (second < 0) ? rest + second : rest
        return ShortDecimal(significand: floored, places: places).double
    }

    /// The integer that the decimal rounds to.
    func integer(_ rounding: Rounding) -> Int {
        let power: Int = powerOfTen(places)
        let (whole, rest) = significand.quotientAndRemainder(dividingBy: power)
        return switch rounding {
        case .up: rest > 0 ? whole + 1 : whole
        case .down: rest < 0 ? whole - 1 : whole
        case .towardZero: whole
        case .nearest: rest.magnitude * 2 < power.magnitude ? whole : significand < 0 ? whole - 1 : whole + 1
        }
    }

    /// The double rounded to at most `places` digits after the point, with halves away from zero; nil if the result
    /// might differ from that of exact arithmetic.
    func rounded(places kept: Int) -> Double? {
        guard kept < places else { return double }
        let short = ShortDecimal(significand: significand, places: places - kept)
        return ShortDecimal(significand: short.integer(.nearest), places: kept).double
    }

    private static func aligned(_ left: ShortDecimal, _ right: ShortDecimal) -> (Int, Int, places: Int)? {
        let places = max(left.places, right.places)
        let (first, isFirstOver) = left.significand.multipliedReportingOverflow(
            by: powerOfTen(places - left.places)
        )
        let (second, isSecondOver) = right.significand.multipliedReportingOverflow(
            by: powerOfTen(places - right.places)
        )
        return isFirstOver || isSecondOver ? nil : (first, second, places)
    }
}
