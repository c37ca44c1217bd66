// SPDX-License-Identifier: MIT

import BrazeLiquid
import LiquidTemplates

// Threads that change the reference count of the same object wait for each other, hundreds of times per message. Each
// thread therefore gets its own copy of the parts of a campaign that it reads.

extension CampaignRenderer {
    /// A renderer of the same messages for another thread, with copies of all templates and data.
    func detached() -> CampaignRenderer {
        var campaign = campaign
        campaign.resources = campaign.resources.detached()
        var options = options
        options.context = options.context.detached()
        options.eventProperties = options.eventProperties.detached()
        // These templates were read without errors before, so the fallback is never used.
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
    /// A copy of the object, with copies of its keys and values.
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
    /// A copy of the text in new memory.
    var detached: String { String(decoding: utf8, as: UTF8.self) }
}
