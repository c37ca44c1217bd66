// SPDX-License-Identifier: MIT

import Crypto
import Liquid

/// Digests and message authentication codes.
enum HashFilters {
    static let all: [FilterDefinition] =
        [
            digest("md5", "MD5", "6057f13c496ecf7fd777ceb9e79ae285") { Array(Insecure.MD5.hash(data: $0)) },
            digest("sha1", "SHA-1", "7f550a9f4c44173a37664d938f1355f0f92a47a7") {
                Array(Insecure.SHA1.hash(data: $0))
            },
            digest("sha2", "SHA-256", sha256OfHey) { Array(SHA256.hash(data: $0)) },
            digest("sha256", "SHA-256", sha256OfHey) { Array(SHA256.hash(data: $0)) },
            FilterDefinition(
                "base64",
                arity: 0...0,
                summary: "Writes the bytes of a string in Base64, as `base64_encode` does.",
                examples: [.init("{{ 'blah' | base64 }}", "YmxhaA==")]
            ) { (input, _, context) throws(LiquidError) in
                var text = try context.text(of: input)
                return try context.string { buffer in
                    text.withUTF8 { Base64.write($0, isURLSafe: false, to: &buffer) }
                }
            },
        ]
        + codes("sha1", "SHA-1") { text, key in
            Array(HMAC<Insecure.SHA1>.authenticationCode(for: text, using: SymmetricKey(data: key)))
        }
        + codes("sha256", "SHA-256") { text, key in
            Array(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: key)))
        }
        + codes("sha512", "SHA-512") { text, key in
            Array(HMAC<SHA512>.authenticationCode(for: text, using: SymmetricKey(data: key)))
        }

    private static let sha256OfHey = "fa690b82061edfd2852629aeba8a8977b57e40fcb77d1a7a28b26cba62591204"

    private static func digest(
        _ name: String,
        _ algorithm: String,
        _ example: String,
        _ hash: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            arity: 0...0,
            summary: "The \(algorithm) of a string, in hexadecimal digits.",
            examples: [.init("{{ 'hey' | \(name) }}", example)]
        ) { (input, _, context) throws(LiquidError) in
            let bytes = hash(Array(try context.text(of: input).utf8))
            return try context.string { buffer in bytes.withUnsafeBufferPointer { buffer.append(hexadecimal: $0) } }
        }
    }

    /// `hmac_NAME`, `hmac_NAME_hex` and `hmac_NAME_base64`.
    private static func codes(
        _ name: String,
        _ algorithm: String,
        _ code: @escaping @Sendable (_ text: [UInt8], _ key: [UInt8]) -> [UInt8]
    ) -> [FilterDefinition] {
        [("", false), ("_hex", false), ("_base64", true)].map { suffix, isBase64 in
            FilterDefinition(
                "hmac_\(name)\(suffix)",
                arity: 1...1,
                summary: "The message authentication code of a string by \(algorithm) and a key, in "
                    + (isBase64 ? "Base64." : "hexadecimal digits.")
            ) { (input, arguments, context) throws(LiquidError) in
                let key = Array(try context.text(of: arguments[0]).utf8)
                let bytes = code(Array(try context.text(of: input).utf8), key)
                return try context.string { buffer in
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
}
