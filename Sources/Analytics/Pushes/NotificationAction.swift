// SPDX-License-Identifier: MIT

/// What follows from a button of a notification: what to save, and what becomes of the notification.
///
/// An extension asks ``answer(to:in:otherwise:)`` in its `didReceive(_:completionHandler:)` and gets an answer for every
/// button, so that it calls the completion handler on every path. A handler that is not called leaves the notification
/// hanging until the system gives up.
public struct NotificationAction: Sendable, Hashable {
    /// What becomes of the notification; the names are those of `UNNotificationContentExtensionResponseOption`.
    public enum Dismissal: Sendable, Hashable {
        /// It stays open.
        case doNotDismiss
        /// It goes away.
        case dismiss
        /// It goes away, and the app gets the answer: it opens where the button asks for that.
        case dismissAndForward
    }

    /// What to save, in this order.
    public var contents: [PendingRecord.Content]

    /// What becomes of the notification.
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
    /// - Returns: the action; without one of its own, dismissing dismisses.
    public static func answer(
        to identifier: String,
        in actions: [String: NotificationAction],
        otherwise fallback: NotificationAction = NotificationAction(then: .dismissAndForward)
    ) -> NotificationAction {
        actions[identifier] ?? (identifier == dismissIdentifier ? NotificationAction(then: .dismiss) : fallback)
    }
}
