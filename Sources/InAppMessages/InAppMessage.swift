// SPDX-License-Identifier: MIT

import BrazeLiquid
public import LiquidTemplates

/// An in-app message: when it is shown, and its key-value pairs.
///
/// Times are in seconds on the same clock as those of events.
public struct InAppMessage: Sendable {
    /// How often a message may be shown; the time is counted from its last impression.
    public enum ReEligibility: Sendable, Hashable {
        case always
        case once
        /// More than this many seconds after the last impression.
        case after(seconds: Double)
    }

    /// The orientation of a device.
    public enum Orientation: String, Sendable, CaseIterable {
        case portrait, landscape
    }

    /// The id.
    public var id: String

    /// The conditions that trigger the message; any one of them is enough.
    ///
    /// A message without conditions is created by the app itself.
    public var conditions: [Condition] = []

    /// The priority: of several messages, the one with the highest is shown; of equal ones, the first.
    public var priority = 0.0

    /// The time after which the message may be shown; nil for no such limit.
    public var start: Double?

    /// The time before which the message may be shown; nil for no such limit.
    public var end: Double?

    /// How often the message may be shown.
    public var reEligibility = ReEligibility.once

    /// Whether the message is for the control group: its impression is logged, but it is not shown.
    public var isControl = false

    /// The seconds between the event and the display.
    public var delay = 0.0

    /// The seconds after the event within which the message has to be shown; nil for no such limit.
    public var timeout: Double?

    /// The message's own minimum of seconds between triggered messages; nil for ``InAppSettings/minimumInterval``.
    public var minimumInterval: Double?

    /// The seconds after which the message closes by itself; nil if it waits for the user.
    public var closeAfter: Double?

    /// The only orientation in which the message is shown; nil for any.
    public var orientation: Orientation?

    /// Whether the message has an asset, such as an image, that has to be fetched before the message is shown.
    public var hasAsset = false

    /// The key-value pairs.
    public var extras: [Extra] = []

    /// Whether Braze evaluates the campaign again before each display.
    public var isReEvaluated = false

    /// Creates a message that nothing triggers.
    public init(id: String) { self.id = id }

    /// Whether the app creates the message itself: Braze then logs no impression or click and fetches no asset.
    public var isLocal: Bool { conditions.isEmpty }

    /// Whether the key-value pairs are rendered when the message is triggered (`templated_iam`), rather than when it is
    /// delivered (`inapp`).
    ///
    /// Source: Braze, "Triggering messages". This applies to a campaign that is evaluated again, and to Liquid that
    /// reads what only the trigger or another server knows.
    public var isTemplated: Bool { isReEvaluated || extras.contains(where: \.needsTrigger) }

    /// An event that triggers a message, with filters for the event's properties.
    public struct Condition: Sendable {
        /// The event.
        public var trigger: Trigger

        /// The filters for the properties, in groups: in each group, one filter has to pass.
        ///
        /// They are ignored if the trigger takes no filters.
        public var filters: [[PropertyFilter]]

        /// Creates a condition.
        public init(_ trigger: Trigger, filters: [[PropertyFilter]] = []) {
            self.trigger = trigger
            self.filters = filters
        }
    }

    /// A key-value pair of a message.
    public struct Extra: Sendable {
        /// The key, as written.
        public var key: String

        /// The template of the value.
        public var template: Template

        /// Whether the value reads something that is known only when the message is triggered.
        let needsTrigger: Bool

        private static let lateNamespaces = ["event_properties", "canvas_entry_properties", "sms"]
        private static let lateTags = ["connected_content", "catalog_items", "catalog_selection_items"]

        /// Creates a key-value pair.
        ///
        /// - Throws: the error in the value's syntax.
        public init(_ key: String, _ value: String) throws(LiquidError) {
            self.key = key
            let environment = BrazeEnvironment.standard
            template = try Template(value, name: "extras.\(key)", environment: environment)
            let analysis = template.analysis()
            needsTrigger =
                analysis.tags.contains { Self.lateTags.contains($0.name) }
                || analysis.reads.contains { read in
                    Self.lateNamespaces.contains { read.path.root == .name($0) }
                }
        }
    }
}
