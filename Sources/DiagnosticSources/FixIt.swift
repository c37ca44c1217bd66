// SPDX-License-Identifier: MIT

/// A fix: edits of one file that belong together; every byte outside of them stays.
public struct FixIt: Sendable, Hashable {
    /// The replacement of one range of a file.
    public struct Edit: Sendable, Hashable {
        /// The bytes to replace; an empty range inserts.
        public var range: SourceRange

        /// The new text.
        public var replacement: String

        /// Creates an edit.
        public init(_ range: SourceRange, replacement: String) {
            self.range = range
            self.replacement = replacement
        }
    }

    /// What the edits do, such as `rename to 'UNNotificationExtensionCategory'`.
    public var message: String

    /// The edits, ascending and without overlap.
    public var edits: [Edit]

    /// The value that the fixed file has at this place when it is read, if the edits replace a whole value, for example
    /// by the same text in quotes; nil if they change a key or only a part of a value.
    public var value: String?

    /// Creates a fix.
    public init(_ message: String, edits: [Edit], value: String? = nil) {
        self.message = message
        self.edits = edits
        self.value = value
    }
}
