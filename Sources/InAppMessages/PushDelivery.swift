// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// The parts of a push that determine what a device does with it.
public struct Push: Sendable, Hashable {
    /// The id by which a scenario names the push.
    public var id: String

    /// The id of the push's campaign in Braze, which can trigger messages; nil if no message waits for it.
    public var campaign: String?

    /// The category of the push, which a content extension may claim; nil if it has none.
    public var category: String?

    /// Whether the push has something to show: `aps.alert`.
    public var hasAlert = true

    /// Whether the push wakes the app: `aps.content-available` is 1.
    public var wakesApp = false

    /// Whether the push has an image that a service extension attaches: `mutable-content` is 1.
    public var hasImage = false

    /// Whether Braze sent the push: true if it has the key `ab`.
    public var isFromBraze = true

    /// Creates a push with an alert.
    public init(id: String) { self.id = id }
}

/// What an app declares about push notifications, and which callbacks it forwards to Braze's SDK.
public struct AppSetup: Sendable, Hashable {
    /// A callback of the system that an app has to forward to Braze's SDK.
    public enum Callback: String, Sendable, CaseIterable {
        /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
        case background
        /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
        case response
        /// `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
        case foreground
    }

    /// Where an extension stores what it saves for the app.
    public enum PendingStorage: String, Sendable, CaseIterable {
        /// In files of the library `ExtensionAnalytics`: each record with its time and user, until it is acknowledged.
        case store
        /// In three arrays of `UserDefaults`, as in Braze's guides.
        case guide
    }

    /// How the app sends to Braze what an extension saved.
    public enum Sending: String, Sendable, CaseIterable {
        /// Through Braze's SDK, which logs events with the current time and for the logged-in user.
        case sdk
        /// Through Braze's `/users/track`, which takes the time and the user of each record, but triggers no message.
        case track
    }

    /// The callbacks that the app forwards to Braze's SDK; all of them if `configuration.push.automation` is true.
    public var forwarded: Set<Callback> = []

    /// Whether `willPresent` returns options that show a push while the app is in the foreground.
    public var presentsInForeground = false

    /// Whether `UIBackgroundModes` contains `remote-notification`.
    public var hasRemoteNotificationMode = false

    /// Whether the app has a notification service extension.
    public var hasServiceExtension = false

    /// The categories that content extensions claim.
    public var contentCategories: Set<String> = []

    /// Where an extension stores what it saves.
    public var storage = PendingStorage.store

    /// How the app sends what an extension saved.
    ///
    /// The storage of Braze's guides lacks the time and user that `/users/track` needs.
    public var sending = Sending.sdk

    /// Whether the app creates Braze's SDK before it sends what was saved.
    public var hasSDKAtSending = true

    /// Creates an app that declares and forwards nothing.
    public init() {}
}

/// Decides which pushes a device shows, and what the app and Braze's SDK learn about them.
///
/// Sources: Apple, "Pushing background updates to your App", "Handling notifications and notification-related actions"
/// and `UNNotificationServiceExtension`; Braze, "Push analytics and custom event logging" and "Push notifications" for
/// Swift.
public struct PushDelivery: Sendable {
    /// The state of the app when a push arrives.
    public enum AppState: String, Sendable, CaseIterable {
        case foreground, background
        /// The process of the app has ended.
        case terminated
    }

    /// What the user does with a push on the screen.
    public enum Response: Sendable, Hashable {
        case tap
        /// A tap on a button: the button's identifier, the answer of the content extension, and whether the action has
        /// the option `foreground`.
        case action(String, ResponseOption = .dismissAndForward, isForeground: Bool = false)
        case dismiss
    }

    /// The answer of a content extension to a tap on a button, Apple's `UNNotificationContentExtensionResponseOption`.
    ///
    /// If no content extension answers the tap, the system forwards it to the app.
    public enum ResponseOption: String, Sendable, CaseIterable {
        case doNotDismiss = "do_not_dismiss"
        case dismiss
        case dismissAndForward = "dismiss_and_forward"
    }

    /// What a device does with a push; the text adds details or gives the reason.
    public enum Effect: Sendable, Hashable {
        /// The device shows the push to the user.
        case display(String)
        /// The device does not show the push; with the reason.
        case withhold(String)
        /// The system calls the app for the push, in the foreground or in the background.
        case wake(String)
        /// The system does not call the app, although the push asks for it; with the reason.
        case doNotWake(String)
        /// The push is removed from the screen.
        case dismiss(String)
        /// The push stays on the screen.
        case stay(String)
        /// The app comes to the foreground; if its process has ended, it is started first.
        case openApp
        /// Braze's SDK logs that the push was opened.
        case logOpen(String)
        /// Braze's SDK does not learn that the push was opened; with the reason.
        case loseOpen(String)
        /// The user's response has no effect; with the reason.
        case refuse(String)
    }

    /// What the app declares and does about pushes.
    public let app: AppSetup

    /// The ids of the pushes that are on the screen.
    private var shown: Set<String> = []

    /// Creates a device on which no push has arrived.
    public init(app: AppSetup) { self.app = app }

    /// Handles the arrival of a push.
    public mutating func arrive(_ push: Push, _ state: AppState) -> [Effect] {
        var effects: [Effect] = []
        if push.hasAlert {
            if state == .foreground, !app.presentsInForeground {
                effects.append(.withhold("the app is in the foreground, and 'willPresent' answers with no options"))
            } else {
                shown.insert(push.id)
                effects.append(.display(displayWords(push)))
            }
        }
        if push.wakesApp { effects.append(wake(push, state)) }
        if !push.hasAlert, !push.wakesApp {
            effects.append(.withhold("it has neither an alert nor content-available"))
        }
        return effects
    }

    private func displayWords(_ push: Push) -> String {
        var words =
            push.hasImage
            ? (app.hasServiceExtension ? "with its image" : "without its image: no service extension attaches it") : ""
        if let category = push.category, app.contentCategories.contains(category) {
            words += (words.isEmpty ? "" : ", ") + "and a content extension draws it when it is expanded"
        }
        return words.isEmpty ? "as an alert" : words
    }

    private func wake(_ push: Push, _ state: AppState) -> Effect {
        switch state {
        case .foreground: return .wake(handlingReason(of: push, .background))
        case .background:
            guard app.hasRemoteNotificationMode else {
                return .doNotWake("UIBackgroundModes does not contain 'remote-notification'")
            }
            return .wake(handlingReason(of: push, .background))
        case .terminated:
            return .doNotWake("the app has ended: an app that the user has closed is not started for a push")
        }
    }

    private func handlingReason(of push: Push, _ callback: AppSetup.Callback) -> String {
        if !push.isFromBraze { return "the app handles the push itself, as Braze has not sent it" }
        return app.forwarded.contains(callback)
            ? "Braze's SDK learns of it"
            : "the app does not forward '\(callback.rawValue)': Braze's SDK does not learn of it"
    }

    /// Handles what the user does with a push on the screen.
    public mutating func respond(to push: Push, _ response: Response) -> [Effect] {
        guard shown.contains(push.id) else { return [.refuse("it is not on the screen")] }
        if case .action(let identifier, let option, let isForeground) = response {
            return act(on: push, "'\(identifier)'", option, isForeground: isForeground)
        }
        shown.remove(push.id)
        if response == .dismiss { return [.dismiss("Braze logs nothing")] }
        return [.dismiss("tapped"), .openApp, opened(push, "tap")]
    }

    private mutating func act(
        on push: Push,
        _ action: String,
        _ option: ResponseOption,
        isForeground: Bool
    ) -> [Effect] {
        var effects: [Effect] = []
        var option = option
        if option != .dismissAndForward, !(push.category.map(app.contentCategories.contains) ?? false) {
            effects.append(.refuse("no content extension claims its category, so \(action) is forwarded"))
            option = .dismissAndForward
        }
        let opensApp = option == .dismissAndForward || isForeground
        let words = opensApp ? action : "\(action), and neither the app nor Braze is told"
        if option == .doNotDismiss {
            effects.append(.stay(words))
        } else {
            shown.remove(push.id)
            effects.append(.dismiss(words))
        }
        return opensApp ? effects + [.openApp, opened(push, "button \(action)")] : effects
    }

    private func opened(_ push: Push, _ what: String) -> Effect {
        if !push.isFromBraze { return .loseOpen("the app handles the \(what) itself, as Braze has not sent the push") }
        if app.forwarded.contains(.response) { return .logOpen(what) }
        return .loseOpen("the app does not forward 'response': no open is logged, and no link is followed")
    }
}

/// The records that extensions save, until the app sends them at its next start.
///
/// With ``AppSetup/PendingStorage/store``, records are kept as the library `ExtensionAnalytics` keeps them. With
/// ``AppSetup/PendingStorage/guide``, they are kept in `UserDefaults`, as in Braze's guides: without time or user, and
/// the arrays are removed whether or not they were sent. When the SDK logs a record, it logs an event with the record's
/// name, which may trigger a message.
public struct PendingJourney: Sendable {
    /// A record that an extension saved.
    private struct Record: Sendable {
        let name: String
        let time: Double
        let user: String?
        let properties: LiquidObject
    }

    /// What happens to a record when the app starts; the first text is the record's name.
    public enum Effect: Sendable {
        /// The record is sent; the second text says with which time and for which user.
        case send(String, String)
        /// The record is lost; with the reason.
        case lose(String, String)
        /// The record waits for a later start of the app; with the reason.
        case keep(String, String)
        /// The SDK logs the record as an event.
        case log(AppEvent)
    }

    /// What the app declares and does about pushes.
    public let app: AppSetup

    private var records: [Record] = []

    /// Creates a device on which no extension has saved anything.
    public init(app: AppSetup) { self.app = app }

    /// Saves a record, as an extension does.
    public mutating func save(_ name: String, properties: LiquidObject = .empty, user: String?, at time: Double) {
        records.append(Record(name: name, time: time, user: user, properties: properties))
    }

    /// Sends the saved records, as the app does when it starts.
    public mutating func send(user: String?, at time: Double) -> [Effect] {
        let sent = records
        switch (app.hasSDKAtSending, app.storage) {
        case (false, .store): return sent.map { .keep($0.name, "the SDK has not been created yet") }
        case (false, .guide):
            records = []
            return sent.map {
                .lose($0.name, "the SDK has not been created yet, but the code of Braze's guide removes what was saved")
            }
        case (true, .store) where app.sending == .track:
            records = []
            return sent.map { record in
                let owner = record.user.map { "'\($0)'" } ?? "the user who was logged in then"
                let late = (time - record.time).secondsText
                let words = "with the time \(record.time.secondsText) and for \(owner), \(late) after it was saved"
                return .send(record.name, words)
            }
        case (true, let storage):
            // Only a record in the store names its user, so only it can wait until that user is logged in.
            let isForOther = { (record: Record) in storage == .store && record.user != nil && record.user != user }
            records = sent.filter(isForOther)
            return sent.flatMap { record -> [Effect] in
                if isForOther(record) {
                    return [
                        .keep(
                            record.name,
                            "it waits for '\(record.user ?? "")', as the SDK logs for the user who is logged in")
                    ]
                }
                let event = AppEvent(.customEvent(name: record.name), properties: record.properties)
                return [.send(record.name, words(record, user, time)), .log(event)]
            }
        }
    }

    private func words(_ record: Record, _ user: String?, _ time: Double) -> String {
        let now = user.map { "'\($0)'" } ?? "the current user"
        let owner = record.user.map { "'\($0)'" } ?? "the user who was logged in then"
        let wrong = record.user == nil || record.user == user ? "" : ", although it was saved for \(owner)"
        return "with the time of now, \((time - record.time).secondsText) late, and for \(now)\(wrong)"
    }

    /// Removes the records in the app's `UserDefaults`, as `resetStorageKeys` of Braze's demo app does.
    public mutating func reset() -> [Effect] {
        guard app.storage == .guide else {
            return records.map { .keep($0.name, "it is kept in a file, not in UserDefaults") }
        }
        let lost = records
        records = []
        return lost.map { .lose($0.name, "the keys of UserDefaults are removed") }
    }

    /// The number of records that wait to be sent.
    var count: Int { records.count }
}
