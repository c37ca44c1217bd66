// SPDX-License-Identifier: MIT

import Files
import PayloadKit
import SourceText

/// Files that a command has read: what they held, and which files they are.
final class ReadFiles: Sendable {
    /// One of the files.
    struct File: Sendable {
        /// What reads the file: an option, or the path in a campaign.
        let name: String

        /// The path as it is shown.
        let path: String

        /// Which file it is; nil for what is no longer there, such as a pipe of the shell.
        let identity: FileIdentity?

        /// What it held.
        let bytes: [UInt8]
    }

    private let list = Locked<[File]>([])

    /// The files in the order in which they were read.
    var files: [File] { list.withLock { $0 } }

    /// Notes a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the path that it was read from; `-` is standard input.
    ///   - name: what reads it.
    func add(_ file: SourceFile, at path: String, as name: String) {
        let identity = path == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: path)
        let file = File(name: name, path: file.path, identity: identity, bytes: file.bytes)
        list.withLock { $0.append(file) }
    }
}

/// The folder around a campaign, with a note of what is read from it.
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
}

/// The files that `render` has read, other than profiles and those of the app.
struct RenderFiles: Sendable {
    /// The campaign, and what it names: a REST body, content blocks, fixtures.
    let campaign = ReadFiles()

    /// The context, the properties, and the profile of one user.
    let options = ReadFiles()

    /// All of them.
    var all: [ReadFiles.File] { campaign.files + options.files }
}
