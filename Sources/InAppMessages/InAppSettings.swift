// SPDX-License-Identifier: MIT

/// The app's configuration, and decisions where Braze's documentation is silent or contradicts itself.
///
/// The defaults follow the open-source parts of Braze's SDKs or, where there are none, the more likely interpretation.
public struct InAppSettings: Sendable {
    /// The minimum of seconds between messages that events trigger: `triggerMinimumTimeInterval`.
    public var minimumInterval = 30.0

    /// Whether a message may be shown when exactly ``minimumInterval`` has passed, which Braze does not document.
    public var showsAtInterval = true

    /// The moment from which ``minimumInterval`` is counted.
    public var intervalStart = IntervalStart.handOver

    /// When a message is taken from the stack without a call of `presentNext()`.
    public var stackMoments = StackMoments.none

    /// What happens to a message that is triggered in the background.
    public var background = BackgroundRule.stack

    /// Whether the timeout of a message also applies when it comes from the stack.
    public var appliesTimeoutOnStack = true

    /// Whether the message with the next lower priority is shown if a templated message is aborted.
    public var fallsBackAfterAbort = true

    /// The result of a negated filter for a property that is missing or of another type.
    public var missingProperty = PropertyFilter.MissingRule.fails

    /// Whether the app calls `presentNext()` in `inAppMessage(_:didDismiss:view:)`, which is before the follow-up of a
    /// click is presented.
    public var presentsNextOnDismissal = false

    /// The seconds in the background after which a return to the foreground starts a session; nil if only the timeline
    /// starts sessions.
    ///
    /// If it is set, starting an app whose process had ended begins a session too. A ``Scenario/Step/Kind/launch``
    /// never does.
    public var sessionTimeout: Double?

    /// The kind of device.
    public var device = Device.phone

    /// The moment from which the minimum interval is counted.
    public enum IntervalStart: String, Sendable, CaseIterable {
        /// The moment at which a triggered message is handed to the presenter, whatever the presenter does with it.
        case handOver = "hand_over"
        /// The last impression.
        case impression
    }

    /// When a message is taken from the stack without a call of `presentNext()`.
    public enum StackMoments: String, Sendable, CaseIterable {
        /// Never, as in the code of BrazeUI.
        case none
        /// Also at a session start, at a click on a push, and when an event triggers a message that is not shown, as
        /// Braze's guide says.
        case documented
    }

    /// What happens to a message that is triggered in the background.
    public enum BackgroundRule: String, Sendable, CaseIterable {
        /// It is put on the stack, as Braze's guide says.
        case stack
        /// It is lost, as in BrazeUI if no view controller is active.
        case lost
    }

    /// The kind of device, which decides which orientations of messages fit.
    public enum Device: String, Sendable, CaseIterable {
        /// A device that fits only messages of the orientation in which it is held.
        case phone
        /// A device that fits messages of both orientations.
        case tablet
    }

    /// Creates the settings of Braze's SDK.
    public init() {}
}

/// A point on which Braze's guide and the open code of BrazeUI disagree.
public enum GuideConflict: String, Sendable, CaseIterable {
    case stackMoments = "stack_moments"
    case background
    case stackTimeout = "stack_timeout"

    /// What the guide says.
    public var guide: String {
        switch self {
        case .stackMoments: "the next message leaves the stack at a session start, a push click or a trigger event"
        case .background: "a message that is triggered in the background is put on the stack"
        case .stackTimeout: "a message past its timeout is removed from the stack"
        }
    }

    /// What BrazeUI does.
    public var code: String {
        switch self {
        case .stackMoments: "only the app's call of presentNext() takes a message from the stack"
        case .background: "without an active root view controller the message is lost"
        case .stackTimeout: "the timeout of a message on the stack is not checked"
        }
    }

    /// Changes the setting to the value that it does not have.
    func flip(_ settings: inout InAppSettings) {
        switch self {
        case .stackMoments: settings.stackMoments = settings.stackMoments == .none ? .documented : .none
        case .background: settings.background = settings.background == .stack ? .lost : .stack
        case .stackTimeout: settings.appliesTimeoutOnStack.toggle()
        }
    }

    /// The value that the setting does not have, as written in a scenario.
    func otherValue(_ settings: InAppSettings) -> String {
        var flipped = settings
        flip(&flipped)
        switch self {
        case .stackMoments: return flipped.stackMoments.rawValue
        case .background: return flipped.background.rawValue
        case .stackTimeout: return "\(flipped.appliesTimeoutOnStack)"
        }
    }
}
