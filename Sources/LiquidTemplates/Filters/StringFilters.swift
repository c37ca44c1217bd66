// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Filters that join strings and change their case.
enum StringFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "append",
            arity: 1...1,
            summary: "Adds a string at the end.",
            examples: [.init("{{ 'push' | append: '.aps' }}", "push.aps")],
            traits: [.makesText]
        ) { (input, arguments, context) throws(LiquidError) in
            try joined(input, arguments[0], &context)
        },
        FilterDefinition(
            "prepend",
            arity: 1...1,
            summary: "Adds a string at the front.",
            examples: [.init("{{ 'Ada' | prepend: 'Hi ' }}", "Hi Ada")],
            traits: [.makesText]
        ) { (input, arguments, context) throws(LiquidError) in
            try joined(arguments[0], input, &context)
        },
        FilterDefinition(
            "upcase",
            summary: "Turns every letter into its upper case.",
            examples: [.init("{{ 'straße' | upcase }}", "STRASSE")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            try mapped(context.characters(of: input), &context, from: UInt8(ascii: "a")) { $0.uppercaseMapping }
        },
        FilterDefinition(
            "downcase",
            summary: "Turns every letter into its lower case.",
            examples: [.init("{{ 'ÉCLAIR' | downcase }}", "éclair")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            try mapped(context.characters(of: input), &context, from: UInt8(ascii: "A")) { $0.lowercaseMapping }
        },
        FilterDefinition(
            "capitalize",
            summary: "Turns the first letter into its title case and all others into lower case.",
            examples: [.init("{{ 'hELLO World' | capitalize }}", "Hello world")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            let text = try context.characters(of: input)
            guard let first = text.unicodeScalars.first else { return .string(text) }
            return try context.result { buffer in
                let isDone = text.withBytes { bytes in
                    guard bytes.isASCII else { return false }
                    buffer.append(bytes[0].isLowerLetter ? bytes[0] ^ 0x20 : bytes[0])
                    buffer.append(Bytes(rebasing: bytes[1...])) { $0.lowercased }
                    return true
                }
                if isDone { return }
                buffer.append(first.rubyTitlecase)
                append(text.unicodeScalars.dropFirst(), \.isUpperLetter, { $0.lowercaseMapping }, to: &buffer)
            }
        },
    ]

    private static func joined(
        _ first: Value,
        _ second: Value,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        try context.charge(reading: first)
        try context.charge(reading: second)
        return try context.result { buffer in
            // Most values are texts and integers, which are written here without a call.
            if !first.writePlainOutput(to: &buffer) { first.write(to: &buffer) }
            if !second.writePlainOutput(to: &buffer) { second.write(to: &buffer) }
        }
    }

    /// Maps each Unicode scalar separately, as Ruby does, regardless of the language and neighbouring scalars.
    ///
    /// The 26 ASCII letters from `first`, which is `a` or `A`, get the other case.
    @inline(__always)
    private static func mapped(
        _ text: String,
        _ context: inout FilterContext,
        from first: UInt8,
        mapping: (Unicode.Scalar.Properties) -> String
    ) throws(LiquidError) -> FilterResult {
        var (bits, changes): (UInt8, UInt8) = (0, 0)
        let result = try context.result { buffer in
            text.withBytes { bytes in
                buffer.append(bytes) { byte in
                    let change: UInt8 = byte &- first < 26 ? 0x20 : 0
                    bits |= byte
                    changes |= change
                    return byte ^ change
                }
            }
            guard bits >= 0x80 else { return }
            buffer.removeAll()
            append(text.unicodeScalars, { $0 &- first < 26 }, mapping, to: &buffer)
        }
        return changes == 0 && bits < 0x80 ? .string(text) : result
    }

    /// This is not inlined, because preparing the properties of scalars takes time, and most texts do not need them.
    @inline(never)
    private static func append(
        _ scalars: some Sequence<Unicode.Scalar>,
        _ changes: (UInt8) -> Bool,
        _ mapping: (Unicode.Scalar.Properties) -> String,
        to buffer: inout ByteBuffer
    ) {
        for scalar in scalars {
            guard scalar.isASCII else {
                buffer.append(mapping(scalar.properties))
                continue
            }
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            buffer.append(changes(byte) ? byte ^ 0x20 : byte)
        }
    }
}

extension Unicode.Scalar {
    /// The title case as in Ruby, which uses the small letter for a Georgian capital, as these do not begin words.
    fileprivate var rubyTitlecase: String {
        value >= 0x1C90 && value <= 0x1CBF ? properties.lowercaseMapping : properties.titlecaseMapping
    }
}
