// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Finds names that are given and that nothing reads, although one that is read and not given is similar.
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

    /// The name that a given one probably means; nil for a name that is read or similar to none.
    mutating func meant(by name: String) -> String? {
        guard !read.contains(name), let near = suggestions.nearest(to: name, in: open), mayBeMisspelt(name, near) else {
            return nil
        }
        return near
    }
}

extension RuleMessage {
    /// A name that no text reads, and the one that is probably meant.
    static func unread(_ path: String, near: String) -> RuleMessage {
        "no text reads '\(path)', did you mean '\(near)'?"
    }
}
