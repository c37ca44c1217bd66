// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Finds given names that nothing reads and that are similar to a name that is read but not given.
struct NearMisses {
    private let read: Set<String>
    private let open: [String]
    private var suggestions = Suggestions()

    /// - Parameters:
    ///   - read: the names that are read.
    ///   - given: the names that are given.
    init(read: Set<String>, given: some Sequence<String>) {
        self.read = read
        open = read.subtracting(given).sorted()
    }

    /// The name that a given name probably means; nil if the given name is read, or is similar to no other.
    mutating func meant(by name: String) -> String? {
        guard !read.contains(name), let near = suggestions.nearest(to: name, in: open), mayBeMisspelt(name, near) else {
            return nil
        }
        return near
    }
}

extension RuleMessage {
    /// The message about a name that no text reads, with a similar name that a text reads.
    ///
    /// Only the author knows which of the two is right.
    static func unread(_ path: String, near: String) -> RuleMessage {
        "no text reads '\(path)', but one reads the similar name '\(near)': one of the two is probably misspelt"
    }
}
