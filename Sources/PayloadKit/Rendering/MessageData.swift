// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid

/// Provides the data for the templates of messages: the values of the user, and those that are the same for all
/// messages.
///
/// The common values are prepared once. For an export, which shares no namespace with them, nothing is copied.
struct MessageData {
    private let renderer: CampaignRenderer
    private var triggerProperties = LiquidObject.empty
    private var base: RenderContext
    private var baseRoot: LiquidObject
    private var baseValues: [Value]
    /// Objects with the keys of ``baseRoot`` and of some namespaces; the index has a bit for each of these.
    private var shapes: [LiquidObject?] = Array(repeating: nil, count: 1 << namespaces.count)

    /// The namespaces of an export.
    private static let namespaces = [
        BrazeEnvironment.attributesMember, "custom_attribute", "subscribed_state", "most_recently_used_device",
    ]

    init(_ renderer: CampaignRenderer) {
        self.renderer = renderer
        base = renderer.base(triggerProperties: .empty)
        baseRoot = base.root
        baseValues = baseRoot.values
    }

    /// The root, the fixtures and the clock of a message.
    mutating func parts(
        for profile: Profile,
        _ triggerProperties: LiquidObject
    ) -> (root: LiquidObject, fixtures: LiquidObject, clock: Time?) {
        if triggerProperties !== self.triggerProperties { lay(triggerProperties) }
        if let root = root(of: profile) { return (root, base.fixtures, renderer.options.overridesNow ? nil : base.now) }
        let context = renderer.context(for: profile, over: base)
        return (context.root, context.fixtures, context.now)
    }

    private mutating func lay(_ triggerProperties: LiquidObject) {
        self.triggerProperties = triggerProperties
        base = renderer.base(triggerProperties: triggerProperties)
        baseRoot = base.root
        baseValues = baseRoot.values
        for index in shapes.indices { shapes[index] = nil }
    }

    /// The root of the data if the profile and the common values share no namespace; else nil.
    private mutating func root(of profile: Profile) -> LiquidObject? {
        let context = profile.context
        guard renderer.attributeTypes.isEmpty, context.now == nil, context.variables.count == 0,
            context.fixtures.count == 0
        else { return nil }
        var members = 0
        var next = 0
        for (name, _) in context.namespaces {
            // The reader of exports returns them in this order; other orders come from the short form.
            while next < Self.namespaces.count, Self.namespaces[next] != name { next += 1 }
            guard next < Self.namespaces.count else { return nil }
            members |= 1 << next
            next += 1
        }
        guard let shape = shapes[members] else {
            guard context.namespaces.allSatisfy({ baseRoot[$0.name] == nil }) else { return nil }
            let shape = context.laid(over: base).root
            shapes[members] = shape
            return shape
        }
        return LiquidObject(keysOf: shape) { index in
            index < baseValues.count
                ? baseValues[index] : .object(context.namespaces[index - baseValues.count].members)
        }
    }
}
