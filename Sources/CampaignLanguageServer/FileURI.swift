// SPDX-License-Identifier: MIT

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
        var path: [UInt8] = []
        var index = host.count
        while index < rest.count {
            if rest[index] == UInt8(ascii: "%"), index + 2 < rest.count,
                let byte = UInt8(String(decoding: rest[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                path.append(byte)
                index += 3
            } else {
                path.append(rest[index])
                index += 1
            }
        }
        guard !path.isEmpty, !path.contains(0) else { return nil }
        return String(decoding: path, as: UTF8.self).standardizedPath
    }

    /// The URI for an absolute path.
    static func uri(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var uri = Array("file://".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                uri.append(byte)
            default: uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: uri, as: UTF8.self)
    }
}
