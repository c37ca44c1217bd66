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
            ],
            work: .constant
        ) { (input, arguments, _) throws(LiquidError) in
            var allowsFalse = false
            if arguments.count > 1, case .object(let options) = arguments[1] {
                allowsFalse = options["allow_false"]?.isTruthy ?? false
            }
            let isMissing = input.isEmpty || (allowsFalse ? input.isNull : !input.isTruthy)
            guard isMissing else { return .value(input) }
            return .value(arguments.isEmpty ? .string("") : arguments[0])
        },
        FilterDefinition(
            "size",
            arity: 0...0,
            summary: "The number of characters of a string, elements of an array, or members of an object.",
            examples: [.init("{{ 'größe' | size }}", "5")],
            work: .texts(8)
        ) { (input, _, _) throws(LiquidError) in
            .integer(input.size ?? 0)
        },
    ]

}
