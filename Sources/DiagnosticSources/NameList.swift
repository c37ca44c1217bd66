// SPDX-License-Identifier: MIT

extension Collection<String> {
    /// The items with commas between them, for a message: all of them, or the first ones and how many others there are,
    /// as in `a, b and 3 more`.
    ///
    /// - Parameters:
    ///   - limit: the most items that are named.
    ///   - count: the number of all items, where the collection holds only some of them.
    /// - Returns: the list.
    package func listed(atMost limit: Int = .max, of count: Int? = nil) -> String {
        let named = prefix(limit)
        let others = (count ?? self.count) - named.count
        return named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    }

    /// The same with each item in quotes, as in `'a', 'b' and 3 more`.
    package func quoted(atMost limit: Int = .max, of count: Int? = nil) -> String {
        lazy.map { "'\($0)'" }.listed(atMost: limit, of: count)
    }
}
