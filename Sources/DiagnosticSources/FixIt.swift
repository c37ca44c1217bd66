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

    /// The text that the value in the file has after the fix, where the edits change what belongs to the value.
    ///
    /// Other fixes change a part of a key or a value.
    public var value: String?

    /// Creates a fix.
    public init(_ message: String, edits: [Edit], value: String? = nil) {
        self.message = message
        self.edits = edits
        self.value = value
    }
}
