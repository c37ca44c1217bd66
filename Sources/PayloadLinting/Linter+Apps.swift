// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources

extension Linter {
    /// The apps of a project, as found by ``check(_:)``.
    ///
    /// - Parameter paths: files and folders.
    /// - Returns: the apps, in the order of their paths.
    /// - Throws: the reason why the project cannot be read.
    package func apps(in paths: [String]) throws(InputError) -> [App] {
        try Project(paths, options: options).apps.map(\.app)
    }
}
