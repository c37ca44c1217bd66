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

    /// A value, encoded for the query of an address.
    static func encoded(_ value: String) -> String {
        value.percentEncoded { $0.isNameByte || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: spaced.percentDecoded, as: UTF8.self)
    }
}
