// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// Filters for parts of URLs and for Base64.
enum URLFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "url_encode",
            summary: "Percent-encodes what is not allowed in the query of a URL, and writes a space as `+`.",
            examples: [.init("{{ 'a b&c' | url_encode }}", "a+b%26c")],
            traits: [.makesText, .keepsMissing, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.text(of: input)
            guard text.withBytes({ !$0.allSatisfy(\.isUnreserved) }) else { return .string(text) }
            return try context.result { buffer in
                text.withBytes { bytes in
                    for byte in bytes {
                        if byte.isUnreserved {
                            buffer.append(byte)
                        } else if byte == UInt8(ascii: " ") {
                            buffer.append(UInt8(ascii: "+"))
                        } else {
                            buffer.append(UInt8(ascii: "%"))
                            buffer.append(hexadecimal: byte, uppercase: true)
                        }
                    }
                }
            }
        },
        FilterDefinition(
            "url_decode",
            summary: "Reads percent notation, and `+` as a space.",
            examples: [.init("{{ 'a+b%26c' | url_decode }}", "a b&c")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.text(of: input)
            guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
                return .string(text)
            }
            let bytes = Array(text.utf8)
            var decoded: [UInt8] = []
            decoded.reserveCapacity(bytes.count)
            var position = 0
            while position < bytes.count {
                let byte = bytes[position]
                guard byte == UInt8(ascii: "%") else {
                    decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                    position += 1
                    continue
                }
                // As in Ruby, a percent sign with fewer than two characters after it ends the decoding, so a later `+`
                // stays.
                guard position + 2 < bytes.count else {
                    decoded += bytes[position...]
                    break
                }
                if let high = bytes[position + 1].hexadecimalValue, let low = bytes[position + 2].hexadecimalValue {
                    decoded.append(high << 4 | low)
                    position += 3
                } else {
                    decoded.append(byte)
                    position += 1
                }
            }
            guard let string = String(validUTF8: decoded) else {
                throw LiquidError(
                    .argument,
                    "the decoded bytes are not UTF-8",
                    referenceText: "invalid byte sequence in UTF-8"
                )
            }
            return .string(string)
        },
        encoder(
            "base64_encode",
            isURLSafe: false,
            summary: "Writes the bytes of a string in Base64.",
            .init("{{ 'ünïx' | base64_encode }}", "w7xuw694")
        ),
        decoder(
            "base64_decode",
            isURLSafe: false,
            summary: "Reads Base64. Bytes that are not UTF-8 become U+FFFD.",
            .init("{{ 'w7xuw694' | base64_decode }}", "ünïx")
        ),
        encoder(
            "base64_url_safe_encode",
            isURLSafe: true,
            summary: "Writes the bytes of a string in Base64 with `-` and `_` in place of `+` and `/`.",
            .init("{{ '???>' | base64_url_safe_encode }}", "Pz8_Pg==")
        ),
        decoder(
            "base64_url_safe_decode",
            isURLSafe: true,
            summary: "Reads Base64 with `-` and `_`, also without padding. Bytes that are not UTF-8 become U+FFFD.",
            .init("{{ 'Pz8_Pg' | base64_url_safe_decode }}", "???>")
        ),
    ]

    private static func encoder(
        _ name: String,
        isURLSafe: Bool,
        summary: String,
        _ example: FilterDefinition.Example
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            summary: summary,
            examples: [example],
            traits: [.makesText, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            let text = try context.text(of: input)
            return try context.result { buffer in
                text.withBytes { Base64.write($0, isURLSafe: isURLSafe, to: &buffer) }
            }
        }
    }

    private static func decoder(
        _ name: String,
        isURLSafe: Bool,
        summary: String,
        _ example: FilterDefinition.Example
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            summary: summary,
            examples: [example],
            traits: isURLSafe ? [] : .makesText
        ) { (input, _, context) throws(LiquidError) in
            guard let decoded = try Base64.decode(Array(context.characters(of: input).utf8), isURLSafe: isURLSafe)
            else {
                throw LiquidError(
                    .argument,
                    isURLSafe ? "expected Base64 for URLs" : "expected Base64",
                    referenceText: "invalid base64 provided to \(name)"
                )
            }
            return .string(String(decoding: decoded, as: UTF8.self))
        }
    }
}
