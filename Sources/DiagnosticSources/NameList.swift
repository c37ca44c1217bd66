// SPDX-License-Identifier: MIT

extension Collection<String> {
    /// The items separated by commas, for a message: all of them, or the first ones and how many more there are, as in
    /// `a, b and 3 more`.
    ///
    /// - Parameters:
    ///   - limit: the most items to list.
    ///   - count: the number of all items, if the collection holds only some of them.
    /// - Returns: the list.
    package func listed(atMost limit: Int = .max, of count: Int? = nil) -> String {
        let named = prefix(limit)
        let others = (count ?? self.count) - named.count
        return named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    }

    /// The items as in ``listed(atMost:of:)``, each in quotes: `'a', 'b' and 3 more`.
    package func quoted(atMost limit: Int = .max, of count: Int? = nil) -> String {
        lazy.map { "'\($0)'" }.listed(atMost: limit, of: count)
    }
}
