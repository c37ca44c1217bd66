// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation

/// The scheme, host and port of Braze's REST API; the API key is sent nowhere else.
package struct RESTOrigin: Sendable, Hashable {
    /// Where an address comes from.
    package enum Source: Sendable, Hashable {
        /// The command line or an environment variable of the user; the value says whether hosts that are not Braze's
        /// are accepted.
        case user(allowsAnyHost: Bool)
        /// A configuration file, which may be part of another person's repository.
        case configuration
    }

    let scheme: String
    let host: String
    let port: Int

    /// Reads an address such as `https://rest.iad-01.braze.com`.
    ///
    /// - Parameters:
    ///   - text: the address.
    ///   - source: where the address comes from; a configuration may only name Braze's hosts.
    /// - Throws: the reason that the key must not be sent to the address.
    package init(_ text: String, from source: Source) throws(PullFailure) {
        guard let parsed = Self.parsed(text) else {
            throw PullFailure(
                .usage,
                "'\(text)' is not an address of a REST API, expected one such as 'https://rest.iad-01.braze.com'")
        }
        self = parsed
        if isOfBraze {
            if let rest = restHost {
                throw PullFailure(
                    .usage, "'\(host)' is the dashboard, expected the REST API, which is at 'https://\(rest)'")
            }
            guard scheme == "https" else {
                throw PullFailure(
                    .usage, "found '\(scheme)' in '\(text)', expected 'https': the key would be sent in the clear")
            }
            return
        }
        guard case .user(let allowsAnyHost) = source else {
            throw PullFailure(
                .usage,
                "the configuration names '\(host)', expected a host under .braze.com or .braze.eu; others are named with --url, and need --any-host"
            )
        }
        if isLoopback { return }
        guard allowsAnyHost else {
            throw PullFailure(
                .usage,
                "'\(host)' is not under .braze.com or .braze.eu, so the key is not sent there; --any-host allows it")
        }
        guard scheme == "https" else {
            throw PullFailure(
                .usage, "found '\(scheme)' in '\(text)', expected 'https': the key would be sent in the clear")
        }
    }

    private init(scheme: String, host: String, port: Int) {
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }

    private static func parsed(_ text: String) -> RESTOrigin? {
        guard let mark = text.range(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        var rest = text[mark.upperBound...]
        if rest.hasSuffix("/") { rest.removeLast() }
        guard scheme == "https" || scheme == "http" else { return nil }
        var port = scheme == "https" ? 443 : 80
        var host = rest
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let number = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(number),
                rest[rest.index(after: colon)...].utf8.allSatisfy(\.isDigit)
            else { return nil }
            port = number
            host = rest[..<colon]
        }
        let name = host.lowercased()
        // Only plain names are accepted: `curl` might read any other name differently than this code, and connect to
        // another host.
        let isName = name.utf8.allSatisfy { byte in
            byte.isLowerLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        guard name == "[::1]" || isName && !name.isEmpty && !name.hasPrefix("-") && !name.hasPrefix("."),
            !name.hasSuffix("."), name.utf8.count <= 253
        else { return nil }
        return RESTOrigin(scheme: scheme, host: name, port: port)
    }

    /// The host of the REST API if this host is the dashboard of one of Braze's clusters; otherwise nil.
    private var restHost: String? {
        if host.hasPrefix("dashboard.") { return "rest." + host.dropFirst("dashboard.".count) }
        guard host.hasPrefix("dashboard-") else { return nil }
        return "rest.\(host.hasSuffix(".eu") ? "fra" : "iad")-" + host.dropFirst("dashboard-".count)
    }

    private var isOfBraze: Bool { host.hasSuffix(".braze.com") || host.hasSuffix(".braze.eu") }

    /// Whether the host is this machine, such as `localhost`.
    var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isNumeric = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || host == "[::1]" || isNumeric && parts.first == "127"
    }

    /// The address without a path, as in `https://rest.iad-01.braze.com`.
    package var text: String {
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")"
    }

    /// The path and query of a link in a response; the link may be relative to this origin or a full address.
    ///
    /// - Throws: an error if the link leads to another origin, to which the key must not be sent.
    func target(ofLink link: String) throws(PullFailure) -> String {
        let isSafe = link.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isSafe, link.hasPrefix("/"), !link.hasPrefix("//") { return link }
        if isSafe, let mark = link.range(of: "://") {
            let rest = link[mark.upperBound...]
            let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
            if Self.parsed(String(link[..<end])) == self {
                let target = String(rest[end...])
                return target.hasPrefix("/") ? target : "/" + target
            }
        }
        throw PullFailure(
            .unreachable,
            "Braze's response links to '\(link.firstLine(upTo: 80))', which is not at \(text), so it is not followed")
    }
}
