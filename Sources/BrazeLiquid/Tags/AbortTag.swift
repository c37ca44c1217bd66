// SPDX-License-Identifier: MIT

import Liquid

extension TagDefinition {
    /// The reason of an `abort_message` that gives none.
    static let defaultAbortReason = "{% abort_message %} called"

    /// `{% abort_message('reason') %}`: the message is not sent.
    ///
    /// Source: Braze, "Aborting messages".
    static let abortMessage = TagDefinition(
        "abort_message",
        summary: "Ends the message, which is not sent; the reason is a quoted text without Liquid.",
        effects: .stops
    ) { (markup) throws(LiquidError) in
        let range = markup.argumentRange
        if range.isEmpty { return [markup.literal(defaultAbortReason, range)] }
        guard let reason = markup.quotedString(range) else {
            throw markup.error("found '\(markup.text(range))', expected a quoted text as the reason", at: range)
        }
        return [markup.literal(reason.isEmpty ? defaultAbortReason : reason, range)]
    } run: { (arguments, _) throws(LiquidError) in
        if case .string(let reason)? = arguments.first { .stop(reason: reason) } else { .proceed }
    }
}
