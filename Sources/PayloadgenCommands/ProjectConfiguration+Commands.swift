// SPDX-License-Identifier: MIT

import PayloadKit
import PayloadLinting

extension ProjectConfiguration {
    /// The configuration for a file or folder; for standard input, the one of the working folder.
    static func find(for path: String) throws(CommandFailure) -> ProjectConfiguration? {
        do throws(InputError) {
            return try nearest(to: path == "-" ? "." : path)
        } catch {
            throw CommandFailure(configuration: error)
        }
    }
}

extension RenderOptions {
    /// Applies the project's configuration.
    mutating func apply(_ configuration: ProjectConfiguration?) {
        guard let configuration else { return }
        externalCategories = configuration.externalCategories
        givenAttributes = configuration.givenAttributes
        if let budget = configuration.budget { self.budget = budget }
    }
}
