// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadLinting

/// Prevents a command from overwriting its inputs, and from reading its own outputs.
///
/// Files are compared by device and inode, so that other paths and links to the same file are recognized.
struct OutputGuard {
    /// A file or stream to which the command writes.
    private struct Output {
        /// The number of the output; several files may be of one output, such as `FILE` and `FILE.partial`.
        let number: Int

        /// The option that asks for the output, such as `--output`.
        let name: String

        /// The path of the file, as messages show it.
        let path: String

        /// The identity of the regular file at the path; nil if there is none.
        var identity: FileIdentity?

        /// The absolute path of the file's folder; nil if it is not known.
        var folder: String?

        /// The folder and name of the file, equal for all spellings of its path; nil if they are not known.
        var place: Place?

        /// The open file to which the output is written, such as standard output or a pipe; nil for a file that is
        /// opened by its path.
        var stream: Stream?

        /// The output in messages about files.
        var shown: String { "'\(path)' as \(name)" }
    }

    /// An output that is written to directly, without replacing a file.
    private struct Stream {
        /// The descriptor of the open file; nil for a path that is opened later.
        let descriptor: Int32?

        /// The identity of the pipe or socket; nil for a device, because several outputs may go to the null device.
        let pipe: FileIdentity?

        /// The output in messages about streams.
        let shown: String

        func isSame(as other: Stream) -> Bool {
            descriptor != nil && descriptor == other.descriptor || pipe != nil && pipe == other.pipe
        }
    }

    /// A file name in a folder, equal for all spellings of the path.
    private struct Place: Equatable {
        let folder: FileIdentity
        let name: String

        init?(_ path: String) {
            guard let folder = FileIdentity(path: path.absolutePath.folder) else { return nil }
            self.folder = folder
            name = path.absolutePath.fileName
        }
    }

    private var outputs: [Output] = []

    /// The number of outputs that were added.
    private var count = 0

    /// Adds the file of an option, and the files beside it that exist until it is complete, such as `FILE.partial`.
    ///
    /// - Parameters:
    ///   - path: the path of the output; nil if the option is not used.
    ///   - name: the option.
    ///   - suffixes: the suffixes that are appended to the path for the files beside it.
    mutating func add(_ path: String?, as name: String, suffixes: [String] = []) {
        guard let path else { return }
        guard OutputTarget.isOrdinary(path) else { return addOpen(path, as: name) }
        count += 1
        // If the path is a symbolic link, its target is replaced, and the partial file is created beside the target.
        let end = Self.end(ofLinks: path)
        for path in path == end ? [path] : [path, end] {
            for suffix in [""] + suffixes {
                let path = path + suffix
                let folder = path.absolutePath.folder
                outputs.append(
                    Output(
                        number: count,
                        name: name,
                        path: path,
                        identity: Self.identity(path),
                        folder: folder,
                        place: Place(path)
                    )
                )
            }
        }
    }

    /// Adds standard output.
    ///
    /// - Parameter contents: what is written there, such as `the records`.
    mutating func addStandardOutput(for contents: String) {
        addOpen("-", as: "standard output", shown: "standard output for \(contents)")
    }

    /// Adds standard error, which may be the same file as standard output.
    ///
    /// - Parameter contents: what is written there, such as `--summary`.
    mutating func addStandardError(for contents: String) {
        count += 1
        outputs.append(
            Output(
                number: count,
                name: "standard error",
                path: "/dev/stderr",
                stream: Stream(descriptor: STDERR_FILENO, pipe: nil, shown: "standard error for \(contents)")
            )
        )
    }

    /// Adds an output that is written to directly: an open file such as `/dev/fd/3`, a pipe or a device.
    private mutating func addOpen(_ path: String, as name: String, shown: String? = nil) {
        let descriptor = OutputTarget.standardDescriptor(path)
        let status = descriptor.map { FileStatus(descriptor: $0) } ?? FileStatus(path: path)
        let isRegular = status?.kind == .regular
        let file = isRegular ? descriptor.flatMap(Self.path) : nil
        let isPipe = status?.kind == .pipe || status?.kind == .socket
        count += 1
        outputs.append(
            Output(
                number: count,
                name: name,
                path: file ?? path,
                identity: isRegular ? status?.identity : nil,
                folder: file.map(\.folder),
                place: file.flatMap { Place($0) },
                stream: Stream(
                    descriptor: descriptor,
                    pipe: isPipe ? status?.identity : nil,
                    shown: shown ?? "'\(path)' as \(name)"
                )
            )
        )
    }

    /// Throws an error for two outputs to the same file, because the second would replace the first, and for two
    /// outputs to the same stream, because its reader could not separate them.
    ///
    /// - Throws: ``ExitStatus/usage`` about the first two such outputs.
    func checkEachOther() throws(CommandFailure) {
        for (index, output) in outputs.enumerated() {
            for earlier in outputs[..<index] where earlier.number != output.number {
                if let stream = earlier.stream, let other = output.stream, stream.isSame(as: other) {
                    throw CommandFailure(
                        .usage,
                        "found \(stream.shown) and \(other.shown), which are one stream: expected a file for one of them"
                    )
                }
                guard
                    earlier.place != nil && earlier.place == output.place
                        || earlier.identity != nil && earlier.identity == output.identity
                else { continue }
                throw CommandFailure(
                    .usage,
                    "found \(earlier.shown) and \(output.shown), which are the same file: expected two files"
                )
            }
        }
    }

    /// Throws an error for outputs that are also inputs.
    ///
    /// - Parameter inputs: returns the files that are read, with their paths; it is called only if a file exists
    ///   already at the path of an output.
    /// - Throws: ``ExitStatus/usage`` about the first such file.
    func check(_ inputs: () -> [(path: String, identity: FileIdentity?)]) throws(CommandFailure) {
        let existing = outputs.filter { $0.identity != nil }
        if existing.isEmpty { return }
        for input in inputs() {
            guard let output = existing.first(where: { $0.identity == input.identity }) else { continue }
            let path = input.path.hasPrefix("/") ? Linter.shownPath(input.path) : input.path
            throw CommandFailure(
                .usage,
                "found \(output.shown) and as the input '\(path)', expected two files"
            )
        }
    }

    /// Throws an error for outputs in folders whose files are all inputs: this run or the next one would read them.
    ///
    /// - Throws: ``ExitStatus/usage`` about the first output in one of the folders.
    func checkFolders(_ folders: [String]) throws(CommandFailure) {
        let identities = folders.compactMap { FileIdentity(path: $0) }
        for output in outputs {
            guard var folder = output.folder.flatMap(\.realPath) else { continue }
            while true {
                let identity = FileIdentity(path: folder.isEmpty ? "/" : folder)
                if let identity, let index = identities.firstIndex(of: identity) {
                    throw CommandFailure(
                        .usage,
                        """
                        found \(output.shown) in the folder '\(folders[index])' of --profiles, whose \
                        files are all read: expected a file elsewhere
                        """
                    )
                }
                if folder.isEmpty || folder == "/" { break }
                folder = folder.folder
            }
        }
    }

    private static func identity(_ path: String) -> FileIdentity? {
        guard let status = FileStatus(path: path), status.kind == .regular else { return nil }
        return status.identity
    }

    /// The path to which symbolic links at a path lead; nothing need exist there.
    private static func end(ofLinks path: String) -> String {
        var path = path
        // 40 is the maximum number of links that the system follows.
        for _ in 0..<40 {
            guard FileStatus(path: path, followsLink: false)?.kind == .link,
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { break }
            path = target.utf8.first == UInt8(ascii: "/") ? target : path.absolutePath.folder + "/" + target
        }
        return path
    }

    private static func path(ofDescriptor descriptor: Int32) -> String? {
        #if canImport(Darwin)
            var buffer = [CChar](repeating: 0, count: Int(MAXPATHLEN))
            guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
            return buffer.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) }
        #else
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        #endif
    }
}

extension Sequence<String> {
    /// The files at these paths with their identities, for ``OutputGuard/check(_:)``.
    var inputs: [(path: String, identity: FileIdentity?)] { map { ($0, FileIdentity(path: $0)) } }
}
