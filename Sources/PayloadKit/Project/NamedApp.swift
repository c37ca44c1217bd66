// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
import POSIXFiles

/// An app that the user names by its folder, its `.xcodeproj`, its property lists, or a file that `payloadgen app`
/// wrote.
package struct NamedApp: Sendable {
    /// The app.
    package let app: App

    /// The findings about reading the app that do not affect what was read, such as a path in the wrong case.
    package let notes: [Diagnostic]

    /// The project that the app's files belong to; nil for a file that `payloadgen app` wrote.
    package let project: Project?

    /// Reads the app that property lists declare together, without its code.
    package init(plists: [String], _ options: ProjectOptions = ProjectOptions()) throws(InputError) {
        var options = options
        options.plists = plists
        let project = try Project(plists, options: options)
        guard let found = project.apps.first else { throw App.nothing(in: plists.joined(separator: ", ")) }
        (app, notes, self.project) = (found.app, [], project)
    }

    /// Reads the app.
    ///
    /// - Parameters:
    ///   - path: the folder, the project or the file.
    ///   - target: the name of the app, where there are several; nil for the only one.
    ///   - options: the working folder and the unsaved texts.
    /// - Throws: the reason why the app, or a part of it, cannot be read.
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
        options.readsOnlyApp = true
        let project = try Project([path], options: options)
        let lists = project.apps.reduce(into: Set<String>()) { $0.formUnion($1.lists) }
        let overLimit = project.unread.filter { $0.rule == .overLimit && $0.severity == .error }
        let faults = overLimit + project.extrasFaults(beside: lists)
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
        guard let found = project.apps.first else { throw App.nothing(in: path) }
        (app, notes, self.project) = (found.app, project.model.notes(on: found), project)
    }
}
