// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// Filters for parts of URLs and for Base64.
enum URLFilters {
    static let all = escapes + base64(isURLSafe: false) + base64(isURLSafe: true)

    private static let escapes: [FilterDefinition] = [
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
                        if byte == UInt8(ascii: " ") {
                            buffer.append(UInt8(ascii: "+"))
                        } else {
                            buffer.append(percentEncoded: byte)
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
    ]

    /// The filters that write and read Base64, in the usual alphabet or in the one for URLs.
    private static func base64(isURLSafe: Bool) -> [FilterDefinition] {
        let name = isURLSafe ? "base64_url_safe_" : "base64_"
        let digits = isURLSafe ? " with `-` and `_`" : ""
        let (text, encoded) = isURLSafe ? ("???>", "Pz8_Pg") : ("ünïx", "w7xuw694")
        return [
            FilterDefinition(
                name + "encode",
                summary:
                    "Writes the bytes of a string in Base64\(digits)\(isURLSafe ? " in place of `+` and `/`" : "").",
                examples: [.init("{{ '\(text)' | \(name)encode }}", isURLSafe ? encoded + "==" : encoded)],
                traits: [.makesText, .isSafeInJSON]
            ) { (input, _, context) throws(LiquidError) in
                let text = try context.text(of: input)
                return try context.result { buffer in
                    text.withBytes { Base64.write($0, isURLSafe: isURLSafe, to: &buffer) }
                }
            },
            FilterDefinition(
                name + "decode",
                summary: "Reads Base64\(digits)\(isURLSafe ? ", also without padding" : ""). "
                    + "Bytes that are not UTF-8 become U+FFFD.",
                examples: [.init("{{ '\(encoded)' | \(name)decode }}", text)],
                traits: isURLSafe ? [] : .makesText
            ) { (input, _, context) throws(LiquidError) in
                let text = try Array(context.characters(of: input).utf8)
                guard let decoded = Base64.decode(text, isURLSafe: isURLSafe) else {
                    throw LiquidError(
                        .argument,
                        isURLSafe ? "the input is not URL-safe Base64" : "the input is not Base64",
                        referenceText: "invalid base64 provided to \(name)decode"
                    )
                }
                return .string(String(decoding: decoded, as: UTF8.self))
            },
        ]
    }
}
