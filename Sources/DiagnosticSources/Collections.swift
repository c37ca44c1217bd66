// SPDX-License-Identifier: MIT

extension Sequence {
    /// The elements, without those that have the same key as an earlier one.
    package func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}

extension Dictionary {
    /// Creates a dictionary from pairs; of several pairs with the same key, the first one counts.
    package init(first pairs: some Sequence<(Key, Value)>) { self.init(pairs, uniquingKeysWith: { first, _ in first }) }
}
