// SPDX-License-Identifier: MIT

import Liquid

#if canImport(CryptoKit)
    import CryptoKit
#elseif Digests
    import Crypto
#endif

/// Computes digests: with CryptoKit on Apple's systems, elsewhere with swift-crypto, a dependency of the package trait
/// `Digests`.
enum Digests {
    enum Algorithm: Sendable {
        case md5, sha1, sha256, sha512
    }

    #if canImport(CryptoKit) || Digests
        /// The digest of bytes.
        static func digest(_ algorithm: Algorithm, of bytes: [UInt8]) throws(LiquidError) -> [UInt8] {
            switch algorithm {
            case .md5: Array(Insecure.MD5.hash(data: bytes))
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        }

        /// The message authentication code of bytes.
        static func code(_ algorithm: Algorithm, of bytes: [UInt8], key: [UInt8]) throws(LiquidError) -> [UInt8] {
            let key = SymmetricKey(data: key)
            return switch algorithm {
            case .md5: Array(HMAC<Insecure.MD5>.authenticationCode(for: bytes, using: key))
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
            }
        }
    #else
        static func digest(_ algorithm: Algorithm, of bytes: [UInt8]) throws(LiquidError) -> [UInt8] { throw missing }

        static func code(
            _ algorithm: Algorithm,
            of bytes: [UInt8],
            key: [UInt8]
        ) throws(LiquidError) -> [UInt8] { throw missing }

        private static var missing: LiquidError {
            LiquidError(
                .argument,
                "the filter needs hash functions, which this build of the package leaves out (trait 'Digests')")
        }
    #endif
}
