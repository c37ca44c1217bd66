// SPDX-License-Identifier: MIT

import UIKit
import UserNotifications
import UserNotificationsUI

/// Shows the progress under the system's title and body.
final class NotificationViewController: UIViewController, UNNotificationContentExtension {
    @IBOutlet private var titleLabel: UILabel?
    @IBOutlet private var nextLabel: UILabel?
    @IBOutlet private var progressView: UIProgressView?

    func didReceive(_ notification: UNNotification) {
        guard let progress = try? LabProgress(notification.request.content.userInfo) else {
            // Without its pairs the view keeps what the storyboard shows.
            return
        }
        titleLabel?.text = progress.title
        nextLabel?.text = progress.nextName
        progressView?.progress = Float(progress.fraction)
    }
}
