// SPDX-License-Identifier: MIT

/// The reason that a workspace is not pulled, or not completely.
package struct PullFailure: Error, Sendable, Hashable {
    /// The kinds of failures.
    package enum Kind: Sendable, Hashable {
        /// Braze cannot be reached, or answers with an error.
        case unreachable
        /// Braze refuses the key.
        case refused
        /// The user or the system ended the command.
        case interrupted
        /// The address or the key cannot be used.
        case usage
        /// A saved response is missing.
        case missing
        /// A saved response cannot be read.
        case unreadable
        /// A file cannot be written.
        case unwritable
    }

    /// The kind of failure.
    package let kind: Kind

    /// A message in lower case, without a full stop.
    package let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The failure of an address or a key that cannot be used.
    package static func usage(_ message: String) -> PullFailure { PullFailure(.usage, message) }

    static let interrupted = PullFailure(.interrupted, "interrupted")
}
