// SPDX-License-Identifier: MIT

import SourceText

/// `cycle`.
extension TemplateParser {
    mutating func cycle(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxCycle(tag) },
            strict2: { (parser) throws(LiquidError) in try parser.strictCycle(tag) }
        )
    }

    private func cycleError(_ tag: TagToken) -> LiquidError {
        syntaxError(
            tag,
            "'cycle' needs values",
            "Syntax Error in 'cycle' - Valid syntax: cycle [name :] var [, var2, var3 ...]"
        )
    }

    private mutating func laxCycle(_ tag: TagToken) throws(LiquidError) {
        let start = tag.markup.lowerBound
        let end = tag.markup.upperBound
        guard fragmentEnd(start, end) != nil else { throw cycleError(tag) }
        let name = tree.add(.cycleName, start, start)
        guard let (fragment, values) = cycleName(start, end) else { return try laxCycleValues(start, end) }
        try laxValue(fragment)
        tree.close(name)
        try laxCycleValues(values, end)
    }

    /// A fragment with `:` behind it; as the fragment itself may hold colons, the last one counts.
    private func cycleName(_ start: Int, _ end: Int) -> (Range<Int>, values: Int)? {
        if let quoted = quotedEnd(start, end) {
            let colon = skipSpace(quoted, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":") { return (start..<quoted, skipSpace(colon + 1, end)) }
        }
        guard let stop = fragmentEnd(start, end, wholeRun: true) else { return nil }
        let colon = skipSpace(stop, end)
        if colon < end, bytes[colon] == UInt8(ascii: ":") { return (start..<stop, skipSpace(colon + 1, end)) }
        var last: Int?
        var position = start
        while position < stop {
            if bytes[position] == UInt8(ascii: ":"), position > start { last = position }
            position = quotedEnd(position, stop) ?? position + 1
        }
        return last.map { (start..<$0, skipSpace($0 + 1, end)) }
    }

    private mutating func laxCycleValues(_ start: Int, _ end: Int) throws(LiquidError) {
        var position = start
        while position < end {
            let stop =
                ByteSearch.first(UInt8(ascii: ","), in: Bytes(rebasing: bytes[0..<end]), from: position) ?? end
            if let fragment = firstFragment(position, stop) {
                let value = try laxValue(fragment)
                // The reference loses a literal nil here.
                if tree[value].kind == .null { tree.truncate(to: value) }
            }
            position = stop + 1
        }
    }

    private mutating func strictCycle(_ tag: TagToken) throws(LiquidError) {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            if parser.looksAt(.end) { throw parser.cycleError(tag) }
            let name = parser.tree.add(.cycleName, tag.markup.lowerBound, tag.markup.lowerBound)
            try parser.strictValue()
            // Only a colon makes the first value the name.
            if try parser.take(.colon) {
                parser.tree.close(name)
                try parser.strictValue()
            }
            while try parser.take(.comma), !parser.looksAt(.end) { try parser.strictValue() }
        }
    }
}
