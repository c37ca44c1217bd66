// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
import POSIXFiles

/// What is read of a project, and how it is checked.
public struct ProjectOptions: Sendable {
    /// A folder to read as one app, whatever it contains; nil to find the apps.
    public var app: String?

    /// Whether only ``app`` is read, and any part of it that cannot be read is an error.
    var readsOnlyApp = false

    /// The only app, already read; takes precedence over ``app``.
    public var givenApp: App?

    /// The property lists that together are the only app, whose code is not read; empty to find the apps.
    package var plists: [String] = []

    /// The errors about a named app that is not a folder and cannot be read.
    package var givenAppFaults: [Diagnostic] = []

    /// The name of the app, if ``app`` contains several.
    public var target: String?

    /// The configuration of the project.
    public var configuration: ProjectConfiguration?

    /// The configurations of other projects that are checked together with this one.
    ///
    /// Each file follows the configuration of its own project.
    public var otherConfigurations: [ProjectConfiguration] = []

    /// Severities of rules, which take precedence over those of the configuration.
    public var rules = RuleLevels()

    /// The folder to which paths are relative.
    public var workingFolder: String

    /// The folder that must contain everything that is read, such as an editor's workspace; nil if files may be
    /// anywhere.
    package var boundary: String?

    /// Unsaved texts that replace files, such as those of an editor, by the paths of the files: absolute, or
    /// relative to ``workingFolder``.
    ///
    /// A file that exists only as an unsaved text is found in its folder like one on disk.
    public var unsavedTexts: [String: String] = [:]

    /// Returns whether the file or folder at a path, relative to the working folder, is excluded.
    public var isExcluded: @Sendable (String) -> Bool

    /// Creates options.
    public init(
        app: String? = nil,
        workingFolder: String? = nil,
        isExcluded: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.app = app
        self.workingFolder = workingFolder ?? .workingFolder
        self.isExcluded = isExcluded
    }

    /// Whether the options, or the configuration of its project, exclude the file or folder at an absolute path.
    package func excludes(_ path: String, _ paths: ProjectPaths) -> Bool {
        isExcluded(paths.displayPath(path)) || nearestConfiguration(of: path)?.excludes(path) ?? false
    }

    /// Whether the file at an absolute path, or a folder around it, is excluded; for files that no search of a folder
    /// found.
    package func excludes(fileAt path: String, _ paths: ProjectPaths) -> Bool {
        isExcluded(paths.displayPath(path)) || nearestConfiguration(of: path)?.excludes(fileAt: path) ?? false
    }

    /// The configurations of all projects that are checked.
    package var configurations: [ProjectConfiguration] { [configuration].compactMap(\.self) + otherConfigurations }

    /// The configuration that a file follows: that of its own project, or ``configuration`` for a file that belongs
    /// to no project.
    ///
    /// - Parameter path: the absolute path of the file.
    /// - Returns: the configuration; nil for a file of a project without one.
    package func configuration(of path: String) -> ProjectConfiguration? {
        if configurations.isEmpty { return nil }
        if let nearest = nearestConfiguration(of: path) { return nearest }
        return ProjectRoot.marked(from: path.folder.isEmpty ? "/" : path.folder, within: boundary) == nil
            ? configuration : nil
    }

    /// The configuration in the nearest folder around a file or folder.
    private func nearestConfiguration(of path: String) -> ProjectConfiguration? {
        configurations.filter { path.isPath(in: $0.folder) }
            .max { $0.folder.utf8.count < $1.folder.utf8.count }
    }
}

extension Overlay {
    /// Creates the overlay of a project.
    init(_ options: ProjectOptions, _ paths: ProjectPaths) {
        let texts = options.unsavedTexts.map { (paths.absolute($0), $1) }
        self.init(Dictionary(first: texts), within: options.boundary)
    }
}
