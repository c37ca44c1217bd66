// SPDX-License-Identifier: MIT

import BrazeLiquid
public import LiquidTemplates

/// An in-app message: when it is shown, and its key-value pairs.
///
/// Times are in seconds since the start of the timeline, like those of events.
public struct InAppMessage: Sendable {
    /// How often a message may be shown to the same user.
    public enum ReEligibility: Sendable, Hashable {
        case always
        case once
        /// Again, when more than this many seconds have passed since the last impression.
        case after(seconds: Double)
    }

    /// The orientation of a device.
    public enum Orientation: String, Sendable, CaseIterable {
        case portrait, landscape
    }

    /// The id of the message.
    public var id: String

    /// The conditions that trigger the message; any one of them is enough.
    ///
    /// A message without conditions is created by the app itself.
    public var conditions: [Condition] = []

    /// The priority of the message: if an event triggers several, the one with the highest is shown; of equal ones, the
    /// first.
    public var priority = 0.0

    /// The time from which the message may be shown; nil if there is no such limit.
    public var start: Double?

    /// The time until which the message may be shown; nil if there is no such limit.
    public var end: Double?

    /// How often the message may be shown.
    public var reEligibility = ReEligibility.once

    /// Whether the message is for the control group: its impression is logged, but nothing is shown.
    public var isControl = false

    /// The seconds between the event that triggers the message and its display.
    public var delay = 0.0

    /// The seconds after the event within which the message has to be shown; nil if there is no such limit.
    public var timeout: Double?

    /// The minimum number of seconds between the last triggered message and this one; nil to use
    /// ``InAppSettings/minimumInterval``.
    public var minimumInterval: Double?

    /// The seconds after which the message closes by itself; nil if only the user or the app closes it.
    public var closeAfter: Double?

    /// The only orientation of the device in which the message is shown; nil if any will do.
    public var orientation: Orientation?

    /// Whether the message has an asset, such as an image, that has to be fetched before the message is shown.
    public var hasAsset = false

    /// The key-value pairs that the app gets with the message.
    public var extras: [Extra] = []

    /// Whether Braze evaluates the campaign again before each display.
    public var isReEvaluated = false

    /// Creates a message that nothing triggers.
    public init(id: String) { self.id = id }

    /// Whether the app itself creates the message: Braze then logs no impression or click and fetches no asset.
    public var isLocal: Bool { conditions.isEmpty }

    /// Whether the key-value pairs are rendered when the message is triggered (`templated_iam`), and not when it is
    /// delivered (`inapp`).
    ///
    /// Source: Braze, "Triggering messages". This applies to a campaign that is evaluated again, and to Liquid that
    /// reads what only the trigger or another server knows.
    public var isTemplated: Bool { isReEvaluated || extras.contains(where: \.needsTrigger) }

    /// An event that triggers a message, and filters for the event's properties.
    public struct Condition: Sendable {
        /// The event that triggers the message.
        public var trigger: Trigger

        /// The filters for the properties, in groups: in each group, one filter has to pass.
        ///
        /// They are ignored for triggers without filters, such as a session start.
        public var filters: [[PropertyFilter]]

        /// Creates a condition.
        public init(_ trigger: Trigger, filters: [[PropertyFilter]] = []) {
            self.trigger = trigger
            self.filters = filters
        }
    }

    /// A key-value pair of a message.
    public struct Extra: Sendable {
        /// The key, as it is written in the file.
        public var key: String

        /// The template from which the value is rendered.
        public var template: Template

        /// Whether the value reads something that is not known before the message is triggered.
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
