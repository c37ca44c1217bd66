// SPDX-License-Identifier: MIT

import Foundation

/// A TCP connection that sends exactly the given bytes, unlike a library for HTTP.
final class RawConnection: Sendable {
    struct Problem: Error {
        let what: String
    }

    private let descriptor: Int32

    init(_ port: UInt16, address: String = "127.0.0.1") throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &target.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        // `deinit` closes the descriptor, also if this initializer throws.
        guard result == 0 else { throw Problem(what: "connect") }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Problem(what: "write") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Ends sending; answers can still be read.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the received bytes contain a text.
    func read(until wanted: String) throws -> String {
        var text = ""
        while !text.contains(wanted) {
            let piece = try next()
            if piece.isEmpty { throw Problem(what: "ended after \(text)") }
            text += String(decoding: piece, as: UTF8.self)
        }
        return text
    }

    /// Reads until the other side closes the connection.
    func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try next()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    private func next() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Problem(what: "read") }
        return Array(bytes[..<count])
    }
}

/// Calls `read(2)`, as the name `read` means a method inside this class.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

/// Runs a function that waits for a server, on a thread that the server does not need.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}

/// An answer of the server, with its status, headers and body.
struct RawAnswer: Sendable {
    let status: Int
    /// The headers of the answer, with names in lower case.
    let headers: [String: String]
    let body: String

    static func ask(_ port: UInt16, _ request: String, address: String = "127.0.0.1") async throws -> RawAnswer {
        try await waiting {
            let connection = try RawConnection(port, address: address)
            try connection.send(request)
            return try RawAnswer(from: connection)
        }
    }

    /// Reads an answer, until the other side closes the connection.
    init(from connection: RawConnection) throws {
        let text = String(decoding: try connection.readAll(), as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].components(separatedBy: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces) }
        }
        self.status = status
        self.headers = headers
        body = parts.dropFirst().joined(separator: "\r\n\r\n")
    }
}
