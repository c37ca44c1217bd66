// SPDX-License-Identifier: MIT

import PlatformLibc

/// A numeric address of a host.
package struct HostAddress: Sendable, Equatable {
    /// The bytes of the address: 4 for IPv4 or 16 for IPv6.
    package let bytes: [UInt8]

    /// Creates an address from its bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a numeric address, such as `192.168.0.1` or `::1`; nil for anything else.
    package init?(_ text: String) {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 {
                self.bytes = bytes
                return
            }
        }
        return nil
    }

    /// The address in the form that `curl` accepts.
    package var text: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { index in
            String(Int(bytes[index]) << 8 | Int(bytes[index + 1]), radix: 16)
        }
        return "[" + groups.joined(separator: ":") + "]"
    }

    /// The IPv4 address in a mapped IPv6 address such as `::ffff:192.0.2.1`; any other address unchanged.
    var unmapped: HostAddress {
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: prefix) ? HostAddress(bytes: Array(bytes.suffix(4))) : self
    }

    /// Whether the address belongs to the public internet.
    ///
    /// Source: the IANA registries of special-purpose addresses.
    package var isPublic: Bool {
        guard bytes.count == 4 else {
            // In IPv6, only 2000::/3 is public, except for documentation, for 6to4, and for the block of IETF
            // protocols, which includes Teredo.
            guard bytes.count == 16, bytes[0] & 0xE0 == 0x20 else { return false }
            let group = Int(bytes[0]) << 8 | Int(bytes[1])
            return group != 0x2002
                && !(group == 0x2001 && (bytes[2] < 2 || bytes[2] == 0x0D && bytes[3] == 0xB8))
        }
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (198, 18...19), (224..., _):
            return false
        case (100, 64...127): return false
        case (192, 0): return bytes[2] != 0 && bytes[2] != 2
        case (198, 51): return bytes[2] != 100
        case (203, 0): return bytes[2] != 113
        default: return true
        }
    }
}

/// Hosts that can be reached only from the author's machine or network.
enum LocalHost {
    /// The local host in a web address; nil if the host is not local.
    static func name(in address: String) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { address.lowercased().hasPrefix($0) }) else {
            return nil
        }
        let authority = address.dropFirst(scheme.count).prefix { !"/?#".contains($0) }.lowercased()
        // A user name and a password may come before the host.
        let rest = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority[...]
        // An IPv6 address is in brackets, since it contains colons itself.
        let isBracketed = rest.hasPrefix("[")
        let host = isBracketed ? String(rest.dropFirst().prefix { $0 != "]" }) : String(rest.prefix { $0 != ":" })
        let isPrivate = HostAddress(host).map { !$0.unmapped.isPublic } ?? false
        return isPrivate || host == "localhost" || host.hasSuffix(".local") || host.hasSuffix(".localhost") ? host : nil
    }
}
