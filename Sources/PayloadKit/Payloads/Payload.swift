// SPDX-License-Identifier: MIT

public import AppBundles
import Liquid
public import SourceText

/// What one device receives: the JSON of a push, and what is known of its parts.
public struct Payload: Sendable {
    /// One field of the message inside the payload.
    public struct Field: Sendable, Hashable {
        /// The name, such as `title` or `extras.next_session_name`.
        public let name: String

        /// The bytes of its value in the payload, a text with its quotes.
        public private(set) var range: SourceRange

        /// The bytes of its key, its value and their punctuation.
        public private(set) var cost: Int

        /// Whether it is a text that is empty or white space.
        public private(set) var isBlank: Bool

        /// Makes it the field of another payload; false where that one has another name.
        mutating func move(_ name: String, to range: SourceRange, cost: Int, isBlank: Bool) -> Bool {
            guard self.name.sameBytes(as: name) else { return false }
            self.range = range
            self.cost = cost
            self.isBlank = isBlank
            return true
        }
    }

    /// The JSON, minified, without a line break at its end.
    public let bytes: [UInt8]

    /// The fields in the order of the payload.
    public let fields: [Field]

    /// What the payload weighs.
    public let size: SizeBudget

    /// The headers that go with it, all but `apns-topic`.
    public let headers: Headers

    /// The category as it was rendered, and what the campaign needs of the extension behind it.
    public let categoryUse: CategoryUse

    /// What `{% message_extras %}` adds to the send event, in order.
    public let messageExtras: [(key: String, value: String)]

    /// What was found that does not keep the message from being sent.
    public let warnings: [Diagnostic]

    /// Whether a template asked for the time.
    public let readsClock: Bool

    /// The campaign that it was rendered from.
    let campaign: Campaign

    /// The external id of the user.
    let recipient: String?

    /// What goes beside a payload to APNs.
    public struct Headers: Sendable, Hashable {
        /// `apns-push-type`: `alert`, or `background` where nothing is shown.
        public var pushType: String

        /// `apns-priority`.
        public var priority: Int

        /// `apns-expiration`, in seconds since 1970; nil leaves it to APNs.
        public var expiration: Int?

        /// `apns-collapse-id`.
        public var collapseID: String?
    }

    /// The text of a field; nil where the payload does not have it, or has no text there.
    public func text(of field: String) -> String? {
        guard let field = fields.first(where: { $0.name.utf8.elementsEqual(field.utf8) }) else { return nil }
        return text(of: field)
    }

    /// The text of a field; nil where it is no text.
    public func text(of field: Field) -> String? { field.text(in: bytes) }

    /// The payload as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The key-value pairs, in order: the key, and the text, or JSON as it stands for a pair of `$json:`.
    public var extras: [(key: String, value: String, isJSON: Bool)] {
        extraFields.map { key, field in
            if let text = text(of: field) { return (key, text, false) }
            return (key, field.json(in: bytes), true)
        }
    }

    /// The names of title, body and pairs that are empty or white space.
    public var blank: [String] {
        fields.filter(\.countsAsBlank).map(\.name)
    }

    var extraFields: [(key: String, field: Field)] {
        fields.compactMap { field in field.extraKey.map { ($0, field) } }
    }
}

extension Payload.Field {
    static let extrasPrefix = "extras."

    /// Whether it is a title, body or pair that is empty or white space.
    var countsAsBlank: Bool {
        isBlank && (name == "title" || name == "body" || name.utf8.starts(with: Self.extrasPrefix.utf8))
    }

    /// The key of a pair; nil for other fields.
    var extraKey: String? {
        guard name.utf8.starts(with: Self.extrasPrefix.utf8) else { return nil }
        return String(decoding: name.utf8.dropFirst(Self.extrasPrefix.utf8.count), as: UTF8.self)
    }
}
