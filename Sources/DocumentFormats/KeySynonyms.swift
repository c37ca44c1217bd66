// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Words that people write instead of a key, such as `message` for `body`, each with the keys that it may mean.
///
/// Misspelt keys are not listed here; `nearestName(to:in:)` finds them.
package struct KeySynonyms: Sendable {
    /// The keys that each word may mean.
    ///
    /// The words are stored without underscores and hyphens.
    private var meant: [String: [String]] = [:]

    /// Creates a table from groups of words that may mean the same keys.
    package init(_ entries: [(words: [String], keys: [String])] = []) {
        for entry in entries {
            for word in entry.words { meant[plainName(word), default: []] += entry.keys }
        }
    }

    /// The key that a word probably means.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - keys: the keys that are possible.
    /// - Returns: the key; nil if the word is neither a synonym nor another spelling of a key, as `threadId` is of `thread_id`.
    package func key(for word: String, among keys: [String]) -> String? {
        let plain = plainName(word)
        return meant[plain]?.first(where: keys.contains)
            ?? keys.first { $0.utf8.count > 3 && $0.utf8.count >= plain.utf8.count && plainName($0) == plain }
    }
}
