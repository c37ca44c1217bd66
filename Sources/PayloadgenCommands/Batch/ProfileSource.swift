// SPDX-License-Identifier: MIT

import AppBundles
import Foundation

/// One stream of profiles that an argument of `--profiles` leads to.
enum ProfileSource {
    case standardInput
    case file(String)

    /// The sources behind the arguments: files, the files of folders, what globs match, and `-`.
    ///
    /// - Throws: ``ExitStatus/missingInput`` where an argument leads to nothing.
    static func all(_ arguments: [String]) throws(CommandFailure) -> [ProfileSource] {
        var sources: [ProfileSource] = []
        for argument in arguments { sources += try of(argument) }
        for case .file(let path) in sources where path.hasSuffix(".gz") || path.hasSuffix(".zip") {
            throw CommandFailure(
                .usage,
                "'\(path)' is compressed, which is not read yet: unpack it, or pipe it to '-'"
            )
        }
        return sources
    }

    private static func of(_ argument: String) throws(CommandFailure) -> [ProfileSource] {
        if argument == "-" { return [.standardInput] }
        switch FolderWalk.item(at: argument) {
        case .folder:
            var walk = FolderWalk(isWanted: { !$0.hasPrefix(".") })
            guard let paths = walk.files(under: argument) else {
                throw CommandFailure(.missingInput, "the folder '\(argument)' cannot be read")
            }
            if paths.isEmpty { throw CommandFailure(.missingInput, "the folder '\(argument)' holds no file") }
            return paths.map { .file($0) }
        case nil:
            let paths = matches(of: argument)
            if paths.isEmpty { throw CommandFailure(.missingInput, "no file or folder '\(argument)'") }
            return paths.map { .file($0) }
        default:
            return [.file(argument)]
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
