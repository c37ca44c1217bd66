// SPDX-License-Identifier: MIT

import CompressedInputs
import Foundation

/// Unpacks a zstd file with the system's `zstd`, which reads the open file itself.
final class ZstdReader {
    private let process = Process()
    private let output = Pipe()
    private let descriptor: Int32
    private let limit = ExpansionLimit()
    private var outputCount = 0
    private var position = 0

    /// The path of `zstd`; nil if it is not installed.
    static var program: String? {
        ["/usr/bin/zstd", "/usr/local/bin/zstd", "/opt/homebrew/bin/zstd"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts to unpack a file from its first byte.
    ///
    /// - Parameters:
    ///   - program: the path of `zstd`.
    ///   - descriptor: the descriptor of the regular file.
    /// - Throws: an error if the program cannot be started.
    init(_ program: String, descriptor: Int32) throws(ArchiveError) {
        self.descriptor = descriptor
        lseek(descriptor, 0, SEEK_SET)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--decompress", "--stdout", "--quiet"]
        process.environment = [:]
        process.standardInput = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { throw ArchiveError("cannot be unpacked: '\(program)' cannot be started") }
        try? output.fileHandleForWriting.close()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Reads unpacked bytes.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    /// - Throws: an error if the file is damaged, or its contents are too large.
    func read(into bytes: UnsafeMutableRawBufferPointer, at path: String) throws(CommandFailure) -> Int {
        let count = try Inputs.read(output.fileHandleForReading.fileDescriptor, into: bytes, at: path)
        outputCount += count
        do throws(ArchiveError) {
            try limit.check(input: Int(lseek(descriptor, 0, SEEK_CUR)), output: outputCount)
            guard count == 0 else { return count }
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw ArchiveError("is damaged or cut off, according to zstd") }
        } catch {
            throw CommandFailure(error, in: path)
        }
        return 0
    }

    /// The number of packed bytes that were read since the last call.
    func takeReadCount() -> Int {
        let end = Int(lseek(descriptor, 0, SEEK_CUR))
        defer { position = end }
        return max(0, end - position)
    }
}
