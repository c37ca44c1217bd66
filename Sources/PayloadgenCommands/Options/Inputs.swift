// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Reads the files that arguments name.
enum Inputs {
    /// Reads a file, or standard input for `-`; a pipe is read to its end.
    ///
    /// - Throws: ``ExitStatus/missingInput`` for a file that is not there or cannot be read.
    static func file(_ path: String) throws(CommandFailure) -> SourceFile {
        if path == "-" { return SourceFile(path: "<stdin>", bytes: try bytes(of: STDIN_FILENO, "standard input")) }
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw fault(errno, at: path) }
        defer { close(descriptor) }
        return SourceFile(path: path, bytes: try bytes(of: descriptor, path))
    }

    private static func bytes(of descriptor: Int32, _ path: String) throws(CommandFailure) -> [UInt8] {
        var status = stat()
        let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        var bytes: [UInt8] = []
        while true {
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: max(1 << 16, size + 1 - start)))
            let count = try read(descriptor, into: &bytes, from: start, at: path)
            bytes.removeSubrange((start + count)...)
            if count == 0 { return bytes }
        }
    }

    /// Reads what can be read at once, and gives the number of bytes; 0 is the end.
    static func read(
        _ descriptor: Int32,
        into bytes: UnsafeMutableRawBufferPointer,
        at path: String
    ) throws(CommandFailure) -> Int {
        InterruptSignal.wait(for: descriptor)
        if InterruptSignal.wasSent { throw .interrupted }
        while true {
            let count = systemRead(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno != EINTR { throw fault(errno, at: path) }
        }
    }

    /// Reads what can be read at once into an array, from an index on.
    static func read(
        _ descriptor: Int32,
        into bytes: inout [UInt8],
        from start: Int = 0,
        at path: String
    ) throws(CommandFailure) -> Int {
        try bytes.withUnsafeMutableBufferPointer { bytes throws(CommandFailure) in
            let room = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[start...]))
            return try read(descriptor, into: room, at: path)
        }
    }

    /// Why nothing can be read at a path.
    static func fault(_ number: Int32, at path: String) -> CommandFailure {
        let message =
            switch number {
            case ENOENT: "no file '\(path)'"
            case EISDIR: "'\(path)' is a folder, expected a file"
            default: "cannot read '\(path)': \(systemMessage(number))"
            }
        return CommandFailure(.missingInput, message)
    }
}

/// `read(2)`, under a name that no method hides.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
