// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The URL of a fixture, in which `*` matches any run of characters.
///
/// A pattern lets one fixture answer the different URLs of all users in a batch.
package struct URLPattern: Sendable {
    private let pattern: [UInt8]

    /// Whether the URL contains a `*`.
    package let isPattern: Bool

    /// Creates a pattern.
    package init(_ text: String) {
        pattern = Array(text.utf8)
        isPattern = pattern.contains(UInt8(ascii: "*"))
    }

    /// Whether a URL matches; in the worst case, the time is proportional to the product of both lengths.
    package func matches(_ address: String) -> Bool {
        guard isPattern else { return pattern.elementsEqual(address.utf8) }
        return Wildcards.matches(Array(address.utf8)[...], pattern[...]) {
            $0 == $1
        } isAny: {
            $0 == UInt8(ascii: "*")
        }
    }
}
