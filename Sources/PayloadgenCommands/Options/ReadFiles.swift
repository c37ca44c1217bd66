// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadKit

/// A list of the files that a command has read, with their contents and identities.
final class ReadFiles: Sendable {
    /// A file that was read.
    struct File: Sendable {
        /// The option that names the file, or its path as a campaign writes it.
        let name: String

        /// The path, as messages show it.
        let path: String

        /// The identity of the file; nil if it no longer exists, such as a pipe from the shell.
        let identity: FileIdentity?

        /// The contents of the file; empty if they are not kept.
        let bytes: [UInt8]
    }

    private let list = Locked<[File]>([])

    /// Whether the contents of the files are kept, in addition to their identities.
    private let keepsContents: Bool

    /// Creates an empty list.
    init(keepsContents: Bool = true) { self.keepsContents = keepsContents }

    /// The files in the order in which they were read.
    var files: [File] { list.withLock { $0 } }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the path that the file was read from; `-` for standard input.
    ///   - name: the option that names the file, or its path as a campaign writes it.
    func add(_ file: SourceFile, at path: String, as name: String) {
        let identity = path == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: path)
        let bytes = keepsContents ? file.bytes : []
        let file = File(name: name, path: file.path, identity: identity, bytes: bytes)
        list.withLock { $0.append(file) }
    }
}

/// The folder around a campaign or a scenario; records the files that are read from it.
struct NotingFolder: CampaignFolder {
    let folder: DiskFolder
    let files: ReadFiles

    func file(at path: String) -> SourceFile? {
        let file = folder.file(at: path)
        if let file { files.add(file, at: folder.path(to: path), as: path) }
        return file
    }

    func names(in path: String) -> [String]? { folder.names(in: path) }

    func refusal(of path: String) -> String? { folder.refusal(of: path) }

    var keepsNewlineOfBlocks: Bool { folder.keepsNewlineOfBlocks }

    var workspace: Workspace? { folder.workspace }
}

/// The files that `render` has read, except for the profiles of a batch and the files of apps.
struct RenderFiles: Sendable {
    /// The campaign, with its REST body, content blocks and fixtures.
    let campaign = ReadFiles()

    /// The files of the context, of the properties, and of a single user's profile.
    let options = ReadFiles()

    /// The files of both lists.
    var all: [ReadFiles.File] { campaign.files + options.files }
}
