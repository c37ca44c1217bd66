// SPDX-License-Identifier: MIT

/// Hosts that only the machine or the network of the author reaches.
enum LocalHost {
    /// The local host in a web address; nil where the host is another one.
    static func name(in address: String) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { address.lowercased().hasPrefix($0) }) else {
            return nil
        }
        let authority = address.dropFirst(scheme.count).prefix { !"/?#".contains($0) }.lowercased()
        // A name and a password of a user may be before the host.
        let rest = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority[...]
        // An address of version 6 is in brackets, as it contains colons itself.
        let isBracketed = rest.hasPrefix("[")
        let host = isBracketed ? String(rest.dropFirst().prefix { $0 != "]" }) : String(rest.prefix { $0 != ":" })
        let isPrivate = HostAddress(host).map { !$0.unmapped.isPublic } ?? false
        return isPrivate || host == "localhost" || host.hasSuffix(".local") || host.hasSuffix(".localhost") ? host : nil
    }
}
