// SPDX-License-Identifier: MIT

package import AppBundles
package import SourceText

extension Linter {
    /// The apps of a project, as ``check(_:)`` finds them.
    ///
    /// - Parameter paths: files and folders.
    /// - Returns: the apps, in the order of their paths.
    /// - Throws: why the project cannot be read.
    package func apps(in paths: [String]) throws(InputError) -> [App] {
        try LintProject(paths, options: options).apps.map(\.app)
    }
}
