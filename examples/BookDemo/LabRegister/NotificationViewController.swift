// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import UIKit
import UserNotifications
import UserNotificationsUI

/// Shows a field for an e-mail address above the button that the app registers.
final class NotificationViewController: UIViewController, UNNotificationContentExtension {
    @IBOutlet private var titleLabel: UILabel?
    @IBOutlet private var textLabel: UILabel?
    @IBOutlet private var emailField: UITextField?

    private var register: LabRegister?

    func didReceive(_ notification: UNNotification) {
        guard let register = try? LabRegister(notification.request.content.userInfo) else { return }
        self.register = register
        titleLabel?.text = register.title
        textLabel?.text = register.text
    }

    func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void
    ) {
        register?.email = emailField?.text ?? ""
        guard let store = try? PendingStore(appGroup: "group.com.example.bookdemo.push"),
            let answer = register?.answer(to: response.actionIdentifier, saving: store)
        else { return completion(.dismissAndForwardAction) }
        switch answer {
        case .doNotDismiss: completion(.doNotDismiss)
        case .dismiss: completion(.dismiss)
        case .dismissAndForwardAction: completion(.dismissAndForwardAction)
        }
    }
}
