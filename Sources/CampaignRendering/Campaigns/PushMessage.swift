// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources

/// The `push` of a campaign: the message before it is rendered.
public struct PushMessage: Sendable {
    /// The fields that the message may have.
    public let table: PushTable

    /// The value of each field of ``table``, in the same order.
    private var values: [PushValue?]

    /// The image or other attachment of a rich push.
    public var image: Image?

    /// The buttons of the notification.
    public var buttons: [Button] = []

    /// The key-value pairs, in the order of the file.
    public var extras: [Extra] = []

    /// The place of the key `extras`, or of the corresponding key in a REST body; nil if there is none.
    var extrasPlace: SourcePlace?

    /// The parts of the REST body other than the push; nil if the message does not come from one.
    package var request: RESTRequest?

    /// Creates a message without any field.
    ///
    /// - Parameter table: the fields that the message may have.
    public init(table: PushTable = .standard) {
        self.table = table
        values = table.fields.map { _ in nil }
    }

    /// The value of a field; nil if the message does not give one, or the field is unknown.
    public subscript(name: String) -> PushValue? {
        get { table.index(of: name).flatMap { values[$0] } }
        set { if let index = table.index(of: name) { values[index] = newValue } }
    }

    /// The fields that have a value, in payload order.
    public var fields: [(field: PushField, value: PushValue)] {
        zip(table.fields, values).compactMap { field, value in value.map { (field, $0) } }
    }

    /// An attachment of a rich push.
    public struct Image: Sendable {
        /// The address.
        public var url: TemplateText

        /// The type of the file, which Braze names by its suffix.
        public var type: Placed<FileType>
    }

    /// The file types that Braze accepts as attachments.
    public enum FileType: String, Sendable, CaseIterable {
        case aif, gif, jpg, m4a, mp3, mp4, png, wav
    }

    /// A button, with the action that follows a tap on it.
    public struct Button: Sendable {
        /// The action that follows a tap on a button.
        public enum Action: String, Sendable, CaseIterable {
            case openApp = "OPEN_APP"
            case uri = "URI"
            case deepLink = "DEEP_LINK"
            case close = "CLOSE"

            /// Whether the action opens an address; such a button does nothing without one.
            var opensAddress: Bool { self == .uri || self == .deepLink }

            /// Whether the action is meant to bring the app, or a page in it, to the front.
            package var opensApp: Bool { self != .close }
        }

        /// The identifier of the button's action in the category.
        public var actionID: Placed<String>

        /// The action that follows a tap; nil to keep the action of Braze's predefined button with this id.
        public var action: Placed<Action>?

        /// The address that a tap opens.
        public var uri: TemplateText?

        /// Whether ``uri`` opens in a web view.
        public var useWebView = true

        /// Whether the button is complete: no part of it was left out as invalid.
        package var isWhole = true

        /// The place of the whole button.
        public var place: SourcePlace
    }

    /// A key-value pair.
    public struct Extra: Sendable {
        /// The key, which may contain Liquid.
        public var key: TemplateText

        /// The value that is sent under the key.
        public var value: Value

        /// The value of a key-value pair.
        public enum Value: Sendable {
            /// A text that is sent as text.
            case text(TemplateText)
            /// The text after `$json:` in the file, whose rendered value is sent as JSON.
            case json(TemplateText)
            /// A mapping or a list that is sent as JSON, split into pieces of JSON and texts that Liquid renders.
            case composed([Piece], at: SourcePlace)
        }

        /// A part of the JSON of a mapping or list.
        public enum Piece: Sendable {
            /// JSON that is sent unchanged.
            case json(String)
            /// A text that is sent as a JSON string.
            case text(TemplateText)
        }
    }

    /// Whether the push has an alert; without one, it can only be a background push.
    public var hasAlert: Bool {
        fields.contains { if case .alert = $0.field.place { true } else { false } }
    }

    /// All texts that Liquid renders: those of `aps` and the key-value pairs in payload order, then all others.
    public var texts: [TemplateText] {
        var payload: [TemplateText] = []
        var headers: [TemplateText] = []
        var aside: [TemplateText] = []
        for (field, value) in fields {
            switch field.place {
            case .alert, .aps: payload += value.templates
            case .top: aside += value.templates
            case .header, .braze, .member: headers += value.templates
            }
        }
        for extra in extras { payload += [extra.key] + extra.value.templates }
        return payload + aside + [image?.url].compactMap { $0 } + headers + buttons.compactMap(\.uri)
    }
}

extension PushMessage.Extra.Value {
    /// The texts that Liquid renders.
    public var templates: [TemplateText] {
        switch self {
        case .text(let text), .json(let text): [text]
        case .composed(let pieces, _):
            pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
        }
    }

    /// The place of the value in the campaign's files.
    public var place: SourcePlace {
        switch self {
        case .text(let text), .json(let text): text.place
        case .composed(_, let place): place
        }
    }

    /// Whether the value is sent as JSON instead of text.
    public var isJSON: Bool {
        if case .text = self { false } else { true }
    }
}

/// The fields that other code reads by name.
extension PushMessage {
    /// The category, which chooses the content extension.
    public var category: TemplateText? { text("category") }

    /// The address that a tap on the notification opens.
    public var uri: TemplateText? { text("uri") }

    /// Whether the push wakes the app.
    public var contentAvailable: Placed<Bool>? { flag("content_available") }

    /// Whether the service extension runs; an image always makes it run.
    public var mutableContent: Placed<Bool>? { flag("mutable_content") }

    /// The priority for APNs: 10, 5 or 1.
    public var priority: Placed<Int>? {
        if case .integer(let priority)? = self["priority"] { priority } else { nil }
    }

    /// The text of a field; nil if the campaign does not set one.
    public func text(_ name: String) -> TemplateText? {
        if case .text(let text)? = self[name] { text } else { nil }
    }

    private func flag(_ name: String) -> Placed<Bool>? {
        if case .flag(let flag)? = self[name] { flag } else { nil }
    }

    /// Whether the push is a background push: it has no alert and wakes the app.
    var isBackground: Bool { !hasAlert && contentAvailable?.value == true }
}
