// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let cycle = TagDefinition(
        "cycle",
        summary: "Prints its values in turn, one each time that it is rendered.",
        examples: [Example("{% for n in (1..3) %}{% cycle 'odd', 'even' %} {% endfor %}", "odd even odd ")]
    ) { (parser, tag, _) throws(LiquidError) in
        (try parser.cycle(tag), .prints)
    }
}

/// A `cycle`: its values, and its name if it has one.
private struct CycleNode: TagNode {
    /// The name of the cycle; nil if it is named by its values.
    let name: ExpressionSyntax?
    let values: [ExpressionSyntax]
    /// The offset at which the markup starts.
    let start: Int

    var expressions: [ExpressionSyntax] { (name.map { [$0] } ?? []) + values }
    var contents: TagContents { .ownText }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compileCycle(self) }
}

extension TemplateParser {
    fileprivate mutating func cycle(_ tag: TagToken) throws(LiquidError) -> CycleNode {
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

    private mutating func laxCycle(_ tag: TagToken) throws(LiquidError) -> CycleNode {
        let start = tag.markup.lowerBound
        let end = tag.markup.upperBound
        guard fragmentEnd(start, end) != nil else { throw cycleError(tag) }
        guard let (fragment, values) = cycleName(start, end) else {
            return CycleNode(name: nil, values: try laxCycleValues(start, end), start: start)
        }
        let name = try laxValue(fragment)
        return CycleNode(name: name, values: try laxCycleValues(values, end), start: start)
    }

    /// The name before a `:`, and the offset after that colon; the last colon counts, as the name itself may
    /// contain colons.
    private mutating func cycleName(_ start: Int, _ end: Int) -> (Range<Int>, values: Int)? {
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

    private mutating func laxCycleValues(_ start: Int, _ end: Int) throws(LiquidError) -> [ExpressionSyntax] {
        var values: [ExpressionSyntax] = []
        var position = start
        while position < end {
            let stop =
                ByteSearch.first(UInt8(ascii: ","), in: Bytes(rebasing: bytes[0..<end]), from: position) ?? end
            if let fragment = firstFragment(position, stop) {
                let value = try laxValue(fragment)
                // The reference implementation drops a literal nil here.
                if case .literal(.null) = value.kind {} else { values.append(value) }
            }
            position = stop + 1
        }
        return values
    }

    private mutating func strictCycle(_ tag: TagToken) throws(LiquidError) -> CycleNode {
        try parseTokens(in: tag.markup) { (parser) throws(LiquidError) in
            if parser.isAt(.end) { throw parser.cycleError(tag).stopping(at: parser.token.range, expected: .value) }
            var name: ExpressionSyntax?
            var values = [try parser.strictValue()]
            // The first value is the name only if a colon follows.
            if parser.take(.colon) {
                name = values[0]
                values = [try parser.strictValue()]
            }
            while parser.take(.comma), !parser.isAt(.end) { values.append(try parser.strictValue()) }
            return CycleNode(name: name, values: values, start: tag.markup.lowerBound)
        }
    }
}

extension Compiler {
    fileprivate mutating func compileCycle(_ cycle: CycleNode) {
        let values = cycle.values
        if let name = cycle.name {
            push(name)
        } else {
            pushConstant(key(of: values, at: cycle.start))
        }
        let select = emit(.cycle(count: Int32(values.count), elseTo: 0))
        let table = here
        for _ in values { emit(.jump(to: 0)) }
        var toEnd = JumpList()
        for (index, value) in values.enumerated() {
            patch(table + index)
            push(value)
            toEnd.append(emit(.jump(to: 0)), in: &instructions)
        }
        // This cycle has no value for the position.
        patch(select)
        pushConstant(.null)
        patch(toEnd)
        escape()
        emit(.emitCycled)
    }

    /// The name of a cycle that is named by its values.
    ///
    /// Cycles with equal literals share one position, and so do cycles with equal literals and ranges; a cycle that
    /// contains a variable shares its position with no other cycle.
    private func key(of values: [ExpressionSyntax], at start: Int) -> Value {
        let literals = values.compactMap(\.literal)
        if literals.count == values.count { return .string(Value.array(literals).text) }
        var texts: [String] = []
        for value in values {
            if let literal = value.literal {
                texts.append(Value.array([literal]).text)
            } else if case .range = value.kind {
                texts.append(String(decoding: bytes[value.range.offsets], as: UTF8.self).withoutSpace)
            } else {
                return .drop(CycleKey(of: parsed, at: start))
            }
        }
        return .drop(CycleKey(values: texts.joined(separator: ", ")))
    }
}

/// The name of a cycle that has no name of its own and whose values are not all literals; it equals no name in a
/// template.
final class CycleKey: Drop {
    /// The template of the only tag that has the name; nil if all cycles with the same values have it.
    private let template: ParsedTemplate?
    private let start: Int
    private let values: String

    let text = ""

    init(of template: ParsedTemplate, at start: Int) {
        self.template = template
        self.start = start
        values = ""
    }

    init(values: String) {
        template = nil
        start = 0
        self.values = values
    }

    func property(_ name: String) -> Value? { nil }

    func isSame(as other: CycleKey) -> Bool {
        template === other.template && start == other.start && values.sameBytes(as: other.values)
    }
}
