// SPDX-License-Identifier: MIT

extension String {
    /// The text, in which every byte for which `isKept` is false is percent-encoded (RFC 3986).
    package func percentEncoded(keeping isKept: (UInt8) -> Bool) -> String {
        utf8.reduce(into: "") { result, byte in
            if isKept(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + byte.hexadecimal(digits: 2, uppercase: true)
            }
        }
    }

    /// The path, in which every byte is percent-encoded unless it is a slash or unreserved in URIs.
    package var percentEncodedPath: String { percentEncoded { $0.isUnreserved || $0 == UInt8(ascii: "/") } }
}

extension [UInt8] {
    /// The bytes without percent-encoding; a `%` without two hexadecimal digits is kept.
    package var percentDecoded: [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < count {
            if self[index] == UInt8(ascii: "%"), index + 2 < count, let high = self[index + 1].hexadecimalValue,
                let low = self[index + 2].hexadecimalValue
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(self[index])
                index += 1
            }
        }
        return decoded
    }
}
