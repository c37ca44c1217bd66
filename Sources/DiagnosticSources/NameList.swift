// SPDX-License-Identifier: MIT

extension Collection<String> {
    /// The items separated by commas, for a message: either all of them, or the first ones and the number of the rest,
    /// as in `a, b and 3 more`.
    ///
    /// - Parameters:
    ///   - limit: the most items to list.
    ///   - count: the number of all items, where the collection holds only some of them.
    /// - Returns: the list.
    package func listed(atMost limit: Int = .max, of count: Int? = nil) -> String {
        let named = prefix(limit)
        let others = (count ?? self.count) - named.count
        return named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    }

    /// The list that ``listed(atMost:of:)`` makes, with each item in quotes, as in `'a', 'b' and 3 more`.
    package func quoted(atMost limit: Int = .max, of count: Int? = nil) -> String {
        lazy.map { "'\($0)'" }.listed(atMost: limit, of: count)
    }
}
