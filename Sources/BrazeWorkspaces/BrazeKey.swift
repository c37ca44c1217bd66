// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A Braze REST API key, which never appears in messages or logs: only the settings of a request contain it.
///
/// Its description, debug description and mirror do not reveal it.
package struct BrazeKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key itself.
    let secret: String

    /// Reads a key, and ignores white space around it, such as the newline of a file.
    ///
    /// - Parameters:
    ///   - text: the key.
    ///   - name: where the key comes from, for messages.
    /// - Throws: an error if the key is empty, or contains a character that a header cannot contain.
    package init(_ text: String, named name: String) throws(PullFailure) {
        let bytes = Array(text.utf8)
        let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.count
        let end = (bytes.lastIndex { $0 > 0x20 } ?? start - 1) + 1
        guard start < end else {
            throw PullFailure(.usage, "the environment variable '\(name)' is empty, expected a key")
        }
        let key = bytes[start..<end]
        guard key.count >= 8, key.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw PullFailure(
                .usage, "'\(name)' is not a REST API key, expected 8 or more visible characters without blanks")
        }
        secret = String(decoding: key, as: UTF8.self)
    }

    /// Replaces the key in a response by a mark.
    ///
    /// - Returns: the new bytes, and whether they contained the key.
    func redacting(_ bytes: [UInt8]) -> (bytes: [UInt8], isRedacted: Bool) {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let found = rest.firstRange(ofBytes: secret.utf8) {
            result += rest[..<found.lowerBound] + Array("[redacted]".utf8)
            rest = rest[found.upperBound...]
        }
        return result.isEmpty ? (bytes, false) : (result + rest, true)
    }

    package var description: String { "a key" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
