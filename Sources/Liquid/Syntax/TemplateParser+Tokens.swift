// SPDX-License-Identifier: MIT

import SourceText

/// Expressions by the strict rules: a token at a time.
extension TemplateParser {
    typealias Token = ExpressionLexer.Token

    /// Runs `read` on the tokens of a range.
    ///
    /// Like the reference, the whole range is split first, so that a character that begins no token is told before
    /// anything else.
    mutating func withTokens<Result>(
        _ start: Int,
        _ end: Int,
        _ read: (inout TemplateParser) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        let isNested = !tokens.isEmpty
        let outerTokens = isNested ? tokens : []
        let outerCursor = cursor
        tokens.removeAll(keepingCapacity: true)
        cursor = 0
        defer {
            if isNested { tokens = outerTokens } else { tokens.removeAll(keepingCapacity: true) }
            cursor = outerCursor
        }
        var lexer = ExpressionLexer(bytes, from: start, to: end)
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { break }
        }
        return try read(&self)
    }

    var token: Token { tokens[min(cursor, tokens.count - 1)] }

    func looksAt(_ kind: ExpressionLexer.Kind, ahead: Int = 0) -> Bool {
        cursor + ahead < tokens.count && tokens[cursor + ahead].kind == kind
    }

    mutating func take(_ kind: ExpressionLexer.Kind) -> Bool {
        guard looksAt(kind) else { return false }
        cursor += 1
        return true
    }

    mutating func take(word: StaticString) -> Bool {
        guard looksAt(.word), matches(word, token.start, token.end) else { return false }
        cursor += 1
        return true
    }

    @discardableResult
    mutating func expect(_ kind: ExpressionLexer.Kind) throws(LiquidError) -> Token {
        let found = token
        guard found.kind == kind else {
            throw LiquidError(
                .syntax,
                "found \(describe(found)), expected \(kind.description)",
                referenceText: "Expected \(kind.name) but found \(found.kind.name)",
                range: SourceRange(found.start, found.end)
            )
        }
        cursor += 1
        return found
    }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .word, .string, .number, .comparison: "'\(text(token.start, token.end))'"
        default: token.kind.description
        }
    }

    /// Reads one expression.
    mutating func strictExpression() throws(LiquidError) -> Expression {
        let first = token
        try enterExpression(SourceRange(first.start, first.end))
        defer { expressionDepth -= 1 }
        switch first.kind {
        case .word:
            cursor += 1
            return try strictLookup(root(of: first), first)
        case .openSquare where mode == .strict2:
            throw LiquidError(
                .syntax,
                "found '[' without a name before it, expected self['…']",
                referenceText: "Bare bracket access is not allowed. Use self['...'] instead",
                range: SourceRange(first.start, first.end)
            )
        case .openSquare:
            cursor += 1
            let name = try strictExpression()
            try expect(.closeSquare)
            return try strictLookup(.computed(name), first)
        case .string:
            cursor += 1
            return Expression(.literal(.string(text(first.start + 1, first.end - 1))), range(first))
        case .number:
            cursor += 1
            return Expression(.literal(try number(first.start, first.end)), range(first))
        case .openRound:
            cursor += 1
            let lower = try strictExpression()
            try expect(.dotDot)
            let upper = try strictExpression()
            let close = try expect(.closeRound)
            return try rangeExpression(lower, upper, SourceRange(first.start, close.end))
        default:
            throw LiquidError(
                .syntax,
                "found \(describe(first)), expected a value",
                referenceText: "\(notation(of: first)) is not a valid expression",
                range: range(first)
            )
        }
    }

    mutating func enterExpression(_ range: SourceRange) throws(LiquidError) {
        guard expressionDepth < Self.maximumDepth else { throw nestingTooDeep(range) }
        expressionDepth += 1
    }

    private func range(_ token: Token) -> SourceRange { SourceRange(token.start, token.end) }

    /// The token as the reference prints it, such as `[:pipe, "|"]`.
    private func notation(of token: Token) -> String {
        if token.kind == .end { return "[:end_of_string]" }
        return "[:\(token.kind.name), \"\(text(token.start, token.end))\"]"
    }

    /// What a word stands for at the start of an expression.
    private mutating func root(of token: Token) throws(LiquidError) -> Lookup.Root {
        switch source.substitution(at: token.start)?.meaning {
        case .attribute(let name): return .attribute(name)
        case .output(let inner): return .value(try groupedOutput(inner, SourceRange(token.start, token.end)))
        default: return .name(text(token.start, token.end))
        }
    }

    /// An output in the place of a value.
    mutating func groupedOutput(_ inner: SourceRange, _ outer: SourceRange) throws(LiquidError) -> Expression {
        try enterExpression(outer)
        defer { expressionDepth -= 1 }
        let output = try uncovering(inner.offsets) { (parser) throws(LiquidError) in
            try parser.outputMarkup(Int(inner.start), Int(inner.end))
        }
        if output.filters.isEmpty {
            return output.expression ?? Expression(.literal(.null), outer)
        }
        return Expression(.output(output), outer)
    }

    /// Runs `read` while a range that is covered shows what is written there, with the runs inside it covered.
    private mutating func uncovering<Result>(
        _ range: Range<Int>,
        _ read: (inout TemplateParser) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        let shown = UnsafeMutableBufferPointer(mutating: bytes)
        for position in range { shown[position] = source.original[position] }
        var end = range.lowerBound
        for inner in source.substitutions(in: range) where Int(inner.range.start) >= end {
            end = Int(inner.range.end)
            let cover = inner.meaning == .nothing ? UInt8(ascii: " ") : MaskedSource.cover
            for position in inner.range.offsets { shown[position] = cover }
        }
        defer { for position in range { shown[position] = MaskedSource.cover } }
        return try read(&self)
    }

    private mutating func strictLookup(
        _ root: Lookup.Root,
        _ first: Token
    ) throws(LiquidError) -> Expression {
        var segments: [Lookup.Segment] = []
        var end = first.end
        while true {
            if take(.openSquare) {
                segments.append(.index(try strictExpression()))
                end = try expect(.closeSquare).end
            } else if take(.dot) {
                let name = try expect(.word)
                end = name.end
                if case .attribute(let attribute)? = source.substitution(at: name.start)?.meaning {
                    segments.append(.attribute(attribute))
                } else {
                    segments.append(.key(text(name.start, name.end)))
                }
            } else {
                break
            }
        }
        let place = SourceRange(first.start, end)
        if segments.isEmpty {
            if case .value(let value) = root { return value }
            if case .name = root, let literal = literal(first.start, first.end) { return Expression(literal, place) }
        }
        return lookup(root, segments, place)
    }

    /// A lookup, whose traits are noted.
    mutating func lookup(_ root: Lookup.Root, _ segments: [Lookup.Segment], _ place: SourceRange) -> Expression {
        let lookup = Lookup(root: root, segments: segments)
        expressionTraits.formUnion(lookup.traits)
        return Expression(.lookup(lookup), place)
    }

    /// What a word alone means, where it is no variable.
    func literal(_ start: Int, _ end: Int) -> Expression.Kind? {
        switch end - start {
        case 0: .literal(.null)
        case 3 where matches("nil", start, end): .literal(.null)
        case 4 where matches("null", start, end): .literal(.null)
        case 4 where matches("true", start, end): .literal(.bool(true))
        case 5 where matches("false", start, end): .literal(.bool(false))
        case 5 where matches("blank", start, end): .blank
        case 5 where matches("empty", start, end): .empty
        default: nil
        }
    }

    func rangeExpression(
        _ lower: Expression,
        _ upper: Expression,
        _ place: SourceRange
    ) throws(LiquidError) -> Expression {
        for bound in [lower, upper] {
            switch bound.kind {
            case .literal(.bool), .literal(.range):
                let found = text(Int(bound.range.start), Int(bound.range.end))
                throw LiquidError(
                    .syntax,
                    "found '\(found)' as a bound of a range, expected an integer",
                    referenceText: "Invalid expression type '\(found)' in range expression",
                    range: bound.range
                )
            default: break
            }
        }
        if case .literal(let first) = lower.kind, case .literal(let last) = upper.kind {
            return Expression(.literal(.range(LiquidRange(first.literalBound, last.literalBound))), place)
        }
        return Expression(.range(lower, upper), place)
    }

    /// A condition by the strict rules.
    mutating func strictCondition() throws(LiquidError) -> Condition {
        var terms = [try strictTerm()]
        while true {
            let isOr: Bool
            if take(word: "and") { isOr = false } else if take(word: "or") { isOr = true } else { break }
            terms[terms.count - 1].orNext = isOr
            terms.append(try strictTerm())
        }
        return Condition(terms: terms)
    }

    private mutating func strictTerm() throws(LiquidError) -> Condition.Term {
        let left = try strictExpression()
        guard looksAt(.comparison) else { return Condition.Term(left: left) }
        let operation = comparison(token.start, token.end)
        cursor += 1
        return Condition.Term(left: left, comparison: operation, right: try strictExpression())
    }

    func comparison(_ start: Int, _ end: Int) -> Condition.Operator {
        switch end - start {
        case 1 where matches("<", start, end): .less
        case 1 where matches(">", start, end): .greater
        case 2 where matches("==", start, end): .equal
        case 2 where matches("!=", start, end): .notEqual
        case 2 where matches("<>", start, end): .notEqual
        case 2 where matches("<=", start, end): .lessOrEqual
        case 2 where matches(">=", start, end): .greaterOrEqual
        case 8 where matches("contains", start, end): .contains
        default: .unknown(text(start, end))
        }
    }
}

extension Value {
    /// Ruby's `to_i`, as a literal bound of a range takes it.
    fileprivate var literalBound: Int {
        switch self {
        case .integer(let integer): integer
        case .float(let double): Int(exactly: double.rounded(.towardZero)) ?? (double < 0 ? .min : .max)
        case .string(let string): NumberText.leadingInteger(string)
        default: 0
        }
    }
}
