// SPDX-License-Identifier: MIT

import SourceText

extension FilterContext {
    /// A value as text, of bounded length; a string comes back as it is.
    package mutating func text(of value: Value) throws(LiquidError) -> String {
        switch value {
        case .string(let string): return string
        case .null: return ""
        default:
            let text = try string { buffer in value.write(to: &buffer) }
            return text.text
        }
    }

    /// Fails where texts of `count` bytes would pass ``stringLimit``.
    func checkLength(_ count: Int) throws(LiquidError) {
        if count > stringLimit { throw Self.textTooLong(limit: stringLimit) }
    }

    static func textTooLong(limit: Int) -> LiquidError {
        LiquidError(
            .memory,
            "the text that a filter builds passes the limit of \(limit) bytes",
            referenceText: "Memory limits exceeded"
        )
    }

    /// How many elements the result of one filter may hold: as many as fit in ``stringLimit``, at least ten thousand.
    package var elementLimit: Int { max(10_000, stringLimit / MemoryLayout<Value>.stride) }

    /// Fails where a result of `count` elements would pass ``elementLimit``.
    package func checkCount(_ count: Int) throws(LiquidError) {
        guard count > elementLimit else { return }
        throw LiquidError(
            .memory,
            "the array that a filter builds passes the limit of \(elementLimit) elements",
            referenceText: "Memory limits exceeded"
        )
    }

    /// What an array filter goes through; see ``Value/appendElements(to:limit:)``.
    package func elements(of value: Value) throws(LiquidError) -> [Value] {
        if case .array(let elements) = value, !elements.contains(where: \.isArray) { return elements }
        var elements: [Value] = []
        let limit = elementLimit
        value.appendElements(to: &elements, limit: limit)
        try checkCount(elements.count)
        return elements
    }
}
