// SPDX-License-Identifier: MIT

import SourceText

/// Expressions by the strict rules: a token at a time.
extension TemplateParser {
    typealias Token = ExpressionLexer.Token

    /// Runs `read` on the tokens of a range.
    ///
    /// The reference splits the whole range first. So where reading fails, a character further on that begins no token is
    /// told in place of the error.
    mutating func withTokens(
        _ start: Int,
        _ end: Int,
        _ read: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        let outer = (lexer, token, endOfLastToken)
        defer { (lexer, token, endOfLastToken) = outer }
        lexer = ExpressionLexer(bytes, from: start, to: end)
        do throws(LiquidError) {
            token = try lexer.next()
            try read(&self)
        } catch {
            while try lexer.next().kind != .end {}
            throw error
        }
    }

    func looksAt(_ kind: ExpressionLexer.Kind) -> Bool { token.kind == kind }

    /// Whether a byte follows on the token and the white space behind it.
    func isFollowed(by byte: UInt8) -> Bool {
        let next = skipSpace(token.end, lexer.end)
        return next < lexer.end && bytes[next] == byte
    }

    mutating func advance() throws(LiquidError) {
        endOfLastToken = token.end
        token = try lexer.next()
    }

    mutating func take(_ kind: ExpressionLexer.Kind) throws(LiquidError) -> Bool {
        guard looksAt(kind) else { return false }
        try advance()
        return true
    }

    mutating func take(word: StaticString) throws(LiquidError) -> Bool {
        guard looksAt(.word), matches(word, token.start, token.end) else { return false }
        try advance()
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
                range: found.range
            )
        }
        try advance()
        return found
    }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .word, .string, .number, .comparison: "'\(text(token.start, token.end))'"
        default: token.kind.description
        }
    }

    /// Reads one expression and yields its part.
    @discardableResult
    mutating func strictExpression() throws(LiquidError) -> Int {
        let first = token
        try enterExpression(first.range)
        defer { expressionDepth -= 1 }
        switch first.kind {
        case .word:
            try advance()
            return try strictLookup(first)
        case .openSquare where mode == .strict2:
            throw LiquidError(
                .syntax,
                "found '[' without a name before it, expected self['…']",
                referenceText: "Bare bracket access is not allowed. Use self['...'] instead",
                range: first.range
            )
        case .openSquare:
            try advance()
            let lookup = tree.add(.lookup, first.start, first.end)
            let name = tree.add(.computed, first.start, first.end)
            expressionTraits.formUnion(.readsAnyName)
            try strictExpression()
            tree.close(name)
            let end = try expect(.closeSquare).end
            try strictSegments(of: lookup, end)
            return lookup
        case .string:
            try advance()
            return tree.add(.string, first.start + 1, first.end - 1)
        case .number:
            try advance()
            return tree.add(try number(first.start, first.end), first.start, first.end)
        case .openRound:
            try advance()
            let range = tree.add(.range, first.start, first.end)
            try strictExpression()
            try expect(.dotDot)
            try strictExpression()
            try closeRange(range, end: try expect(.closeRound).end)
            return range
        default:
            throw LiquidError(
                .syntax,
                "found \(describe(first)), expected a value",
                referenceText: "\(notation(of: first)) is not a valid expression",
                range: first.range
            )
        }
    }

    /// Reads one expression outside of a comparison, where `blank` and `empty` are the empty string.
    @discardableResult
    mutating func strictValue() throws(LiquidError) -> Int { asValue(try strictExpression()) }

    func isWord(_ kind: SyntaxTree.Kind) -> Bool { kind == .blank || kind == .empty }

    @discardableResult
    mutating func asValue(_ expression: Int) -> Int {
        if isWord(tree[expression].kind) { tree[expression].kind = .emptyString }
        return expression
    }

    mutating func enterExpression(_ range: SourceRange) throws(LiquidError) {
        guard expressionDepth < Self.maximumDepth else { throw nestingTooDeep(range) }
        expressionDepth += 1
    }

    /// The token as the reference prints it, such as `[:pipe, "|"]`.
    private func notation(of token: Token) -> String {
        if token.kind == .end { return "[:end_of_string]" }
        return "[:\(token.kind.name), \"\(text(token.start, token.end))\"]"
    }

    /// An output in the place of a value.
    mutating func groupedOutput(_ inner: SourceRange, _ outer: SourceRange) throws(LiquidError) -> Int {
        try enterExpression(outer)
        defer { expressionDepth -= 1 }
        let group = tree.add(.group, outer)
        try uncovering(inner.offsets) { (parser) throws(LiquidError) in
            try parser.outputMarkup(Int(inner.start), Int(inner.end))
        }
        closeGroup(group)
        return group
    }

    /// Closes an output in the place of a value; one without filters is its value.
    mutating func closeGroup(_ group: Int) {
        let markup = group + 1
        if tree[markup].size == 1 {
            let place = tree[group].range
            tree.truncate(to: group)
            tree.add(.null, place)
        } else if tree.endOfPart(markup + 1) == tree.end {
            tree.unwrap(group..<markup + 1)
        } else {
            tree.close(group)
        }
    }

    /// Runs `read` while a range that is covered shows what is written there, with the runs inside it covered.
    private mutating func uncovering(
        _ range: Range<Int>,
        _ read: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        let shown = UnsafeMutableBufferPointer(mutating: bytes)
        for position in range { shown[position] = source.original[position] }
        var end = range.lowerBound
        for inner in source.substitutions(in: range) where Int(inner.range.start) >= end {
            end = Int(inner.range.end)
            let cover = inner.meaning == .nothing ? UInt8(ascii: " ") : MaskedSource.cover
            for position in inner.range.offsets { shown[position] = cover }
        }
        defer { for position in range { shown[position] = MaskedSource.cover } }
        try read(&self)
    }

    /// Reads what begins with a word.
    private mutating func strictLookup(_ first: Token) throws(LiquidError) -> Int {
        let hasSegments = looksAt(.dot) || looksAt(.openSquare)
        let substitution = source.substitutionIndex(at: first.start)
        if !hasSegments, substitution == nil, let literal = literal(first.start, first.end) {
            return tree.add(literal, first.start, first.end)
        }
        let lookup = tree.add(.lookup, first.start, first.end)
        switch substitution.map({ source.substitutions[$0].meaning }) {
        case .attribute: tree.add(.attribute, first.start, first.end, detail: substitution ?? 0)
        case .output(let inner):
            let root = tree.add(.root, first.start, first.end)
            _ = try groupedOutput(inner, first.range)
            if !hasSegments {
                tree.unwrap(lookup..<root + 1)
                return lookup
            }
            tree.close(root)
        default:
            tree.add(.variable, first.start, first.end)
        }
        try strictSegments(of: lookup, first.end)
        return lookup
    }

    /// Reads the steps of a lookup up to its end.
    private mutating func strictSegments(of lookup: Int, _ end: Int) throws(LiquidError) {
        var end = end
        while true {
            if try take(.openSquare) {
                let index = tree.add(.index, token.start, token.start)
                try strictExpression()
                tree.close(index)
                end = try expect(.closeSquare).end
            } else if try take(.dot) {
                let name = try expect(.word)
                end = name.end
                if let substitution = source.substitutionIndex(at: name.start),
                    case .attribute = source.substitutions[substitution].meaning
                {
                    tree.add(.attributeKey, name.start, name.end, detail: substitution)
                } else {
                    tree.add(.key, name.start, name.end)
                }
            } else {
                break
            }
        }
        closeLookup(lookup, end: end)
    }

    /// Closes a lookup and notes its traits.
    mutating func closeLookup(_ lookup: Int, end: Int) {
        tree[lookup].end = UInt32(truncatingIfNeeded: end)
        tree.close(lookup)
        let root = tree[lookup + 1].offsets
        guard tree[lookup + 1].kind == .variable else { return }
        if matches("self", root.lowerBound, root.upperBound) {
            expressionTraits.formUnion(.readsAnyName)
        } else if matches("forloop", root.lowerBound, root.upperBound), plainLoopField(of: lookup) == nil {
            expressionTraits.formUnion(.usesLoop)
        }
    }

    /// The property of `forloop` that a lookup begins with, which is read from the loop itself.
    private func plainLoopField(of lookup: Int) -> LoopField? {
        guard tree[lookup].size > 2, tree[lookup + 2].kind == .key else { return nil }
        let key = tree[lookup + 2].offsets
        return LoopField(text(key.lowerBound, key.upperBound)).flatMap { $0 == .parentloop ? nil : $0 }
    }

    /// What a word alone means, where it is no variable.
    func literal(_ start: Int, _ end: Int) -> SyntaxTree.Kind? {
        switch end - start {
        case 0: .null
        case 3 where matches("nil", start, end): .null
        case 4 where matches("null", start, end): .null
        case 4 where matches("true", start, end): .true
        case 5 where matches("false", start, end): .false
        case 5 where matches("blank", start, end): .blank
        case 5 where matches("empty", start, end): .empty
        default: nil
        }
    }

    /// Closes a range; one between two literals is a value.
    mutating func closeRange(_ range: Int, end: Int) throws(LiquidError) {
        tree[range].end = UInt32(truncatingIfNeeded: end)
        let lower = range + 1
        let upper = tree.endOfPart(lower)
        tree.close(range)
        for bound in [lower, upper] where isNoBound(bound) {
            let place = tree[bound].range
            let found = text(Int(place.start), Int(place.end))
            throw LiquidError(
                .syntax,
                "found '\(found)' as a bound of a range, expected an integer",
                referenceText: "Invalid expression type '\(found)' in range expression",
                range: place
            )
        }
        if let first = literalValue(lower), let last = literalValue(upper) {
            let place = tree[range].offsets
            tree.truncate(to: range)
            tree.add(.range(LiquidRange(first.literalBound, last.literalBound)), place.lowerBound, place.upperBound)
        }
    }

    private func isNoBound(_ part: Int) -> Bool {
        switch tree[part].kind {
        case .true, .false: true
        case .constant: if case .range = tree.values[Int(tree[part].detail)] { true } else { false }
        default: false
        }
    }

    private func literalValue(_ part: Int) -> Value? { tree.literal(part, in: source) }

    /// A condition by the strict rules: its terms.
    mutating func strictCondition() throws(LiquidError) {
        while true {
            let term = try strictTerm()
            if try take(word: "and") { continue }
            guard try take(word: "or") else { return }
            tree[term].flags.insert(.or)
        }
    }

    private mutating func strictTerm() throws(LiquidError) -> Int {
        let term = tree.add(.term, token.start, token.end)
        try strictExpression()
        if looksAt(.comparison) {
            compare(term, token.start, token.end)
            try advance()
            try strictExpression()
        }
        tree.close(term)
        return term
    }

    /// Gives a term its operator.
    mutating func compare(_ term: Int, _ start: Int, _ end: Int) {
        tree[term].start = UInt32(truncatingIfNeeded: start)
        tree[term].end = UInt32(truncatingIfNeeded: end)
        tree[term].detail = comparison(start, end).rawValue
    }

    private func comparison(_ start: Int, _ end: Int) -> SyntaxTree.Comparison {
        switch end - start {
        case 1 where matches("<", start, end): .less
        case 1 where matches(">", start, end): .greater
        case 2 where matches("==", start, end): .equal
        case 2 where matches("!=", start, end): .notEqual
        case 2 where matches("<>", start, end): .notEqual
        case 2 where matches("<=", start, end): .lessOrEqual
        case 2 where matches(">=", start, end): .greaterOrEqual
        case 8 where matches("contains", start, end): .contains
        default: .unknown
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
