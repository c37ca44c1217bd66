// SPDX-License-Identifier: MIT

public import AppBundles
public import Liquid
public import SourceText

/// The `push` of a campaign: what the message says, before it is rendered.
public struct PushMessage: Sendable {
    /// The category, which chooses the content extension.
    public var category: TemplateText?

    /// The title.
    public var title: TemplateText?

    /// The subtitle.
    public var subtitle: TemplateText?

    /// The body.
    public var body: TemplateText?

    /// What a tap opens.
    public var uri: TemplateText?

    /// Whether ``uri`` opens in a web view.
    public var useWebView = true

    /// The attachment of a rich push.
    public var image: Image?

    /// The name of the sound.
    public var sound: TemplateText?

    /// The number on the app's icon.
    public var badge: Badge?

    /// The thread that groups the notification.
    public var threadID: TemplateText?

    /// How urgent the notification is.
    public var interruptionLevel: Placed<InterruptionLevel>?

    /// The weight in the summary, 0 to 1.
    public var relevanceScore: Placed<Double>?

    /// Whether the push wakes the app.
    public var contentAvailable: Placed<Bool>?

    /// Whether the service extension runs; an image always makes it run.
    public var mutableContent: Placed<Bool>?

    /// The id by which a later notification replaces this one.
    public var collapseID: TemplateText?

    /// When APNs gives up.
    public var expiry: Placed<Time>?

    /// The priority in APNs: 10, 5 or 1.
    public var priority: Placed<Int>?

    /// The buttons.
    public var buttons: [Button] = []

    /// The key-value pairs, in the order of the file.
    public var extras: [Extra] = []

    /// Keys of the alert for texts in the app's string tables, such as `title-loc-key`, each with one or more texts.
    public var localization: [Localization] = []

    /// Creates a message that says nothing.
    public init() {}

    /// The attachment of a rich push.
    public struct Image: Sendable {
        /// The address.
        public var url: TemplateText

        /// The kind of file, by its suffix.
        public var type: Placed<FileType>
    }

    /// The kinds of attachment that Braze takes.
    public enum FileType: String, Sendable, CaseIterable {
        case aif, gif, jpg, m4a, mp3, mp4, png, wav
    }

    /// The number on the app's icon.
    public enum Badge: Sendable {
        /// A number that is written down.
        case number(Placed<Int>)
        /// Liquid that prints a number.
        case template(TemplateText)
    }

    /// How urgent a notification is.
    public enum InterruptionLevel: String, Sendable, CaseIterable {
        case passive
        case active
        case timeSensitive = "time-sensitive"
        case critical
    }

    /// A button, and what a tap on it does.
    public struct Button: Sendable {
        /// What the tap does.
        public enum Action: String, Sendable, CaseIterable {
            case openApp = "OPEN_APP"
            case uri = "URI"
            case deepLink = "DEEP_LINK"
            case close = "CLOSE"
        }

        /// The identifier of the action in its category.
        public var actionID: Placed<String>

        /// What a tap does; nil leaves it to the button.
        public var action: Placed<Action>?

        /// What a tap opens.
        public var uri: TemplateText?

        /// Whether ``uri`` opens in a web view.
        public var useWebView = true

        /// The place of the whole button.
        public var place: SourcePlace
    }

    /// A key-value pair.
    public struct Extra: Sendable {
        /// The key.
        public var key: TemplateText

        /// The value; with ``isJSON`` what follows `$json:`.
        public var value: TemplateText

        /// Whether the value begins with `$json:`, so that what it renders to is sent as JSON and not as text.
        public var isJSON: Bool
    }

    /// A key of the alert that names a text in the app's string tables, or gives its arguments.
    public struct Localization: Sendable {
        /// The key in APNs' spelling.
        public var key: String

        /// The texts.
        public var texts: [TemplateText]

        /// Whether APNs wants a list.
        public var isList: Bool
    }

    /// Whether anything is shown: without an alert the push runs in the background.
    public var hasAlert: Bool {
        title != nil || subtitle != nil || body != nil || !localization.isEmpty
    }

    /// Every text that Liquid renders, in the order in which the payload has them.
    public var texts: [TemplateText] {
        var texts = [title, subtitle, body].compactMap { $0 }
        texts += localization.flatMap(\.texts)
        if case .template(let badge)? = badge { texts.append(badge) }
        texts += [sound, threadID, category].compactMap { $0 }
        for extra in extras { texts += [extra.key, extra.value] }
        texts += [uri, image?.url, collapseID].compactMap { $0 }
        texts += buttons.compactMap(\.uri)
        return texts
    }
}

extension PushMessage.Badge {
    /// Where the badge is given.
    public var place: SourcePlace? {
        switch self {
        case .number(let number): number.place
        case .template(let template): template.place
        }
    }
}
