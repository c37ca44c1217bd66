// SPDX-License-Identifier: MIT

import BrazeKit
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
        // Only now: without the SDK nothing would be logged.
        PendingAnalytics(braze: braze, userID: userID).send()
        return true
    }

    /// Logs in a user, and sends what is saved: before, for the user of until now, and after, for the new one.
    func logIn(_ id: String) {
        guard let braze else { return }
        PendingAnalytics(braze: braze, userID: userID).send()
        braze.changeUser(userId: id)
        userID = id
        PendingAnalytics(braze: braze, userID: userID).send()
    }

    /// The user who is logged in, whom the SDK remembers at the next start, and so does the app.
    private var userID: String? {
        get { UserDefaults.standard.string(forKey: "user_id") }
        set { UserDefaults.standard.set(newValue, forKey: "user_id") }
    }
}
