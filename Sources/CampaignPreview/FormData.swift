// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Reads and writes `application/x-www-form-urlencoded`, the format in which forms are sent.
enum FormData {
    /// The names and values of the form's controls, in the order of the form.
    static func values(_ bytes: [UInt8]) -> [(name: String, value: String)] {
        bytes.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// A value in the form in which it can be in the query of an address.
    static func encoded(_ value: String) -> String {
        value.utf8.reduce(into: "") { result, byte in
            switch byte {
            case _ where byte.isNameByte, UInt8(ascii: "."), UInt8(ascii: "/"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + byte.hexadecimal(digits: 2, uppercase: true)
            }
        }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%") where index + 2 < bytes.endIndex:
                let digits = String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self)
                if let byte = UInt8(digits, radix: 16) {
                    result.append(byte)
                    index += 2
                } else {
                    result.append(bytes[index])
                }
            default: result.append(bytes[index])
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}
