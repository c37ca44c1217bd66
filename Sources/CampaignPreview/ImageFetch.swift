// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import SystemCurl

/// Fetches the image of a notification with `curl`, as a phone would, but only from public addresses.
///
/// It uses only HTTPS, without cookies, proxies or the user's settings. The address of the host is looked up and
/// checked here, and `curl` is given this address, so that a second look-up cannot return a different one.
struct ImageFetch: Sendable {
    /// The maximum number of bytes of an image.
    static let byteLimit = 5_000_000

    private static let tooLarge = PreviewProblem("the image has more than \(byteLimit / 1_000_000) MB")

    /// The maximum number of redirects that are followed; each address is checked like the first one.
    private static let redirectLimit = 3

    private let curl: CurlProcess

    /// Prepares to fetch images.
    ///
    /// - Parameter program: the path of `curl`; by default the system's.
    /// - Throws: an error if `curl` is not found.
    init(program: String? = nil) throws(PreviewProblem) {
        guard let curl = CurlProcess(program) else {
            throw PreviewProblem("images are fetched with curl, which was not found")
        }
        self.curl = curl
    }

    /// Fetches an image.
    ///
    /// - Parameters:
    ///   - address: the address in the payload.
    ///   - addresses: looks up the numeric addresses of a host and port.
    /// - Returns: the image as a `data:` URL.
    /// - Throws: the reason that the image cannot be fetched.
    func image(
        at address: String,
        resolving addresses: (String, Int) -> [HostAddress] = HostAddress.all
    ) throws(PreviewProblem) -> String {
        var next = address
        for _ in 0...Self.redirectLimit {
            let target = try Target(next)
            let found = addresses(target.host, target.port)
            guard let first = found.first else { throw PreviewProblem("the host '\(target.host)' was not found") }
            guard found.allSatisfy(\.isPublic) else {
                throw PreviewProblem(
                    "the host '\(target.host)' has an address in a private network, expected a public one")
            }
            let (bytes, status, redirect) = try run(target, first)
            if let redirect, (300..<400).contains(status) {
                next = redirect
                continue
            }
            guard status == 200 else { throw PreviewProblem("the server of the image answered with \(status)") }
            guard let type = Self.type(of: bytes) else {
                throw PreviewProblem("found neither a JPEG, PNG nor GIF at the address of the image")
            }
            return "data:\(type);base64," + Data(bytes).base64EncodedString()
        }
        throw PreviewProblem("the address of the image redirects more than \(Self.redirectLimit) times")
    }

    /// The media type of an image, by its first bytes; nil for a type that a notification cannot show.
    static func type(of bytes: [UInt8]) -> String? {
        let kinds: [(start: [UInt8], type: String)] = [
            ([0xFF, 0xD8, 0xFF], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
            (Array("GIF8".utf8), "image/gif"),
        ]
        return kinds.first { bytes.starts(with: $0.start) }?.type
    }

    private func run(
        _ target: Target,
        _ address: HostAddress
    ) throws(PreviewProblem) -> (bytes: [UInt8], status: Int, redirect: String?) {
        let settings: [(name: String, value: String?)] = [
            ("silent", nil), ("globoff", nil), ("proto", "=https"), ("noproxy", "*"), ("max-time", "10"),
            ("max-filesize", "\(Self.byteLimit)"), ("resolve", "\(target.host):\(target.port):\(address.text)"),
            ("user-agent", "payloadgen"), ("write-out", "%{stderr}%{http_code} %{redirect_url}"), ("url", target.url),
        ]
        let output: CurlProcess.Output
        do throws(CurlProcess.Failure) {
            output = try curl.run(settings, byteLimit: Self.byteLimit)
        } catch {
            throw error == .tooLarge ? Self.tooLarge : PreviewProblem("cannot run \(curl.program)")
        }
        // `curl` ends with 63 if the server announces more bytes than the limit.
        guard output.status != 63 else { throw Self.tooLarge }
        let parts = output.report.split(separator: " ", maxSplits: 1).map(String.init)
        guard let status = parts.first.flatMap({ Int($0) }), status > 0 else {
            throw PreviewProblem("the image cannot be fetched (curl \(output.status))")
        }
        return (output.bytes, status, parts.count > 1 ? parts[1] : nil)
    }

    /// The parts of an image's address that was checked and may be fetched.
    struct Target: Equatable {
        let host: String
        let port: Int
        let url: String

        /// Reads an address, and decides whether it may be fetched.
        ///
        /// - Throws: the reason that the address is not fetched.
        init(_ address: String) throws(PreviewProblem) {
            guard let parts = URLComponents(string: address), let host = parts.host?.lowercased() else {
                throw PreviewProblem("'\(address)' is not an address")
            }
            guard parts.scheme?.lowercased() == "https" else {
                throw PreviewProblem("found '\(parts.scheme ?? "")', expected an address with https")
            }
            guard parts.user == nil, parts.password == nil else {
                throw PreviewProblem("found a user in the address of the image, expected none")
            }
            // Only plain names are accepted: `curl` might read any other name differently than this code, and connect
            // to another host.
            let isPlain = host.utf8.allSatisfy { byte in
                byte.isLowerLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
            guard isPlain, !host.isEmpty, !host.hasPrefix("-") else {
                throw PreviewProblem(
                    "found '\(host)' as the host of the image, expected a name of letters, digits, '-' and '.'")
            }
            self.host = host
            port = parts.port ?? 443
            let query = parts.percentEncodedQuery.map { "?" + $0 } ?? ""
            url = "https://\(host):\(port)\(parts.percentEncodedPath)\(query)"
            let isQuotable = url.utf8.allSatisfy { byte in
                byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
            guard isQuotable, url.utf8.count <= 8_000 else {
                throw PreviewProblem("expected an address of at most 8,000 bytes without quotes and backslashes")
            }
        }
    }
}

extension HostAddress {
    /// The numeric addresses of a host, from the system's resolver.
    static func all(of host: String, _ port: Int) -> [HostAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [HostAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
            // In this structure, the address comes after the family and the port, and in IPv6 also after the flow
            // information.
            if entry.ai_family == AF_INET, bytes.count >= 8 {
                found.append(HostAddress(bytes: Array(bytes[4..<8])))
            } else if entry.ai_family == AF_INET6, bytes.count >= 24 {
                found.append(HostAddress(bytes: Array(bytes[8..<24])))
            }
        }
        return found
    }
}
