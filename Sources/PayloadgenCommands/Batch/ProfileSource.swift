// SPDX-License-Identifier: MIT

import AppDeclarations
import CompressedInputs
import DiagnosticSources
import Foundation
import POSIXFiles

/// Describes standard input as a part of a file, for the `file` and `line` of its records.
struct InputPart {
    /// The path of the file; nil to give records no `file`.
    let file: String?

    /// The number of the first line of the part.
    let firstLine: Int
}

/// A file, pipe or standard input with profiles, from an argument of `--profiles`.
struct ProfileSource {
    /// The maximum depth of folders.
    private static let depthLimit = 64

    /// The path; `-` for standard input.
    let path: String

    /// The status of the file when the batch began.
    let status: FileStatus

    /// Whether the records have a `file`, because there are, or may be, several sources.
    private(set) var recordsHaveFile = false

    /// The part of a file that standard input contains; nil if it is not a part of one.
    private(set) var part: InputPart?

    /// The open file of standard input or of a device; nil for any other source.
    ///
    /// Files and named pipes are opened later, because a process can open only a limited number at once.
    private let opened: OpenFile?

    /// The number of bytes, before unpacking; nil if it is unknown.
    var count: Int? { status.kind == .regular ? status.size : nil }

    var identity: FileIdentity? { status.identity }

    /// The first and last bytes of a file, to notice a different file with the same size and time.
    var edges: [UInt8] {
        guard let size = count, let file = try? open() else { return [] }
        let length = min(size, 1 << 16)
        return [0, size - length].flatMap { start in
            [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
                count = max(0, pread(file.descriptor, bytes.baseAddress, length, off_t(start)))
            }
        }
    }

    /// A hash of a file's size and ``edges``, which identifies it under any path.
    ///
    /// Nil for a stream, and for standard input, which may be a part of a file.
    var content: String? {
        guard let count, path != "-" else { return nil }
        return ContentHash.text { hash in
            hash.add("\(count)")
            hash.add(edges)
        }
    }

    /// The sources that arguments name: files, all files in folders, files that match patterns, and `-`.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of `--profiles`.
    ///   - part: the part of a file that standard input contains; nil for none.
    ///   - unread: receives the findings about folders that are not read.
    ///   - note: receives notes about files that are left out because their users are read anyway.
    /// - Returns: the sources, in the order of the arguments.
    /// - Throws: ``ExitStatus/missingInput`` if an argument names nothing that can be read, and ``ExitStatus/usage`` if
    ///   two arguments name the same file, whose users would get two messages.
    static func all(
        _ arguments: [String],
        part: InputPart? = nil,
        unread: inout [Diagnostic],
        note: (String) -> Void
    ) throws(CommandFailure) -> [ProfileSource] {
        var links: [String] = []
        var folders: [String] = []
        var sources: [ProfileSource] = []
        var known: [FileIdentity: String] = [:]
        var recordsHaveFile = arguments.count > 1
        for argument in arguments {
            let count = sources.count
            if argument == "-" {
                sources.append(try standardInput())
            } else if let status = FileStatus(path: argument) {
                recordsHaveFile = recordsHaveFile || status.kind == .folder
                if status.kind == .folder { folders.append(argument) }
                try add(argument, status, to: &sources, &links)
                if sources.count == count {
                    throw CommandFailure(.missingInput, "the folder '\(argument)' has no files")
                }
            } else {
                recordsHaveFile = true
                let pattern = try ProfilePattern(argument)
                for path in pattern.paths {
                    guard let status = FileStatus(path: path) else { throw leadsNowhere(path) }
                    if status.kind == .folder { folders.append(path) }
                    try add(path, status, to: &sources, &links)
                }
                if sources.count == count { throw CommandFailure(.missingInput, "no file or folder '\(argument)'") }
                for (link, isSearched) in pattern.unfollowed {
                    if isSearched { note(leftOut(link)) } else { links.append(link) }
                }
            }
            leaveOutRepetitions(from: count, in: &sources, note: note)
            for source in sources[count...] where source.status.kind == .regular {
                guard let earlier = known.updateValue(source.path, forKey: source.status.identity) else { continue }
                throw CommandFailure(
                    .usage,
                    "found '\(earlier)' and '\(source.path)' in --profiles, which are the same file: its users would get two messages"
                )
            }
        }
        if !links.isEmpty {
            let read = folders.compactMap(\.realPath)
            for link in links {
                if let target = link.realPath, read.contains(where: target.isPath) {
                    note(leftOut(link))
                } else {
                    unread.append(unfollowed(link))
                }
            }
        }
        for index in sources.indices {
            sources[index].recordsHaveFile = recordsHaveFile
            if sources[index].path == "-" { sources[index].part = part }
        }
        return sources
    }

    private static func leftOut(_ link: String) -> String {
        "'\(link)' is left out: it is a symbolic link to a folder that is read anyway"
    }

    private static func unfollowed(_ link: String) -> Diagnostic {
        let place = SourcePlace(unread: link)
        let message =
            FileStatus(path: link) == nil
            ? "not read: a symbolic link to a file or folder that does not exist"
            : "not read: a symbolic link to a folder inside of another folder; to read its users, name it with --profiles too"
        return Diagnostic(.unreadFile, message, at: place, severity: .warning)
    }

    /// Opens the source; a stream may be opened only once.
    ///
    /// - Throws: an error if the file cannot be opened, or was replaced or changed since the batch began.
    func open() throws(CommandFailure) -> OpenFile {
        if let opened { return opened }
        let file = try orFail(file: OpenFile(path, allowsStreams: true))
        guard file.status.identity == status.identity else {
            throw CommandFailure(.unreadableInput, "'\(path)' was replaced after the batch had begun")
        }
        try requireUnchanged(file.status)
        return file
    }

    /// Requires that a file still has the size and modification time that it had when the batch began, as users may be
    /// missing from a file that was changed.
    ///
    /// - Parameter now: the current status of the file; nil if it cannot be determined.
    /// - Throws: an error that says what has changed.
    func requireUnchanged(_ now: FileStatus?) throws(CommandFailure) {
        guard status.kind == .regular, let now, now.size != status.size || now.modified != status.modified else {
            return
        }
        let sizes =
            now.size == status.size
            ? "written to after the batch had begun"
            : "\(status.size) bytes when the batch began, \(now.size) bytes now"
        throw CommandFailure(.unreadableInput, "'\(path)' was changed while it was read: \(sizes)")
    }

    // MARK: - Finding

    private static func standardInput() throws(CommandFailure) -> ProfileSource {
        let file = try orFail(file: OpenFile(standardInputAs: "<stdin>"))
        return ProfileSource(path: "-", status: file.status, opened: file)
    }

    /// Removes repeated files of one argument; if one of them is a link, the file itself is kept.
    private static func leaveOutRepetitions(
        from start: Int,
        in sources: inout [ProfileSource],
        note: (String) -> Void
    ) {
        var kept: [FileIdentity: String] = [:]
        for source in sources[start...] where source.status.kind == .regular {
            let identity = source.status.identity
            if kept[identity].map(isLink) ?? true { kept[identity] = source.path }
        }
        let found = sources[start...]
        sources[start...] = []
        var paths: Set<String> = []
        for source in found {
            if source.status.kind == .regular, let path = kept[source.status.identity], path != source.path {
                note("'\(source.path)' is left out: it is the same file as '\(path)', whose users are read only once")
            } else if paths.insert(source.path).inserted {
                // A pattern may match both a folder and the files in it, so each path is added only once.
                sources.append(source)
            }
        }
    }

    static func isLink(_ path: String) -> Bool { FileStatus(path: path, followsLink: false)?.kind == .link }

    private static func leadsNowhere(_ path: String) -> CommandFailure {
        CommandFailure(.missingInput, "'\(path)' is a symbolic link to a file that does not exist")
    }

    /// Adds the sources at a path that an argument names or a pattern matches.
    private static func add(
        _ path: String,
        _ status: FileStatus,
        to sources: inout [ProfileSource],
        _ links: inout [String]
    ) throws(CommandFailure) {
        switch status.kind {
        case .folder:
            try addFiles(in: path, to: &sources, &links)
        case .regular, .pipe:
            sources.append(try unopenedSource(path, status))
        default:
            let file = try orFail(file: OpenFile(path, allowsStreams: true))
            sources.append(ProfileSource(path: path, status: file.status, opened: file))
        }
    }

    /// A source that is opened later; a file that may not be read is reported now, and not after hours.
    private static func unopenedSource(_ path: String, _ status: FileStatus) throws(CommandFailure) -> ProfileSource {
        guard access(path, R_OK) == 0 else { throw CommandFailure(FileError(.read, path, number: errno)) }
        return ProfileSource(path: path, status: status, opened: nil)
    }

    /// Adds the files of a folder and of the folders in it, sorted by the bytes of their names, except hidden ones.
    ///
    /// Symbolic links to folders are not followed: a link such as `latest` often leads to a folder that is read anyway,
    /// whose users would then get two messages. Anything that is not a file, such as a pipe, is an error, because it
    /// may be an export.
    private static func addFiles(
        in folder: String,
        depth: Int = 0,
        to sources: inout [ProfileSource],
        _ links: inout [String]
    ) throws(CommandFailure) {
        try requireDepth(depth, of: folder)
        for name in try names(in: folder) {
            if ZipArchive.isHidden(name) { continue }
            let path = FolderWalk.path(name, in: folder)
            guard let status = try status(of: path) else { throw leadsNowhere(path) }
            switch status.kind {
            case .regular: sources.append(try unopenedSource(path, status))
            case .folder where isLink(path): links.append(path)
            case .folder: try addFiles(in: path, depth: depth + 1, to: &sources, &links)
            default: throw CommandFailure(FileError(.read, path, .unexpected(status.kind)))
            }
        }
    }

    /// Requires that a folder is not nested too deeply in the searched folder.
    static func requireDepth(_ depth: Int, of folder: String) throws(CommandFailure) {
        guard depth >= depthLimit else { return }
        throw CommandFailure(.missingInput, "the folder '\(shown(folder))' is more than \(depthLimit) folders deep")
    }

    /// The status of the file at a path; nil if there is none, or a symbolic link leads nowhere.
    ///
    /// - Throws: ``ExitStatus/missingInput`` where the system does not return the status, as for a path that is too
    ///   long.
    static func status(of path: String) throws(CommandFailure) -> FileStatus? {
        let status = FileStatus(path: path)
        let number = errno
        if status != nil || number == ENOENT || isLink(path) { return status }
        throw CommandFailure(.missingInput, "cannot read '\(path)': \(FileError.message(number))")
    }

    /// The names in a folder, sorted by their bytes.
    ///
    /// - Throws: ``ExitStatus/missingInput`` for a folder that cannot be read or entered.
    static func names(in folder: String) throws(CommandFailure) -> [String] {
        try requireOpen(folder)
        guard let names = FolderWalk.names(in: folder) else { throw unreadable(folder) }
        return names
    }

    /// Requires that files in a folder can be opened.
    ///
    /// - Throws: ``ExitStatus/missingInput`` if they cannot, as nothing would be found in the folder.
    static func requireOpen(_ folder: String) throws(CommandFailure) {
        guard access(folder.isEmpty ? "." : folder, X_OK) == 0 else { throw unreadable(folder) }
    }

    private static func unreadable(_ folder: String) -> CommandFailure {
        CommandFailure(.missingInput, "the folder '\(shown(folder))' cannot be read")
    }

    private static func shown(_ folder: String) -> String {
        folder.isEmpty ? "." : folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }
}

extension CommandFailure {
    init(_ error: ArchiveError, in path: String) {
        self.init(.unreadableInput, "'\(path)' \(error.message)")
    }
}

/// Returns the result of reading an archive, or throws the failure of the command if it cannot be read.
func orFail<Result>(
    archive value: @autoclosure () throws(ArchiveError) -> Result,
    in path: String
) throws(CommandFailure) -> Result {
    do throws(ArchiveError) { return try value() } catch { throw CommandFailure(error, in: path) }
}
