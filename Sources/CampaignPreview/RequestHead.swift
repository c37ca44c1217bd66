// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The head of a request: its first line and its headers.
struct RequestHead: Sendable {
    let method: String

    /// The path of the request without the query, exactly as it was sent.
    let path: String

    /// The query of the request without the question mark, exactly as it was sent.
    let query: String

    /// The values of the headers in ``names`` that were sent.
    let headers: [String: String]

    /// The names of the headers that the server uses, in lower case.
    fileprivate static let names: Set<String> = [
        "host", "origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "content-type", "x-payloadgen",
        "content-length", "transfer-encoding",
    ]

    /// The value of a header in ``names``; nil if it was not sent.
    subscript(_ name: String) -> String? { headers[name] }

    /// Whether a browser sends the request to show the answer in a tab.
    var isNavigation: Bool { self["sec-fetch-mode"] == "navigate" && self["sec-fetch-dest"] == "document" }

    /// The number of bytes of the body, from the header `Content-Length`; 0 if it was not sent.
    ///
    /// - Throws: an error if the number is invalid or above the limit, or the header `Transfer-Encoding` was sent.
    func bodyCount(limit: Int) throws(RequestGuard.Refusal) -> Int {
        guard self["transfer-encoding"] == nil else {
            throw RequestGuard.Refusal(status: 411, code: "length", message: "expected a request with Content-Length")
        }
        guard let text = self["content-length"] else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { throw .malformed }
        guard let count = Int(text), count <= limit else {
            throw RequestGuard.Refusal(status: 413, code: "size", message: "a request has at most \(limit) bytes")
        }
        return count
    }
}

extension RequestHead {
    /// Reads the lines of a head, given without their line breaks.
    ///
    /// A head is refused if it contains one of ``names`` twice, as another program may use the other value.
    fileprivate init(_ lines: [ArraySlice<UInt8>]) throws(RequestGuard.Refusal) {
        let isPlain = lines.allSatisfy { $0.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != 0x7F || $0 == 0x09 } }
        let parts = lines[0].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard isPlain, parts.count == 3, parts[1].first == UInt8(ascii: "/"),
            parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8)
        else { throw .malformed }
        let target = parts[1].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        method = String(decoding: parts[0], as: UTF8.self)
        path = String(decoding: target[0], as: UTF8.self)
        query = target.count > 1 ? String(decoding: target[1], as: UTF8.self) : ""
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > UInt8(ascii: " ") })
            else { throw .malformed }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            guard Self.names.contains(name) else { continue }
            let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == 0x09 }
            var value = line[(colon + 1)...].drop(while: isBlank)
            while let last = value.last, isBlank(last) { value.removeLast() }
            guard headers.updateValue(String(decoding: value, as: UTF8.self), forKey: name) == nil else {
                throw .malformed
            }
        }
        self.headers = headers
    }
}

/// Reads the head of a request from bytes as they arrive, and examines each byte only once.
struct RequestHeadReader {
    /// The maximum number of bytes in the first line.
    static let lineLimit = 16_384

    /// The maximum number of bytes in the whole head.
    static let byteLimit = 49_152

    /// The maximum number of headers.
    static let headerLimit = 100

    /// The bytes that were read, including the body.
    private(set) var bytes: [UInt8] = []

    /// The lines that were found, without their line breaks.
    private var lines: [Range<Int>] = []

    /// The offset after the last line that was found; if the head is complete, the start of the body.
    private(set) var end = 0

    /// The offset up to which line breaks were searched for.
    private var searched = 0

    /// Adds bytes that have arrived.
    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// The head of the request; nil until it is complete.
    ///
    /// - Throws: an error if the head is too long or malformed.
    mutating func head() throws(RequestGuard.Refusal) -> RequestHead? {
        while let newline = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = end..<max(end, newline - 1)
            try checkSize(line.count, newline)
            guard newline > end, bytes[newline - 1] == UInt8(ascii: "\r") else { throw .malformed }
            end = newline + 1
            searched = end
            if line.isEmpty {
                guard !lines.isEmpty else { throw .malformed }
                return try RequestHead(lines.map { bytes[$0] })
            }
            lines.append(line)
        }
        searched = bytes.count
        try checkSize(bytes.count - end, bytes.count)
        return nil
    }

    private func checkSize(_ line: Int, _ total: Int) throws(RequestGuard.Refusal) {
        if lines.isEmpty, line > Self.lineLimit {
            throw RequestGuard.Refusal(
                status: 414, code: "line", message: "the first line of a request has at most \(Self.lineLimit) bytes")
        }
        if total > Self.byteLimit || lines.count > Self.headerLimit + 1 {
            throw RequestGuard.Refusal(
                status: 431, code: "headers",
                message: "a request has at most \(Self.headerLimit) headers and \(Self.byteLimit) bytes before its body"
            )
        }
    }
}
