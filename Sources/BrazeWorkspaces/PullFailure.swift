// SPDX-License-Identifier: MIT

/// Why `pull` did not read a workspace, or only a part of it.
package struct PullFailure: Error, Sendable, Hashable {
    /// The kind of a failure, from which the command's exit code follows.
    package enum Kind: Sendable, Hashable {
        /// Braze cannot be reached, or answers with an error.
        case unreachable
        /// Braze does not accept the API key.
        case refused
        /// The user or the system ended the command.
        case interrupted
        /// The address or the API key, as the user gave it, cannot be used.
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

    /// What happened: lower case, no full stop.
    package let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The failure for an address or an API key that cannot be used.
    package static func usage(_ message: String) -> PullFailure { PullFailure(.usage, message) }

    static let interrupted = PullFailure(.interrupted, "interrupted")
}
