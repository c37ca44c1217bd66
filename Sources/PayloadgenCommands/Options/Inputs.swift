// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import Foundation
import POSIXFiles

/// Reads the files that arguments name.
enum Inputs {
    /// The maximum number of bytes of a file that is read completely: 1 GiB.
    static let byteLimit = 1 << 30

    /// Reads a file completely, or standard input for `-`; a pipe is read to its end.
    ///
    /// - Throws: ``ExitStatus/missingInput`` if there is no file; ``ExitStatus/unreadableInput`` for a folder, a
    ///   socket, a device, or a file that cannot be read.
    static func file(_ path: String) throws(CommandFailure) -> SourceFile {
        let file = try orFail(
            file: path == "-" ? OpenFile(standardInputAs: "<stdin>") : OpenFile(path, allowsStreams: true))
        return SourceFile(path: file.path, bytes: try orFail(file: file.bytes(limit: byteLimit)))
    }

    /// Reads the file of an option; returns nil if the option is not given.
    ///
    /// - Parameters:
    ///   - path: the path; nil if the option is not given.
    ///   - files: records the file that is read; nil to record none.
    ///   - name: the option, for the record.
    /// - Returns: the file.
    /// - Throws: the reason that the file cannot be read.
    static func optional(
        _ path: String?,
        noting files: ReadFiles? = nil,
        as name: String = ""
    ) throws(CommandFailure) -> SourceFile? {
        guard let path else { return nil }
        let file = try file(path)
        files?.add(file, at: path, as: name)
        return file
    }

    /// Reads a file that has a JSON value on each line, as one source for each line.
    ///
    /// Only a line feed ends a line; blank lines are left out.
    ///
    /// - Throws: the reason that the file cannot be read.
    static func lines(_ path: String) throws(CommandFailure) -> [SourceFile] {
        let file = try file(path)
        let blanks: Set = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        return file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.allSatisfy(blanks.contains) }
            .map { SourceFile(path: file.path, line: $0.offset + 1, bytes: Array($0.element)) }
    }

    /// Throws an error if standard input is used for two inputs: the first would read it to its end, and the second
    /// would be empty.
    ///
    /// - Parameter inputs: the paths of the inputs, with their options or names.
    /// - Throws: an error if two of the paths are `-`.
    static func requireOneStandardInput(_ inputs: [(name: String, path: String?)]) throws(ValidationError) {
        let names = inputs.filter { $0.path == "-" }.map(\.name)
        guard names.count > 1 else { return }
        throw ValidationError(
            "found - as \(names[0]) and as \(names[1]), expected it once: standard input is read to its end")
    }

    /// Throws an error for empty paths, which often come from an unset variable of a shell.
    ///
    /// - Parameter paths: the paths, with their options or names.
    /// - Throws: an error if one of the paths is empty.
    static func refuseEmpty(_ paths: [(name: String, path: String?)]) throws(ValidationError) {
        guard let empty = paths.first(where: { $0.path?.isEmpty ?? false }) else { return }
        throw ValidationError("found an empty \(empty.name), expected a path")
    }

    /// Reads the bytes that are available, and returns their number; 0 at the end of the file.
    static func read(
        _ descriptor: Int32,
        into bytes: UnsafeMutableRawBufferPointer,
        at path: String
    ) throws(CommandFailure) -> Int {
        while true {
            InterruptSignal.wait(for: descriptor)
            if InterruptSignal.wasSent { throw .interrupted }
            let count = Descriptor.read(descriptor, into: bytes)
            if count >= 0 { return count }
            if errno != EAGAIN { throw CommandFailure(FileError(.read, path, number: errno)) }
        }
    }

    /// Reads the bytes that are available into an array, beginning at an index.
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
}
