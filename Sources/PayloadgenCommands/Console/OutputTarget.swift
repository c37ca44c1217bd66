// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Where data goes: standard output, or a file that appears whole or not at all.
///
/// A file is written under its name with `.partial` behind and renamed by ``finish()``. What stands at the path and is
/// no ordinary file, such as a device, is written to as it is.
struct OutputTarget {
    private let stream: StandardStream
    private let path: String?
    private let partialPath: String?

    /// Opens the target.
    ///
    /// - Parameter path: the file; nil for standard output.
    /// - Throws: why the file cannot be written.
    init(_ path: String?) throws(CommandFailure) {
        guard let path, path != "-" else {
            self.path = nil
            partialPath = nil
            stream = .output
            return
        }
        self.path = path
        partialPath = Self.isOrdinary(path) ? path + ".partial" : nil
        let descriptor = open(partialPath ?? path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        guard descriptor >= 0 else {
            throw CommandFailure(.unwritableOutput, "cannot write '\(path)': \(systemMessage(errno))")
        }
        stream = StandardStream(descriptor: descriptor)
    }

    /// Opens what is left of a target that was not finished: up to its last line break.
    ///
    /// - Parameter path: the file.
    /// - Returns: the target, and the number of lines that it holds; nil where nothing is left.
    /// - Throws: why the file cannot be read or written.
    static func unfinished(_ path: String) throws(CommandFailure) -> (target: OutputTarget, lineCount: Int)? {
        guard isOrdinary(path) else {
            throw CommandFailure(.usage, "found --resume with '\(path)', which is no ordinary file")
        }
        let descriptor = open(path + ".partial", O_RDWR)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw CommandFailure(.unwritableOutput, "cannot write '\(path).partial': \(systemMessage(errno))")
        }
        let target = OutputTarget(descriptor: descriptor, path: path)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var (offset, end, lineCount) = (0, 0, 0)
        while true {
            let count = try Inputs.read(descriptor, into: &buffer, at: path + ".partial")
            if count == 0 { break }
            for index in 0..<count where buffer[index] == UInt8(ascii: "\n") {
                lineCount += 1
                end = offset + index + 1
            }
            offset += count
        }
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, off_t(end), SEEK_SET) >= 0 else {
            throw CommandFailure(.unwritableOutput, "cannot write '\(path).partial': \(systemMessage(errno))")
        }
        return (target, lineCount)
    }

    private init(descriptor: Int32, path: String) {
        self.path = path
        partialPath = path + ".partial"
        stream = StandardStream(descriptor: descriptor)
    }

    /// Opens a file that others write to as well: bytes go behind what is there.
    init(appendingTo path: String) throws(CommandFailure) {
        self.path = path
        partialPath = nil
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o666)
        guard descriptor >= 0 else {
            throw CommandFailure(.unwritableOutput, "cannot write '\(path)': \(systemMessage(errno))")
        }
        stream = StandardStream(descriptor: descriptor)
    }

    /// Writes bytes.
    func write(_ buffer: borrowing ByteBuffer) throws(CommandFailure) {
        guard let path else { return try stream.write(buffer) }
        try stream.write(buffer, name: "'\(path)'")
    }

    /// Closes the file and gives it its name.
    func finish() throws(CommandFailure) {
        guard let path else { return }
        let isClosed = close(stream.descriptor) == 0
        if isClosed, partialPath.map({ rename($0, path) == 0 }) ?? true { return }
        throw CommandFailure(.unwritableOutput, "cannot write '\(path)': \(systemMessage(errno))")
    }

    /// Closes the file and removes what was written of it.
    func discard() {
        if path != nil { close(stream.descriptor) }
        if let partialPath { unlink(partialPath) }
    }

    /// Whether a path is, or may become, an ordinary file.
    static func isOrdinary(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }
}
