// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
import POSIXFiles
import PayloadKit

/// An app that the user names: by its folder, its `.xcodeproj`, or the file of `payloadgen app`.
package struct NamedApp: Sendable {
    /// The app.
    package let app: App

    /// The findings about reading it that do not change it, such as a path in another case than on disk.
    package let notes: [Diagnostic]

    /// The project of its files; nil for the file of `payloadgen app`.
    package let project: ProjectApps?

    /// Reads the app.
    ///
    /// - Parameters:
    ///   - path: the folder, the project or the file.
    ///   - target: the name of the app, where there are several; nil for the only one.
    /// - Throws: the reason why a part of it cannot be read.
    package init(_ path: String, target: String?) throws(InputError) {
        guard FolderWalk.item(at: path) == .folder else {
            (app, notes, project) = (try App(contentsOf: path, target: target), [], nil)
            return
        }
        let project = try ProjectApps(folder: path, target: target)
        guard let only = project.only else { throw App.nothing(in: path) }
        (app, notes, self.project) = (only.app, only.notes, project)
    }
}
