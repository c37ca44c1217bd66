// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
package import POSIXFiles

/// A file that declares an app, or an Xcode project with an app, but that payloadgen does not read.
package struct UnreadManifest: Sendable {
    /// The absolute path of the file.
    package let path: String

    /// The reason why no app was found, for messages; it names the file, as in "'Project.swift' of Tuist is not read;
    /// …".
    package let explanation: String

    private static let searchLimit = 100_000
    private static let namesOfTuist: Set<String> = ["Project.swift", "Workspace.swift"]

    /// Finds the first such file in a folder or below it, outer folders first; nil if there is none.
    ///
    /// - Parameters:
    ///   - folder: the absolute path of the folder.
    ///   - root: the root of the project, outside which nothing is read.
    ///   - isExcluded: returns whether the file or folder at an absolute path is left out.
    ///   - shown: returns the path of a file for messages.
    package init?(
        under folder: String,
        in root: ProjectRoot,
        isExcluded: @escaping (String) -> Bool = { _ in false },
        shown: (String) -> String
    ) {
        guard (try? root.resolve(folder)) != nil else { return nil }
        let names = Self.namesOfTuist.union([XcodeWorkspace.fileName, PackageManifest.fileName])
        var walk = FolderWalk(isWanted: names.contains, isExcluded: isExcluded, entryLimit: Self.searchLimit)
        let paths = (walk.files(under: folder) ?? []).filter { !$0.holds(".xcodeproj/") }
        let sorted = paths.enumerated().sorted { ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset) }
        for path in sorted.map(\.element) {
            guard let explanation = Self.explanation(of: path, in: root, shown: shown) else { continue }
            self.path = path
            self.explanation = explanation
            return
        }
        return nil
    }

    /// Whether a file is a manifest from which Tuist writes Xcode projects.
    static func isOfTuist(_ path: String, in root: ProjectRoot) -> Bool {
        namesOfTuist.contains(path.fileName) && holds("ProjectDescription", path, in: root)
    }

    private static func explanation(of path: String, in root: ProjectRoot, shown: (String) -> String) -> String? {
        if isOfTuist(path, in: root) {
            return
                "'\(shown(path))' of Tuist is not read; 'tuist generate' makes the Xcode project that it describes"
        }
        if path.fileName == PackageManifest.fileName {
            guard holds(".iOSApplication(", path, in: root) else { return nil }
            return "'\(shown(path))' declares an app and is not read: its property lists are made by the build"
        }
        guard path.fileName == XcodeWorkspace.fileName, let file = try? SourceFile(contentsOf: path, in: root) else {
            return nil
        }
        let missing = XcodeWorkspace(file, path: path.folder, names: root.names)?.missingProjects ?? []
        guard let first = missing.first(where: { $0.fileName != "Pods.xcodeproj" }) else { return nil }
        return "'\(shown(path.folder))' names the project '\(shown(first))', which does not exist"
    }

    private static func holds(_ text: String, _ path: String, in root: ProjectRoot) -> Bool {
        // One system call shows that a folder has no such file, which is so for most folders.
        guard FolderWalk.item(at: path) != nil else { return false }
        let file = try? SourceFile(contentsOf: path, in: root)
        return file?.utf8[...].firstRange(ofBytes: text.utf8) != nil
    }
}
