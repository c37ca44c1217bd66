// SPDX-License-Identifier: MIT

import BrazeLiquid
public import Liquid

/// An in-app message: when it comes, and what it carries.
///
/// Times are seconds on one clock, which the events share.
public struct InAppMessage: Sendable {
    /// How often a message may come.
    public enum ReEligibility: Sendable, Hashable {
        case always
        case once
        /// More than so many seconds after it was triggered last.
        case after(seconds: Double)
    }

    /// How a device is held.
    public enum Orientation: String, Sendable, CaseIterable {
        case portrait, landscape
    }

    /// The id.
    public var id: String

    /// What the message waits for; any of them is enough.
    public var triggers: [Trigger] = []

    /// The filters of the triggers that take them: one of each group has to pass.
    public var filters: [[PropertyFilter]] = []

    /// Of several messages the one with the highest priority comes, of equal ones the first.
    public var priority = 0.0

    /// The message comes only after this time; nil for always.
    public var start: Double?

    /// The message comes only before this time; nil for always.
    public var end: Double?

    /// How often the message may come.
    public var reEligibility = ReEligibility.once

    /// Whether the message is that of the control group: it is logged and not shown, and keeps others away.
    public var isControl = false

    /// The seconds in which its asset has to be there after it was triggered; nil for any.
    public var timeout: Double?

    /// The only orientation in which the message is shown; nil for any.
    public var orientation: Orientation?

    /// Whether the message has an asset, such as an image, that is fetched before it is shown.
    public var hasAsset = false

    /// The pairs, rendered when the message is triggered.
    public var extras: [Extra] = []

    /// Creates a message that nothing triggers.
    public init(id: String) { self.id = id }

    /// A pair of a message.
    public struct Extra: Sendable {
        /// The key, as it is written.
        public var key: String

        /// The value.
        public var template: Template

        /// Creates a pair.
        ///
        /// - Throws: the fault of the value's syntax.
        public init(_ key: String, _ value: String) throws(LiquidError) {
            self.key = key
            template = try Template(value, name: "extras.\(key)", environment: BrazeEnvironment.standard)
        }
    }
}
