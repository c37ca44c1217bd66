// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import POSIXFiles

/// Converts paths: to absolute ones, and to the form that messages show.
package struct ProjectPaths: Sendable {
    /// The working folder, absolute.
    package let workingFolder: String

    /// The absolute paths of the folders that were searched because the user named them or a file in them.
    package var searched: [String] = []

    /// The folder that must contain everything that is read, whatever the project is; nil if files may be anywhere.
    package let boundary: String?

    /// Whether paths outside the working folder are shown relative to it, like the paths that the user gave.
    package var showsParents = false

    /// The folder that the user named, whose files are shown below the relative path that the user gave for it.
    private var given: (path: String, absolute: String)?

    package init(workingFolder: String, boundary: String? = nil) {
        self.workingFolder = workingFolder.standardizedPath
        self.boundary = boundary?.standardizedPath
    }

    /// Shows the files of a folder, or those beside an `.xcodeproj`, by the relative path that the user gave for it.
    mutating func show(asGiven path: String) {
        guard !path.hasPrefix("/") else { return }
        var folder = path
        while folder.hasSuffix("/") { folder.removeLast() }
        if folder.hasSuffix(".xcodeproj") { folder = folder.folder }
        if !folder.isEmpty { given = (folder, absolute(folder)) }
    }

    package func absolute(_ path: String) -> String {
        (path.hasPrefix("/") ? path : workingFolder + "/" + path).standardizedPath
    }

    /// The path relative to the working folder; a path outside it may be as the user gave it, or unchanged.
    package func displayPath(_ path: String) -> String {
        if path == workingFolder { return "." }
        if let inside = path.path(relativeTo: workingFolder) { return inside }
        if let given, path.isPath(in: given.absolute) {
            return path.path(relativeTo: given.absolute).map { given.path + "/" + $0 } ?? given.path
        }
        return showsParents ? path.path(throughParentsOf: workingFolder) : path
    }

    /// The place of a file or folder that is not read.
    package func place(of path: String) -> SourcePlace {
        SourcePlace(unread: displayPath(path))
    }

    package func folder(of path: String) -> String {
        let folder = path.folder
        return folder.isEmpty ? "/" : folder
    }

    /// The root of the project that a file belongs to.
    package func root(of file: String) -> ProjectRoot {
        ProjectRoot(of: file, workingFolder: workingFolder, searched: searched, within: boundary)
    }

    /// The root of the files that a campaign names.
    package func root(ofCampaign file: String) -> ProjectRoot {
        ProjectRoot.ofCampaign(file, workingFolder: workingFolder, searched: searched, within: boundary)
    }

    /// The project around a folder: the folder of its repository or configuration, else the working folder; nil for a
    /// folder outside both.
    package func project(around folder: String) -> String? {
        marked(from: folder) ?? (folder.isPath(in: workingFolder) ? workingFolder : nil)
    }

    /// The nearest folder at or above a folder that contains `.payloadgen.yml` or `.git`.
    package func marked(from folder: String) -> String? { ProjectRoot.marked(from: folder, within: boundary) }

    /// Whether a path is within the boundary, if there is one.
    func isWithinBoundary(_ path: String) -> Bool { boundary.map(path.isPath) ?? true }
}
