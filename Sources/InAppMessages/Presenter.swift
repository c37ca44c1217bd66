// SPDX-License-Identifier: MIT

/// What becomes of triggered messages: which one is visible, which wait on the stack, which are dropped.
///
/// A value without a clock or a screen: each call says what happened and when, and returns what is to be done. Source:
/// Braze, "In-app message delivery", and the open user interface of Braze's Swift SDK.
public struct Presenter: Sendable {
    /// What the app's delegate answers when a message is about to be shown.
    public enum DisplayChoice: String, Sendable, CaseIterable {
        case now, reenqueue, discard
    }

    /// Why a message was put on the stack.
    public enum StackReason: Sendable, Hashable {
        case background
        case visible(String)
        case delegate
    }

    /// Why a message was dropped; a later event may trigger it again.
    public enum DiscardReason: Sendable, Hashable {
        case delegate
        case assetFailed
        case timeout
        case orientation
        case coldLaunch
    }

    /// What is to be done, or was done.
    public enum Action: Sendable, Hashable {
        case show(String)
        case close(String)
        /// The message waits on top of the stack; it was there before where it moved.
        case stack(String, StackReason, moved: Bool)
        /// The message waits for its asset; it did before where it is triggered anew.
        case wait(String, again: Bool)
        case discard(String, DiscardReason)
    }

    /// What the presenter goes by.
    public struct Settings: Sendable {
        /// The seconds between messages that are shown because of a trigger.
        ///
        /// The stack does not wait for them.
        public var minimumInterval = 30.0

        /// Whether a message may be shown when exactly ``minimumInterval`` has passed; no page of Braze says.
        public var showsAtInterval = true

        /// Creates the settings of Braze's SDK.
        public init() {}
    }

    private struct Entry: Sendable {
        var message: InAppMessage
        var triggeredAt: Double
        /// Whether an event triggered the message, and it was not on the stack since.
        var isTriggered = true
    }

    /// The settings.
    public let settings: Settings

    /// The delegate.
    ///
    /// It is asked once: not again for what comes from the stack.
    public var choice: @Sendable (_ id: String) -> DisplayChoice = { _ in .now }

    /// How the device is held.
    public var orientation = InAppMessage.Orientation.portrait

    /// Whether the app is in the foreground.
    ///
    /// Coming back shows nothing: ``presentNext(at:)`` is for the next event, session start or push click.
    public var isForeground = true

    /// The message that is on screen.
    public private(set) var visible: String?

    private var stack: [Entry] = []
    private var waiting: [Entry] = []
    /// Whether the asset of a message is there; missing while it is being fetched.
    private var assets: [String: Bool] = [:]
    private var lastShown: Double?

    /// Creates a presenter with nothing on screen.
    public init(settings: Settings = Settings()) { self.settings = settings }

    /// The messages on the stack, the next one last.
    public var stacked: [String] { stack.map(\.message.id) }

    /// The messages that wait for their assets.
    public var pending: [String] { waiting.map(\.message.id) }

    /// The seconds in which no event may trigger a message; nil where one may.
    public func secondsBlocked(at time: Double) -> Double? {
        guard let lastShown else { return nil }
        let left = settings.minimumInterval - (time - lastShown)
        // The difference of decimals is a little off: 29.9 s after 100.1 s is not exactly 29.9.
        let isOver = settings.showsAtInterval ? left <= 1e-9 : left < -1e-9
        return isOver ? nil : max(0, left)
    }

    // MARK: - What happens

    /// A message was triggered.
    public mutating func trigger(_ message: InAppMessage, at time: Double) -> Action {
        admit(Entry(message: message, triggeredAt: time), at: time, asksDelegate: true)
    }

    /// The app presents a message of its own accord, which no interval keeps back.
    public mutating func present(_ message: InAppMessage, at time: Double) -> Action {
        admit(Entry(message: message, triggeredAt: time, isTriggered: false), at: time, asksDelegate: true)
    }

    /// The asset of a message was fetched, or cannot be.
    ///
    /// - Returns: what becomes of the message where it waits; nil where it does not.
    public mutating func assetIsLoaded(_ isLoaded: Bool, of id: String, at time: Double) -> Action? {
        assets[id] = isLoaded
        guard let index = waiting.firstIndex(where: { $0.message.id == id }) else { return nil }
        let entry = waiting.remove(at: index)
        guard isLoaded else { return .discard(id, .assetFailed) }
        if let timeout = entry.message.timeout, time - entry.triggeredAt > timeout { return .discard(id, .timeout) }
        return admit(entry, at: time, asksDelegate: false)
    }

    /// The user or the app closed the visible message; the next one comes from the stack.
    public mutating func dismiss(at time: Double) -> [Action] {
        guard let closed = visible else { return [] }
        visible = nil
        return [.close(closed)] + (presentNext(at: time).map { [$0] } ?? [])
    }

    /// Shows what lies on top of the stack, where nothing is visible.
    ///
    /// - Returns: what becomes of it; nil where there is nothing, or something else is on screen.
    public mutating func presentNext(at time: Double) -> Action? {
        guard isForeground, visible == nil, var next = stack.popLast() else { return nil }
        next.isTriggered = false
        return display(next, at: time)
    }

    /// The app was started anew: the stack lives in memory alone.
    public mutating func launch() -> [Action] {
        let lost = stack + waiting
        let closed = visible
        (stack, waiting, visible, assets, lastShown, isForeground) = ([], [], nil, [:], nil, true)
        return (closed.map { [.close($0)] } ?? []) + lost.map { .discard($0.message.id, .coldLaunch) }
    }

    // MARK: - What becomes of a message

    private mutating func admit(_ entry: Entry, at time: Double, asksDelegate: Bool) -> Action {
        guard isForeground else { return push(entry, .background) }
        if let visible { return push(entry, .visible(visible)) }
        switch asksDelegate ? choice(entry.message.id) : .now {
        case .now: return display(entry, at: time)
        case .reenqueue: return push(entry, .delegate)
        case .discard: return .discard(entry.message.id, .delegate)
        }
    }

    private mutating func push(_ entry: Entry, _ reason: StackReason) -> Action {
        let count = stack.count
        stack.removeAll { $0.message.id == entry.message.id }
        defer { stack.append(entry) }
        return .stack(entry.message.id, reason, moved: stack.count < count)
    }

    private mutating func display(_ entry: Entry, at time: Double) -> Action {
        let id = entry.message.id
        if let wanted = entry.message.orientation, wanted != orientation { return .discard(id, .orientation) }
        if entry.message.hasAsset {
            guard let isLoaded = assets[id] else {
                let count = waiting.count
                waiting.removeAll { $0.message.id == id }
                defer { waiting.append(entry) }
                return .wait(id, again: waiting.count < count)
            }
            if !isLoaded { return .discard(id, .assetFailed) }
        }
        visible = id
        if entry.isTriggered { lastShown = time }
        return .show(id)
    }
}
