// SPDX-License-Identifier: MIT

import AppBundles
import Archives
import Files
import Foundation

/// One stream of profiles that an argument of `--profiles` leads to.
struct ProfileSource {
    /// Where it comes from.
    enum Place {
        case standardInput
        case file
        case member(ZipArchive.Member)
    }

    let place: Place

    /// The path of the file; what standard input is called in messages.
    let path: String

    /// The bytes that are read, packed ones as they are; nil where nobody knows.
    let count: Int?

    static let standardInput = ProfileSource(place: .standardInput, path: "<stdin>", count: nil)

    /// The name in messages.
    var name: String {
        if case .member(let member) = place { "\(path)/\(member.name)" } else { path }
    }

    /// Which file it is.
    var identity: FileIdentity? {
        if case .standardInput = place { FileIdentity(descriptor: STDIN_FILENO) } else { FileIdentity(path: path) }
    }

    /// The sources behind the arguments: files, the files of folders, what globs match, the members of zip archives in
    /// the order of their directories, and `-`.
    ///
    /// - Throws: ``ExitStatus/missingInput`` where an argument leads to nothing.
    static func all(_ arguments: [String]) throws(CommandFailure) -> [ProfileSource] {
        var sources: [ProfileSource] = []
        for argument in arguments {
            if argument == "-" {
                sources.append(.standardInput)
            } else {
                for path in try paths(argument) { sources += try inside(path) }
            }
        }
        return sources
    }

    private static func paths(_ argument: String) throws(CommandFailure) -> [String] {
        switch FolderWalk.item(at: argument) {
        case .folder:
            var walk = FolderWalk(isWanted: { !$0.hasPrefix(".") })
            guard let paths = walk.files(under: argument) else {
                throw CommandFailure(.missingInput, "the folder '\(argument)' cannot be read")
            }
            if paths.isEmpty { throw CommandFailure(.missingInput, "the folder '\(argument)' holds no file") }
            return paths
        case nil:
            let paths = matches(of: argument)
            if paths.isEmpty { throw CommandFailure(.missingInput, "no file or folder '\(argument)'") }
            return paths
        default:
            return [argument]
        }
    }

    /// The file itself, or the members of the zip archive that it is.
    private static func inside(_ path: String) throws(CommandFailure) -> [ProfileSource] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw Inputs.fault(errno, at: path) }
        defer { close(descriptor) }
        var status = stat()
        let isOrdinary = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let file = ProfileSource(place: .file, path: path, count: isOrdinary ? Int(status.st_size) : nil)
        var start = [UInt8](repeating: 0, count: ZipArchive.magic.count)
        guard isOrdinary, pread(descriptor, &start, start.count, 0) == start.count, start == ZipArchive.magic else {
            return [file]
        }
        do throws(ArchiveError) {
            return try ZipArchive(descriptor: descriptor).members.map { member in
                ProfileSource(place: .member(member), path: path, count: member.packedCount)
            }
        } catch {
            throw CommandFailure(error, in: path)
        }
    }

    /// The paths that a glob matches, sorted by their bytes.
    private static func matches(of pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
        return paths.filter { FolderWalk.item(at: $0) == .file }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension CommandFailure {
    init(_ error: ArchiveError, in path: String) {
        self.init(.unreadableInput, "'\(path)' \(error.message)")
    }
}
