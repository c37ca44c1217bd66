// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import POSIXFiles

/// The client of Braze's REST API: sends requests, waits when Braze is busy, and tries again.
package struct BrazeAPI: ExportSource {
    /// The maximum number of times that a request is repeated because Braze is busy.
    private static let attemptLimit = 5

    /// The maximum number of times that a request is repeated because the connection was lost.
    private static let connectionLimit = 2

    /// The longest time to wait, in seconds: Braze's rate limits are reset every hour.
    private static let waitLimit = 3_700

    private let origin: RESTOrigin
    private let key: BrazeKey
    private let transfer: CurlTransfer
    private let reporting: Reporting
    private let count = Locked(0)

    /// Whether a response contained the API key.
    private let wasKeyRepeated = Locked(false)

    /// The functions by which the command shows progress, waits, and notices an interruption while requests are sent.
    package struct Reporting: Sendable {
        /// Shows that the client waits, with the reason and the number of seconds.
        package var wait: @Sendable (_ reason: String, _ seconds: Int) -> Void

        /// Waits for a number of seconds; returns early if the command is interrupted.
        package var sleep: @Sendable (_ seconds: Int) -> Void

        /// Returns whether the user or the system has interrupted the command.
        package var isInterrupted: @Sendable () -> Bool

        /// Returns the current time, in seconds since 1970.
        package var clock: @Sendable () -> Int

        package init(
            wait: @escaping @Sendable (String, Int) -> Void,
            sleep: @escaping @Sendable (Int) -> Void,
            isInterrupted: @escaping @Sendable () -> Bool,
            clock: @escaping @Sendable () -> Int
        ) {
            self.wait = wait
            self.sleep = sleep
            self.isInterrupted = isInterrupted
            self.clock = clock
        }
    }

    /// - Parameters:
    ///   - origin: the address of the API.
    ///   - key: the API key, which is sent only to that address.
    ///   - timeout: the maximum time for one request, in seconds.
    ///   - reporting: the functions that show progress and wait.
    /// - Throws: an error if `curl` is not found.
    package init(
        _ origin: RESTOrigin,
        key: BrazeKey,
        timeout: Int,
        reporting: Reporting
    ) throws(PullFailure) {
        self.origin = origin
        self.key = key
        self.reporting = reporting
        transfer = try CurlTransfer(origin, key, timeout: timeout, isInterrupted: reporting.isInterrupted)
    }

    /// The number of requests that were sent.
    package var requestCount: Int { count.withLock { $0 } }

    /// Whether a response contained the API key, which was then removed from it.
    package var isKeyRepeated: Bool { wasKeyRepeated.withLock { $0 } }

    package func savedIDs(_ kind: ExportRequest.Details) -> [String]? { nil }

    package func response(to request: ExportRequest) throws(PullFailure) -> ExportResponse? {
        var attempt = 0
        var brokenOff = 0
        while true {
            if reporting.isInterrupted() { throw .interrupted }
            count.withLock { $0 += 1 }
            let reply: CurlTransfer.Response
            do throws(CurlTransfer.Failure) {
                reply = try transfer.get(request.target)
            } catch {
                guard case .brokenOff(let reason) = error else {
                    if case .final(let reason) = error { throw PullFailure(.unreachable, reason) }
                    throw .interrupted
                }
                brokenOff += 1
                guard brokenOff <= Self.connectionLimit else { throw PullFailure(.unreachable, reason) }
                wait(brokenOff, reason)
                continue
            }
            guard reply.status == 429 || reply.status >= 500 else { return try read(reply, request) }
            attempt += 1
            let seconds = wait(for: reply, attempt: attempt)
            guard attempt <= Self.attemptLimit, seconds <= Self.waitLimit else {
                throw failure(reply, request, seconds > Self.waitLimit ? "it asks to wait \(seconds) seconds" : nil)
            }
            let reason =
                reply.status == 429 ? "Braze's limit of requests is reached" : "Braze answers with \(reply.status)"
            wait(seconds, reason)
        }
    }

    private func wait(_ seconds: Int, _ reason: String) {
        guard seconds > 0 else { return }
        reporting.wait(reason, seconds)
        reporting.sleep(seconds)
    }

    /// The seconds to wait before the next attempt: as many as Braze asks for, or else twice as many as before, up to
    /// 16.
    private func wait(for reply: CurlTransfer.Response, attempt: Int) -> Int {
        if let seconds = reply.header("retry-after").flatMap({ Int($0) }), seconds >= 0 { return seconds }
        if reply.status == 429, let reset = reply.header("x-ratelimit-reset").flatMap({ Int($0) }) {
            let seconds = reset - reporting.clock()
            // The wait is at least one second, because with a wrong clock all attempts would otherwise fail at once.
            return max(1, seconds + 1)
        }
        return 1 << min(attempt - 1, 4)
    }

    private func read(
        _ reply: CurlTransfer.Response,
        _ request: ExportRequest
    ) throws(PullFailure) -> ExportResponse? {
        guard reply.status == 200 else { throw failure(reply, request) }
        let (body, isRedacted) = key.redacting(reply.body)
        if isRedacted { wasKeyRepeated.withLock { $0 = true } }
        let next = try reply.header("link").flatMap(Self.nextLink).map { link throws(PullFailure) in
            try origin.target(ofLink: link)
        }
        guard let response = ExportResponse(SourceFile(path: request.target, bytes: body), next: next) else {
            throw failure(reply, request, "the body is not a JSON object")
        }
        if let fault = response.fault { throw failure(reply, request, "the message is '\(fault)', expected 'success'") }
        return response
    }

    /// The address of the next page in a header `Link` such as `<…>; rel="next"`; nil if there is none.
    private static func nextLink(_ header: String) -> String? {
        for part in header.split(separator: ",") {
            let words = part.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let address = words.first, address.hasPrefix("<"), let end = address.lastIndex(of: ">"),
                words.dropFirst().contains(where: { ["rel=\"next\"", "rel=next"].contains($0.filter { $0 != " " }) })
            else { continue }
            return String(address[address.index(after: address.startIndex)..<end])
        }
        return nil
    }

    private func failure(_ reply: CurlTransfer.Response, _ request: ExportRequest, _ reason: String? = nil)
        -> PullFailure
    {
        let path = request.target
        let id = reply.header("x-request-id").map { ", request id \($0.firstLine(upTo: 80))" } ?? ""
        let status = "\(reply.status) for \(path)\(id)"
        let said = errorMessage(in: reply.body)
        let message: String
        var kind = PullFailure.Kind.unreachable
        switch reply.status {
        case 401:
            kind = .refused
            message = "Braze refuses the key (\(status)): expected a REST API key of the workspace at \(origin.text)"
        case 403:
            kind = .refused
            message =
                "Braze refuses the key (\(status)): it needs the permission '\(request.permission)', and the address of this machine has to be allowed"
        case 300..<400:
            let target = reply.header("location").map { " to '\($0.firstLine(upTo: 80))'" } ?? ""
            message =
                "Braze answers with a redirect\(target) (\(status)), which is not followed: the key is sent to \(origin.text) alone"
        case 200: message = "Braze's answer cannot be used (\(status)): \(reason ?? "")"
        default:
            message =
                "Braze answers with \(status)"
                + ([said.map { "'\($0)'" }, reason].compactMap(\.self).map { ": " + $0 }.joined())
        }
        return PullFailure(kind, String(decoding: key.redacting(Array(message.utf8)).bytes, as: UTF8.self))
    }

    /// The message in an error response from Braze; nil if the response has none.
    private func errorMessage(in body: [UInt8]) -> String? {
        let file = SourceFile(path: "", bytes: key.redacting(body).bytes)
        guard let root = ExportResponse(file)?.root else { return nil }
        let errors = root.list("errors").compactMap { $0["message"]?.string ?? $0.string }
        let texts = errors + [root["message"]?.string].compactMap(\.self)
        return texts.first?.firstLine(upTo: 200)
    }
}
