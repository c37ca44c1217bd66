// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// Something that happens in an app and may trigger a message.
///
/// Only events that the app's SDK logs trigger messages; events that reach Braze over REST do not.
public struct AppEvent: Sendable {
    /// The kinds of events, with what identifies each.
    public enum Kind: Sendable, Hashable {
        case sessionStart
        /// A push was opened; `campaign` is nil if the push's campaign is not known.
        case pushClick(campaign: String? = nil)
        case purchase(product: String)
        case customEvent(name: String)
    }

    /// The kind of the event.
    public var kind: Kind

    /// The properties of a purchase or custom event.
    public var properties: LiquidObject

    /// Creates an event.
    public init(_ kind: Kind, properties: LiquidObject = .empty) {
        self.kind = kind
        self.properties = properties
    }
}

extension AppEvent: CustomStringConvertible {
    /// The event in words, such as `custom event 'opened_lab'`.
    public var description: String {
        switch kind {
        case .sessionStart: "session start"
        case .pushClick(let campaign): "push click" + (campaign.map { " on '\($0)'" } ?? "")
        case .purchase(let product): "purchase of '\(product)'"
        case .customEvent(let name): "custom event '\(name)'"
        }
    }
}

/// The event for which a message waits.
public enum Trigger: Sendable, Hashable {
    case sessionStart
    /// A click on a push of one campaign, or of any campaign if `campaign` is nil.
    case pushClick(campaign: String? = nil)
    case anyPurchase
    case purchase(product: String)
    case customEvent(name: String)

    /// Whether the trigger waits for an event of this kind.
    public func waits(for kind: AppEvent.Kind) -> Bool {
        switch (self, kind) {
        case (.sessionStart, .sessionStart), (.pushClick(nil), .pushClick), (.anyPurchase, .purchase): true
        case (.pushClick(let wanted?), .pushClick(let found?)), (.purchase(let wanted), .purchase(let found)),
            (.customEvent(let wanted), .customEvent(let found)):
            wanted.utf8.elementsEqual(found.utf8)
        default: false
        }
    }

    /// Whether property filters apply to the event: true for purchases of one product and for custom events.
    public var takesFilters: Bool {
        switch self {
        case .purchase, .customEvent: true
        case .sessionStart, .pushClick, .anyPurchase: false
        }
    }
}
