// SPDX-License-Identifier: MIT

public import AppBundles
public import SourceText

/// The `requires` of a campaign: what the app must offer, and what its extension reads.
public struct Requirements: Sendable {
    /// What `UNNotificationExtensionUserInteractionEnabled` has to be; nil is not checked.
    public var userInteraction: Placed<Bool>?

    /// Whether the extension asks for text.
    public var textInput: Placed<Bool>?

    /// The key-value pairs that the extension reads, in the order of the file.
    public var extras: [Extra] = []

    /// The place of the whole part.
    public var place: SourcePlace

    /// A key-value pair that the extension reads.
    public struct Extra: Sendable {
        /// The key.
        public var key: String

        /// What the extension makes of the text.
        public var type: ExtraType

        /// Whether the pair has to be sent, and not blank.
        public var isRequired: Bool

        /// Where the pair is required.
        public var place: SourcePlace

        /// Creates a requirement.
        public init(key: String, type: ExtraType, isRequired: Bool, place: SourcePlace) {
            self.key = key
            self.type = type
            self.isRequired = isRequired
            self.place = place
        }
    }
}

/// What an extension makes of the text of a key-value pair.
public enum ExtraType: String, Sendable, CaseIterable {
    /// Any text.
    case string
    /// Text that Swift's `Int(_:)` takes.
    case integer
    /// Text that is a decimal number.
    case number
    /// `true` or `false`.
    case boolean
    /// An address with a scheme.
    case url
    /// A date or a time in ISO 8601.
    case date
    /// JSON, sent with `$json:`.
    case json
}

/// The type of an exported custom attribute, where the export alone does not tell it.
public enum AttributeType: String, Sendable, CaseIterable {
    case string
    case number
    /// `true` or `false`; one that is left out is false.
    case boolean
    /// A time, exported as text.
    case time
    case array
    case object
}
