// SPDX-License-Identifier: MIT

/// One of several parts of a batch: a profile belongs to exactly one of them, the same on every machine.
public struct Shard: Sendable, Hashable {
    /// Which part, from 1.
    public let index: Int

    /// The number of parts.
    public let count: Int

    /// Creates a part; nil where there is no such part.
    public init?(_ index: Int, of count: Int) {
        guard count >= 1, (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Whether what has these bytes belongs to the part.
    func contains(_ bytes: some Sequence<UInt8>) -> Bool {
        var hash = ShardHash()
        hash.add(bytes)
        return contains(hash)
    }

    /// Whether what has this hash belongs to the part.
    func contains(_ hash: ShardHash) -> Bool { hash.value % UInt64(count) == UInt64(index - 1) }
}

/// The hash that assigns a profile to a shard: FNV-1a of 64 bits, which needs no more than one byte at a time.
struct ShardHash: Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
