// SPDX-License-Identifier: MIT

import BrazeLiquid
public import LiquidTemplates

/// An in-app message: when it comes, and what it carries.
///
/// Times are seconds on one clock, which the events share.
public struct InAppMessage: Sendable {
    /// How often a message may come; the time is counted from its last impression.
    public enum ReEligibility: Sendable, Hashable {
        case always
        case once
        /// More than this many seconds after the last impression.
        case after(seconds: Double)
    }

    /// How a device is held.
    public enum Orientation: String, Sendable, CaseIterable {
        case portrait, landscape
    }

    /// The id.
    public var id: String

    /// What triggers the message; any of them is enough.
    ///
    /// The app itself creates a message without conditions.
    public var conditions: [Condition] = []

    /// Of several messages the one with the highest priority comes, of equal ones the first.
    public var priority = 0.0

    /// The message comes only after this time; nil for always.
    public var start: Double?

    /// The message comes only before this time; nil for always.
    public var end: Double?

    /// How often the message may come.
    public var reEligibility = ReEligibility.once

    /// Whether the message is that of the control group: its impression is logged and it is not shown.
    public var isControl = false

    /// The seconds between the event and the display.
    public var delay = 0.0

    /// The seconds after the event within which the message has to be displayed; nil for any.
    public var timeout: Double?

    /// The seconds between triggered messages that this message asks for; nil for those of the settings.
    public var minimumInterval: Double?

    /// The seconds after which the message closes by itself; nil for a message that waits for the user.
    public var closeAfter: Double?

    /// The only orientation in which the message is shown; nil for any.
    public var orientation: Orientation?

    /// Whether the message has an asset, such as an image, that is fetched before it is shown.
    public var hasAsset = false

    /// The key-value pairs.
    public var extras: [Extra] = []

    /// Whether Braze evaluates the campaign again before each display.
    public var isReEvaluated = false

    /// Creates a message that nothing triggers.
    public init(id: String) { self.id = id }

    /// Whether the app creates the message itself: it has no impression, no click and no asset of Braze's.
    public var isLocal: Bool { conditions.isEmpty }

    /// Whether the key-value pairs are rendered when the message is triggered (`templated_iam`), and not when it is
    /// delivered (`inapp`).
    ///
    /// Source: Braze, "Triggering messages": a campaign that is evaluated again, and Liquid that reads what only the
    /// trigger or another server knows.
    public var isTemplated: Bool { isReEvaluated || extras.contains(where: \.needsTrigger) }

    /// An event that triggers a message, and what its properties have to be.
    public struct Condition: Sendable {
        /// The event.
        public var trigger: Trigger

        /// The filters of the properties: one of each group has to pass.
        ///
        /// A trigger that takes no filters ignores them.
        public var filters: [[PropertyFilter]]

        /// Creates a condition.
        public init(_ trigger: Trigger, filters: [[PropertyFilter]] = []) {
            self.trigger = trigger
            self.filters = filters
        }
    }

    /// A key-value pair of a message.
    public struct Extra: Sendable {
        /// The key, as it is written.
        public var key: String

        /// The value.
        public var template: Template

        /// Whether the value reads what is known only when the message is triggered.
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
