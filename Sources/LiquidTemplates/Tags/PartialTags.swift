// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let include = TagDefinition(
        "include",
        summary: "Renders a partial that shares the variables.",
        examples: [Example("{% assign name = 'Ana' %}{% include 'greeting' %}", "Hi Ana")]
    ) { (parser, tag, _) throws(LiquidError) in
        (try parser.include(tag), NodeTraits(isBlank: false, .anything))
    }

    static let render = TagDefinition(
        "render",
        summary: "Renders a partial that sees only its arguments.",
        examples: [Example("{% render 'greeting', name: 'Ana' %}", "Hi Ana")]
    ) { (parser, tag, _) throws(LiquidError) in
        (try parser.render(tag), NodeTraits(isBlank: false, .mayInterrupt))
    }
}

/// The access of a partial to the variables of its template.
enum PartialKind: Sendable {
    /// The partial shares all variables of the template.
    case include
    /// The partial has only its arguments as variables.
    case render
}

/// A partial, and the values that are passed to it.
private struct PartialNode: TagNode {
    let kind: PartialKind
    /// The partial's name.
    let name: ExpressionSyntax
    /// The value after `with` or `for`.
    var value: ExpressionSyntax?
    /// Whether the partial is rendered for each element of the value (`for`).
    var isLoop = false
    /// The name of the value in the partial.
    var alias: NameSyntax?
    /// The arguments, all of which are named.
    var arguments: [(name: NameSyntax, value: ExpressionSyntax)] = []

    var expressions: [ExpressionSyntax] { [name] + (value.map { [$0] } ?? []) + arguments.map(\.value) }
    var contents: TagContents { .partial(kind, name) }

    /// Sets the value after `with` or `for`; a literal nil or false counts as none.
    mutating func set(_ value: ExpressionSyntax, isLoop: Bool) {
        switch value.literal {
        case .null?, .bool(false)?: break
        default: (self.value, self.isLoop) = (value, isLoop)
        }
    }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compilePartial(self) }
}

extension TemplateParser {
    fileprivate mutating func include(_ tag: TagToken) throws(LiquidError) -> PartialNode {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = tag.markup.upperBound
                guard let first = parser.firstFragment(tag.markup.lowerBound, end),
                    let nameEnd = parser.fragmentsEnd(first.lowerBound, end)
                else {
                    throw parser.syntaxError(
                        tag,
                        "'include' needs the name of a template",
                        "Error in tag 'include' - Valid syntax: include '[template]' (with|for) [object|collection]"
                    )
                }
                return try parser.laxPartial(.include, first.lowerBound..<nameEnd, tag)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(in: tag.markup) { (parser) throws(LiquidError) in
                    try parser.strictPartial(PartialNode(kind: .include, name: parser.strictValue()))
                }
            }
        )
    }

    fileprivate mutating func render(_ tag: TagToken) throws(LiquidError) -> PartialNode {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = tag.markup.upperBound
                for start in tag.markup {
                    guard var nameEnd = parser.quotedEnd(start, end) else { continue }
                    while let next = parser.quotedEnd(nameEnd, end) { nameEnd = next }
                    return try parser.laxPartial(.render, start..<nameEnd, tag)
                }
                throw parser.syntaxError(
                    tag,
                    "'render' needs the name of a template in quotes",
                    "Syntax error in tag 'render' - Template name must be a quoted string"
                )
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(in: tag.markup) { (parser) throws(LiquidError) in
                    let name = try parser.expect(.string, .value)
                    return try parser.strictPartial(
                        PartialNode(kind: .render, name: parser.string(name.start, name.end))
                    )
                }
            }
        )
    }

    private mutating func laxPartial(
        _ kind: PartialKind,
        _ name: Range<Int>,
        _ tag: TagToken
    ) throws(LiquidError) -> PartialNode {
        let end = tag.markup.upperBound
        var partial = PartialNode(kind: kind, name: try laxValue(name))
        var position = name.upperBound
        for (word, isLoop) in [("with", false), ("for", true)] as [(StaticString, Bool)] {
            if let start = laxKeyword(word, position, end), let stop = fragmentsEnd(start, end) {
                partial.set(try laxValue(start..<stop), isLoop: isLoop)
                position = stop
                break
            }
        }
        if let start = laxKeyword("as", position, end) {
            let stop = ByteClass.endOfName(in: bytes, from: start, to: end)
            if stop > start { partial.alias = self.name(start..<stop) }
        }
        try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
            partial.arguments.append((parser.name(key), try parser.laxValue(value)))
        }
        return partial
    }

    /// The offset after a word and the white space around it; nil if these do not begin at `start`.
    private mutating func laxKeyword(_ word: StaticString, _ start: Int, _ end: Int) -> Int? {
        let wordStart = skipSpace(start, end)
        let wordEnd = wordStart + word.utf8CodeUnitCount
        guard wordStart > start, wordEnd < end, matches(word, wordStart, wordEnd), bytes[wordEnd].isRubySpace else {
            return nil
        }
        return skipSpace(wordEnd, end)
    }

    /// Reads the rest of the tag, after the name of the partial.
    private mutating func strictPartial(_ partial: PartialNode) throws(LiquidError) -> PartialNode {
        var partial = partial
        let isLoop = take(word: "for")
        if isLoop ? true : take(word: "with") { partial.set(try strictValue(), isLoop: isLoop) }
        if take(word: "as") { partial.alias = try expectName() }
        _ = take(.comma)
        while isAt(.word) {
            let name = try expectName()
            try expect(.colon, .optionValue)
            partial.arguments.append((name, try strictValue()))
            _ = take(.comma)
        }
        return partial
    }
}

extension Compiler {
    fileprivate mutating func compilePartial(_ partial: PartialNode) {
        let kind = partial.kind
        var arguments: [(name: Int, value: ExpressionSyntax)] = []
        var positions: [Int: Int] = [:]
        for argument in partial.arguments {
            // A repeated name keeps its first place and takes the last value.
            let name = Int(name(argument.name))
            if let known = positions[name] {
                arguments[known].value = argument.value
            } else {
                positions[name] = arguments.count
                arguments.append((name, argument.value))
            }
        }
        let value = partial.value
        let index = lists.partials.count
        lists.partials.append(
            Program.PartialInfo(
                kind: kind,
                hasValue: value != nil,
                isLoop: partial.isLoop,
                alias: partial.alias?.text,
                arguments: arguments.map(\.name)
            )
        )
        push(partial.name)
        // Adjacent strings in different quotes are not a literal. The reference implementation finds this only when it
        // renders the tag.
        if kind == .render, partial.name.literal == nil {
            fail(
                LiquidError(
                    .argument, "the name of a partial in 'render' is not a text in quotes", referenceText: "internal"))
        }
        emit(.loadPartial(Int32(index)))
        if let value { push(value) }
        // The arguments of `include` are set in order, so a value may use the arguments before it.
        let lastUse =
            kind == .render ? nil : arguments.indices.dropFirst().last { mayRead(arguments[$0].value, positions) }
        for (position, argument) in arguments.enumerated() {
            push(argument.value)
            if position < lastUse ?? 0 { emit(.bindArgument(Int32(argument.name))) }
        }
        if let lastUse { emit(.unbindArguments(count: Int32(lastUse))) }
        emit(.partial(Int32(index)))
    }

    /// Whether an expression may read one of some variables.
    private mutating func mayRead(_ expression: ExpressionSyntax, _ variables: [Int: Int]) -> Bool {
        switch expression.kind {
        case .literal, .blank, .empty: return false
        case .range(let range): return mayRead(range.lower, variables) || mayRead(range.upper, variables)
        case .output: return true
        case .lookup(let lookup):
            switch lookup.root {
            case .nothing, .attribute: break
            case .computed, .value: return true
            case .name(let text): if text == "self" || variables[names.number(of: text)] != nil { return true }
            }
            return lookup.steps.contains { step in
                if case .index(let index) = step.kind { mayRead(index, variables) } else { false }
            }
        }
    }
}
