// SPDX-License-Identifier: MIT

public import Foundation

/// Something that happened in an extension and is sent to Braze later: an event, or a change of the user's attributes.
///
/// A record contains the time and the user, because it is sent later, perhaps after another user has logged in. Every
/// record is valid: what Braze would refuse, cut or ignore is refused when the record is created.
public struct PendingRecord: Sendable, Hashable, Identifiable {
    /// The contents of a record.
    public enum Content: Sendable, Hashable {
        /// A custom event with its properties.
        case event(name: String, properties: [String: PropertyValue] = [:])
        /// Changes of custom attributes, by the names of the attributes.
        case customAttributes([String: AttributeChange])
        /// A field of the user's profile that Braze defines, such as the e-mail address.
        case userAttribute(UserAttribute)
    }

    /// The id of the record.
    ///
    /// A receiver that gets the record twice recognizes the second copy by its id.
    public let id: UUID

    /// The time of the event or change, rounded to milliseconds.
    public let time: Date

    /// The user whom the record is about; nil for the user who is given when the record is sent.
    public let user: UserIdentifier?

    /// The contents of the record.
    public let content: Content

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - content: the contents.
    ///   - user: the user whom the record is about; nil for the user given when it is sent.
    ///   - time: the time of the event or change.
    ///   - id: the id of the record.
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
