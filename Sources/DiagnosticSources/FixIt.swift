// SPDX-License-Identifier: MIT

/// Edits of one file that belong together and keep every other byte.
public struct FixIt: Sendable, Hashable {
    /// One replaced range.
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

    /// The text that the value must have when the fixed file is read, if the edits replace a whole value, such as by
    /// the same text in quotes; nil if they change only a part of a key or value.
    public var value: String?

    /// Creates a fix.
    public init(_ message: String, edits: [Edit], value: String? = nil) {
        self.message = message
        self.edits = edits
        self.value = value
    }
}
