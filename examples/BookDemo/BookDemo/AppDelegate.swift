// SPDX-License-Identifier: MIT

import BrazeKit
import ExtensionAnalytics
import UIKit
import UserNotifications

/// Registers the button of the category `lab_register`, starts Braze's SDK, and gives it what the extensions have saved.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private var braze: Braze?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let register = UNNotificationAction(identifier: "REGISTER", title: "Register", options: [.foreground])
        let category = UNNotificationCategory(
            identifier: "lab_register",
            actions: [register],
            intentIdentifiers: [],
            options: []
        )
        UNUserNotificationCenter.current().setNotificationCategories([category])
        // The key of the app, which Braze's dashboard shows.
        let configuration = Braze.Configuration(apiKey: "5d3f9c1e-demo", endpoint: "sdk.iad-01.braze.com")
        let braze = Braze(configuration: configuration)
        self.braze = braze
        // Only now: without the SDK nothing would be logged. What fails is tried again at the next start.
        if let store = try? PendingStore(appGroup: "group.com.example.bookdemo.push") {
            try? PendingAnalytics(braze: braze, userID: nil).send(from: store)
        }
        return true
    }
}
