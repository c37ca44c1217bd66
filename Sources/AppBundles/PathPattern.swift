// SPDX-License-Identifier: MIT

import SourceText

/// A pattern for paths, as in `.gitignore`.
///
/// `*` and `?` match characters within one name, `**` matches any number of folders. A pattern without a slash matches
/// names at any depth; a pattern with one is relative to the folder of the configuration.
public struct PathPattern: Sendable, Hashable {
    private let parts: [[Unicode.Scalar]]

    /// Reads a pattern.
    public init(_ text: String) {
        let isAnchored = text.unicodeScalars.dropLast().contains("/")
        let names = Self.names(text).filter { $0 != ["."] }
        parts = isAnchored ? names : [Self.anyFolders] + names
    }

    /// Whether the pattern matches a path, which must not begin with a slash.
    public func matches(_ path: String) -> Bool { matches(Self.names(path)) }

    /// The names in a path, for ``matches(_:)-([[Unicode.Scalar]])``.
    package static func names(_ path: String) -> [[Unicode.Scalar]] {
        path.unicodeScalars.split(separator: "/").map(Array.init)
    }

    /// Whether the pattern matches the names in a path.
    package func matches(_ names: [[Unicode.Scalar]]) -> Bool {
        Wildcards.matches(names[...], parts[...]) { name, part in
            Wildcards.matches(name[...], part[...]) {
                $0 == $1 || $1 == "?"
            } isAny: {
                $0 == "*"
            }
        } isAny: {
            $0 == Self.anyFolders
        }
    }

    private static let anyFolders: [Unicode.Scalar] = ["*", "*"]
}
