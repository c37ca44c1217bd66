// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadKit

/// The files that a command has read, with their contents and identities.
final class ReadFiles: Sendable {
    /// A file that was read.
    struct File: Sendable {
        /// The option that names the file, or the path by which a campaign names it.
        let name: String

        /// The path, as messages show it.
        let path: String

        /// The identity of the file; nil if it no longer exists, such as a pipe that the shell made.
        let identity: FileIdentity?

        /// The contents of the file; empty if the list does not keep contents.
        let bytes: [UInt8]
    }

    private let list = Locked<[File]>([])

    /// Whether the list keeps the contents of files, and not only their identities.
    private let keepsContents: Bool

    /// Creates an empty list.
    init(keepsContents: Bool = true) { self.keepsContents = keepsContents }

    /// The files in the order in which they were read.
    var files: [File] { list.withLock { $0 } }

    /// Adds a file that was read.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the path from which the file was read; `-` for standard input.
    ///   - name: the option that names the file, or its path as a campaign writes it.
    func add(_ file: SourceFile, at path: String, as name: String) {
        let identity = path == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: path)
        let bytes = keepsContents ? file.bytes : []
        let file = File(name: name, path: file.path, identity: identity, bytes: bytes)
        list.withLock { $0.append(file) }
    }
}

/// The folder of a campaign or scenario, which adds each file that is read from it to a list.
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

/// The files that `render` has read, without the profiles of a batch and the files of apps.
struct RenderFiles: Sendable {
    /// The files of the campaign: itself, its REST body, content blocks and fixtures.
    let campaign = ReadFiles()

    /// The files that options name: the context, the properties, and the profile of a single user.
    let options = ReadFiles()

    /// The files of both lists.
    var all: [ReadFiles.File] { campaign.files + options.files }
}
