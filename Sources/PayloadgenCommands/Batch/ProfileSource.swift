// SPDX-License-Identifier: MIT

import AppBundles
import Archives
import Files
import Foundation

/// A file, pipe or standard input with profiles, to which an argument of `--profiles` leads.
struct ProfileSource {
    /// How deep folders are entered.
    private static let depthLimit = 64

    /// The path; `-` for standard input.
    let path: String

    /// What it was when the batch began.
    let status: FileStatus

    /// Whether its records say which file they are of: there is, or may be, more than one.
    private(set) var isNamed = false

    /// Open from the start is what may be no input at all, so that this is known before anything is read.
    ///
    /// Files and named pipes are opened when their turn comes: there may be more than may be open at once.
    private let opened: OpenFile?

    /// The bytes that are read, packed ones as they are; nil where nobody knows.
    var count: Int? { status.kind == .regular ? status.size : nil }

    /// Which file it is.
    var identity: FileIdentity? { status.identity }

    /// The first and last bytes of a file, by which another one with the same size and time is known.
    var edges: [UInt8] {
        guard let size = count, let file = try? open() else { return [] }
        let length = min(size, 1 << 16)
        return [0, size - length].flatMap { start in
            [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
                count = max(0, pread(file.descriptor, bytes.baseAddress, length, off_t(start)))
            }
        }
    }

    /// The sources of the arguments: files, the files of folders, what globs match, and `-`.
    ///
    /// - Parameters:
    ///   - arguments: what was given to `--profiles`.
    ///   - note: takes what is left out and why.
    /// - Returns: the sources, in the order of the arguments.
    /// - Throws: ``ExitStatus/missingInput`` where an argument leads to nothing that can be read, and
    ///   ``ExitStatus/usage`` where two lead to one file, whose users would get two messages.
    static func all(_ arguments: [String], note: (String) -> Void) throws(CommandFailure) -> [ProfileSource] {
        var sources: [ProfileSource] = []
        var known: [FileIdentity: String] = [:]
        var isNamed = arguments.count > 1
        for argument in arguments {
            let count = sources.count
            if argument == "-" {
                sources.append(try standardInput())
            } else if let status = FileStatus(path: argument) {
                isNamed = isNamed || status.kind == .folder
                try add(argument, status, to: &sources, note: note)
                if sources.count == count {
                    throw CommandFailure(.missingInput, "the folder '\(argument)' holds no file")
                }
            } else {
                isNamed = true
                for path in matches(of: argument) {
                    guard let status = FileStatus(path: path) else { throw leadsNowhere(path) }
                    try add(path, status, to: &sources, note: note)
                }
                if sources.count == count { throw CommandFailure(.missingInput, "no file or folder '\(argument)'") }
            }
            leaveOutRepetitions(from: count, in: &sources, note: note)
            for source in sources[count...] where source.status.kind == .regular {
                guard let earlier = known.updateValue(source.path, forKey: source.status.identity) else { continue }
                throw CommandFailure(
                    .usage,
                    "found '\(earlier)' and '\(source.path)' in --profiles, which are one file: its users would get two messages"
                )
            }
        }
        if sources.count(where: { $0.path == "-" }) > 1 {
            throw CommandFailure(
                .usage, "found --profiles - twice, expected it once: standard input is read to its end")
        }
        for index in sources.indices { sources[index].isNamed = isNamed }
        return sources
    }

    /// Opens the source, which is done once.
    ///
    /// - Throws: also that another file has the name by now.
    func open() throws(CommandFailure) -> OpenFile {
        if let opened { return opened }
        do throws(FileError) {
            let file = try OpenFile(path, allowsStreams: true)
            if file.status.identity == status.identity { return file }
        } catch {
            throw CommandFailure(error)
        }
        throw CommandFailure(.unreadableInput, "'\(path)' was replaced after the batch had begun")
    }

    // MARK: - Finding

    private static func standardInput() throws(CommandFailure) -> ProfileSource {
        do throws(FileError) {
            let file = try OpenFile(standardInputAs: "<stdin>")
            return ProfileSource(path: "-", status: file.status, opened: file)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Removes the files of one argument that are there already under another name; a file goes before a link to it.
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
        for source in found {
            if source.status.kind == .regular, let path = kept[source.status.identity], path != source.path {
                note("'\(source.path)' is left out: it is the file '\(path)', whose users are read once")
            } else {
                sources.append(source)
            }
        }
    }

    private static func isLink(_ path: String) -> Bool { FileStatus(path: path, followsLink: false)?.kind == .link }

    private static func leadsNowhere(_ path: String) -> CommandFailure {
        CommandFailure(.missingInput, "'\(path)' is a symbolic link that leads nowhere, expected a file")
    }

    /// Adds what is at a path that is named.
    private static func add(
        _ path: String,
        _ status: FileStatus,
        to sources: inout [ProfileSource],
        note: (String) -> Void
    ) throws(CommandFailure) {
        switch status.kind {
        case .folder:
            try addFiles(in: path, to: &sources, note: note)
        case .regular, .pipe:
            sources.append(try unopened(path, status))
        default:
            do throws(FileError) {
                let file = try OpenFile(path, allowsStreams: true)
                sources.append(ProfileSource(path: path, status: file.status, opened: file))
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// A source that is opened later; what may not be read is refused now and not after hours.
    private static func unopened(_ path: String, _ status: FileStatus) throws(CommandFailure) -> ProfileSource {
        guard access(path, R_OK) == 0 else { throw CommandFailure(FileError(.read, path, number: errno)) }
        return ProfileSource(path: path, status: status, opened: nil)
    }

    /// Adds the files of a folder and of those in it by the bytes of their names, without hidden ones.
    ///
    /// Symbolic links to folders are not followed: those that people make, such as `latest`, lead to a folder that is
    /// read anyway, and its users must not get two messages. What can hold no profiles, such as a pipe, is refused: it
    /// may be what an export was to be.
    private static func addFiles(
        in folder: String,
        depth: Int = 0,
        to sources: inout [ProfileSource],
        note: (String) -> Void
    ) throws(CommandFailure) {
        guard depth < depthLimit, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            let reason = depth < depthLimit ? "cannot be read" : "is more than \(depthLimit) folders deep"
            throw CommandFailure(.missingInput, "the folder '\(folder)' \(reason)")
        }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            if ZipArchive.isHidden(name) { continue }
            let path = FolderWalk.path(name, in: folder)
            guard let status = FileStatus(path: path) else { throw leadsNowhere(path) }
            switch status.kind {
            case .regular: sources.append(try unopened(path, status))
            case .folder where isLink(path): note("'\(path)' is left out: it is a symbolic link to a folder")
            case .folder: try addFiles(in: path, depth: depth + 1, to: &sources, note: note)
            default: throw CommandFailure(FileError(.read, path, .unexpected(status.kind)))
            }
        }
    }

    /// The paths that a glob matches, sorted by their bytes, without hidden ones that it does not name.
    private static func matches(of pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
        return paths.filter { !ZipArchive.isHidden($0) || ZipArchive.isHidden(pattern) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension CommandFailure {
    init(_ error: ArchiveError, in path: String) {
        self.init(.unreadableInput, "'\(path)' \(error.message)")
    }
}
