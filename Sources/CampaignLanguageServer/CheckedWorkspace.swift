// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadLinting

/// The texts that are open in the client, the folders that may be read, and the findings.
struct CheckedWorkspace: Sendable {
    /// A project with open texts, and the results of its last check.
    struct Project: Sendable {
        let kept: KeptProject

        /// The findings, by the absolute path of their file.
        let findings: [String: [Diagnostic]]

        /// The findings that belong to no file; if nothing could be checked, the reasons.
        let general: [Diagnostic]

        var apps: [App] { kept.apps }
    }

    /// The open texts, by their URIs.
    var texts: [String: OpenText] = [:]

    /// The absolute paths of the folders that the client has open.
    var folders: [String] = []

    /// The projects that were checked, by the absolute paths of their folders.
    private(set) var projects: [String: Project] = [:]

    /// The folder of the project to which a path belongs, and the client's folder that contains it; nil for a path
    /// outside the client's folders.
    func project(of path: String) -> (root: String, boundary: String)? {
        let around = folders.filter { path.isPath(in: $0) }
        guard let boundary = around.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
        return (ProjectRoot.marked(from: path.folder, within: boundary) ?? boundary, boundary)
    }

    /// The project in which a text was checked; nil if it was not checked.
    func checkedProject(of text: OpenText) -> Project? {
        text.path.flatMap(project).flatMap { projects[$0.root] }
    }

    func text(at path: String) -> OpenText? { texts.values.first { $0.path == path } }

    /// Checks the projects of the open texts; files that have not changed since the last check are not read again.
    mutating func check() {
        var checked: [String: Project] = [:]
        let roots = texts.values.compactMap { text -> (root: String, boundary: String)? in text.path.flatMap(project) }
        for (root, boundary) in roots where checked[root] == nil {
            var unsaved: [String: String] = [:]
            for text in texts.values where !text.isTooLarge {
                if let path = text.path, path.isPath(in: root) { unsaved[path] = text.text }
            }
            var kept = projects[root]?.kept ?? KeptProject(root: root, boundary: boundary)
            do throws(InputError) {
                let found = Linter.reported(try kept.check(unsaved).diagnostics)
                let placed = Dictionary(grouping: found) { $0.place.map { kept.absolute($0.file.path) } ?? "" }
                checked[root] = Project(kept: kept, findings: placed, general: placed[""] ?? [])
            } catch {
                let placed = Dictionary(grouping: error.diagnostics) {
                    $0.place.map { kept.absolute($0.file.path) } ?? ""
                }
                checked[root] = Project(kept: kept, findings: placed, general: error.diagnostics)
            }
        }
        projects = checked
    }

    /// Takes the findings from another state of the workspace, whose texts may be older.
    mutating func take(_ other: CheckedWorkspace) { projects = other.projects }

    /// The findings in an open text; if the text was not checked, the reasons.
    func findings(in text: OpenText) -> [Diagnostic] {
        func unchecked(_ reason: String) -> [Diagnostic] {
            let message = "the text is not checked: \(reason)"
            return [Diagnostic(.unreadFile, message, at: SourcePlace(wholeFile: text.file), severity: .info)]
        }
        guard let path = text.path else { return unchecked("it has no file") }
        if text.isTooLarge { return unchecked("it has more than \(SourceFile.byteLimit >> 20) MiB") }
        guard project(of: path) != nil else { return unchecked("it is outside the folders of the workspace") }
        guard let project = checkedProject(of: text) else { return [] }
        let textFindings = project.findings[path] ?? []
        // A fault that prevents a project from being read is reported in each of its texts.
        let general = project.general.filter { $0.place.map { project.kept.absolute($0.file.path) != path } ?? true }
        return textFindings
            + general.map { finding in
                var copy = finding
                copy.place = SourcePlace(wholeFile: text.file)
                copy.fixes = []
                if let place = finding.place { copy.related.append(Diagnostic.Related("it is here", at: place)) }
                return copy
            }
    }
}
