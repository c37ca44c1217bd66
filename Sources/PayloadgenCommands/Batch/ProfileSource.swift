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

    /// The sources of the arguments: files, the files of folders, what globs match, and `-`.
    ///
    /// - Throws: ``ExitStatus/missingInput`` where an argument leads to nothing that can be read.
    static func all(_ arguments: [String]) throws(CommandFailure) -> [ProfileSource] {
        var sources: [ProfileSource] = []
        var isNamed = arguments.count > 1
        for argument in arguments {
            let count = sources.count
            if argument == "-" {
                sources.append(try standardInput())
            } else if let status = FileStatus(path: argument) {
                isNamed = isNamed || status.kind == .folder
                try add(argument, status, to: &sources)
                if sources.count == count {
                    throw CommandFailure(.missingInput, "the folder '\(argument)' holds no file")
                }
            } else {
                isNamed = true
                for path in matches(of: argument) {
                    if let status = FileStatus(path: path) { try add(path, status, to: &sources) }
                }
                if sources.count == count { throw CommandFailure(.missingInput, "no file or folder '\(argument)'") }
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

    /// Adds what is at a path that is named.
    private static func add(
        _ path: String,
        _ status: FileStatus,
        to sources: inout [ProfileSource]
    ) throws(CommandFailure) {
        switch status.kind {
        case .folder:
            try addFiles(in: path, to: &sources)
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
    /// read anyway, and its users must not get two messages.
    private static func addFiles(
        in folder: String,
        depth: Int = 0,
        to sources: inout [ProfileSource]
    ) throws(CommandFailure) {
        guard depth < depthLimit, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            let reason = depth < depthLimit ? "cannot be read" : "is more than \(depthLimit) folders deep"
            throw CommandFailure(.missingInput, "the folder '\(folder)' \(reason)")
        }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            if ZipArchive.isHidden(name) { continue }
            let path = FolderWalk.path(name, in: folder)
            guard let status = FileStatus(path: path) else { continue }
            if status.kind == .regular {
                sources.append(try unopened(path, status))
            } else if FileStatus(path: path, followsLink: false)?.kind == .folder {
                try addFiles(in: path, depth: depth + 1, to: &sources)
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
