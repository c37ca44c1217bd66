// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    /// `include`; its parts in the tree are the partial's name, `option` (`with` or `for`), `name` (of the value in the
    /// partial), and each `argument`.
    static let include = TagDefinition(
        "include",
        summary: "Renders a partial that shares the variables.",
        examples: [Example("{% assign name = 'Ana' %}{% include 'greeting' %}", "Hi Ana")],
        role: .includes
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.include(tag)
        return NodeTraits(isBlank: false, .anything)
    } compile: { compiler, tag in
        compiler.compilePartial(PartialSyntax(tag), .include)
    }

    /// `render`; its parts in the tree are those of `include`.
    static let render = TagDefinition(
        "render",
        summary: "Renders a partial that sees its arguments alone.",
        examples: [Example("{% render 'greeting', name: 'Ana' %}", "Hi Ana")],
        role: .renders
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.render(tag)
        return NodeTraits(isBlank: false, .mayInterrupt)
    } compile: { compiler, tag in
        compiler.compilePartial(PartialSyntax(tag), .render)
    }
}

/// The access of a partial to the variables of its template.
enum PartialKind: Sendable {
    /// The partial shares all variables of the template.
    case include
    /// The partial has only its arguments as variables.
    case render
}

/// The parts of an `include` or `render` tag.
struct PartialSyntax {
    let tag: TagSyntax

    init(_ tag: TagSyntax) { self.tag = tag }

    /// The partial's name.
    var name: ExpressionSyntax { ExpressionSyntax(tag.content) }

    /// The value after `with` or `for`.
    var value: ExpressionSyntax? { option.map { ExpressionSyntax($0.first) } }

    /// Whether the partial is rendered for each element of the value (`for`).
    var isLoop: Bool { option.map { $0.part.detail == 1 } ?? false }

    /// The name of the value in the partial.
    var alias: NameSyntax? { tag.contents.first { $0.kind == .name }.map { NameSyntax($0.cursor) } }

    /// The arguments, all of which are named.
    var arguments: [FilterSyntax.Argument] {
        tag.contents.filter { $0.kind == .argument }.map { FilterSyntax.Argument($0.cursor) }
    }

    private var option: SyntaxCursor? { tag.contents.first { $0.kind == .option }?.cursor }
}

extension TemplateParser {
    fileprivate mutating func include(_ tag: TagToken) throws(LiquidError) {
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
                try parser.laxPartial(first.lowerBound..<nameEnd, tag)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in
                    try parser.strictValue()
                    try parser.strictPartialArguments()
                }
            }
        )
    }

    fileprivate mutating func render(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = tag.markup.upperBound
                for start in tag.markup {
                    guard var nameEnd = parser.quotedEnd(start, end) else { continue }
                    while let next = parser.quotedEnd(nameEnd, end) { nameEnd = next }
                    return try parser.laxPartial(start..<nameEnd, tag)
                }
                throw parser.syntaxError(
                    tag,
                    "'render' needs the name of a template in quotes",
                    "Syntax error in tag 'render' - Template name must be a quoted string"
                )
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in
                    let name = try parser.expect(.string)
                    parser.tree.add(.string, name.start + 1, name.end - 1)
                    try parser.strictPartialArguments()
                }
            }
        )
    }

    private mutating func laxPartial(_ name: Range<Int>, _ tag: TagToken) throws(LiquidError) {
        let end = tag.markup.upperBound
        try laxValue(name)
        var position = name.upperBound
        for (word, isLoop) in [("with", false), ("for", true)] as [(StaticString, Bool)] {
            if let start = laxKeyword(word, position, end), let stop = fragmentsEnd(start, end) {
                let option = tree.add(.option, start..<stop, detail: isLoop ? 1 : 0)
                closeOption(option, value: try laxValue(start..<stop))
                position = stop
                break
            }
        }
        if let start = laxKeyword("as", position, end) {
            let stop = ByteClass.endOfName(in: bytes, from: start, to: end)
            if stop > start { tree.add(.name, start, stop) }
        }
        try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
            let argument = parser.tree.add(.argument, key.lowerBound, key.upperBound)
            try parser.laxValue(value)
            parser.tree.close(argument)
        }
    }

    /// Closes the value after `with` or `for`; a literal nil or false counts as no value.
    private mutating func closeOption(_ option: PartID, value: PartID) {
        switch tree[value].kind {
        case .null, .false: tree.truncate(to: option)
        default: tree.close(option)
        }
    }

    /// The offset after a word and the white space around it; nil where these do not begin at `start`.
    private mutating func laxKeyword(_ word: StaticString, _ start: Int, _ end: Int) -> Int? {
        let wordStart = skipSpace(start, end)
        let wordEnd = wordStart + word.utf8CodeUnitCount
        guard wordStart > start, wordEnd < end, matches(word, wordStart, wordEnd), bytes[wordEnd].isRubySpace else {
            return nil
        }
        return skipSpace(wordEnd, end)
    }

    private mutating func strictPartialArguments() throws(LiquidError) {
        let isLoop = try take(word: "for")
        if isLoop ? true : try take(word: "with") {
            let option = tree.add(.option, token.start, token.end, detail: isLoop ? 1 : 0)
            closeOption(option, value: try strictValue())
        }
        if try take(word: "as") { try addWord() }
        _ = try take(.comma)
        while isAt(.word) {
            let key = try expect(.word)
            try expect(.colon)
            let argument = tree.add(.argument, key.start, key.end)
            try strictValue()
            tree.close(argument)
            _ = try take(.comma)
        }
    }
}

extension Compiler {
    fileprivate mutating func compilePartial(_ partial: PartialSyntax, _ kind: PartialKind) {
        var arguments: [(name: Int, value: ExpressionSyntax)] = []
        var positions: [Int: Int] = [:]
        for argument in partial.arguments {
            // A repeated name keeps its first place and takes the last value.
            let name = name(argument)
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
        // Adjacent literals in different quotes are no literal, which the reference finds only when it renders the tag.
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
            case .name(let text): if text == "self" || variables[name(lookup.rootPart)] != nil { return true }
            }
            return lookup.steps.contains { step in
                if case .index(let index) = step.kind { mayRead(index, variables) } else { false }
            }
        }
    }
}
