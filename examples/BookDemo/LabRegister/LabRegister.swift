// SPDX-License-Identifier: MIT

public import ExtensionAnalytics
public import Foundation

/// The push that captures information: the user writes an e-mail address and registers.
///
/// The view shows ``title`` and ``text``, keeps ``email`` at what is in its field, enables its button by
/// ``canRegister``, and passes the answer of ``answer(to:saving:at:)`` to the completion handler.
public struct LabRegister: Sendable {
    /// The identifier of the button.
    public static let registerIdentifier = "REGISTER"

    /// The title.
    public let title: String

    /// The text below.
    public let text: String

    /// What is in the field.
    public var email = ""

    private let user: UserIdentifier

    /// Reads a push.
    ///
    /// - Parameter userInfo: the payload.
    /// - Throws: the pair that is missing or has the wrong type.
    public init(_ userInfo: [AnyHashable: Any]) throws {
        let extras = try LabRegisterExtras(userInfo: userInfo)
        title = extras.certTitle
        text = extras.certDescription
        user = .brazeID(extras.brazeID)
    }

    /// Whether what is in the field can be saved as an e-mail address.
    public var canRegister: Bool { (try? PendingRecord(.userAttribute(.email(email)))) != nil }

    /// What follows from a button: a registration with an address is saved, and without one the notification stays.
    public func action(for identifier: String) -> NotificationAction {
        let register =
            canRegister
            ? NotificationAction(
                saving: [
                    .userAttribute(.email(email)), .customAttributes(["lab_registered": .set(true)]),
                    .event(name: "LAB Registered", properties: ["cert_title": .string(String(title.prefix(60)))]),
                ],
                then: .dismissAndForwardAction
            ) : NotificationAction(then: .doNotDismiss)
        return NotificationAction.answer(to: identifier, in: [Self.registerIdentifier: register])
    }

    /// Saves what follows from a button, and gives what the completion handler gets.
    ///
    /// - Parameters:
    ///   - identifier: the `actionIdentifier` of the response.
    ///   - store: the store of the app group.
    ///   - time: when the button was pressed.
    /// - Returns: the answer; where it cannot be saved, the notification stays, so that the user can try again.
    public func answer(
        to identifier: String,
        saving store: PendingStore,
        at time: Date = Date()
    ) -> NotificationAction.Dismissal {
        let action = action(for: identifier)
        do {
            let records = try action.contents.map { try PendingRecord($0, user: user, time: time) }
            for record in records { try store.save(record) }
            return action.dismissal
        } catch {
            return .doNotDismiss
        }
    }
}
