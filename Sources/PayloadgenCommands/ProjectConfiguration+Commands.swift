// SPDX-License-Identifier: MIT

import PayloadKit
import PayloadLinting

extension ProjectConfiguration {
    /// The configuration for a file or folder; for standard input, that of the working folder.
    ///
    /// Nil if there is none.
    static func find(for path: String) throws(CommandFailure) -> ProjectConfiguration? {
        do throws(InputError) {
            return try nearest(to: path == "-" ? "." : path)
        } catch {
            throw CommandFailure(configuration: error)
        }
    }
}
