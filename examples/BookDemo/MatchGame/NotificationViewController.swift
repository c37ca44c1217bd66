// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import UIKit
import UserNotifications
import UserNotificationsUI

/// Shows the cards as buttons, and saves the result of a game in the app group.
final class NotificationViewController: UIViewController, UNNotificationContentExtension {
    @IBOutlet private var cardButtons: [UIButton] = []
    @IBOutlet private var prizeLabel: UILabel?

    private var game: MatchGame?

    func didReceive(_ notification: UNNotification) {
        var generator = SystemRandomNumberGenerator()
        game = MatchGame(notification.request.content.userInfo, using: &generator)
        prizeLabel?.text = game?.prize
        show()
    }

    @IBAction private func open(_ sender: UIButton) {
        guard let place = cardButtons.firstIndex(of: sender), let turn = game?.turn(place) else { return }
        show()
        guard case .over(let contents) = turn,
            let store = try? PendingStore(appGroup: "group.com.example.bookdemo.push")
        else { return }
        let records = contents.compactMap { try? PendingRecord($0) }
        Task { for record in records { try? await store.saveInBackground(record) } }
    }

    private func show() {
        for (button, card) in zip(cardButtons, game?.cards ?? []) {
            button.setTitle(card.isOpen ? String(card.symbol) : "?", for: .normal)
        }
    }
}
