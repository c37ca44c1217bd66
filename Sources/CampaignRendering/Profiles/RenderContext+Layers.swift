// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import LiquidTemplates

extension RenderContext {
    /// The context with properties of the API trigger and of the event added; the context's own values take precedence.
    public func laid(overTriggerProperties trigger: LiquidObject, eventProperties: LiquidObject) -> RenderContext {
        if trigger.count == 0, eventProperties.count == 0 { return self }
        return laid(
            over: RenderContext(
                namespaces: [("api_trigger_properties", trigger), ("event_properties", eventProperties)]
                    .filter { $0.1.count > 0 }
            )
        )
    }
}

extension RenderContext {
    /// The names of the plain Liquid variables that the context sets.
    package var variableNames: [String] { variables.keys }
}
