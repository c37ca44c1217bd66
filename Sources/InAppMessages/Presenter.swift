// SPDX-License-Identifier: MIT

/// Decides what happens to triggered messages as Braze's `BrazeInAppMessageUI` does: which one is visible, which wait
/// on the stack, and which are dropped.
///
/// It is a state machine without a clock or a screen: ``handle(_:at:)`` takes an event with its time and returns what
/// has to be done. <doc:PresenterStates> is its table. Source: `BrazeInAppMessageUI` of Braze's Swift SDK 18.2.0;
/// ``InAppSettings`` has the choices where Braze's documentation says something else.
public struct Presenter: Sendable {
    // MARK: - States

    /// What is on the screen, or about to be shown.
    public enum State: Sendable {
        case idle
        /// Nothing is on the screen yet: the assets of a message are being fetched.
        case loading(Entry)
        /// A message is on the screen. While a click on it is processed, a newly presented message is held back until
        /// the visible one closes. A message that the app created can be visible while another one is still loading.
        case visible(Entry, isClicking: Bool, loading: Entry?)
    }

    /// A message that the presenter has received, with the time of the event that triggered it.
    public struct Entry: Sendable {
        /// The message itself.
        public var message: InAppMessage
        /// The time of the event that triggered the message, or at which the app presented it, in seconds.
        public var since: Double
        /// Whether the message came from the stack.
        var isFromStack = false

        /// Creates an entry for a message that does not come from the stack.
        public init(_ message: InAppMessage, since: Double) {
            self.message = message
            self.since = since
        }

        var id: String { message.id }
    }

    /// What is on the screen, or about to be shown.
    public private(set) var state = State.idle

    /// The messages that wait on the stack; the next one to be shown is last.
    private var stack: [Entry] = []

    /// The message that is presented when the visible message has closed; nil if there is none.
    private var followUp: Entry?

    /// The time at which the visible message closes by itself, in seconds; nil if it does not.
    public private(set) var closesAt: Double?

    /// Whether the asset of each message could be fetched, by message id.
    ///
    /// An asset that has to be fetched, perhaps again, has no entry.
    private var assets: [String: Bool] = [:]

    private var isForeground = true
    private var orientation = InAppMessage.Orientation.portrait

    /// The settings of the app and of the simulation.
    public let settings: InAppSettings

    /// Returns the answer of the app's delegate when a message is about to be shown.
    ///
    /// The delegate is asked only once for a message: not again if the message comes from the stack.
    public var choice: @Sendable (_ id: String) -> DisplayChoice = { _ in .now }

    /// An answer of the app's delegate to the question whether to show a message.
    public enum DisplayChoice: String, Sendable, CaseIterable {
        case now, reenqueue, discard
    }

    /// Creates a presenter with nothing on the screen, for an app in the foreground on an upright device.
    public init(settings: InAppSettings = InAppSettings()) { self.settings = settings }

    // MARK: - Events

    /// An event that the presenter handles.
    public enum Event: Sendable {
        /// A trigger or the app presents a message; `since` is the time of the event that triggered it, in seconds.
        case present(InAppMessage, since: Double)
        /// The app calls `presentNext()`, to get the message on top of the stack.
        case presentNext
        /// The asset of a message was fetched, or cannot be fetched.
        case asset(String, isLoaded: Bool)
        /// A session starts, in which assets are fetched.
        case sessionStart
        /// The user clicks on the visible message, which closes later, with ``dismiss(_:)``.
        case click
        case dismiss(CloseReason)
        case changeUser
        case wipe
        /// The app is started again.
        case launch
        /// The process of the app ends.
        case terminate
        case turn(InAppMessage.Orientation)
        case background
        case foreground
    }

    /// Why the visible message is closed.
    public enum CloseReason: Sendable, Hashable {
        /// The user or the app closes it.
        case dismissed
        case clicked
        /// The number of seconds in ``InAppMessage/closeAfter`` has passed.
        case timer
        case userChanged
        case wiped
        case coldLaunch
        case terminated
        /// Another message, which had been loading, takes its place.
        case replaced(by: String)
    }

    // MARK: - Effects

    /// Something that has to be done in response to an event.
    public enum Effect: Sendable, Hashable {
        /// The message is shown, and its impression is logged unless the app created it.
        case show(String)
        /// The impression of a control message is logged, and nothing is shown.
        case logControl(String)
        case close(String, CloseReason)
        /// The message is put on top of the stack; `moved` says whether it was on the stack before.
        case stack(String, StackReason, moved: Bool)
        /// The message is shown when the visible one has closed.
        case holdAsFollowUp(String)
        /// The message waits for its asset; `again` says whether it was already waiting.
        case wait(String, again: Bool)
        case discard(String, DiscardReason)
    }

    /// Why a message was put on the stack.
    public enum StackReason: Sendable, Hashable {
        case background
        case visible(String)
        case delegate
        /// Another message took its place as the one to be shown after a click.
        case displaced(by: String)
    }

    /// Why a message was dropped; a later event may trigger it again.
    public enum DiscardReason: Sendable, Hashable {
        case delegate
        case assetFailed
        case timeout
        case orientation
        /// The message was triggered in the background, where no view controller is active.
        case noScreen
        /// Another message was presented while this one was loading.
        case overtaken(by: String)
        case userChanged
        case wiped
        case coldLaunch
        case terminated
    }

    // MARK: - The table

    /// Handles an event.
    ///
    /// - Returns: what has to be done, in order; empty if the event changes nothing.
    public mutating func handle(_ event: Event, at time: Double) -> [Effect] {
        switch (event, state) {
        case (.present(let message, let since), _):
            return present(Entry(message, since: since), at: time)

        case (.presentNext, .visible): return []
        case (.presentNext, .idle), (.presentNext, .loading):
            guard isForeground, var next = stack.last else { return [] }
            next.isFromStack = true
            return prepare(next, at: time)

        case (.asset(let id, let isLoaded), _):
            guard let entry = loading, entry.id == id else {
                assets[id] = isLoaded
                return []
            }
            guard isLoaded else { return drop(entry, .assetFailed) }
            assets[id] = true
            return display(entry, at: time)

        // Assets that could not be fetched have to be fetched again.
        case (.sessionStart, _): assets = assets.filter(\.value)

        case (.click, .visible(let entry, _, let loading)):
            // Braze has no context for a message that the app created, so there is no click to process.
            state = .visible(entry, isClicking: !entry.message.isLocal, loading: loading)
            return []
        case (.click, _): return []

        case (.dismiss(let reason), .visible(let entry, _, let loading)):
            close(loading)
            return [.close(entry.id, reason)] + afterDismissal(at: time)
        case (.dismiss, _): return []

        case (.changeUser, _): return clear(.userChanged, .userChanged)
        case (.wipe, _): return clear(.wiped, .wiped)
        case (.launch, _):
            (assets, isForeground) = ([:], true)
            return clear(.coldLaunch, .coldLaunch)
        case (.terminate, _):
            (assets, isForeground) = ([:], false)
            return clear(.terminated, .terminated)

        // Turning the device neither closes a visible message nor takes one from the stack.
        case (.turn(let orientation), _): self.orientation = orientation
        case (.background, _): isForeground = false
        case (.foreground, _): isForeground = true
        }
        return []
    }

    /// Does what `present(message:)` does, which asks the delegate only if the message could be shown.
    private mutating func present(_ entry: Entry, at time: Double) -> [Effect] {
        if !isForeground {
            return settings.background == .stack
                ? [push(entry, .background)] : [.discard(entry.id, .noScreen)]
        }
        if case .visible(let visible, let isClicking, _) = state {
            return isClicking ? hold(entry) : [push(entry, .visible(visible.id))]
        }
        switch choice(entry.id) {
        case .now: return prepare(entry, at: time)
        case .reenqueue: return [push(entry, .delegate)]
        case .discard:
            removeEqual(to: entry)
            return [.discard(entry.id, .delegate)]
        }
    }

    /// Does what `prepareAndPresent(message:)` does, which is never called while a message is visible.
    private mutating func prepare(_ entry: Entry, at time: Double) -> [Effect] {
        // BrazeUI removes the copy on the stack before the asset is fetched, so the copy is lost if that fails.
        removeEqual(to: entry)
        guard fits(entry.message) else { return [.discard(entry.id, .orientation)] }
        if isExpired(entry, at: time) { return [.discard(entry.id, .timeout)] }
        if entry.message.isLocal { return show(entry, loading: loading, at: time) }
        return overtake(by: entry) + load(entry, at: time)
    }

    /// Shows a message; if its asset is not fetched yet, waits for the asset first.
    private mutating func load(_ entry: Entry, at time: Double) -> [Effect] {
        if entry.message.isControl {
            state = .idle
            return [.logControl(entry.id)] + afterDismissal(at: time)
        }
        guard entry.message.hasAsset else { return show(entry, loading: nil, at: time) }
        switch assets[entry.id] {
        case true?: return show(entry, loading: nil, at: time)
        case false?:
            // The asset is fetched again if the message is triggered again.
            assets[entry.id] = nil
            state = .idle
            return [.discard(entry.id, .assetFailed)]
        case nil:
            let again = loading?.id == entry.id
            state = .loading(entry)
            return [.wait(entry.id, again: again)]
        }
    }

    /// Does what `presentNow(message:)` does when the asset is fetched: orientation, background and delegate are not
    /// checked again.
    private mutating func display(_ entry: Entry, at time: Double) -> [Effect] {
        if isExpired(entry, at: time) { return drop(entry, .timeout) }
        guard case .visible(let visible, _, _) = state else { return show(entry, loading: nil, at: time) }
        // As in BrazeUI, the timer of the replaced message keeps running, unless the new message has a timer.
        let timer = closesAt
        let effects: [Effect] = [.close(visible.id, .replaced(by: entry.id))] + show(entry, loading: nil, at: time)
        closesAt = closesAt ?? timer
        return effects
    }

    // MARK: - Parts

    private var loading: Entry? {
        switch state {
        case .idle: nil
        case .loading(let entry): entry
        case .visible(_, _, let loading): loading
        }
    }

    private mutating func show(_ entry: Entry, loading: Entry?, at time: Double) -> [Effect] {
        state = .visible(entry, isClicking: false, loading: loading)
        closesAt = entry.message.closeAfter.map { time + $0 }
        return [.show(entry.id)]
    }

    private mutating func close(_ loading: Entry?) {
        state = loading.map(State.loading) ?? .idle
        closesAt = nil
    }

    /// The effect of dropping another message that is still loading, whose place `entry` takes; empty if there is none.
    private func overtake(by entry: Entry) -> [Effect] {
        guard let lost = loading, lost.id != entry.id else { return [] }
        return [.discard(lost.id, .overtaken(by: entry.id))]
    }

    /// Drops a message that is loading.
    private mutating func drop(_ entry: Entry, _ reason: DiscardReason) -> [Effect] {
        if case .visible(let visible, let isClicking, _) = state {
            state = .visible(visible, isClicking: isClicking, loading: nil)
        } else {
            state = .idle
        }
        return [.discard(entry.id, reason)]
    }

    private mutating func push(_ entry: Entry, _ reason: StackReason) -> Effect {
        let count = stack.count
        removeEqual(to: entry)
        defer { stack.append(entry) }
        return .stack(entry.id, reason, moved: stack.count < count)
    }

    /// Holds a message until the visible one has closed.
    ///
    /// A message that was already held goes on the stack, even if the stack has an equal one.
    private mutating func hold(_ entry: Entry) -> [Effect] {
        defer { followUp = entry }
        guard let former = followUp else { return [.holdAsFollowUp(entry.id)] }
        stack.append(former)
        return [.stack(former.id, .displaced(by: entry.id), moved: false), .holdAsFollowUp(entry.id)]
    }

    /// Does what `didDismiss()` does: calls the delegate, which may ask for the next message, and then presents the
    /// held message.
    private mutating func afterDismissal(at time: Double) -> [Effect] {
        let effects = settings.presentsNextOnDismissal ? handle(.presentNext, at: time) : []
        guard let next = followUp else { return effects }
        followUp = nil
        return effects + present(next, at: time)
    }

    private mutating func removeEqual(to entry: Entry) {
        stack.removeAll { $0.id.utf8.elementsEqual(entry.id.utf8) }
    }

    /// Closes the visible message and drops all others, and shows none of them afterwards.
    private mutating func clear(_ closing: CloseReason, _ reason: DiscardReason) -> [Effect] {
        var effects: [Effect] = []
        if case .visible(let entry, _, _) = state { effects.append(.close(entry.id, closing)) }
        let lost = stack + [followUp, loading].compactMap(\.self)
        (state, stack, followUp, closesAt) = (.idle, [], nil, nil)
        return effects + lost.map { .discard($0.id, reason) }
    }

    private func isExpired(_ entry: Entry, at time: Double) -> Bool {
        guard let timeout = entry.message.timeout else { return false }
        if entry.isFromStack, !settings.appliesTimeoutOnStack { return false }
        return time - entry.since > timeout + timeNoise
    }

    private func fits(_ message: InAppMessage) -> Bool {
        guard let wanted = message.orientation, settings.device == .phone else { return true }
        return wanted == orientation
    }

    // MARK: - Inspection

    /// The id of the message on the screen; nil if there is none.
    public var visible: String? {
        if case .visible(let entry, _, _) = state { entry.id } else { nil }
    }

    /// The ids of the messages on the stack; the next one to be shown is last.
    public var stacked: [String] { stack.map(\.id) }

    /// The number of messages on the stack.
    var stackCount: Int { stack.count }

    /// The id of the next message on the stack; nil if the stack is empty.
    var topOfStack: String? { stack.last?.id }

    /// The id of the message that is presented when the visible message has closed; nil if there is none.
    public var heldAsFollowUp: String? { followUp?.id }

    /// The id of the message whose asset is being fetched; nil if there is none.
    public var waiting: String? { loading?.id }

    /// The reason why ``Event/presentNext`` would show nothing; nil if it would show a message.
    public var obstacle: String? {
        if !isForeground { return "the app is in the background" }
        if let visible { return "'\(visible)' is visible" }
        return stack.isEmpty ? "the stack is empty" : nil
    }
}

extension Presenter.StackReason: CustomStringConvertible {
    /// The reason in words, for the lines of a simulation.
    public var description: String {
        switch self {
        case .background: "the app is in the background"
        case .visible(let id): "'\(id)' is visible"
        case .delegate: "the delegate put it back"
        case .displaced(let id): "'\(id)' is shown first"
        }
    }
}

extension Presenter.DiscardReason: CustomStringConvertible {
    /// The reason in words, for the lines of a simulation.
    public var description: String {
        switch self {
        case .delegate: "the delegate dropped it"
        case .assetFailed: "its asset cannot be fetched"
        case .timeout: "its timeout has passed"
        case .orientation: "the device has the other orientation"
        case .noScreen: "the app is in the background, where no view controller can show it"
        case .overtaken(let id): "'\(id)' came while the asset of this message was being fetched"
        case .userChanged: "the user has changed"
        case .wiped: "the SDK's data was wiped"
        case .coldLaunch: "the app was restarted, and the stack is only in memory"
        case .terminated: "the app has ended, and the stack is only in memory"
        }
    }
}

extension Presenter.CloseReason: CustomStringConvertible {
    /// The reason in words, for the lines of a simulation.
    public var description: String {
        switch self {
        case .dismissed: "dismissed"
        case .clicked: "clicked"
        case .timer: "closed by itself"
        case .userChanged: "the user has changed"
        case .wiped: "the SDK's data was wiped"
        case .coldLaunch: "the app was restarted"
        case .terminated: "the app has ended"
        case .replaced(let id): "the asset of '\(id)' is loaded"
        }
    }
}

/// The difference in seconds up to which two times count as equal: in binary numbers, 130.0 − 100.1 is not exactly
/// 29.9.
let timeNoise = 1e-9
