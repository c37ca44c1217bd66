// SPDX-License-Identifier: MIT

/// A pattern for paths, with the wildcards of `.gitignore`.
///
/// `*`, `?` and `[a-z]` match characters within one name, `**` matches any number of folders, even none. A pattern
/// without a slash, except at its end, matches names at any depth; any other pattern is relative to the folder of the
/// configuration.
public struct PathPattern: Sendable, Hashable {
    /// A part of a pattern between two slashes.
    package enum Part: Sendable, Hashable {
        case name(NamePattern)
        /// `**`, which matches any number of folders.
        case anyFolders
    }

    private let parts: [Part]

    /// Reads a pattern from its text.
    public init(_ text: String) {
        let isAnchored = text.unicodeScalars.dropLast().contains("/")
        let names = Self.parts(text).filter { $0 != .name(NamePattern(".")) }
        parts = isAnchored ? names : [.anyFolders] + names
    }

    /// Whether the pattern matches a path, which must not begin with a slash.
    public func matches(_ path: String) -> Bool { matches(Self.names(path)) }

    /// The names between the slashes of a path, for ``matches(_:)-([[Unicode.Scalar]])``.
    package static func names(_ path: String) -> [[Unicode.Scalar]] {
        path.unicodeScalars.split(separator: "/").map(Array.init)
    }

    /// The parts of a pattern between its slashes.
    package static func parts(_ text: String) -> [Part] {
        names(text).map { $0 == ["*", "*"] ? .anyFolders : .name(NamePattern($0)) }
    }

    /// Whether the pattern matches the names in a path.
    package func matches(_ names: [[Unicode.Scalar]]) -> Bool {
        Wildcards.matches(names[...], parts[...]) { name, part in
            if case .name(let pattern) = part { pattern.matches(name) } else { false }
        } isAny: {
            $0 == .anyFolders
        }
    }
}
