// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import SystemCurl

/// Sends requests to Braze's API with the system's `curl`, and follows no redirects.
struct CurlTransfer: Sendable {
    /// The response to a request.
    struct Response: Sendable {
        let status: Int

        /// The headers of the response, with names in lower case.
        let headers: [(name: String, value: String)]

        let body: [UInt8]

        /// The value of a header, the last one if there are several; nil if the header is missing or empty.
        func header(_ name: String) -> String? {
            headers.last { $0.name == name && !$0.value.isEmpty }?.value
        }
    }

    /// Why a request has no response.
    enum Failure: Error {
        /// The user or the system interrupted the command.
        case interrupted
        /// The connection failed or was lost, so another attempt may succeed; with the message.
        case brokenOff(String)
        /// A failure that another attempt would not avoid; with the message.
        case final(String)
    }

    /// The maximum number of bytes of a response's body.
    private static let byteLimit = 64 << 20

    private let curl: CurlProcess
    private let origin: RESTOrigin
    private let key: BrazeKey

    /// The maximum duration of a request, in seconds.
    private let timeout: Int

    private let isInterrupted: @Sendable () -> Bool

    /// - Throws: an error if `curl` is not found.
    init(
        _ origin: RESTOrigin,
        _ key: BrazeKey,
        timeout: Int,
        isInterrupted: @escaping @Sendable () -> Bool
    ) throws(PullFailure) {
        guard let curl = CurlProcess() else {
            throw PullFailure(
                .unreachable,
                "Braze's API is read with curl, which was not found in \(CurlProcess.places.listed(atMost: 3))")
        }
        self.curl = curl
        self.origin = origin
        self.key = key
        self.timeout = timeout
        self.isInterrupted = isInterrupted
    }

    /// Requests a resource, given its path with the query.
    func get(_ target: String) throws(Failure) -> Response {
        let output: CurlProcess.Output
        do throws(CurlProcess.Failure) {
            // The limit has 1 MiB more than that of the body, because the output of `curl` also has the headers.
            output = try curl.run(
                settings(target), environment: environment, byteLimit: Self.byteLimit + (1 << 20),
                isInterrupted: isInterrupted)
        } catch {
            switch error {
            case .notStarted: throw .final("cannot run \(curl.program)")
            case .tooLarge: throw .final("the answer has more than 64 MB")
            case .interrupted: throw .interrupted
            }
        }
        if isInterrupted() { throw .interrupted }
        guard output.isSuccess else { throw failure(output.status) }
        guard let response = Response(output.bytes) else { throw .final("Braze's answer is not HTTP") }
        return response
    }

    private func settings(_ target: String) -> [(name: String, value: String?)] {
        [
            ("silent", nil), ("globoff", nil), ("include", nil), ("suppress-connect-headers", nil),
            ("proto", origin.scheme == "https" ? "=https" : "=http"), ("max-redirs", "0"),
            ("connect-timeout", "\(min(timeout, 15))"), ("max-time", "\(timeout)"),
            ("max-filesize", "\(Self.byteLimit)"), ("user-agent", "payloadgen"),
            ("header", "Accept: application/json"), ("header", "Authorization: Bearer \(key.secret)"),
            ("url", origin.text + target),
        ] + (origin.isLoopback ? [("noproxy", "*")] : [])
    }

    /// The environment variables that `curl` gets: only the user's proxies and certificates.
    ///
    /// It gets neither the API key nor the folder with the user's `curl` settings.
    private var environment: [String: String] {
        let names: Set = [
            "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
        ]
        return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
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

extension CurlTransfer.Response {
    /// Reads a response with its headers; nil if the bytes are not a response.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.starts(with: "HTTP/".utf8) {
            guard let end = rest.firstRange(ofBytes: "\r\n\r\n".utf8) else { return nil }
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            rest = rest[end.upperBound...]
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count > 1, let status = Int(words[1]) else { return nil }
            // Interim responses, whose status is below 200, may come before the final one.
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
