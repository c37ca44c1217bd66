// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

/// The markup of outputs: a value with its filters.
extension TemplateParser {
    /// Reads a value with its filters, which may be the markup of an output or tag, or a part of it.
    ///
    /// The lax mode tries the strict rules first, as the reference implementation does.
    mutating func outputMarkup(_ start: Int, _ end: Int, of tag: TagToken? = nil) throws(LiquidError) -> MarkupSyntax {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in
            try parser.withTokens(start, end) { (parser) throws(LiquidError) in
                try parser.strictOutput(SourceRange(start, end))
            }
        }
        if recovery != nil, let tag { compare(tag, with: strict) }
        do throws(LiquidError) {
            return try strict(&self)
        } catch {
            guard mode == .lax, error.code == .syntax else {
                throw inContext(error, "in \"{{\(text(start, end))}}\"", line: line)
            }
            return try laxOutput(start, end)
        }
    }

    /// A syntax error with the markup that the reference implementation prints after its text; any other error
    /// unchanged.
    func inContext(_ error: LiquidError, _ context: String, line: Int) -> LiquidError {
        guard error.code == .syntax else { return error }
        return error.inContext(context).placed(line: line)
    }

    private mutating func strictOutput(_ range: SourceRange) throws(LiquidError) -> MarkupSyntax {
        if isAt(.end) { return MarkupSyntax(expression: nil, filters: [], range: range) }
        let expression = try strictValue()
        var filters: [FilterSyntax] = []
        while take(.pipe) {
            let name = try expect(.word, .filterName)
            let hasArguments = take(.colon) && !(allowsNoArgument && endsArguments)
            filters.add(
                FilterSyntax(
                    name: word(name.start, name.end),
                    nameRange: name.range,
                    arguments: hasArguments ? try strictArguments() : []
                )
            )
        }
        try expect(.end, .end)
        return MarkupSyntax(expression: expression, filters: filters, range: range)
    }

    private var endsArguments: Bool { isAt(.pipe) || isAt(.end) }

    /// Whether a colon or comma may end the arguments of a filter.
    private var allowsNoArgument: Bool { mode == .strict2 || isComparing }

    private mutating func strictArguments() throws(LiquidError) -> [FilterSyntax.Argument] {
        var arguments: [FilterSyntax.Argument] = []
        repeat {
            if allowsNoArgument, endsArguments { break }
            var name: NameSyntax?
            if isAt(.word), isFollowed(by: UInt8(ascii: ":")) {
                name = try expectName()
                advance()
            }
            arguments.add(FilterSyntax.Argument(name: name, value: try strictValue()))
        } while take(.comma)
        return arguments
    }

    private mutating func laxOutput(_ start: Int, _ end: Int) throws(LiquidError) -> MarkupSyntax {
        let range = SourceRange(start, end)
        guard let name = firstFragment(start, end) else {
            return MarkupSyntax(expression: nil, filters: [], range: range)
        }
        let expression = try laxValue(name)
        var filters: [FilterSyntax] = []
        if let pipe = ByteSearch.first(UInt8(ascii: "|"), in: Bytes(rebasing: bytes[0..<end]), from: name.upperBound) {
            var position = skipSpace(pipe + 1, end)
            while position < end {
                let stop = filterEnd(position, end)
                if stop == position {
                    position += 1
                    continue
                }
                if let filter = try laxFilter(position, stop) { filters.add(filter) }
                position = stop
            }
        }
        return MarkupSyntax(expression: expression, filters: filters, range: range)
    }

    /// The end of a run of white space, fragments and commas, which the reference implementation takes as one filter
    /// with its arguments.
    private mutating func filterEnd(_ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end {
            if bytes[position].isRubySpace || bytes[position] == UInt8(ascii: ",") {
                position += 1
            } else if let stop = fragmentEnd(position, end) {
                position = stop
            } else {
                break
            }
        }
        return position
    }

    private mutating func laxFilter(_ start: Int, _ end: Int) throws(LiquidError) -> FilterSyntax? {
        guard let nameStart = (start..<end).first(where: { bytes[$0].isWordByte }) else { return nil }
        let nameEnd = ByteClass.endOfWord(in: bytes, from: nameStart, to: end)
        var arguments: [FilterSyntax.Argument] = []
        var position = start
        while position < end {
            guard bytes[position] == UInt8(ascii: ":") || bytes[position] == UInt8(ascii: ",") else {
                position += 1
                continue
            }
            let argument = skipSpace(position + 1, end)
            guard let stop = argumentEnd(argument, end) else {
                position += 1
                continue
            }
            arguments.add(try laxArgument(argument, stop))
            position = stop
        }
        return FilterSyntax(
            name: word(nameStart, nameEnd),
            nameRange: SourceRange(nameStart, nameEnd),
            arguments: arguments
        )
    }

    /// The end of a fragment, or of `key: fragment`.
    private mutating func argumentEnd(_ start: Int, _ end: Int) -> Int? {
        let keyEnd = ByteClass.endOfWord(in: bytes, from: start, to: end)
        let colon = skipSpace(keyEnd, end)
        if keyEnd > start, colon < end, bytes[colon] == UInt8(ascii: ":"),
            let stop = fragmentEnd(skipSpace(colon + 1, end), end)
        {
            return stop
        }
        return fragmentEnd(start, end)
    }

    private mutating func laxArgument(_ start: Int, _ end: Int) throws(LiquidError) -> FilterSyntax.Argument {
        if bytes[start].isWordByte {
            let keyEnd = ByteClass.endOfName(in: bytes, from: start, to: end)
            let colon = skipSpace(keyEnd, end)
            let value = skipSpace(colon + 1, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":"), value < end,
                quotedEnd(value, end) == end || fragmentEnd(value, end, wholeRun: true) == end
            {
                return FilterSyntax.Argument(name: name(start..<keyEnd), value: try laxValue(value..<end))
            }
        }
        return FilterSyntax.Argument(name: nil, value: try laxValue(start..<end))
    }
}

/// Rules of expressions that the strict and the lax mode share.
extension TemplateParser {
    /// The expression for an output that is used as a value; without filters, it is the expression in the output.
    func value(of markup: MarkupSyntax, _ range: SourceRange) -> ExpressionSyntax {
        guard let expression = markup.expression else { return ExpressionSyntax(.literal(.null), range) }
        return markup.filters.isEmpty ? expression : ExpressionSyntax(.output(markup), range)
    }

    /// The literal that a word means; nil for the name of a variable.
    mutating func literal(_ start: Int, _ end: Int) -> ExpressionSyntax.Kind? {
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

    /// A string, without the quotes around it.
    @inline(__always)
    func string(_ start: Int, _ end: Int) -> ExpressionSyntax {
        ExpressionSyntax(.literal(.string(word(start + 1, end - 1))), SourceRange(start, end))
    }

    /// Makes a lookup, and notes its traits.
    @inline(__always)
    mutating func lookup(
        _ root: LookupSyntax.Root,
        _ steps: [LookupSyntax.Step],
        _ start: Int,
        _ end: Int
    ) -> ExpressionSyntax {
        switch root {
        case .name(let name) where name.utf8.count == 4 && name == "self":
            expressionTraits.formUnion(.readsAnyName)
        case .name(let name) where name.utf8.count == 7 && name == "forloop":
            if case .key(let key)? = steps.first?.kind, LoopField(rawValue: key) != nil { break }
            // The compiler cannot take the property from the loop itself.
            expressionTraits.formUnion(.usesLoop)
        case .name, .computed, .attribute, .value, .nothing: break
        }
        return ExpressionSyntax(LookupSyntax(root, steps, SourceRange(start, end)))
    }

    /// A range; a range between two literals is a constant.
    func range(
        _ lower: ExpressionSyntax,
        _ upper: ExpressionSyntax,
        _ start: Int,
        _ end: Int
    ) throws(LiquidError) -> ExpressionSyntax {
        let place = SourceRange(start, end)
        let range = ExpressionSyntax(.range(RangeSyntax(lower: lower, upper: upper)), place)
        // If one bound is not a literal, the reference implementation checks both bounds when it renders.
        guard let first = lower.literal, let last = upper.literal else { return range }
        if let bound = wrongBound(lower, upper) {
            let found = text(Int(bound.range.start), Int(bound.range.end))
            throw LiquidError(
                .syntax,
                "found '\(found)' as a bound of a range, expected an integer",
                referenceText: "Invalid expression type '\(found.withoutSpace)' in range expression",
                range: bound.range
            )
        }
        // A bound beyond 64 bits is an error when the range is rendered.
        guard let first = first.literalRangeBound, let last = last.literalRangeBound else { return range }
        return ExpressionSyntax(.literal(.range(LiquidRange(first, last))), place)
    }

    /// For a range between two literals, the literal that cannot be a bound; nil if both can.
    private func wrongBound(_ lower: ExpressionSyntax, _ upper: ExpressionSyntax) -> ExpressionSyntax? {
        guard let first = lower.literal, let last = upper.literal else { return nil }
        return first.isNoBound ? lower : last.isNoBound ? upper : nil
    }
}

extension Value {
    /// Whether a literal cannot be the bound of a range.
    fileprivate var isNoBound: Bool {
        switch self {
        case .bool, .range: true
        default: false
        }
    }
}

/// Expressions by the strict rules, read one token at a time.
extension TemplateParser {
    /// Reads one expression by the strict rules.
    ///
    /// - Throws: `syntax` if the next token begins no expression, `stackLevel` for too deep nesting.
    @inline(__always)
    mutating func strictExpression() throws(LiquidError) -> ExpressionSyntax {
        let start = token.start
        let expression = try expressionOfTokens()
        return readsTextOfTokens ? try textOfTokens(expression, from: start) : expression
    }

    /// Reads the tokens of an expression again, by the lax rules.
    ///
    /// The reference implementation only checks the tokens. It joins them without the space between them, and reads the
    /// text that results as in the lax mode, where quotation marks do not protect all that is in a string.
    @inline(never)
    private mutating func textOfTokens(
        _ expression: ExpressionSyntax,
        from start: Int
    ) throws(LiquidError) -> ExpressionSyntax {
        readsTextOfTokens = false
        let range = start..<endOfLastToken
        // The reference implementation has no outputs in place of values, so it would not read such a text.
        if range.contains(where: { innerOutputs[$0] != nil }) { return expression }
        var tokens = ExpressionLexer(bytes, written: written, from: range.lowerBound, to: range.upperBound)
        var end = range.lowerBound
        var token = tokens.next()
        while token.kind != .end {
            spaceOfTokens.formUnion(end..<token.start)
            end = token.end
            token = tokens.next()
        }
        defer { spaceOfTokens = [] }
        return try laxExpression(range)
    }

    /// Reads one expression, which may be inside another one.
    private mutating func expressionOfTokens() throws(LiquidError) -> ExpressionSyntax {
        let first = token
        try enterExpression(first.range)
        defer { expressionDepth -= 1 }
        switch first.kind {
        case .word, .attribute, .innerOutput:
            advance()
            return try strictLookup(first)
        case .openSquare where mode == .strict2:
            throw LiquidError(
                .syntax,
                "found '[' without a name before it, expected self['…']",
                referenceText: "Bare bracket access is not allowed. Use self['...'] instead",
                range: first.range
            )
        case .openSquare:
            advance()
            expressionTraits.formUnion(.readsAnyName)
            let name = try strictIndex()
            let end = try expect(.closeSquare, .closing).end
            return try strictSteps(of: .computed(name), first.start, end)
        case .string:
            advance()
            return string(first.start, first.end)
        case .number:
            advance()
            return ExpressionSyntax(.literal(try number(first.start, first.end)), first.range)
        case .openRound:
            advance()
            let lower = try expressionOfTokens().asValue
            try expect(.dotDot, .closing)
            let middle = token.start
            if isAt(.openRound) { readsTextOfTokens = true }
            let upper = try expressionOfTokens().asValue
            let end = try expect(.closeRound, .closing).end
            if readsTextOfTokens || !isRangeAsText(first.start, middle, end) || wrongBound(lower, upper) != nil {
                readsTextOfTokens = true
                return ExpressionSyntax(.range(RangeSyntax(lower: lower, upper: upper)), SourceRange(first.start, end))
            }
            return try range(lower, upper, first.start, end)
        default:
            throw notAValue(first)
        }
    }

    /// Reads the expression between brackets.
    private mutating func strictIndex() throws(LiquidError) -> ExpressionSyntax {
        let index = try expressionOfTokens().asValue
        if index.isQuoted {
            for position in index.range.offsets where isBracket(position) { readsTextOfTokens = true }
        }
        return index
    }

    /// Whether the reference implementation finds the same two bounds in the text of a range as in its tokens: it takes
    /// the last `..`, and bounds without white space, even in strings.
    private mutating func isRangeAsText(_ start: Int, _ upper: Int, _ end: Int) -> Bool {
        for position in upper..<end where isDots(position, end) { return false }
        var position = start
        while position < end {
            guard let stop = quotedEnd(position, end) else {
                position += 1
                continue
            }
            for inside in position..<stop where bytes[inside].isRubySpace || isBracket(inside) { return false }
            position = stop
        }
        return true
    }

    private func isBracket(_ position: Int) -> Bool {
        bytes[position] == UInt8(ascii: "[") || bytes[position] == UInt8(ascii: "]")
    }

    @inline(never)
    private func notAValue(_ token: Token) -> LiquidError {
        LiquidError(
            .syntax,
            "found \(describe(token)), expected a value",
            referenceText: "\(notation(of: token)) is not a valid expression",
            range: token.range
        ).stopping(at: token.range, expected: .value)
    }

    /// The token as the reference implementation prints it, such as `[:pipe, "|"]`.
    private func notation(of token: Token) -> String {
        if token.kind == .end { return "[:end_of_string]" }
        return "[:\(token.kind.name), \"\(text(token.start, token.end))\"]"
    }

    /// Reads one expression outside a comparison, where `blank` and `empty` are the empty string.
    mutating func strictValue() throws(LiquidError) -> ExpressionSyntax { try strictExpression().asValue }

    @inline(__always)
    mutating func enterExpression(_ range: @autoclosure () -> SourceRange) throws(LiquidError) {
        guard expressionDepth < Self.maximumDepth else { throw nestingTooDeep(range()) }
        expressionDepth += 1
    }

    /// Reads an expression that begins with a word.
    @inline(__always)
    private mutating func strictLookup(_ first: Token) throws(LiquidError) -> ExpressionSyntax {
        let hasSteps = isAt(.dot) || isAt(.openSquare)
        if !hasSteps, let literal = literal(first.start, first.end) { return ExpressionSyntax(literal, first.range) }
        let root = try root(first.kind, first.start, first.end)
        if !hasSteps, case .value(let value) = root { return value }
        return try strictSteps(of: root, first.start, first.end)
    }

    /// Reads the steps of a lookup up to its end.
    @inline(__always)
    private mutating func strictSteps(
        of root: LookupSyntax.Root,
        _ start: Int,
        _ rootEnd: Int
    ) throws(LiquidError) -> ExpressionSyntax {
        var steps: [LookupSyntax.Step] = []
        var end = rootEnd
        while true {
            if isAt(.openSquare) {
                let open = token.start
                advance()
                let index = try strictIndex()
                end = try expect(.closeSquare, .closing).end
                steps.add(LookupSyntax.Step(kind: .index(index), range: SourceRange(open, end)))
            } else if take(.dot) {
                let name = token
                if isAt(.attribute) || isAt(.innerOutput) { advance() } else { try expect(.word, .member) }
                end = name.end
                steps.add(try step(name.kind, name.start, name.end))
            } else {
                break
            }
        }
        return lookup(root, steps, start, end)
    }

    /// The root of a lookup, read from its first token.
    @inline(__always)
    private mutating func root(
        _ kind: ExpressionLexer.Kind,
        _ start: Int,
        _ end: Int
    ) throws(LiquidError) -> LookupSyntax.Root {
        if kind == .attribute { return .attribute(attributeName(at: start)) }
        if kind == .innerOutput, let value = innerOutputs[start] { return .value(try value.get()) }
        return .name(word(start, end))
    }

    /// The step of a lookup, read from its first token.
    @inline(__always)
    private mutating func step(
        _ kind: ExpressionLexer.Kind,
        _ start: Int,
        _ end: Int
    ) throws(LiquidError) -> LookupSyntax.Step {
        let range = SourceRange(start, end)
        return switch try root(kind, start, end) {
        case .attribute(let name): LookupSyntax.Step(kind: .attribute(name), range: range)
        case .value(let value): LookupSyntax.Step(kind: .index(value), range: range)
        case .name, .computed, .nothing: LookupSyntax.Step(kind: .key(word(start, end)), range: range)
        }
    }
}

/// Expressions by the lax rules.
///
/// The reference implementation reads them with regular expressions that match what they know and skip the rest; the
/// functions here match and skip the same bytes, in linear time.
extension TemplateParser {
    /// The end of the fragment that begins at `start` (the reference implementation's `QuotedFragment`): a quoted
    /// string, or a run without white space, `,` and `|` in which quotes occur only as quoted strings.
    ///
    /// Nil if none begins at `start`.
    mutating func fragmentEnd(_ start: Int, _ end: Int, wholeRun: Bool = false) -> Int? {
        if !wholeRun, let quoted = quotedEnd(start, end) { return quoted }
        var position = start
        while position < end {
            if !bytes[position].mayEndFragment {
                position += 1
            } else if let quoted = quotedEnd(position, end) {
                position = quoted
            } else {
                break
            }
        }
        return position > start ? position : nil
    }

    /// The end of one or more adjacent fragments; nil if there are none.
    mutating func fragmentsEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while let stop = fragmentEnd(position, end) { position = stop }
        return position > start ? position : nil
    }

    /// The end of the quoted string that begins at `start`; nil if there is none.
    mutating func quotedEnd(_ start: Int, _ end: Int) -> Int? {
        guard start < end, bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'"),
            let close = ByteSearch.first(bytes[start], in: Bytes(rebasing: bytes[0..<end]), from: start + 1)
        else { return nil }
        return close + 1
    }

    /// The first fragment at or after `start`.
    mutating func firstFragment(_ start: Int, _ end: Int) -> Range<Int>? {
        var position = start
        while position < end {
            if let stop = fragmentEnd(position, end) { return position..<stop }
            position += 1
        }
        return nil
    }

    /// Calls `body` for each `key: value` in a range, in order, as the reference implementation finds the attributes of
    /// a tag.
    mutating func forEachAttribute(
        _ start: Int,
        _ end: Int,
        _ body: (inout TemplateParser, _ key: Range<Int>, _ value: Range<Int>) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        var position = start
        while position < end {
            guard bytes[position].isWordByte else {
                position += 1
                continue
            }
            let keyEnd = ByteClass.endOfName(in: bytes, from: position, to: end)
            let colon = skipSpace(keyEnd, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":"),
                let stop = fragmentEnd(skipSpace(colon + 1, end), end)
            {
                try body(&self, position..<keyEnd, skipSpace(colon + 1, end)..<stop)
                position = stop
            } else {
                position = keyEnd
            }
        }
    }

    /// Reads a range like ``laxExpression(_:)``, but outside a comparison, where `blank` and `empty` are the empty
    /// string.
    mutating func laxValue(_ range: Range<Int>) throws(LiquidError) -> ExpressionSyntax {
        try laxExpression(range).asValue
    }

    /// Reads a whole range of markup as one expression.
    mutating func laxExpression(_ range: Range<Int>) throws(LiquidError) -> ExpressionSyntax {
        let stripped = stripped(range)
        let (start, end) = (stripped.lowerBound, stripped.upperBound)
        if start < end {
            let first = bytes[start]
            if first == bytes[end - 1], first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                let isString = start + 1 < end
                return isString ? string(start, end) : ExpressionSyntax(.literal(.string("")), SourceRange(start, end))
            }
            if first == UInt8(ascii: "("), bytes[end - 1] == UInt8(ascii: ")"),
                let bounds = rangeBounds(start + 1, end - 1)
            {
                try enterExpression(SourceRange(start, end))
                defer { expressionDepth -= 1 }
                let lower = try laxValue(bounds.0)
                let upper = try laxValue(bounds.1)
                return try self.range(lower, upper, start, end)
            }
        }
        if let literal = literal(start, end) {
            let word = ExpressionSyntax(literal, SourceRange(start, end))
            // In a comparison, `blank` and `empty` keep their own meaning only if nothing is stripped.
            return stripped == range ? word : word.asValue
        }
        if let number = try looseNumber(start, end) {
            return ExpressionSyntax(.literal(number), SourceRange(start, end))
        }
        try enterExpression(SourceRange(start, end))
        defer { expressionDepth -= 1 }
        return try laxLookup(start, end)
    }

    /// The two bounds of `first..last`; nil if the range is not of that form.
    private mutating func rangeBounds(_ start: Int, _ end: Int) -> (Range<Int>, Range<Int>)? {
        let first = skipSpace(start, end)
        var runEnd = first
        while runEnd < end, !isSpaceInText(runEnd) { runEnd += 1 }
        // The first bound ends at white space, provided that `..` follows.
        var dots: Int?
        let afterSpace = skipSpace(runEnd, end)
        if runEnd > first, afterSpace > runEnd, isDots(afterSpace, end) {
            dots = afterSpace
        } else {
            var probe = runEnd - 2
            while probe > first, dots == nil {
                if isDots(probe, end) { dots = probe }
                probe -= 1
            }
            runEnd = dots ?? runEnd
        }
        guard let dots else { return nil }
        let second = skipSpace(dots + 2, end)
        let secondEnd = trimSpace(second, end)
        guard second < secondEnd, !(second..<secondEnd).contains(where: { isSpaceInText($0) }) else { return nil }
        return (first..<runEnd, second..<secondEnd)
    }

    /// Whether a byte is white space, and not the space between tokens, which the reference implementation has dropped.
    private func isSpaceInText(_ position: Int) -> Bool {
        bytes[position].isRubySpace && !spaceOfTokens.contains(position)
    }

    private func isDots(_ offset: Int, _ end: Int) -> Bool {
        offset + 1 < end && bytes[offset] == UInt8(ascii: ".") && bytes[offset + 1] == UInt8(ascii: ".")
    }

    /// A number; as in the reference implementation, this includes `1.`, and `1.2.3`, which is read up to its second
    /// dot.
    private mutating func looseNumber(_ start: Int, _ end: Int) throws(LiquidError) -> Value? {
        var position = start
        if position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        guard position < end, bytes[position].isDigit else { return nil }
        var dots = 0
        var numberEnd = end
        while position < end {
            if bytes[position] == UInt8(ascii: ".") {
                dots += 1
                if dots == 2 { numberEnd = position }
            } else if !bytes[position].isDigit {
                return nil
            }
            position += 1
        }
        return try number(start, numberEnd)
    }

    /// The value of digits with an optional sign and fraction.
    mutating func number(_ start: Int, _ end: Int) throws(LiquidError) -> Value {
        let digits = text(start, end)
        if let integer = Int(digits) { return .integer(integer) }
        if digits.utf8.contains(UInt8(ascii: ".")) {
            return .float(Double(digits.utf8.last == UInt8(ascii: ".") ? digits + "0" : digits) ?? 0)
        }
        guard end - start <= Number.maximumDigits else { throw Number.tooLong.placed(range: SourceRange(start, end)) }
        return BigInt(digits).map(BigInteger.value) ?? .integer(0)
    }

    /// Reads a variable and its path: words and balanced brackets; anything between them is skipped.
    private mutating func laxLookup(_ start: Int, _ end: Int) throws(LiquidError) -> ExpressionSyntax {
        var root: LookupSyntax.Root?
        var steps: [LookupSyntax.Step] = []
        var closings: [Int: Int]?
        var position = start
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "["), closings == nil { closings = bracketPairs(position, end) }
            if byte == UInt8(ascii: "["), let close = closings?[position] {
                let place = SourceRange(position, close + 1)
                let isRoot = root == nil
                if isRoot { expressionTraits.formUnion(.readsAnyName) }
                let index = try laxValue((position + 1)..<close)
                if isRoot {
                    root = .computed(index)
                } else {
                    steps.add(LookupSyntax.Step(kind: .index(index), range: place))
                }
                position = close + 1
            } else if byte.isNameByte {
                var stop = ByteClass.endOfName(in: bytes, from: position, to: end)
                if stop < end, bytes[stop] == UInt8(ascii: "?") { stop += 1 }
                let kind = CoveringWord.token(at: position, in: bytes, written)?.0 ?? .word
                if root == nil {
                    root = try self.root(kind, position, stop)
                } else {
                    steps.add(try step(kind, position, stop))
                }
                position = stop
            } else {
                position += 1
            }
        }
        if steps.isEmpty, case .value(let value)? = root { return value }
        return lookup(root ?? .nothing, steps, start, end)
    }

    /// The offset of each `[` that is closed, with the offset of its `]`.
    private mutating func bracketPairs(_ start: Int, _ end: Int) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        var open: [Int] = []
        for position in start..<end {
            if bytes[position] == UInt8(ascii: "[") {
                open.append(position)
            } else if bytes[position] == UInt8(ascii: "]"), let opening = open.popLast() {
                pairs[opening] = position
            }
        }
        return pairs
    }
}

extension String {
    /// The text without white space, as the reference implementation keeps the text of a range.
    var withoutSpace: String { String(decoding: utf8.filter { !$0.isRubySpace }, as: UTF8.self) }
}
