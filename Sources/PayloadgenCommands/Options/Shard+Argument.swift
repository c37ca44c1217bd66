// SPDX-License-Identifier: MIT

public import ArgumentParser
public import PayloadKit

/// Lets `--shard` accept `I/N`.
extension Shard: ExpressibleByArgument {
    /// Reads `I/N`; nil if it is not valid.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
        self.init(index, of: count)
    }
}
