// SPDX-License-Identifier: MIT

/// Hosts that only the machine or the network of the author reaches.
enum LocalHost {
    /// The local host in a web address; nil where the host is another one.
    static func name(in address: String) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { address.lowercased().hasPrefix($0) }) else {
            return nil
        }
        let host = address.dropFirst(scheme.count).prefix { !"/?#:".contains($0) }.lowercased()
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        let isPrivate =
            switch numbers.count == 4 ? numbers.compactMap(\.self) : [] {
            case let parts where parts.count < 4: false
            case let parts: parts[0] == 10 || parts[0] == 127 || parts[0] == 192 && parts[1] == 168 || parts[0] == 0
            }
        return isPrivate || host == "localhost" || host.hasSuffix(".local") || host.hasSuffix(".localhost") ? host : nil
    }
}
