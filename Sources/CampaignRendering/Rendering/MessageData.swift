// SPDX-License-Identifier: MIT

import BrazeLiquid
import LiquidTemplates

/// Provides the data for the templates of messages: the values of the user, and the common values, which are the same
/// for all messages.
///
/// The common values are prepared once. If a user from an export shares no namespace with the common values, nothing is
/// copied.
struct MessageData {
    private let renderer: CampaignRenderer
    private var triggerProperties = LiquidObject.empty
    private var base: RenderContext
    private var baseRoot: LiquidObject
    /// The data roots for each combination of an export's namespaces; the index has one bit per namespace.
    private var roots: [ObjectPool?] = Array(repeating: nil, count: 1 << namespaces.count)
    /// The names of the last message's namespaces, and their index in ``roots``.
    private var last: (names: [String], index: Int)?

    /// The namespaces of an export.
    private static let namespaces = [
        BrazeEnvironment.attributesMember, "custom_attribute", "subscribed_state", "most_recently_used_device",
    ]

    /// The number of roots that are used in turn: while the data of a message is prepared, the engine still refers to
    /// the root of the message before it.
    static let rootCount = 2

    init(_ renderer: CampaignRenderer) {
        self.renderer = renderer
        base = renderer.base(triggerProperties: .empty)
        baseRoot = base.root
    }

    /// The data root, the fixtures and the clock for a message.
    mutating func inputs(
        for profile: Profile,
        _ triggerProperties: LiquidObject
    ) -> (root: LiquidObject, fixtures: LiquidObject, clock: Time?) {
        if triggerProperties !== self.triggerProperties { setTriggerProperties(triggerProperties) }
        if let root = root(of: profile) { return (root, base.fixtures, renderer.options.overridesNow ? nil : base.now) }
        let context = renderer.context(for: profile, over: base)
        return (context.root, context.fixtures, context.now)
    }

    /// Prepares the common values again, with other properties of the API trigger.
    private mutating func setTriggerProperties(_ triggerProperties: LiquidObject) {
        self.triggerProperties = triggerProperties
        base = renderer.base(triggerProperties: triggerProperties)
        baseRoot = base.root
        for index in roots.indices { roots[index] = nil }
        last = nil
    }

    /// The root of the data if the profile has only namespaces of an export, none of which the common values have; nil
    /// if the two must be merged.
    private mutating func root(of profile: Profile) -> LiquidObject? {
        // Copying the context here would change three reference counts.
        guard renderer.attributeTypes.isEmpty, profile.context.now == nil, profile.context.variables.count == 0,
            profile.context.fixtures.count == 0
        else { return nil }
        if let last, last.names.count == profile.context.namespaces.count,
            last.names.indices.allSatisfy({ last.names[$0] == profile.context.namespaces[$0].name })
        {
            return root(of: profile.context, last.index)
        }
        let context = profile.context
        var members = 0
        var next = 0
        for (name, _) in context.namespaces {
            // The reader of exports returns the namespaces in this order; a different order comes from the short form.
            while next < Self.namespaces.count, Self.namespaces[next] != name { next += 1 }
            guard next < Self.namespaces.count else { return nil }
            members |= 1 << next
            next += 1
        }
        if roots[members] == nil { roots[members] = pool(for: context) }
        last = (context.namespaces.map(\.name), members)
        return root(of: context, members)
    }

    /// The roots for the common values and the namespaces of a context; nil if they share a name.
    private func pool(for context: RenderContext) -> ObjectPool? {
        guard context.namespaces.allSatisfy({ baseRoot[$0.name] == nil }) else { return nil }
        let root = context.laid(over: base).root
        // A message's values are written by position, so each name needs a position of its own.
        guard root.count == baseRoot.count + context.namespaces.count else { return nil }
        return ObjectPool(root, count: Self.rootCount)
    }

    private mutating func root(of context: RenderContext, _ index: Int) -> LiquidObject? {
        // The root has the keys of the common values first, then the namespaces in their order.
        let baseCount = baseRoot.count
        return roots[index]?.object { values in
            for place in context.namespaces.indices {
                values[baseCount + place] = .object(context.namespaces[place].members)
            }
        }
    }
}
