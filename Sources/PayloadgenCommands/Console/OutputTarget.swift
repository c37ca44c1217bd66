// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// Where a command writes data: to standard output, or to a file that is written completely or not at all.
///
/// Devices, pipes and so on are written to directly.
final class OutputTarget {
    private let path: String?
    private let stream: StandardStream
    private var replacement: FileReplacement?

    /// Opens the target.
    ///
    /// - Parameters:
    ///   - path: the path of the file; nil or `-` for standard output.
    ///   - keepsPartial: whether the file is first written as `FILE.partial`, which remains if the process is killed.
    /// - Throws: the reason that the file cannot be written.
    convenience init(_ path: String?, keepsPartial: Bool = false) throws(CommandFailure) {
        guard let path, path != "-" else {
            self.init(path: nil, .output)
            return
        }
        guard Self.isOrdinary(path) else {
            self.init(path: path, StandardStream(descriptor: try Self.descriptor(ofStream: path)))
            return
        }
        if let suffix = [".gz", ".zip", ".zst"].first(where: path.lowercased().hasSuffix) {
            throw CommandFailure(
                .usage,
                "'\(path)' would not be compressed, expected a name without '\(suffix)', or a pipe to a program such as gzip"
            )
        }
        do throws(FileError) {
            self.init(try keepsPartial ? FileReplacement.beginPartial(path) : FileReplacement.begin(path))
        } catch {
            throw Self.failure(error)
        }
    }

    /// Opens the `FILE.partial` of a batch that ended early, positioned at the start of the file.
    ///
    /// - Parameter path: the path of the complete file.
    /// - Returns: the target; nil if there is no partial file.
    /// - Throws: the reason that the file cannot be written; for example, another process may be writing it.
    static func unfinished(_ path: String) throws(CommandFailure) -> OutputTarget? {
        guard isOrdinary(path) else {
            throw CommandFailure(.usage, "found --resume with '\(path)', expected a regular file")
        }
        do throws(FileError) {
            guard let replacement = try FileReplacement.resumePartial(path) else { return nil }
            return OutputTarget(replacement)
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: FileError) -> CommandFailure {
        guard error.reason == .locked else { return CommandFailure(error) }
        return CommandFailure(
            .unwritableOutput,
            "'\(error.path)' is being written by another process: wait until it ends, or choose another --output"
        )
    }

    /// Opens a file to which other programs write too, so that data is appended to it.
    ///
    /// - Throws: the reason that the file cannot be written, such as that it is not a regular file.
    convenience init(appendingTo path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
        // `open` fails for a pipe without a reader and for a socket, so their kind is determined by the path.
        let (number, kind) = (errno, FileStatus(path: path)?.kind)
        if let kind, kind != .regular {
            if descriptor >= 0 { close(descriptor) }
            throw CommandFailure(FileError(.write, path, .unexpected(kind)))
        }
        guard descriptor >= 0 else { throw CommandFailure(FileError(.write, path, number: number)) }
        if let kind = FileStatus(descriptor: descriptor)?.kind, kind != .regular {
            close(descriptor)
            throw CommandFailure(FileError(.write, path, .unexpected(kind)))
        }
        self.init(path: path, StandardStream(descriptor: descriptor))
    }

    private init(path: String?, _ stream: StandardStream) {
        self.path = path
        self.stream = stream
    }

    private init(_ replacement: consuming FileReplacement) {
        path = replacement.path
        stream = StandardStream(descriptor: replacement.descriptor)
        self.replacement = consume replacement
    }

    /// The descriptor of the open file.
    var descriptor: Int32 { stream.descriptor }

    /// The path of the incomplete file; nil for a target that is written to directly.
    var unfinishedPath: String? { replacement?.unfinishedPath }

    /// Writes the records of a batch to the target.
    var recordWriter: RecordWriter { RecordWriter(stream, name: path.map { "'\($0)'" } ?? "standard output") }

    /// Writes the whole contents, and completes the file.
    func complete(with buffer: borrowing ByteBuffer) throws(CommandFailure) {
        try stream.write(buffer, name: path.map { "'\($0)'" } ?? "standard output")
        try finish()
    }

    /// Completes the file and gives it its name; a target that is written to directly is only closed.
    func finish() throws(CommandFailure) {
        guard let path else { return }
        if try orFail(file: replacement?.commit()) == nil, close(stream.descriptor) != 0 {
            throw CommandFailure(FileError(.write, path, number: errno))
        }
    }

    /// Removes the incomplete file.
    func discard() {
        if replacement?.discard() == nil, path != nil { close(stream.descriptor) }
    }

    /// Whether a path leads to a regular file, to a folder or to nothing, so that it is not written to directly.
    static func isOrdinary(_ path: String) -> Bool {
        if standardDescriptor(path) != nil { return false }
        let kind = FileStatus(path: path)?.kind
        return kind == nil || kind == .regular || kind == .folder
    }

    /// Opens a path that is written to directly, such as that of a pipe.
    private static func descriptor(ofStream path: String) throws(CommandFailure) -> Int32 {
        let descriptor: Int32
        if let open = standardDescriptor(path) {
            descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
        } else {
            do throws(FileError) {
                _ = try ProjectRoot(of: path).resolve(path)
            } catch {
                throw CommandFailure(FileError(.write, path, error.reason))
            }
            descriptor = try openForWriting(path)
        }
        guard descriptor >= 0 else { throw CommandFailure(FileError(.write, path, number: errno)) }
        return descriptor
    }

    /// Opens a file for writing; for a named pipe, waits until a process reads it.
    ///
    /// - Returns: the descriptor, or -1 with the reason in `errno`.
    /// - Throws: ``CommandFailure/interrupted`` after Ctrl-C while it waits, as `open(2)` itself would not return.
    private static func openForWriting(_ path: String) throws(CommandFailure) -> Int32 {
        while true {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
                return descriptor
            }
            let number = errno
            guard number == ENXIO, FileStatus(path: path)?.kind == .pipe else {
                errno = number
                return -1
            }
            InterruptSignal.wait(milliseconds: 20)
            if InterruptSignal.wasSent { throw .interrupted }
        }
    }

    /// Whether a path means standard output.
    static func isStandardOutput(_ path: String) -> Bool { standardDescriptor(path) == STDOUT_FILENO }

    /// The descriptor that a path such as `-`, `/dev/stdout` or `/dev/fd/63` means; nil for any other path.
    ///
    /// Opening such a path instead could overwrite the file from its start.
    static func standardDescriptor(_ path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": STDOUT_FILENO
        case "/dev/stderr": STDERR_FILENO
        default: descriptorFolders.first(where: path.hasPrefix).flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    #if canImport(Darwin)
        private static let descriptorFolders = ["/dev/fd/"]
    #else
        private static let descriptorFolders = ["/dev/fd/", "/proc/self/fd/"]
    #endif
}
