// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Filters that escape text for URLs and JSON.
enum EscapeFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "url_escape",
            summary: "Percent-encodes what is not allowed in a URL; `&` and other separators are kept.",
            examples: [.init("{{ 'hey<>hi' | url_escape }}", "hey%3C%3Ehi")],
            traits: [.makesText, .keepsMissing, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in try percentEscaped(input, keeping: separators, &context) },
        FilterDefinition(
            "url_param_escape",
            summary: "Percent-encodes what is not allowed in the value of a URL's parameter.",
            examples: [.init("{{ 'hey<&>hi' | url_param_escape }}", "hey%3C%26%3Ehi")],
            traits: [.makesText, .keepsMissing, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in try percentEscaped(input, keeping: [], &context) },
        FilterDefinition(
            "json_escape",
            summary: "Escapes quotes, backslashes and control characters for use inside a JSON string.",
            examples: [.init(#"{{ 'say "hi"' | json_escape }}"#, #"say \"hi\""#)],
            traits: [.makesText, .keepsMissing, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            var text = try context.text(of: input)
            return try context.result { buffer in text.withUTF8 { buffer.appendJSONEscaped($0) } }
        },
    ]

    /// The characters that separate the parts of a URL.
    private static let separators: [UInt8] = Array(";/?:@&=+$,#!*'()".utf8)

    private static func percentEscaped(
        _ input: Value,
        keeping kept: [UInt8],
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        if case .null = input { return .null }
        let text = try context.characters(of: input)
        return try context.result { buffer in
            for byte in text.utf8 {
                if kept.contains(byte) { buffer.append(byte) } else { buffer.append(percentEncoded: byte) }
            }
        }
    }
}

extension ByteBuffer {
    /// Appends each byte as two hexadecimal digits.
    mutating func append(hexadecimal bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes { append(hexadecimal: byte) }
    }
}
