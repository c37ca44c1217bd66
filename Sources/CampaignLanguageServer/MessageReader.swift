// SPDX-License-Identifier: MIT

/// Reads the client's messages: each is a header with its length, an empty line, and JSON.
///
/// After a malformed header, it searches for the next one, even in the middle of a line: after a wrong length, text may
/// precede the header.
package struct MessageReader {
    /// A message, or a fault in the input.
    package enum Input: Sendable, Equatable {
        /// The JSON of a message, which may itself be malformed.
        case message([UInt8])
        /// Bytes that are not a message; with what is wrong. The next message follows.
        case fault(String)
    }

    /// The maximum number of bytes that a message may have.
    package static let byteLimit = 64 << 20

    /// The minimum number of bytes that are kept from the end of a long line, where a header may begin.
    private static let lineLimit = 1 << 12

    private let read: (UnsafeMutableRawBufferPointer) -> Int
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)
    private var unread = 0..<0
    private var message: [UInt8]?

    /// Creates a reader.
    ///
    /// - Parameter read: reads some bytes and returns their number; 0 at the end.
    package init(_ read: @escaping (UnsafeMutableRawBufferPointer) -> Int) { self.read = read }

    /// Reads the next message; returns nil at the end of the input, even in the middle of a message.
    package mutating func next() -> Input? {
        if let message {
            self.message = nil
            return .message(message)
        }
        var length: Int?
        var fault: String?
        while let line = line() {
            if line.isEmpty {
                if let length {
                    guard let body = body(length) else { return nil }
                    guard let fault else { return .message(body) }
                    message = body
                    return .fault(fault)
                }
                if let fault { return .fault(fault) }
            } else if let (value, beginsLine) = Self.contentLength(line) {
                length = value.flatMap { $0 <= Self.byteLimit ? $0 : nil }
                if length == nil {
                    fault = "found a Content-Length that is not a number from 0 to \(Self.byteLimit)"
                } else if !beginsLine {
                    fault = fault ?? "found other text before a header"
                }
            } else if !line.lowercased.starts(with: "content-type:".utf8) {
                fault = fault ?? "found a header without Content-Length"
            }
        }
        return nil
    }

    /// Finds `Content-Length` in a line; nil if the line does not contain it.
    ///
    /// Returns the length (nil if it is not a number of up to nine digits), and whether the header begins the line.
    private static func contentLength(_ line: [UInt8]) -> (value: Int?, beginsLine: Bool)? {
        let name = Array("content-length:".utf8)
        let lower = line.lowercased
        guard line.count >= name.count,
            let start = (0...(line.count - name.count)).last(where: { lower[$0...].starts(with: name) })
        else { return nil }
        let digits = line[(start + name.count)...].drop { $0 == 0x20 || $0 == 0x09 }
        let isNumber = (1...9).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
        return (isNumber ? Int(String(decoding: digits, as: UTF8.self)) : nil, start == 0)
    }

    /// Reads the next line without its line break, or only its end if it is long; returns nil at the end of the input.
    private mutating func line() -> [UInt8]? {
        var line: [UInt8] = []
        while let byte = byte() {
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return line
            }
            if line.count >= 2 * Self.lineLimit { line.removeFirst(Self.lineLimit) }
            line.append(byte)
        }
        return nil
    }

    private mutating func byte() -> UInt8? {
        guard fill() else { return nil }
        defer { unread = unread.lowerBound + 1..<unread.upperBound }
        return chunk[unread.lowerBound]
    }

    /// Reads a number of bytes; returns nil if the input ends before that.
    ///
    /// Memory is allocated for the bytes that arrive, not for the announced length, which may be wrong.
    private mutating func body(_ length: Int) -> [UInt8]? {
        var body: [UInt8] = []
        while body.count < length {
            guard fill() else { return nil }
            let end = min(unread.upperBound, unread.lowerBound + length - body.count)
            body += chunk[unread.lowerBound..<end]
            unread = end..<unread.upperBound
        }
        return body
    }

    /// Reads more bytes if none are left; returns false at the end of the input.
    private mutating func fill() -> Bool {
        if unread.isEmpty {
            let count = chunk.withUnsafeMutableBytes { read($0) }
            unread = 0..<max(0, count)
        }
        return !unread.isEmpty
    }
}

extension [UInt8] {
    /// The bytes with ASCII letters in lower case.
    fileprivate var lowercased: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}
