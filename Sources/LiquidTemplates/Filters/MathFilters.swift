// SPDX-License-Identifier: MIT

/// Filters that calculate: integers of any size, and decimals without the errors of binary fractions.
enum MathFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "abs",
            summary: "The distance of a number from zero.",
            examples: [.init("{{ -7.5 | abs }}", "7.5")],
            traits: [.isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if case .float(let double) = input { return .float(double.magnitude) }
            return try .value(context.number(of: input).absolute.value)
        },
        arithmetic(
            "plus",
            summary: "The sum of two numbers.",
            .init("{{ 0.1 | plus: 0.2 }}", "0.3"),
            ShortDecimal.sum
        ) { (left, right) throws(LiquidError) in left.adding(right) }
        .calculating(.sum),
        arithmetic(
            "minus",
            summary: "The difference of two numbers.",
            .init("{{ 16 | minus: 4 }}", "12"),
            ShortDecimal.difference
        ) { (left, right) throws(LiquidError) in left.subtracting(right) }
        .calculating(.difference),
        arithmetic(
            "times",
            summary: "The product of two numbers.",
            .init("{{ 183.357 | times: 12 }}", "2200.284"),
            ShortDecimal.product
        ) { (left, right) throws(LiquidError) in try left.multiplied(by: right) }
        .calculating(.product),
        FilterDefinition(
            "divided_by",
            arity: 1...1,
            summary: "The quotient of two numbers; if both are integers, it is rounded down to an integer.",
            examples: [
                .init("{{ 20 | divided_by: 7 }}", "2"),
                .init("{{ 20 | divided_by: 8.0 }}", "2.5"),
            ],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            if case .integer(let value) = input, case .integer(let divisor) = arguments[0],
                [10, 100, 1000].contains(divisor), value % divisor != 0
            {
                context.noteUnread(input, .multiple(of: divisor))
            }
            return try result(
                input, arguments[0], &context, ShortDecimal.quotient
            ) { (left, right) throws(LiquidError) in try left.divided(by: right) }
        },
        arithmetic(
            "modulo",
            summary: "The remainder of the division that rounds down.",
            .init("{{ -7 | modulo: 3 }}", "2"),
            ShortDecimal.remainder
        ) { (left, right) throws(LiquidError) in try left.remainder(dividingBy: right) },
        FilterDefinition(
            "round",
            arity: 0...1,
            summary: "Rounds to an integer, or to that many digits after the point; halves round away from zero.",
            examples: [
                .init("{{ 2.5 | round }}", "3"),
                .init("{{ 183.357 | round: 2 }}", "183.36"),
            ],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            let given: Value = arguments.isEmpty ? .integer(0) : arguments[0]
            if case .float(0) = input, case .integer(let places) = given, places > 0, places <= Int32.max {
                return .value(input)
            }
            if let decimal = shortDouble(input), case .integer(let places) = given, places >= 0, places <= 15 {
                if places == 0 { return .integer(decimal.integer(.nearest)) }
                if let rounded = decimal.rounded(places: places) { return .float(rounded) }
            }
            let number = try context.number(of: input)
            return try .value(number.rounded(places: places(context.number(of: given, argument: 0))).value)
        },
        rounding("ceil", .up, "The next integer above, unless the number is one.", .init("{{ 1.2 | ceil }}", "2")),
        rounding(
            "floor", .down, "The next integer below, unless the number is one.", .init("{{ -1.2 | floor }}", "-2")),
        bound(
            "at_least",
            summary: "The number, or the limit if the number is smaller.",
            .init("{{ 4 | at_least: 5 }}", "5")
        ) { number, limit in number.isLess(than: limit) },
        bound(
            "at_most",
            summary: "The number, or the limit if the number is larger.",
            .init("{{ 4 | at_most: 3 }}", "3")
        ) { number, limit in limit.isLess(than: number) },
    ]

    /// A filter that calculates with its input and its argument.
    @inline(__always)
    private static func arithmetic(
        _ name: String,
        summary: String,
        _ example: FilterDefinition.Example,
        _ short: @escaping @Sendable (ShortDecimal, ShortDecimal) -> Double?,
        _ operation: @escaping @Sendable (Number, Number) throws(LiquidError) -> Number
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            arity: 1...1,
            summary: summary,
            examples: [example],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            try result(input, arguments[0], &context, short, operation)
        }
    }

    /// The result of an operation: that of `short`, if both numbers have few digits, at least one is a double, and
    /// `short` has a result; otherwise, that of `operation`.
    @inline(__always)
    private static func result(
        _ input: Value,
        _ argument: Value,
        _ context: inout FilterContext,
        _ short: (ShortDecimal, ShortDecimal) -> Double?,
        _ operation: (Number, Number) throws(LiquidError) -> Number
    ) throws(LiquidError) -> FilterResult {
        if isFloat(input) || isFloat(argument), let left = ShortDecimal(input), let right = ShortDecimal(argument),
            let double = short(left, right)
        {
            return .float(double)
        }
        let left = try context.number(of: input)
        return try .value(operation(left, context.number(of: argument, argument: 0)).value)
    }

    /// A filter that rounds to an integer.
    private static func rounding(
        _ name: String,
        _ rounding: Rounding,
        _ summary: String,
        _ example: FilterDefinition.Example
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            summary: summary,
            examples: [example],
            traits: [.isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if let decimal = shortDouble(input) { return .integer(decimal.integer(rounding)) }
            return try .value(context.number(of: input).rounded(rounding).value)
        }
    }

    /// A filter that replaces a number by a limit that the number passes.
    private static func bound(
        _ name: String,
        summary: String,
        _ example: FilterDefinition.Example,
        _ passes: @escaping @Sendable (_ number: Number, _ limit: Number) -> Bool
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            arity: 1...1,
            summary: summary,
            examples: [example],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            let limit = try context.number(of: arguments[0], argument: 0)
            let number = try context.number(of: input)
            return .value((passes(number, limit) ? limit : number).value)
        }
    }

    /// The decimal of a double with few digits; nil for any other value.
    @inline(__always)
    private static func shortDouble(_ value: Value) -> ShortDecimal? {
        isFloat(value) ? ShortDecimal(value) : nil
    }

    @inline(__always)
    private static func isFloat(_ value: Value) -> Bool { if case .float = value { true } else { false } }

    /// The number of digits to round to; a fraction is dropped.
    private static func places(_ number: Number) throws(LiquidError) -> Int {
        let places: Number
        switch number {
        case .decimal(let decimal): places = try Number(decimal.integer(.towardZero))
        default: places = number
        }
        guard case .integer(let places) = places, let places = Int32(exactly: places) else {
            throw LiquidError(.internalError, "cannot round to so many digits", referenceText: "internal")
        }
        return Int(places)
    }
}
