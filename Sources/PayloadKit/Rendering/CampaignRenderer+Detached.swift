// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid

// Threads that count references to the same object wait for each other at every count, which for a message are hundreds.
// What they read of a campaign is therefore copied for each of them.

extension CampaignRenderer {
    /// A renderer of the same messages for another thread, whose templates and data are its own.
    func detached() -> CampaignRenderer {
        var campaign = campaign
        campaign.resources = campaign.resources.detached()
        var options = options
        options.context = options.context.detached()
        options.eventProperties = options.eventProperties.detached()
        // What was read once is read again, so that the fallback is for the compiler alone.
        return (try? CampaignRenderer(campaign, options: options)) ?? self
    }
}

extension RenderContext {
    fileprivate func detached() -> RenderContext {
        RenderContext(
            namespaces: namespaces.map { ($0.name.detached, $0.members.detached()) },
            variables: variables.detached(),
            fixtures: fixtures.detached(),
            now: now
        )
    }
}

extension LiquidObject {
    /// The object with keys and values of its own.
    func detached() -> LiquidObject {
        LiquidObject(zip(keys, values).map { (key: $0.detached, value: $1.detached()) })
    }
}

extension Value {
    fileprivate func detached() -> Value {
        switch self {
        case .string(let text): .string(text.detached)
        case .array(let elements): .array(elements.map { $0.detached() })
        case .object(let object): .object(object.detached())
        default: self
        }
    }
}

extension String {
    /// The same text in memory of its own.
    var detached: String { String(decoding: utf8, as: UTF8.self) }
}
