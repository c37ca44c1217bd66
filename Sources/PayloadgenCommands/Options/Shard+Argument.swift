// SPDX-License-Identifier: MIT

public import ArgumentParser
public import PayloadKit

/// Lets the option `--shard` accept `I/N`, such as `2/8`.
extension Shard: ExpressibleByArgument {
    /// Reads `I/N`; nil for any other text, and if I is not between 1 and N.
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
        self.init(index, of: count)
    }
}
