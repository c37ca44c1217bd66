// SPDX-License-Identifier: MIT

import LiquidTemplates
import MessageDigests
import ScalarTexts

/// Filters for digests and message authentication codes.
enum HashFilters {
    static let all: [FilterDefinition] =
        [
            digest("md5", "MD5", "6057f13c496ecf7fd777ceb9e79ae285", .md5),
            digest("sha1", "SHA-1", "7f550a9f4c44173a37664d938f1355f0f92a47a7", .sha1),
            digest("sha2", "SHA-256", sha256OfHey, .sha256), digest("sha256", "SHA-256", sha256OfHey, .sha256),
            FilterDefinition(
                "base64",
                summary: "Writes the bytes of a string in Base64, as `base64_encode` does.",
                examples: [.init("{{ 'blah' | base64 }}", "YmxhaA==")],
                traits: [.makesText, .isSafeInJSON]
            ) { (input, _, context) throws(LiquidError) in
                var text = try context.text(of: input)
                return try context.result { buffer in
                    text.withUTF8 { Base64.write($0, isURLSafe: false, to: &buffer) }
                }
            },
        ]
        + codes("sha1", "SHA-1", "2a3969bed25bfeefb00aca4063eb9590b4df8f0e", "KjlpvtJb/u+wCspAY+uVkLTfjw4=", .sha1)
        + codes("sha256", "SHA-256", hexOf256, "jfiX+No9eZL+V8jbxvJ1eM+/LcxND7tAALjJJIQdUI4=", .sha256)
        + codes("sha512", "SHA-512", hexOf512, base64Of512, .sha512)

    private static let hexOf256 = "8df897f8da3d7992fe57c8dbc6f27578cfbf2dcc4d0fbb4000b8c924841d508e"
    private static let hexOf512 =
        "77559e110f13ef5700f9085728484653bd6365fb9426537f9b842f05a744f12f"
        + "5f1f957aa966bd7296238e947461be739ad5417364f1737a58f7b464317c03ed"
    private static let base64Of512 =
        "d1WeEQ8T71cA+QhXKEhGU71jZfuUJlN/m4QvBadE8S9fH5V6qWa9cpYjjpR0Yb5zmtVBc2Txc3pY97RkMXwD7Q=="

    /// The units of work that a digest costs in addition to the bytes that it reads.
    private static let digestWork = 64

    private static let sha256OfHey = "fa690b82061edfd2852629aeba8a8977b57e40fcb77d1a7a28b26cba62591204"

    private static func digest(
        _ name: String,
        _ algorithm: String,
        _ example: String,
        _ digest: MessageDigest
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            summary: "The \(algorithm) of a string, in hexadecimal digits.",
            examples: [.init("{{ 'hey' | \(name) }}", example)],
            traits: [.makesText, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            try context.charge(work: digestWork)
            let bytes = try available(digest.digest(of: Array(try context.text(of: input).utf8)))
            return try context.result { buffer in bytes.withUnsafeBufferPointer { buffer.append(hexadecimal: $0) } }
        }
    }

    /// The filters `hmac_NAME`, `hmac_NAME_hex` and `hmac_NAME_base64` of an algorithm.
    private static func codes(
        _ name: String,
        _ algorithm: String,
        _ hex: String,
        _ base64: String,
        _ digest: MessageDigest
    ) -> [FilterDefinition] {
        [("", false), ("_hex", false), ("_base64", true)].map { suffix, isBase64 in
            FilterDefinition(
                "hmac_\(name)\(suffix)",
                arity: 1...1,
                summary: "The message authentication code of a string by \(algorithm) and a key, in "
                    + (isBase64 ? "Base64." : "hexadecimal digits."),
                examples: [.init("{{ 'hey' | hmac_\(name)\(suffix): 'secret_key' }}", isBase64 ? base64 : hex)],
                traits: [.makesText, .isSafeInJSON]
            ) { (input, arguments, context) throws(LiquidError) in
                try context.charge(work: 4 * digestWork)
                let key = Array(try context.text(of: arguments[0]).utf8)
                let bytes = try available(
                    digest.authenticationCode(of: Array(try context.characters(of: input).utf8), key: key)
                )
                return try context.result { buffer in
                    bytes.withUnsafeBufferPointer {
                        if isBase64 {
                            Base64.write($0, isURLSafe: false, to: &buffer)
                        } else {
                            buffer.append(hexadecimal: $0)
                        }
                    }
                }
            }
        }
    }

    private static func available(_ digest: [UInt8]?) throws(LiquidError) -> [UInt8] {
        if let digest { return digest }
        throw LiquidError(
            .argument,
            "the filter needs hash functions, which this build of the package leaves out (trait 'Digests')"
        )
    }
}
