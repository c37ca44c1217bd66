// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Where data goes: standard output, or a file that appears whole or not at all.
///
/// A file is written under its name with `.partial` behind and renamed by ``finish()``. What stands at the path and is
/// no ordinary file, such as a device, is written to as it is.
struct OutputTarget: ~Copyable {
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

    /// Writes bytes.
    func write(_ buffer: borrowing ByteBuffer) throws(CommandFailure) {
        guard let path else { return try stream.write(buffer) }
        try stream.write(buffer, name: "'\(path)'")
    }

    /// Closes the file and gives it its name.
    consuming func finish() throws(CommandFailure) {
        guard let path else { return }
        let isClosed = close(stream.descriptor) == 0
        if isClosed, partialPath.map({ rename($0, path) == 0 }) ?? true { return }
        throw CommandFailure(.unwritableOutput, "cannot write '\(path)': \(systemMessage(errno))")
    }

    private static func isOrdinary(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }
}
