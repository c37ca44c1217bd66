// SPDX-License-Identifier: MIT

public import Foundation

/// Something that happened in an extension and is reported to Braze later: an event, or attributes of the user.
///
/// A record holds the time and the user, because it is sent later, perhaps after another user has logged in. Every
/// record is valid: what Braze would refuse, cut or ignore is refused when the record is created.
public struct PendingRecord: Sendable, Hashable, Identifiable {
    /// What a record says.
    public enum Content: Sendable, Hashable {
        /// A custom event with its properties.
        case event(name: String, properties: [String: PropertyValue] = [:])
        /// Custom attributes, by their names.
        case customAttributes([String: AttributeChange])
        /// A field of the profile that Braze defines.
        case userAttribute(UserAttribute)
    }

    /// Identifies the record, so that a receiver that gets it twice can drop one.
    public let id: UUID

    /// When it happened, rounded to milliseconds.
    public let time: Date

    /// The user whom it is about; nil for the user who is given when it is sent.
    public let user: UserIdentifier?

    /// What the record says.
    public let content: Content

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - content: what it says.
    ///   - user: whom it is about; nil for the user who is given when it is sent.
    ///   - time: when it happened.
    ///   - id: identifies it.
    /// - Throws: what Braze would not accept, and where it is.
    public init(
        _ content: Content,
        user: UserIdentifier? = nil,
        time: Date = Date(),
        id: UUID = UUID()
    ) throws(PendingRecordError) {
        guard let time = time.wholeMilliseconds else { throw PendingRecordError(.timeOutOfRange, at: ["time"]) }
        try user?.check()
        try content.check()
        self.id = id
        self.time = time
        self.user = user
        self.content = content
    }
}
