// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles

/// Converts between paths and `file:///…` URIs (RFC 8089).
enum FileURI {
    private static let scheme = "file://"

    /// Whether a URI has the scheme `file`, for a file on any machine.
    static func isFile(_ uri: String) -> Bool {
        uri.utf8.prefix(scheme.utf8.count).map { $0 | 0x20 } == scheme.utf8.map { $0 | 0x20 }
    }

    /// The absolute path that a URI names; nil if it has another scheme or names another machine.
    static func path(_ uri: String) -> String? {
        guard isFile(uri) else { return nil }
        let rest = Array(uri.utf8.dropFirst(scheme.utf8.count))
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard host.isEmpty || host.elementsEqual("localhost".utf8) else { return nil }
        let path = Array(rest[host.count...]).percentDecoded
        guard !path.isEmpty, !path.contains(0) else { return nil }
        return String(decoding: path, as: UTF8.self).standardizedPath
    }

    /// The URI for an absolute path.
    static func uri(_ path: String) -> String { scheme + path.percentEncodedPath }
}
