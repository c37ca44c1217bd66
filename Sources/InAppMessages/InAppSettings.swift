// SPDX-License-Identifier: MIT

/// The app's configuration of in-app messages, and how a simulation behaves where Braze's documentation says nothing or
/// contradicts itself.
///
/// The defaults follow the open-source parts of Braze's SDKs or, where there are none, the more likely interpretation.
public struct InAppSettings: Sendable {
    /// The minimum number of seconds between messages that events trigger: `triggerMinimumTimeInterval` of Braze's SDK.
    public var minimumInterval = 30.0

    /// Whether a message may be shown when exactly ``minimumInterval`` has passed; Braze does not say.
    public var showsAtInterval = true

    /// The moment from which ``minimumInterval`` is counted.
    public var intervalStart = IntervalStart.handOver

    /// The moments, besides a call of `presentNext()`, at which a message is taken from the stack.
    public var stackMoments = StackMoments.none

    /// What happens to a message that is triggered in the background.
    public var background = BackgroundRule.stack

    /// Whether a message's timeout also applies while the message is on the stack.
    public var appliesTimeoutOnStack = true

    /// Whether the message with the next lower priority is shown if a message is aborted when it is rendered.
    public var fallsBackAfterAbort = true

    /// The result of a negated filter if the event lacks the property or has it with another type.
    public var missingProperty = PropertyFilter.MissingRule.fails

    /// Whether the app calls `presentNext()` in `inAppMessage(_:didDismiss:view:)`, which is before the message that
    /// was held during a click is presented.
    public var presentsNextOnDismissal = false

    /// The seconds in the background after which the return to the foreground starts a session; nil if only the
    /// timeline starts sessions.
    ///
    /// If it is set, starting an app whose process had ended begins a session too. A ``Scenario/Step/Kind/launch``
    /// never does.
    public var sessionTimeout: Double?

    /// The kind of the simulated device.
    public var device = Device.phone

    /// The moment from which the minimum interval is counted.
    public enum IntervalStart: String, Sendable, CaseIterable {
        /// The moment at which a triggered message is given to the presenter, even if that does not show it.
        case handOver = "hand_over"
        /// The moment of the last impression.
        case impression
    }

    /// The moments, besides a call of `presentNext()`, at which a message is taken from the stack.
    public enum StackMoments: String, Sendable, CaseIterable {
        /// No other moments, as in the code of BrazeUI.
        case none
        /// A session start, a click on a push, and an event that triggers a message that is not shown, as Braze's guide
        /// says.
        case documented
    }

    /// What happens to a message that is triggered while the app is in the background.
    public enum BackgroundRule: String, Sendable, CaseIterable {
        /// The message is put on the stack, as Braze's guide says.
        case stack
        /// The message is lost, as in BrazeUI if no view controller is active.
        case lost
    }

    /// The kind of device, which decides which orientations of messages fit.
    public enum Device: String, Sendable, CaseIterable {
        /// A device that shows only messages for the orientation in which it is held.
        case phone
        /// A device that shows messages for both orientations.
        case tablet
    }

    /// Creates settings with the default values.
    public init() {}
}

/// A question that Braze's guide and the open-source code of BrazeUI answer differently; a setting chooses the answer.
public enum GuideConflict: String, Sendable, CaseIterable {
    case stackMoments = "stack_moments"
    case background
    case stackTimeout = "stack_timeout"

    /// The answer of the guide, in words.
    public var guide: String {
        switch self {
        case .stackMoments: "the next message leaves the stack at a session start, a push click or a trigger event"
        case .background: "a message that is triggered in the background is put on the stack"
        case .stackTimeout: "a message past its timeout is removed from the stack"
        }
    }

    /// The answer of BrazeUI's code, in words.
    public var code: String {
        switch self {
        case .stackMoments: "only the app's call of presentNext() takes a message from the stack"
        case .background: "without an active root view controller the message is lost"
        case .stackTimeout: "the timeout of a message on the stack is not checked"
        }
    }

    /// Switches the setting that chooses the answer to its other value.
    func flip(_ settings: inout InAppSettings) {
        switch self {
        case .stackMoments: settings.stackMoments = settings.stackMoments == .none ? .documented : .none
        case .background: settings.background = settings.background == .stack ? .lost : .stack
        case .stackTimeout: settings.appliesTimeoutOnStack.toggle()
        }
    }

    /// The other value of the setting, as a scenario file writes it.
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
