// SPDX-License-Identifier: MIT

/// What an extension does after a tap on a button: what it saves, and whether the notification is dismissed.
///
/// An extension calls ``answer(to:in:otherwise:)`` in its `didReceive(_:completionHandler:)` and gets an answer for
/// every button, so it can call the completion handler on every path. If the handler is not called, the notification
/// hangs until the system gives up.
public struct NotificationAction: Sendable, Hashable {
    /// Whether the notification is dismissed; the names are those of `UNNotificationContentExtensionResponseOption`.
    public enum Dismissal: Sendable, Hashable {
        /// It stays open.
        case doNotDismiss
        /// It is dismissed.
        case dismiss
        /// It is dismissed and the app gets the response; the app opens if the button is defined to open it.
        case dismissAndForwardAction
    }

    /// What to save, in this order.
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

    /// The identifier of dismissing the notification, `UNNotificationDismissActionIdentifier`.
    public static let dismissIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

    /// The action of a button.
    ///
    /// - Parameters:
    ///   - identifier: the `actionIdentifier` of the response.
    ///   - actions: the extension's actions by the identifiers of their buttons.
    ///   - fallback: the action of a button that is not among them: by default the app gets it, which may know it.
    /// - Returns: the action; for a dismissal without an action in `actions`, one that dismisses.
    public static func answer(
        to identifier: String,
        in actions: [String: NotificationAction],
        otherwise fallback: NotificationAction = NotificationAction(then: .dismissAndForwardAction)
    ) -> NotificationAction {
        actions[identifier] ?? (identifier == dismissIdentifier ? NotificationAction(then: .dismiss) : fallback)
    }
}
