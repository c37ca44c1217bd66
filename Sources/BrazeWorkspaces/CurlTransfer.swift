// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation

/// Asks an origin with the system's `curl`, which is given the key and the address on its standard input.
///
/// Nobody else sees them: the arguments are the same for every request, no settings of the user are read, and no redirect is
/// followed.
struct CurlTransfer: Sendable {
    /// A response.
    struct Response: Sendable {
        let status: Int

        /// The headers, with names in lower case.
        let headers: [(name: String, value: String)]

        let body: [UInt8]

        /// The value of a header; nil where there is none, or it is empty.
        func header(_ name: String) -> String? {
            headers.last { $0.name == name && !$0.value.isEmpty }?.value
        }
    }

    /// Why there is no response.
    enum Failure: Error {
        /// The user or the system ended the command.
        case interrupted
        /// The connection broke off, so that another attempt may succeed.
        case brokenOff(String)
        /// Another attempt would not help.
        case final(String)
    }

    /// The most bytes of a response.
    private static let byteLimit = 64 << 20

    private let program: String
    private let origin: RESTOrigin
    private let key: BrazeKey

    /// The seconds that a request may take.
    private let timeout: Int

    private let isInterrupted: @Sendable () -> Bool

    /// - Throws: that there is no `curl`.
    init(
        _ origin: RESTOrigin,
        _ key: BrazeKey,
        timeout: Int,
        isInterrupted: @escaping @Sendable () -> Bool
    ) throws(PullFailure) {
        let places = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]
        guard let program = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw PullFailure(
                .unreachable, "Braze is asked with curl, which was not found in \(places.listed(atMost: 3))")
        }
        self.program = program
        self.origin = origin
        self.key = key
        self.timeout = timeout
        self.isInterrupted = isInterrupted
    }

    /// Asks for a path with its query.
    func get(_ target: String) throws(Failure) -> Response {
        guard let input = PrivatePipe(), let output = PrivatePipe() else { throw .final("cannot run \(program)") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-q", "--config", "-"]
        process.environment = environment
        process.standardInput = input.reading
        process.standardOutput = output.writing
        process.standardError = FileHandle.nullDevice
        do {
            // They fit into the pipe, so that nothing waits for the program to read them.
            try input.writing.write(contentsOf: Data(settings(target).utf8))
            try input.writing.close()
            try process.run()
            try input.reading.close()
            try output.writing.close()
        } catch {
            throw .final("cannot run \(program)")
        }
        let bytes: [UInt8]
        do throws(Failure) {
            bytes = try read(output.reading.fileDescriptor)
        } catch {
            process.terminate()
            process.waitUntilExit()
            throw error
        }
        process.waitUntilExit()
        if isInterrupted() { throw .interrupted }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw failure(process.terminationStatus)
        }
        guard let response = Response(bytes) else { throw .final("Braze's answer is not one of HTTP") }
        return response
    }

    private func settings(_ target: String) -> String {
        let settings: [(String, String?)] =
            [
                ("silent", nil), ("globoff", nil), ("include", nil), ("suppress-connect-headers", nil),
                ("proto", origin.scheme == "https" ? "=https" : "=http"), ("max-redirs", "0"),
                ("connect-timeout", "\(min(timeout, 15))"), ("max-time", "\(timeout)"),
                ("max-filesize", "\(Self.byteLimit)"), ("user-agent", "payloadgen"),
                ("header", "Accept: application/json"), ("header", "Authorization: Bearer \(key.secret)"),
                ("url", origin.text + target),
            ] + (origin.isLoopback ? [("noproxy", "*")] : [])
        return settings.map { name, value in
            value.map { "\(name) = \"\(Self.escaped($0))\"\n" } ?? name + "\n"
        }.joined()
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text += "\\" }
            text.append(character)
        }
    }

    /// What the user needs to reach the outside, and nothing else: no key, and no folder with settings.
    private var environment: [String: String] {
        let names: Set = [
            "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
        ]
        return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    }

    /// Reads to the end, unless the command is interrupted.
    private func read(_ descriptor: Int32) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if isInterrupted() { throw .interrupted }
            var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&file, 1, 100) > 0 else { continue }
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            // The headers come first.
            if bytes.count > Self.byteLimit + (1 << 20) { throw .final("the answer has more than 64 MB") }
        }
    }

    private func failure(_ number: Int32) -> Failure {
        switch number {
        case 6: .final("the host '\(origin.host)' was not found")
        case 7: .final("cannot connect to \(origin.text)")
        case 28: .brokenOff("\(origin.text) does not answer within \(counted(timeout, "second"))")
        case 35, 51, 53, 58, 59, 60, 77, 83, 90, 91: .final("no trusted connection to \(origin.text) (curl \(number))")
        case 16, 18, 52, 55, 56, 92: .brokenOff("the connection to \(origin.text) broke off (curl \(number))")
        case 63: .final("the answer has more than 64 MB")
        default: .final("\(origin.text) cannot be reached (curl \(number))")
        }
    }
}

/// A pipe that no other program inherits: one that is started at the same time would keep it open, and see the key.
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
            // Programs that Foundation starts there inherit nothing.
            let kind: Int32 = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}

extension CurlTransfer.Response {
    /// Reads a response with its headers; nil for something else.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.starts(with: "HTTP/".utf8) {
            guard let end = rest.firstRange(ofBytes: "\r\n\r\n".utf8) else { return nil }
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            rest = rest[end.upperBound...]
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count > 1, let status = Int(words[1]) else { return nil }
            // An interim response comes before the response.
            if status < 200 { continue }
            headers = lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...]
                return (line[..<colon].lowercased(), String(value.drop { $0 == " " || $0 == "\t" }))
            }
            (self.status, body) = (status, Array(rest))
            return
        }
        return nil
    }
}
