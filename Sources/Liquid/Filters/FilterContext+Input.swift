// SPDX-License-Identifier: MIT

package import JSON
import SourceText

extension FilterContext {
    /// A value as text of up to ``stringLimit`` bytes; a string is returned unchanged.
    package mutating func text(of value: Value) throws(LiquidError) -> String {
        switch value {
        case .string(let string): return string
        case .null: return ""
        default:
            guard case .string(let text) = try string({ buffer in value.write(to: &buffer) }) else { return "" }
            try charge(work: text.utf8.count * 8)
            return text
        }
    }

    /// Fails where texts of `count` bytes would pass ``stringLimit``.
    func checkLength(_ count: Int) throws(LiquidError) {
        if count > stringLimit { throw Self.textTooLong(limit: stringLimit) }
    }

    package static func textTooLong(limit: Int) -> LiquidError {
        LiquidError(
            .memory,
            "the text that a filter builds passes the limit of \(limit) bytes (\(Limit.stringBytes.option))",
            referenceText: "Memory limits exceeded"
        )
    }

    /// The most elements in the result of one filter: as many as fit into ``stringLimit``, but at least ten thousand.
    package var elementLimit: Int { max(10_000, stringLimit / MemoryLayout<Value>.stride) }

    /// Fails where a result of `count` elements would pass ``elementLimit``.
    package func checkCount(_ count: Int) throws(LiquidError) {
        guard count > elementLimit else { return }
        throw LiquidError(
            .memory,
            "the array that a filter builds passes the limit of \(elementLimit) elements (\(Limit.stringBytes.option))",
            referenceText: "Memory limits exceeded"
        )
    }

    /// The elements that an array filter iterates over; see ``Value/appendElements(to:limit:)``.
    package func elements(of value: Value) throws(LiquidError) -> [Value] {
        if case .array(let elements) = value, !elements.contains(where: \.isArray) { return elements }
        var elements: [Value] = []
        let limit = elementLimit
        value.appendElements(to: &elements, limit: limit)
        try checkCount(elements.count)
        return elements
    }

    /// Reads a property of each element and converts it with `value`, which gets nil for elements that have no
    /// properties.
    func items(
        _ property: Value,
        of elements: [Value],
        _ value: (Value?) -> Value
    ) throws(LiquidError) -> [Value] {
        var items: [Value] = []
        items.reserveCapacity(elements.count)
        var parts = 0
        for element in elements {
            let item = value(try element.item(property))
            try count(item, of: element, in: &parts)
            items.append(item)
        }
        return items
    }

    /// Adds the bytes of a property that is a part of a text, for which a new text was made.
    ///
    /// - Throws: `memory` where all of them together pass the limit of one text.
    func count(_ item: Value, of element: Value, in parts: inout Int) throws(LiquidError) {
        guard case .string = element else { return }
        parts += item.textBytes
        try checkLength(parts)
    }

    /// Reads JSON within the bytes that values may still hold.
    ///
    /// - Throws: the first error of the text; `tooLarge` where the value passes the limit of live bytes.
    package mutating func value(json text: String) throws(JSONError) -> Value {
        let room = max(0, budget.liveLimit - budget.live)
        var left = room
        let value = try Value(json: text, within: &left)
        allocate(room - left)
        return value
    }

    /// The error for a value that passes the limit of live bytes.
    package var liveBytesError: LiquidError { Limit.liveBytes.error(at: budget.liveLimit) }
}
