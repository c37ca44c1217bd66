// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    /// `cycle`; its parts in the tree are an `option` at the start of the markup, with the name of the cycle if there
    /// is one, and the values.
    static let cycle = TagDefinition(
        "cycle",
        summary: "Prints its values in turn, one each time that it is rendered.",
        examples: [Example("{% for n in (1..3) %}{% cycle 'odd', 'even' %} {% endfor %}", "odd even odd ")]
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.cycle(tag)
        return .prints
    } compile: { compiler, tag in
        compiler.compileCycle(CycleSyntax(tag))
    }
}

/// The parts of a `cycle` tag.
private struct CycleSyntax {
    let tag: TagSyntax

    init(_ tag: TagSyntax) { self.tag = tag }

    /// The name of the cycle; nil where it is named by its values.
    var name: ExpressionSyntax? { tag.content.isEmpty ? nil : ExpressionSyntax(tag.content.first) }

    /// The offset at which the markup starts.
    var start: Int { tag.content.part.offsets.lowerBound }

    var values: [ExpressionSyntax] { tag.contents.dropFirst().map { ExpressionSyntax($0.cursor) } }
}

extension TemplateParser {
    fileprivate mutating func cycle(_ tag: TagToken) throws(LiquidError) {
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
        let name = tree.add(.option, start, start)
        guard let (fragment, values) = cycleName(start, end) else { return try laxCycleValues(start, end) }
        try laxValue(fragment)
        tree.close(name)
        try laxCycleValues(values, end)
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

    private mutating func laxCycleValues(_ start: Int, _ end: Int) throws(LiquidError) {
        var position = start
        while position < end {
            let stop =
                ByteSearch.first(UInt8(ascii: ","), in: Bytes(rebasing: bytes[0..<end]), from: position) ?? end
            if let fragment = firstFragment(position, stop) {
                let value = try laxValue(fragment)
                // The reference drops a literal nil here.
                if tree[value].kind == .null { tree.truncate(to: value) }
            }
            position = stop + 1
        }
    }

    private mutating func strictCycle(_ tag: TagToken) throws(LiquidError) {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            if parser.isAt(.end) { throw parser.cycleError(tag) }
            let name = parser.tree.add(.option, tag.markup.lowerBound, tag.markup.lowerBound)
            try parser.strictValue()
            // The first value is the name only if a colon follows.
            if try parser.take(.colon) {
                parser.tree.close(name)
                try parser.strictValue()
            }
            while try parser.take(.comma), !parser.isAt(.end) { try parser.strictValue() }
        }
    }
}

extension Compiler {
    fileprivate mutating func compileCycle(_ cycle: CycleSyntax) {
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
            emit(Instruction.jump, to: &toEnd)
        }
        // The position is one for which this cycle has no value.
        patch(select)
        pushConstant(.null)
        patch(toEnd)
        emit(.emitCycled)
    }

    /// The name of a cycle that is named by its values.
    ///
    /// Cycles with equal literals share one position, and so do those with equal literals and ranges; a cycle that
    /// contains a variable shares its position with no other.
    private func key(of values: [ExpressionSyntax], at start: Int) -> Value {
        let literals = values.compactMap(\.literal)
        if literals.count == values.count { return .string(Value.array(literals).text) }
        var texts: [String] = []
        for value in values {
            if let literal = value.literal {
                texts.append(Value.array([literal]).text)
            } else if value.cursor.kind == .range {
                texts.append(value.text.withoutSpace)
            } else {
                return .drop(CycleKey(of: tree, at: start))
            }
        }
        return .drop(CycleKey(values: texts.joined(separator: ", ")))
    }
}

/// The name of a cycle that is named by its values, where these are not all literals: no name in a template is equal
/// to it.
final class CycleKey: Drop {
    /// The template of the only tag that has the name, and the place of that tag; nil where all cycles with the same
    /// values have it.
    private let tree: SyntaxTree?
    private let start: Int
    private let values: String

    let text = ""

    init(of tree: SyntaxTree, at start: Int) {
        self.tree = tree
        self.start = start
        values = ""
    }

    init(values: String) {
        tree = nil
        start = 0
        self.values = values
    }

    func property(_ name: String) -> Value? { nil }

    func isSame(as other: CycleKey) -> Bool {
        tree === other.tree && start == other.start && values.sameBytes(as: other.values)
    }
}
