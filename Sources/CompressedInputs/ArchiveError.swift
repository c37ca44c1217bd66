// SPDX-License-Identifier: MIT

/// Why compressed input cannot be read.
package struct ArchiveError: Error, Hashable {
    /// What was found and what was expected: lower case, no full stop.
    ///
    /// The name of the file is put before the message.
    package let message: String

    package init(_ message: String) { self.message = message }
}
