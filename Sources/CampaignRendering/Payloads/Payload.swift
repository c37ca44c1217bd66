// SPDX-License-Identifier: MIT

public import AppDeclarations
public import BrazeLiquid
public import DiagnosticSources
import LiquidTemplates

/// The JSON of a push that a device receives, with the ranges and sizes of its fields.
public struct Payload: Sendable {
    /// One field of the message inside the payload.
    public struct Field: Sendable, Hashable {
        /// The name, such as `title` or `extras.next_session_name`.
        public let name: String

        /// The bytes of the value in the payload; those of a text include its quotes.
        public let range: SourceRange

        /// The number of bytes of the key, the value and their punctuation.
        public let cost: Int

        /// Whether the field is a title, body or key-value pair that is empty or only white space.
        public let isBlank: Bool

        /// For a key-value pair, its index in the campaign; nil for any other field.
        var pair: Int?
    }

    /// The JSON, minified, without a line break at its end.
    public let bytes: [UInt8]

    /// The fields, in payload order.
    public let fields: [Field]

    /// Named texts inside the fields, such as the address of the image.
    let parts: [Part]

    /// The size of the payload, and its limits.
    public let size: SizeBudget

    /// The headers of the request to APNs, except `apns-topic`.
    public let headers: Headers

    /// The rendered category, and what the campaign needs of the extension that claims it.
    public let categoryUse: CategoryUse

    /// The values that `{% message_extras %}` adds to the send event, in order.
    public let messageExtras: [(key: String, value: String)]

    /// The calls of connected content that the message made, in order; empty unless the options of rendering ask for
    /// them.
    public let connectedContentCalls: [ConnectedContentCall]

    /// The findings that do not prevent the message from being sent.
    public let warnings: [Diagnostic]

    /// Whether a template asked for the time.
    public let readsClock: Bool

    /// The campaign that the payload was rendered from.
    var campaign: Campaign { shared.campaign }

    let shared: SharedCampaign

    /// The external id of the user.
    let recipient: String?

    /// A text inside a field, such as the address of the image.
    struct Part: Sendable {
        let name: String

        /// The bytes of the text in the payload, with its quotes.
        let range: SourceRange
    }

    /// A header of the request to APNs.
    public struct Header: Sendable, Hashable {
        /// The name, such as `apns-collapse-id`.
        public let name: String

        /// The value, as APNs receives it.
        public let value: String

        /// The name of the campaign's field that sets the header; nil for a header that no field sets.
        let field: String?

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
            field = nil
        }

        init(_ field: PushField, _ value: String) {
            name = field.key ?? field.name
            self.value = value
            self.field = field.name
        }
    }

    /// The headers of the request to APNs, except `apns-topic`.
    public struct Headers: Sendable, Hashable {
        /// The headers that the campaign sets.
        private let given: [Header]

        /// Whether it is a background push, which determines `apns-push-type` and the default priority.
        private let isBackground: Bool

        init(_ given: [Header], isBackground: Bool) {
            self.given = given
            self.isBackground = isBackground
        }

        /// The headers, in the order in which they are written.
        public var all: [Header] {
            let type = Header("apns-push-type", isBackground ? "background" : "alert")
            let hasPriority = given.contains { $0.name == "apns-priority" }
            let priority = hasPriority ? [] : [Header("apns-priority", isBackground ? "5" : "10")]
            return [type] + priority + given
        }

        /// The value of the header with a name; nil if the header is not sent.
        public subscript(name: String) -> String? { all.first { $0.name == name }?.value }
    }

    /// The field with a name; nil if the payload does not have it.
    public subscript(name: String) -> Field? { fields.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// The text of the field with a name; nil if the payload does not have it, or its value is not a text.
    public func text(of field: String) -> String? { self[field].flatMap { text(of: $0) } }

    /// The text of a field; nil if it is not a text.
    public func text(of field: Field) -> String? { field.text(in: bytes) }

    /// The payload as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The key-value pairs, in order: the key, then the text or, for a pair with `$json:`, its JSON as it is sent.
    public var extras: [(key: String, value: String, isJSON: Bool)] {
        extraFields.map { key, field in
            if let text = text(of: field) { return (key, text, false) }
            return (key, field.json(in: bytes), true)
        }
    }

    /// The names of the title, the body and the key-value pairs that are empty or only white space.
    public var blank: [String] {
        fields.filter(\.isBlank).map(\.name)
    }

    var extraFields: [(key: String, field: Field)] {
        fields.compactMap { field in field.extraKey.map { ($0, field) } }
    }

    /// What the campaign declares for a key-value pair; nil for any other field.
    func declaration(of field: Field) -> PushMessage.Extra? { field.pair.map { campaign.push.extras[$0] } }
}

extension Payload.Field {
    static let extrasPrefix = "extras."

    /// The key of a key-value pair; nil for any other field.
    var extraKey: String? {
        guard name.utf8.starts(with: Self.extrasPrefix.utf8) else { return nil }
        return String(decoding: name.utf8.dropFirst(Self.extrasPrefix.utf8.count), as: UTF8.self)
    }
}
