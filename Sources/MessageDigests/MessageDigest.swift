// SPDX-License-Identifier: MIT

#if canImport(CryptoKit)
    import CryptoKit
#elseif Digests
    import CMessageDigests
#endif

/// A hash function such as SHA-256, computed by CryptoKit on Apple's systems and by libmd on other systems.
///
/// The package trait `Digests` links libmd.
package enum MessageDigest: Sendable {
    case md5, sha1, sha256, sha512

    /// Whether this build can compute digests: the system has CryptoKit, or the trait `Digests` is on.
    package static var isAvailable: Bool {
        #if canImport(CryptoKit) || Digests
            true
        #else
            false
        #endif
    }

    /// The digest of the bytes; nil in a build that cannot compute digests.
    package func digest(of bytes: [UInt8]) -> [UInt8]? {
        #if canImport(CryptoKit)
            switch self {
            case .md5: Array(Insecure.MD5.hash(data: bytes))
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        #elseif Digests
            switch self {
            case .md5: Self.digest(of: bytes, MD5_CTX(), MD5_DIGEST_LENGTH, MD5Init, MD5Update, MD5Final)
            case .sha1: Self.digest(of: bytes, SHA1_CTX(), SHA1_DIGEST_LENGTH, SHA1Init, SHA1Update, SHA1Final)
            case .sha256:
                Self.digest(of: bytes, SHA2_CTX(), SHA256_DIGEST_LENGTH, SHA256Init, SHA256Update, SHA256Final)
            case .sha512:
                Self.digest(of: bytes, SHA2_CTX(), SHA512_DIGEST_LENGTH, SHA512Init, SHA512Update, SHA512Final)
            }
        #else
            nil
        #endif
    }

    /// The message authentication code (HMAC) of the bytes; nil in a build that cannot compute digests.
    ///
    /// Source: RFC 2104, "HMAC: Keyed-Hashing for Message Authentication".
    package func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        let blockSize = self == .sha512 ? 128 : 64
        guard var key = key.count > blockSize ? digest(of: key) : key else { return nil }
        key += repeatElement(0, count: blockSize - key.count)
        guard let inner = digest(of: key.map { $0 ^ 0x36 } + bytes) else { return nil }
        return digest(of: key.map { $0 ^ 0x5C } + inner)
    }

    #if !canImport(CryptoKit) && Digests
        private static func digest<Context>(
            of bytes: [UInt8],
            _ context: Context,
            _ count: Int32,
            _ begin: (UnsafeMutablePointer<Context>) -> Void,
            _ add: (UnsafeMutablePointer<Context>, UnsafePointer<UInt8>, Int) -> Void,
            _ finish: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Context>) -> Void
        ) -> [UInt8] {
            var context = context
            begin(&context)
            add(&context, bytes, bytes.count)
            return [UInt8](unsafeUninitializedCapacity: Int(count)) { digest, initialized in
                guard let start = digest.baseAddress else { return }
                finish(start, &context)
                initialized = Int(count)
            }
        }
    #endif
}
