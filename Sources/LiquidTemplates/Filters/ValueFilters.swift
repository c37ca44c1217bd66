// SPDX-License-Identifier: MIT

/// Filters for values of every kind.
enum ValueFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "default",
            arity: 0...2,
            summary: "The value, or another one where it is nil, false or empty; `allow_false: true` keeps false.",
            examples: [
                .init("Hi {{ name | default: 'friend' }}", "Hi friend"),
                .init("{{ false | default: 'x', allow_false: true }}", "false"),
            ]
        ) { (input, arguments, _) throws(LiquidError) in
            guard isReplaced(input, options: arguments.count > 1 ? arguments[1] : nil) else { return .value(input) }
            return .value(arguments.isEmpty ? .string("") : arguments[0])
        },
        FilterDefinition(
            "size",
            summary: "The number of characters of a string, elements of an array, or members of an object.",
            examples: [.init("{{ 'größe' | size }}", "5")],
            traits: [.isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            try context.budget.charge(bytes: input.textBytes)
            return .integer(input.size ?? 0)
        },
    ]

    /// Whether `default` replaces its input.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - options: the second argument, which holds the named arguments; nil if there is none.
    /// - Returns: whether the input is nil, false or empty; with `allow_false: true`, whether it is nil or empty.
    static func isReplaced(_ input: Value, options: Value?) -> Bool {
        var allowsFalse = false
        if case .object(let options)? = options { allowsFalse = options["allow_false"]?.isTruthy ?? false }
        return input.isEmpty || (allowsFalse ? input.isNull : !input.isTruthy)
    }
}
