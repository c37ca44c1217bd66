// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadKit

/// The files that a command has read: their contents and identities.
final class ReadFiles: Sendable {
    /// One of the files.
    struct File: Sendable {
        /// The option, or the path in a campaign, that names the file.
        let name: String

        /// The path as it is shown.
        let path: String

        /// The identity of the file; nil where it no longer exists, such as a pipe of the shell.
        let identity: FileIdentity?

        /// Its contents.
        let bytes: [UInt8]
    }

    private let list = Locked<[File]>([])

    /// Whether the contents of the files are kept, and not only their identities.
    private let keepsContents: Bool

    /// Creates an empty list.
    init(keepsContents: Bool = true) { self.keepsContents = keepsContents }

    /// The files in the order in which they were read.
    var files: [File] { list.withLock { $0 } }

    /// Notes a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the path that it was read from; `-` is standard input.
    ///   - name: the option or path that names it.
    func add(_ file: SourceFile, at path: String, as name: String) {
        let identity = path == "-" ? FileIdentity(descriptor: 0) : FileIdentity(path: path)
        let bytes = keepsContents ? file.bytes : []
        let file = File(name: name, path: file.path, identity: identity, bytes: bytes)
        list.withLock { $0.append(file) }
    }
}

/// The folder around a campaign or a scenario, which notes the files that are read from it.
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

/// The files that `render` has read, other than profiles and those of the app.
struct RenderFiles: Sendable {
    /// The campaign, and the files that it names: a REST body, content blocks, fixtures.
    let campaign = ReadFiles()

    /// The context, the properties, and the profile of one user.
    let options = ReadFiles()

    /// All files.
    var all: [ReadFiles.File] { campaign.files + options.files }
}
