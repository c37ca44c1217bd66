// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// The parts of a push that decide what happens to it on a device.
public struct Push: Sendable, Hashable {
    /// The id, by which steps and expectations name the push.
    public var id: String

    /// Braze's campaign, which may trigger a message; nil if it does not matter.
    public var campaign: String?

    /// The category, which a content extension may claim; nil for none.
    public var category: String?

    /// Whether the push has something to show: `aps.alert`.
    public var hasAlert = true

    /// Whether the push wakes the app: `aps.content-available` is 1.
    public var wakesApp = false

    /// Whether the push has an image: `mutable-content` is 1, and a service extension attaches the image.
    public var hasImage = false

    /// Whether Braze sent the push, which then has the key `ab`.
    public var isFromBraze = true

    /// Creates a push with an alert.
    public init(id: String) { self.id = id }
}

/// What an app declares and does about push notifications.
public struct AppSetup: Sendable, Hashable {
    /// A callback of the system that Braze's SDK needs.
    public enum Callback: String, Sendable, CaseIterable {
        /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
        case background
        /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
        case response
        /// `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
        case foreground
    }

    /// How an extension stores what it saves for the app.
    public enum PendingStorage: String, Sendable, CaseIterable {
        /// In files of the library `ExtensionAnalytics`: each record with its time and user, until it is acknowledged.
        case store
        /// In three arrays of `UserDefaults`, as in Braze's guides.
        case guide
    }

    /// How the app sends what an extension saved.
    public enum Sending: String, Sendable, CaseIterable {
        /// Through Braze's SDK, which logs events with the current time and for the logged-in user.
        case sdk
        /// Through Braze's `/users/track`, which takes the time and the user of each record, but triggers no message.
        case track
    }

    /// The callbacks that the app forwards to Braze's SDK; all of them if `configuration.push.automation` is true.
    public var forwarded: Set<Callback> = []

    /// Whether `willPresent` returns options, so that a push is shown while the app is in the foreground.
    public var presentsInForeground = false

    /// Whether `UIBackgroundModes` contains `remote-notification`.
    public var hasRemoteNotificationMode = false

    /// Whether the app has a notification service extension.
    public var hasServiceExtension = false

    /// The categories that content extensions claim.
    public var contentCategories: Set<String> = []

    /// How an extension stores what it saves.
    public var storage = PendingStorage.store

    /// How the app sends what an extension saved; the storage of Braze's guides lacks the time and user for
    /// `/users/track`.
    public var sending = Sending.sdk

    /// Whether Braze's SDK exists when the app sends what was saved.
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
    /// The state of the app.
    public enum AppState: String, Sendable, CaseIterable {
        case foreground, background
        /// The process has ended.
        case terminated
    }

    /// What the user does with a push on the screen.
    public enum Response: Sendable, Hashable {
        case tap
        /// A tap on a button: its identifier, the answer of the content extension, and whether the action has the
        /// option `foreground`.
        case action(String, ResponseOption = .dismissAndForward, isForeground: Bool = false)
        case dismiss
    }

    /// Apple's `UNNotificationContentExtensionResponseOption`, with which a content extension answers an action.
    ///
    /// If no content extension answers the action, the system forwards it.
    public enum ResponseOption: String, Sendable, CaseIterable {
        case doNotDismiss = "do_not_dismiss"
        case dismiss
        case dismissAndForward = "dismiss_and_forward"
    }

    /// What happens to a push.
    public enum Effect: Sendable, Hashable {
        /// The push is shown to the user.
        case display(String)
        /// The push is not shown, for the given reason.
        case withhold(String)
        /// The app is called for the push, in the foreground or in the background.
        case wake(String)
        /// The app is not called, although the push asks for it, for the given reason.
        case doNotWake(String)
        /// The push is removed from the screen.
        case dismiss(String)
        /// The push stays on the screen.
        case stay(String)
        /// The app comes to the foreground, and is started first if its process has ended.
        case openApp
        /// Braze's SDK logs the opening of the push.
        case logOpen(String)
        /// Braze's SDK learns nothing of the opening, for the given reason.
        case loseOpen(String)
        /// The response has no effect, for the given reason.
        case refuse(String)
    }

    /// What the app declares and does.
    public let app: AppSetup

    /// The ids of the pushes on the screen.
    private var shown: Set<String> = []

    /// Creates a device that shows no push.
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
                return .doNotWake("UIBackgroundModes does not hold 'remote-notification'")
            }
            return .wake(handlingReason(of: push, .background))
        case .terminated:
            return .doNotWake("the app has ended: an app that the user has closed is not started for a push")
        }
    }

    private func handlingReason(of push: Push, _ callback: AppSetup.Callback) -> String {
        if !push.isFromBraze { return "the app handles it itself, as Braze has not sent it" }
        return app.forwarded.contains(callback)
            ? "Braze's SDK learns of it"
            : "the app does not forward '\(callback.rawValue)': Braze's SDK does not learn of it"
    }

    /// Handles the user's response to a push.
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
        let words = opensApp ? action : "\(action), of which the app and Braze learn nothing"
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

/// What extensions save until the app sends it at its next start.
///
/// With ``AppSetup/PendingStorage/store``, records are kept as by the library `ExtensionAnalytics`. With
/// ``AppSetup/PendingStorage/guide``, they are kept in `UserDefaults`, as in Braze's guides: without time or user, and
/// the arrays are removed whether or not they were sent. If a message waits for the name of a record, the record is an
/// event that triggers the message when the SDK logs it.
public struct PendingJourney: Sendable {
    /// A record that was saved.
    private struct Record: Sendable {
        let name: String
        let time: Double
        let user: String?
        let properties: LiquidObject
    }

    /// What happens to a record.
    public enum Effect: Sendable {
        /// The record with this name is sent; the text says with which time and for which user.
        case send(String, String)
        /// The record with this name is lost, for the given reason.
        case lose(String, String)
        /// The record with this name waits for a later start of the app, for the given reason.
        case keep(String, String)
        /// The SDK logs the record as an event.
        case log(AppEvent)
    }

    /// What the app declares and does.
    public let app: AppSetup

    private var records: [Record] = []

    /// Creates a journey without records.
    public init(app: AppSetup) { self.app = app }

    /// Saves a record, as an extension does.
    public mutating func save(_ name: String, properties: LiquidObject = .empty, user: String?, at time: Double) {
        records.append(Record(name: name, time: time, user: user, properties: properties))
    }

    /// Sends what was saved, as the app does after creating the SDK.
    public mutating func send(user: String?, at time: Double) -> [Effect] {
        let sent = records
        switch (app.hasSDKAtSending, app.storage) {
        case (false, .store): return sent.map { .keep($0.name, "the SDK has not been created yet") }
        case (false, .guide):
            records = []
            return sent.map {
                .lose($0.name, "the SDK has not been created yet, and the guide's code removes the array all the same")
            }
        case (true, .store) where app.sending == .track:
            records = []
            return sent.map { record in
                let owner = record.user.map { "'\($0)'" } ?? "the user at that time"
                let late = (time - record.time).secondsText
                let words = "with its time, \(record.time.secondsText), and about \(owner); \(late) after it was saved"
                return .send(record.name, words)
            }
        case (true, let storage):
            // Only a record of the store knows its user, so that it can wait until that user is logged in.
            let isForOther = { (record: Record) in storage == .store && record.user != nil && record.user != user }
            records = sent.filter(isForOther)
            return sent.flatMap { record -> [Effect] in
                if isForOther(record) {
                    return [
                        .keep(record.name, "it waits for '\(record.user ?? "")', as the SDK logs for who is logged in")
                    ]
                }
                let event = AppEvent(.customEvent(name: record.name), properties: record.properties)
                return [.send(record.name, words(record, user, time)), .log(event)]
            }
        }
    }

    private func words(_ record: Record, _ user: String?, _ time: Double) -> String {
        let now = user.map { "'\($0)'" } ?? "the current user"
        let owner = record.user.map { "'\($0)'" } ?? "the user at that time"
        let wrong = record.user == nil || record.user == user ? "" : ", although it was saved for \(owner)"
        return "as of now, \((time - record.time).secondsText) late, and about \(now)\(wrong)"
    }

    /// Removes what is in the app's `UserDefaults`, as `resetStorageKeys` of Braze's demo does.
    public mutating func reset() -> [Effect] {
        guard app.storage == .guide else {
            return records.map { .keep($0.name, "it is a file, and not in UserDefaults") }
        }
        let lost = records
        records = []
        return lost.map { .lose($0.name, "the keys of UserDefaults are removed") }
    }

    /// The number of records that wait to be sent.
    var count: Int { records.count }
}
