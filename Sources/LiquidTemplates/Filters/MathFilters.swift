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
        FilterDefinition(
            "plus",
            arity: 1...1,
            summary: "The sum of two numbers.",
            examples: [.init("{{ 0.1 | plus: 0.2 }}", "0.3")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            if let sum = short(input, arguments[0], ShortDecimal.sum) { return .float(sum) }
            let (left, right) = try operands(input, arguments, &context)
            return .value(left.adding(right).value)
        }
        .calculating(.sum),
        FilterDefinition(
            "minus",
            arity: 1...1,
            summary: "The difference of two numbers.",
            examples: [.init("{{ 16 | minus: 4 }}", "12")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            if let difference = short(input, arguments[0], ShortDecimal.difference) { return .float(difference) }
            let (left, right) = try operands(input, arguments, &context)
            return .value(left.subtracting(right).value)
        }
        .calculating(.difference),
        FilterDefinition(
            "times",
            arity: 1...1,
            summary: "The product of two numbers.",
            examples: [.init("{{ 183.357 | times: 12 }}", "2200.284")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            if let product = short(input, arguments[0], ShortDecimal.product) { return .float(product) }
            let (left, right) = try operands(input, arguments, &context)
            return try .value(left.multiplied(by: right).value)
        }
        .calculating(.product),
        FilterDefinition(
            "divided_by",
            arity: 1...1,
            summary: "The quotient of two numbers; of two integers it is rounded down to an integer.",
            examples: [
                .init("{{ 20 | divided_by: 7 }}", "2"),
                .init("{{ 20 | divided_by: 8.0 }}", "2.5"),
            ],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            if let quotient = short(input, arguments[0], ShortDecimal.quotient) { return .float(quotient) }
            if case .integer(let value) = input, case .integer(let divisor) = arguments[0],
                [10, 100, 1000].contains(divisor), value % divisor != 0
            {
                context.noteUnread(input, .multiple(of: divisor))
            }
            let (left, right) = try operands(input, arguments, &context)
            return try .value(left.divided(by: right).value)
        },
        FilterDefinition(
            "modulo",
            arity: 1...1,
            summary: "The remainder of the division that rounds down.",
            examples: [.init("{{ -7 | modulo: 3 }}", "2")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            if let rest = short(input, arguments[0], ShortDecimal.remainder) { return .float(rest) }
            let (left, right) = try operands(input, arguments, &context)
            return try .value(left.remainder(dividingBy: right).value)
        },
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
        FilterDefinition(
            "ceil",
            summary: "The next integer above, unless the number is one.",
            examples: [.init("{{ 1.2 | ceil }}", "2")],
            traits: [.isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if let decimal = shortDouble(input) { return .integer(decimal.integer(.up)) }
            return try .value(context.number(of: input).rounded(.up).value)
        },
        FilterDefinition(
            "floor",
            summary: "The next integer below, unless the number is one.",
            examples: [.init("{{ -1.2 | floor }}", "-2")],
            traits: [.isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if let decimal = shortDouble(input) { return .integer(decimal.integer(.down)) }
            return try .value(context.number(of: input).rounded(.down).value)
        },
        FilterDefinition(
            "at_least",
            arity: 1...1,
            summary: "The number, or the limit where the number is less.",
            examples: [.init("{{ 4 | at_least: 5 }}", "5")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            let minimum = try context.number(of: arguments[0], argument: 0)
            let number = try context.number(of: input)
            return .value((number.isLess(than: minimum) ? minimum : number).value)
        },
        FilterDefinition(
            "at_most",
            arity: 1...1,
            summary: "The number, or the limit where the number is more.",
            examples: [.init("{{ 4 | at_most: 3 }}", "3")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            let maximum = try context.number(of: arguments[0], argument: 0)
            let number = try context.number(of: input)
            return .value((maximum.isLess(than: number) ? maximum : number).value)
        },
    ]

    /// The result of an operation on two numbers with few digits, at least one of which is a double; otherwise nil.
    @inline(__always)
    private static func short(
        _ left: Value,
        _ right: Value,
        _ operation: (ShortDecimal, ShortDecimal) -> Double?
    ) -> Double? {
        if case .integer = left, case .integer = right { return nil }
        guard let left = ShortDecimal(left), let right = ShortDecimal(right) else { return nil }
        return operation(left, right)
    }

    /// The input and the first argument as numbers.
    private static func operands(
        _ input: Value,
        _ arguments: Arguments,
        _ context: inout FilterContext
    ) throws(LiquidError) -> (left: Number, right: Number) {
        let left = try context.number(of: input)
        return (left, try context.number(of: arguments[0], argument: 0))
    }

    /// The decimal of a double with few digits; nil for any other value.
    @inline(__always)
    private static func shortDouble(_ value: Value) -> ShortDecimal? {
        guard case .float = value else { return nil }
        return ShortDecimal(value)
    }

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
