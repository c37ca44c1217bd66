// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
import POSIXFiles

/// An app that the user names: by its folder, its `.xcodeproj`, or the file of `payloadgen app`.
package struct NamedApp: Sendable {
    /// The app.
    package let app: App

    /// The findings about reading it that do not change it, such as a path in another case than on disk.
    package let notes: [Diagnostic]

    /// The project of its files; nil for the file of `payloadgen app`.
    package let project: Project?

    /// Reads the app.
    ///
    /// - Parameters:
    ///   - path: the folder, the project or the file.
    ///   - target: the name of the app, where there are several; nil for the only one.
    ///   - options: the working folder and the unsaved texts.
    /// - Throws: the reason why a part of it cannot be read.
    package init(
        _ path: String,
        target: String?,
        _ options: ProjectOptions = ProjectOptions()
    ) throws(InputError) {
        guard FolderWalk.item(at: ProjectPaths(workingFolder: options.workingFolder).absolute(path)) == .folder else {
            (app, notes, project) = (try App(contentsOfFile: path, target: target), [], nil)
            return
        }
        var options = options
        options.app = path
        options.target = target
        options.isAppAlone = true
        let project = try Project([path], options: options)
        let lists = project.apps.reduce(into: Set<String>()) { $0.formUnion($1.lists) }
        let overLimit = project.unread.filter { $0.rule == .overLimit && $0.severity == .error }
        let faults = overLimit + project.extrasFaults(beside: lists)
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
        guard let found = project.apps.first else { throw App.nothing(in: path) }
        (app, notes, self.project) = (found.app, project.model.notes(on: found), project)
    }
}
