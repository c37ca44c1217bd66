// SPDX-License-Identifier: MIT

import DiagnosticSources

/// One of several parts of a batch.
///
/// Each profile belongs to exactly one part, the same on every machine.
public struct Shard: Sendable, Hashable {
    /// The number of this part, from 1.
    public let index: Int

    /// The number of parts.
    public let count: Int

    /// Creates a part; nil if its number or the number of parts is not valid.
    public init?(_ index: Int, of count: Int) {
        guard count >= 1, (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Whether an id belongs to the part.
    func contains(_ id: String) -> Bool {
        var hash = StableHash()
        hash.add(id)
        return contains(hash)
    }

    /// Whether a line belongs to the part.
    func contains(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var hash = StableHash()
        hash.add(bytes)
        return contains(hash)
    }

    /// Whether a profile with this hash belongs to the part.
    func contains(_ hash: StableHash) -> Bool { hash.value % UInt64(count) == UInt64(index - 1) }
}
