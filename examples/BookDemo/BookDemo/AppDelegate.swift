// SPDX-License-Identifier: MIT

import UIKit
import UserNotifications

/// Registers the button of the category `lab_register`.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let register = UNNotificationAction(identifier: "REGISTER", title: "Register", options: [])
        let category = UNNotificationCategory(
            identifier: "lab_register",
            actions: [register],
            intentIdentifiers: [],
            options: []
        )
        UNUserNotificationCenter.current().setNotificationCategories([category])
        return true
    }
}
