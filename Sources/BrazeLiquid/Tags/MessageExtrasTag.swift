// SPDX-License-Identifier: MIT

import LiquidTemplates

extension TagDefinition {
    /// `{% message_extras :key k :value v %}`: adds a key-value pair to the event that Braze logs for the sent message.
    ///
    /// Of a repeated key, the first value counts. All keys and values together may have 1,024 bytes; the rest is cut.
    /// Options in any other order add nothing, as in Braze. Source: Braze, "Message extras".
    static let messageExtras = TagDefinition(
        "message_extras",
        summary: "Adds a key and a value to the event that Braze logs for the sent message; prints nothing.",
        takesText: true,
        effects: []
    ) { (markup) throws(LiquidError) -> (key: MarkupText, value: MarkupText)? in
        let words = markup.words(in: markup.range)
        guard let first = words.first, markup.text(first) == ":key",
            let option = words.first(where: { markup.text($0) == ":value" })
        else { return nil }
        let key = markup.trimmed(first.upperBound..<option.lowerBound)
        let value = markup.trimmed(option.upperBound..<markup.range.upperBound)
        return (try markup.readText(key), try markup.readText(value))
    } run: { (pair, values, renderer) throws(LiquidError) in
        guard let pair else { return .proceed }
        let key = try values.text(pair.key, renderer.limits).trimmedSpace
        let value = try values.text(pair.value, renderer.limits).trimmedSpace
        let state = try renderer.messageState()
        try renderer.charge(work: state.messageExtras.count)
        state.addExtra(key, value)
        return .proceed
    }
}

extension MessageState {
    /// The maximum number of bytes that all keys and values of a message's extras may have together.
    private static let extrasLimit = 1024

    fileprivate func addExtra(_ key: String, _ value: String) {
        guard !key.isEmpty, !messageExtras.contains(where: { $0.key.sameBytes(as: key) }) else { return }
        let room = Self.extrasLimit - extrasBytes - key.utf8.count
        guard room >= 0 else {
            warn("message extras hold more than \(Self.extrasLimit) bytes: '\(key)' is left out")
            return
        }
        var kept = value
        if value.utf8.count > room {
            kept = String(value.unicodeScalars.prefix(utf8Length: room))
            warn("message extras hold more than \(Self.extrasLimit) bytes: the value of '\(key)' is cut")
        }
        extrasBytes += key.utf8.count + kept.utf8.count
        messageExtras.append((key, kept))
    }
}

extension String.UnicodeScalarView {
    /// The longest prefix with at most `limit` bytes of UTF-8.
    fileprivate func prefix(utf8Length limit: Int) -> SubSequence {
        var count = 0
        return prefix { scalar in
            count += UTF8.width(scalar)
            return count <= limit
        }
    }
}

extension String {
    /// The text without ASCII white space at either end.
    var trimmedSpace: String {
        let bytes = utf8
        guard let first = bytes.firstIndex(where: { !$0.isRubySpace }),
            let last = bytes.lastIndex(where: { !$0.isRubySpace })
        else { return "" }
        return String(self[first...last])
    }
}
