// SPDX-License-Identifier: MIT

/// What an extension does after a tap on a button: what it saves, and whether it dismisses the notification.
///
/// An extension calls ``answer(to:in:otherwise:)`` in its `didReceive(_:completionHandler:)`. It gets an answer for
/// every button, so it can call the completion handler on every path. If the handler is not called, the notification
/// stays unresponsive until the system gives up.
public struct NotificationAction: Sendable, Hashable {
    /// Whether the notification is dismissed; the cases have the names of
    /// `UNNotificationContentExtensionResponseOption`.
    public enum Dismissal: Sendable, Hashable {
        /// The notification stays open.
        case doNotDismiss
        /// The notification is dismissed.
        case dismiss
        /// The notification is dismissed, and the app gets the response. The app opens if the button is defined to open
        /// it.
        case dismissAndForwardAction
    }

    /// What is saved for Braze, in this order.
    public var contents: [PendingRecord.Content]

    /// Whether the notification is dismissed.
    public var dismissal: Dismissal

    /// Creates an action.
    public init(saving contents: [PendingRecord.Content] = [], then dismissal: Dismissal) {
        self.contents = contents
        self.dismissal = dismissal
    }

    /// The identifier of a tap on the notification itself, `UNNotificationDefaultActionIdentifier`.
    public static let defaultIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

    /// The identifier for dismissing the notification, `UNNotificationDismissActionIdentifier`.
    public static let dismissIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

    /// The action of a button.
    ///
    /// - Parameters:
    ///   - identifier: the `actionIdentifier` of the response.
    ///   - actions: the extension's actions, by the identifiers of their buttons.
    ///   - fallback: the action for a button that is not in `actions`; by default, the response is forwarded to the
    ///     app, which may know the button.
    /// - Returns: the action; for a dismissal that is not in `actions`, an action that only dismisses.
    public static func answer(
        to identifier: String,
        in actions: [String: NotificationAction],
        otherwise fallback: NotificationAction = NotificationAction(then: .dismissAndForwardAction)
    ) -> NotificationAction {
        actions[identifier] ?? (identifier == dismissIdentifier ? NotificationAction(then: .dismiss) : fallback)
    }
}
