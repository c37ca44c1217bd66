// SPDX-License-Identifier: MIT

/// The URL of a fixture, in which `*` matches any run of characters.
///
/// One fixture can therefore answer the different URLs of all users in a batch.
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
        let text = Array(address.utf8)
        var (position, index) = (0, 0)
        var star: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == text[position] {
                index += 1
                position += 1
            } else if let last = star {
                // Extends the match of the last star by one character.
                star = (last.index, last.position + 1)
                index = last.index + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
