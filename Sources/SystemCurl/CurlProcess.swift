// SPDX-License-Identifier: MIT

import Foundation

/// Makes requests with the system's `curl`, which reads its settings from standard input.
///
/// This keeps the settings private: all users of the machine can see the arguments of a process, but these are the same
/// for every request. The user's own `curl` settings are not read.
package struct CurlProcess: Sendable {
    /// What `curl` wrote, and how it ended.
    package struct Output: Sendable {
        /// The bytes of standard output.
        package let bytes: [UInt8]

        /// The text of standard error.
        package let report: String

        /// The exit code of `curl`, or the number of the signal that ended it.
        package let status: Int32

        /// Whether `curl` ended by itself with the exit code 0.
        package let isSuccess: Bool
    }

    /// Why a request has no output.
    package enum Failure: Error {
        /// The program could not be started.
        case notStarted
        /// The output has more bytes than the limit.
        case tooLarge
        /// The caller interrupted the request.
        case interrupted
    }

    /// The paths at which systems have `curl`.
    package static let places = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]

    /// The path of the program.
    package let program: String

    /// Finds the program; nil if there is none.
    ///
    /// - Parameter program: the path of another program to use; nil for the system's `curl`.
    package init?(_ program: String? = nil) {
        let places = program.map { [$0] } ?? Self.places
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        self.program = found
    }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - settings: the long names of options without dashes, and their values; nil for an option without a value.
    ///   - environment: the environment variables of the program.
    ///   - byteLimit: the most bytes of output.
    ///   - isInterrupted: returns whether to stop the request; called at least ten times a second.
    /// - Returns: what `curl` wrote.
    /// - Throws: why there is no output.
    package func run(
        _ settings: [(name: String, value: String?)],
        environment: [String: String] = [:],
        byteLimit: Int,
        isInterrupted: () -> Bool = { false }
    ) throws(Failure) -> Output {
        guard let input = PrivatePipe(), let output = PrivatePipe(), let report = PrivatePipe() else {
            throw .notStarted
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--disable", "--config", "-"]
        process.environment = environment
        process.standardInput = input.reading
        process.standardOutput = output.writing
        process.standardError = report.writing
        do {
            // The settings are fewer bytes than a pipe buffers, so this call never waits for the program to read them.
            try input.writing.write(contentsOf: Data(settings.map(Self.line).joined().utf8))
            try input.writing.close()
            try process.run()
            try input.reading.close()
            try output.writing.close()
            try report.writing.close()
        } catch {
            throw .notStarted
        }
        do throws(Failure) {
            let bytes = try output.read(limit: byteLimit, isInterrupted)
            let words = try report.read(limit: byteLimit, isInterrupted)
            process.waitUntilExit()
            return Output(
                bytes: bytes,
                report: String(decoding: words, as: UTF8.self),
                status: process.terminationStatus,
                isSuccess: process.terminationReason == .exit && process.terminationStatus == 0
            )
        } catch {
            process.terminate()
            // A program that is waiting to write its output into the pipe would otherwise never end.
            try? output.reading.close()
            process.waitUntilExit()
            throw error
        }
    }

    private static func line(_ name: String, _ value: String?) -> String {
        guard let value else { return name + "\n" }
        let escaped = value.reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text += "\\" }
            text.append(character)
        }
        return "\(name) = \"\(escaped)\"\n"
    }
}

/// A pipe that no other program inherits.
///
/// Otherwise, a program started at the same time would keep the pipe open, and could read a secret from it.
private struct PrivatePipe {
    let reading: FileHandle
    let writing: FileHandle

    init?() {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_STREAM | SOCK_CLOEXEC
        #else
            // On other systems, programs that Foundation starts inherit no descriptors.
            let kind: Int32 = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }

    /// Reads until the other end of the pipe is closed.
    func read(limit: Int, _ isInterrupted: () -> Bool) throws(CurlProcess.Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let descriptor = reading.fileDescriptor
        while true {
            if isInterrupted() { throw .interrupted }
            var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&file, 1, 100) > 0 else { continue }
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            if bytes.count > limit { throw .tooLarge }
        }
    }
}
