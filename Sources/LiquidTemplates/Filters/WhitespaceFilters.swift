// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Filters that remove or replace white space: space, tab, line feed, vertical tab, form feed, carriage return.
enum WhitespaceFilters {
    static let all: [FilterDefinition] = [
        stripping("strip", "both ends", "[a b]", front: true, back: true),
        stripping("lstrip", "the front", "[a b ]", front: true, back: false),
        stripping("rstrip", "the end", "[ a b]", front: false, back: true),
        FilterDefinition(
            "squish",
            summary: "Removes white space from both ends and turns each run of it inside into one space.",
            examples: [.init("[{{ '  a   b ' | squish }}]", "[a b]")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.text(of: input)
            return try context.result { buffer in
                text.withBytes { bytes in
                    var isAfterSpace = false
                    for byte in bytes[bytes.strippedRange] {
                        if !byte.isRubySpace {
                            buffer.append(byte)
                        } else if !isAfterSpace {
                            buffer.append(UInt8(ascii: " "))
                        }
                        isAfterSpace = byte.isRubySpace
                    }
                }
            }
        },
        FilterDefinition(
            "strip_newlines",
            summary: "Removes line ends.",
            examples: [.init("{% capture t %}a\nb{% endcapture %}{{ t | strip_newlines }}", "ab")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            try replacingNewlines(context.text(of: input), with: "", &context)
        },
        FilterDefinition(
            "newline_to_br",
            summary: "Puts `<br />` before each line end.",
            examples: [.init("{% capture t %}a\nb{% endcapture %}{{ t | newline_to_br }}", "a<br />\nb")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            try replacingNewlines(context.text(of: input), with: "<br />\n", &context)
        },
    ]

    /// A filter that removes white space at one end or both ends.
    private static func stripping(
        _ name: String,
        _ ends: String,
        _ stripped: String,
        front: Bool,
        back: Bool
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            summary: "Removes white space and null bytes from \(ends).",
            examples: [.init("[{{ ' a b ' | \(name) }}]", stripped)],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            let text = try context.text(of: input)
            let part: String? = text.withBytes { bytes in
                let range = bytes.strippedRange
                // Text that consists only of white space becomes empty, whichever end is stripped.
                guard !range.isEmpty else { return "" }
                let lower = front ? range.lowerBound : 0
                let upper = back ? range.upperBound : bytes.count
                return upper - lower == bytes.count ? nil : String(utf8: Bytes(rebasing: bytes[lower..<upper]))
            }
            return .string(part ?? text)
        }
    }

    /// Replaces each line feed, together with a carriage return directly before it.
    private static func replacingNewlines(
        _ text: String,
        with replacement: String,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        let newline = UInt8(ascii: "\n")
        guard text.utf8.contains(newline) else { return .string(text) }
        return try context.result { buffer in
            text.withBytes { bytes in
                var start = 0
                while let position = ByteSearch.first(newline, in: bytes, from: start) {
                    let hasReturn = position > start && bytes[position - 1] == UInt8(ascii: "\r")
                    buffer.append(Bytes(rebasing: bytes[start..<(hasReturn ? position - 1 : position)]))
                    buffer.append(replacement)
                    start = position + 1
                }
                buffer.append(Bytes(rebasing: bytes[start...]))
            }
        }
    }
}
