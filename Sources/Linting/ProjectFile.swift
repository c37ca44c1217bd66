// SPDX-License-Identifier: MIT

import AppBundles
import Files
import PayloadKit
import PropertyLists
import SourceText

/// A file of the project, as it was read.
struct ProjectFile: Sendable {
    /// What a file is, by its name.
    enum Kind: Sendable, Hashable {
        case list, campaign, xcodeProject, extras

        /// Tells what a file is; nil for one that nobody looks at unless it is named.
        init?(_ path: String) {
            if path.hasSuffix(".plist") || path.hasSuffix(".entitlements") {
                self = .list
            } else if Campaign.fileSuffixes.contains(where: path.hasSuffix) {
                self = .campaign
            } else if path.fileName == XcodeProject.fileName {
                self = .xcodeProject
            } else if path.fileName == App.extrasFileName {
                self = .extras
            } else {
                return nil
            }
        }
    }

    /// What is in the file.
    enum Content: Sendable {
        case list(LintedPlist)
        case campaign(SourceFile)
        case xcodeProject(XcodeProject)
        case extras(SourceFile)
    }

    /// The absolute path.
    let path: String

    /// Whether its findings are given.
    let isShown: Bool

    /// Whether the user named the file, instead of a folder that holds it.
    let isNamed: Bool

    /// What is in the file; nil for an Xcode project that cannot be read.
    let content: Content?

    /// Reads a file; one that cannot be read is empty.
    init(_ entry: FileSearch.Entry, paths: ProjectPaths) {
        path = entry.path
        isShown = entry.isShown
        isNamed = entry.isNamed
        let isFile = FolderWalk.item(at: path) == .file
        let file = SourceFile(path: paths.shown(path), bytes: isFile ? FolderWalk.bytes(of: path) ?? [] : [])
        switch Kind(path) ?? .list {
        case .list: content = .list(LintedPlist(PlistDocument(file), isNamed: entry.isNamed))
        case .campaign: content = .campaign(file)
        case .extras: content = .extras(file)
        case .xcodeProject:
            let folder = paths.folder(of: paths.folder(of: path))
            let project = XcodeProject(PlistDocument(file), folder: folder) { path in
                FolderWalk.bytes(of: path).map { SourceFile(path: paths.shown(path), bytes: $0) }
            }
            content = project.map(Content.xcodeProject)
        }
    }

    /// The property list, if it is one.
    var list: LintedPlist? {
        if case .list(let list)? = content { list } else { nil }
    }
}
