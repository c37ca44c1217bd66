// SPDX-License-Identifier: MIT

/// Why a gzip file, a zip archive or other compressed input cannot be read.
package struct ArchiveError: Error, Hashable {
    /// What was found and what was expected, such as `is cut off`: lower case, no full stop.
    ///
    /// Callers put the name of the file before the message.
    package let message: String

    package init(_ message: String) { self.message = message }
}
