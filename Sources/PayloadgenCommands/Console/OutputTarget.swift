// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// The target of data: standard output, or a file that appears completely or not at all.
///
/// Devices, pipes and the like are written to directly.
final class OutputTarget {
    private let path: String?
    private let stream: StandardStream
    private var replacement: FileReplacement?

    /// Opens the target.
    ///
    /// - Parameters:
    ///   - path: the file; nil or `-` for standard output.
    ///   - keepsPartial: whether the file is written as `FILE.partial`, which stays if the process is killed.
    /// - Throws: why the file cannot be written.
    convenience init(_ path: String?, keepsPartial: Bool = false) throws(CommandFailure) {
        guard let path, path != "-" else {
            self.init(path: nil, .output)
            return
        }
        guard Self.isOrdinary(path) else {
            self.init(path: path, StandardStream(descriptor: try Self.descriptor(ofStream: path)))
            return
        }
        do throws(FileError) {
            self.init(try keepsPartial ? FileReplacement.beginPartial(path) : FileReplacement.begin(path))
        } catch {
            throw Self.failure(error)
        }
    }

    /// Opens the partial file of a batch that ended early, at its start.
    ///
    /// - Parameter path: the file.
    /// - Returns: the target; nil where there is none.
    /// - Throws: why the file cannot be written, such as that another process is writing it.
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

    /// Opens a file that others write to as well: bytes go after what is there.
    ///
    /// - Throws: why the file cannot be written, such as that it is not a regular file: opening a pipe that no process
    ///   reads would never return.
    convenience init(appendingTo path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
        // A pipe without a reader and a socket cannot be opened at all.
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

    /// The open file.
    var descriptor: Int32 { stream.descriptor }

    /// The path of the file that holds the data until the end; nil for a target that is written to directly.
    var unfinishedPath: String? { replacement?.unfinishedPath }

    /// Writes the records of a batch.
    var recordWriter: RecordWriter { RecordWriter(stream, name: path.map { "'\($0)'" } ?? "standard output") }

    /// Writes bytes.
    func write(_ buffer: borrowing ByteBuffer) throws(CommandFailure) {
        guard let path else { return try stream.write(buffer) }
        try stream.write(buffer, name: "'\(path)'")
    }

    /// Completes the file and renames it.
    func finish() throws(CommandFailure) {
        guard let path else { return }
        do throws(FileError) {
            if try replacement?.commit() == nil, close(stream.descriptor) != 0 {
                throw FileError(.write, path, number: errno)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Removes the incomplete file.
    func discard() {
        if replacement?.discard() == nil, path != nil { close(stream.descriptor) }
    }

    /// Whether a path is, or may become, a file that can be replaced.
    static func isOrdinary(_ path: String) -> Bool {
        if standardDescriptor(path) != nil { return false }
        let kind = FileStatus(path: path)?.kind
        return kind == nil || kind == .regular || kind == .folder
    }

    /// Opens something other than a regular file.
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

    /// Opens a file for writing; a named pipe once a process reads it.
    ///
    /// - Returns: the descriptor, or -1 with the reason in `errno`.
    /// - Throws: ``CommandFailure/interrupted`` after Ctrl-C while no process reads the pipe: `open(2)` would not
    ///   return until then.
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

    /// The descriptor that a path such as `-`, `/dev/stdout` or `/dev/fd/63` means.
    ///
    /// Opening the path instead would write a file from its start.
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
