// SPDX-License-Identifier: MIT

import DiagnosticSources
public import LiquidTemplates

extension LiquidError.Topic {
    /// A reason of `abort_message` that contains Liquid, so that it is known only when the message is rendered.
    public static let dynamicAbortReason = LiquidError.Topic(rawValue: "dynamic-abort-reason")
}

extension TagDefinition {
    /// The reason of an `abort_message` that gives none.
    static let defaultAbortReason = "{% abort_message %} called"

    /// `{% abort_message('reason') %}`: ends the message, which is then not sent.
    ///
    /// Source: Braze, "Aborting messages".
    static let abortMessage = TagDefinition(
        "abort_message",
        summary: "Ends the message, which is not sent; the reason is a quoted text without Liquid.",
        effects: .stops
    ) { (markup) throws(LiquidError) -> TagMarkup.Expression in
        let range = markup.argumentRange
        if range.isEmpty { return markup.addLiteral(defaultAbortReason, range) }
        guard let reason = markup.quotedString(range) else {
            throw LiquidError(
                .syntax,
                topic: .dynamicAbortReason,
                "found '\(markup.text(range))', expected a quoted text as the reason",
                range: SourceRange(range)
            )
        }
        return markup.addLiteral(reason.isEmpty ? defaultAbortReason : reason, range)
    } run: { (reason, values, _) throws(LiquidError) in
        .stop(reason: values[reason].text)
    }
}
