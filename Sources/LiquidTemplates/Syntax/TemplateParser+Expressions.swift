// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

/// Rules of expressions that the strict and the lax mode share.
extension TemplateParser {
    /// Closes an output in the place of a value; if it has no filters, its value replaces it.
    mutating func closeGroup(_ group: PartID) {
        let markup = tree.first(in: group)
        if tree[markup].size == 1 {
            let place = tree[group].range
            tree.truncate(to: group)
            tree.add(.null, place)
        } else if tree.isLast(tree.first(in: markup)) {
            tree.unwrap(group, to: tree.first(in: markup))
        } else {
            tree.close(group)
        }
    }

    /// The kind of literal that a word is; nil for the name of a variable.
    mutating func literal(_ start: Int, _ end: Int) -> SyntaxTree.Kind? {
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

    /// Closes a lookup and notes its traits.
    @inline(__always)
    mutating func closeLookup(_ lookup: PartID, end: Int) {
        tree.close(lookup, end: end)
        let root = tree.first(in: lookup)
        guard tree[root].kind == .variable else { return }
        let name = tree[root].offsets
        if matches("self", name.lowerBound, name.upperBound) {
            expressionTraits.formUnion(.readsAnyName)
        } else if matches("forloop", name.lowerBound, name.upperBound), plainLoopField(after: root) == nil {
            expressionTraits.formUnion(.usesLoop)
        }
    }

    /// The property of `forloop` that the last lookup reads and that the compiler can take from the loop itself; nil
    /// for other lookups.
    private mutating func plainLoopField(after root: PartID) -> LoopField? {
        let step = tree.next(after: root)
        guard step != tree.end, tree[step].kind == .key else { return nil }
        let key = tree[step].offsets
        return LoopField(text(key.lowerBound, key.upperBound))
    }

    /// Closes a range; one between two literals becomes a constant.
    mutating func closeRange(_ range: PartID, end: Int) throws(LiquidError) {
        tree.close(range, end: end)
        guard let (first, last) = literalBounds(of: range) else { return }
        if let bound = wrongBound(of: range) {
            let place = tree[bound].range
            let found = text(Int(place.start), Int(place.end))
            throw LiquidError(
                .syntax,
                "found '\(found)' as a bound of a range, expected an integer",
                referenceText: "Invalid expression type '\(found.withoutSpace)' in range expression",
                range: place
            )
        }
        // A bound that no range holds is an error when it is rendered.
        guard let lower = first.literalRangeBound, let upper = last.literalRangeBound else { return }
        let place = tree[range].offsets
        tree.truncate(to: range)
        tree.add(.range(LiquidRange(lower, upper)), place.lowerBound, place.upperBound)
    }

    /// The bounds of a range between two literals.
    ///
    /// If one is not a literal, the reference checks both when it renders.
    private func literalBounds(of range: PartID) -> (Value, Value)? {
        let lower = tree.first(in: range)
        let upper = tree.next(after: lower)
        guard let first = literalValue(lower), let last = literalValue(upper) else { return nil }
        return (first, last)
    }

    /// The bound of a range between two literals that is no number, where there is one.
    private func wrongBound(of range: PartID) -> PartID? {
        guard literalBounds(of: range) != nil else { return nil }
        let lower = tree.first(in: range)
        let upper = tree.next(after: lower)
        return isNoBound(lower) ? lower : isNoBound(upper) ? upper : nil
    }

    private func isNoBound(_ part: PartID) -> Bool {
        switch tree[part].kind {
        case .true, .false: true
        case .constant: if case .range = tree.values[Int(tree[part].detail)] { true } else { false }
        default: false
        }
    }

    private func literalValue(_ part: PartID) -> Value? { tree[part].literal(tree.values, written) }
}

/// Expressions by the strict rules, read one token at a time.
extension TemplateParser {
    /// Reads one expression and returns its part.
    @discardableResult
    @inline(__always)
    mutating func strictExpression() throws(LiquidError) -> PartID {
        let start = token.start
        let expression = try expressionOfTokens()
        if readsTextOfTokens { try readTextOfTokens(expression, from: start) }
        return expression
    }

    /// Reads an expression whose tokens have been read again by the lax rules.
    ///
    /// The reference only checks the tokens. It joins them without the space between them, and reads the text that
    /// results as in the lax mode, where quotation marks do not protect all that is in a string.
    @inline(never)
    private mutating func readTextOfTokens(_ expression: PartID, from start: Int) throws(LiquidError) {
        readsTextOfTokens = false
        let range = start..<endOfLastToken
        // An output in place of a value is no text of the reference.
        if insertions.starting(in: range).contains(where: { $0.kind == .output }) { return }
        var tokens = ExpressionLexer(bytes, from: range.lowerBound, to: range.upperBound)
        var end = range.lowerBound
        var token = try tokens.next()
        while token.kind != .end {
            spaceOfTokens.formUnion(end..<token.start)
            end = token.end
            token = try tokens.next()
        }
        defer { spaceOfTokens = [] }
        tree.truncate(to: expression)
        try laxExpression(range)
    }

    /// Reads one expression, which may be inside another one.
    private mutating func expressionOfTokens() throws(LiquidError) -> PartID {
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
            try strictIndex()
            let end = try expect(.closeSquare).end
            tree.close(name, end: end)
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
            asValue(try expressionOfTokens())
            try expect(.dotDot)
            let upper = token.start
            if isAt(.openRound) { readsTextOfTokens = true }
            asValue(try expressionOfTokens())
            let end = try expect(.closeRound).end
            if readsTextOfTokens || !isRangeAsText(first.start, upper, end) || wrongBound(of: range) != nil {
                readsTextOfTokens = true
                tree.close(range, end: end)
            } else {
                try closeRange(range, end: end)
            }
            return range
        default:
            throw notAValue(first)
        }
    }

    /// Reads the expression between brackets.
    private mutating func strictIndex() throws(LiquidError) {
        let index = asValue(try expressionOfTokens())
        guard tree[index].kind == .string else { return }
        for position in tree[index].offsets where isBracket(position) { readsTextOfTokens = true }
    }

    /// Whether the reference finds the same two bounds in the text of a range as in its tokens: it takes the last `..`,
    /// and bounds without white space, even in strings.
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
        )
    }

    /// The token as the reference prints it, such as `[:pipe, "|"]`.
    private func notation(of token: Token) -> String {
        if token.kind == .end { return "[:end_of_string]" }
        return "[:\(token.kind.name), \"\(text(token.start, token.end))\"]"
    }

    /// Reads one expression outside a comparison, where `blank` and `empty` are the empty string.
    @discardableResult
    mutating func strictValue() throws(LiquidError) -> PartID { asValue(try strictExpression()) }

    @discardableResult
    mutating func asValue(_ expression: PartID) -> PartID {
        switch tree[expression].kind {
        case .blank, .empty: tree[expression].kind = .emptyString
        default: break
        }
        return expression
    }

    @inline(__always)
    mutating func enterExpression(_ range: @autoclosure () -> SourceRange) throws(LiquidError) {
        guard expressionDepth < Self.maximumDepth else { throw nestingTooDeep(range()) }
        expressionDepth += 1
    }

    /// Reads an expression that begins with a word.
    @inline(__always)
    private mutating func strictLookup(_ first: Token) throws(LiquidError) -> PartID {
        let hasSegments = isAt(.dot) || isAt(.openSquare)
        let insertion = insertions.index(startingAt: first.start)
        if !hasSegments, insertion == nil, let literal = literal(first.start, first.end) {
            return tree.add(literal, first.start, first.end)
        }
        let lookup = tree.add(.lookup, first.start, first.end)
        switch insertion.map({ insertions[$0].kind }) {
        case .attribute: tree.add(.attribute, first.start, first.end, detail: insertion ?? 0)
        case .output:
            let root = tree.add(.root, first.start, first.end)
            try readInnerOutput(insertion ?? 0)
            if !hasSegments {
                tree.unwrap(lookup, to: tree.first(in: root))
                return lookup
            }
            tree.close(root)
        case .comment, nil:
            tree.add(.variable, first.start, first.end)
        }
        try strictSegments(of: lookup, first.end)
        return lookup
    }

    /// Reads the steps of a lookup up to its end.
    @inline(__always)
    private mutating func strictSegments(of lookup: PartID, _ end: Int) throws(LiquidError) {
        var end = end
        while true {
            if isAt(.openSquare) {
                let index = tree.add(.index, token.start, token.end)
                try advance()
                try strictIndex()
                end = try expect(.closeSquare).end
                tree.close(index, end: end)
            } else if try take(.dot) {
                let name = try expect(.word)
                end = name.end
                if let insertion = insertions.index(startingAt: name.start), insertions[insertion].kind == .attribute {
                    tree.add(.attributeKey, name.start, name.end, detail: insertion)
                } else {
                    tree.add(.key, name.start, name.end)
                }
            } else {
                break
            }
        }
        closeLookup(lookup, end: end)
    }
}

/// Expressions by the lax rules.
///
/// The reference reads them with regular expressions that match what they know and skip the rest; the functions here
/// match and skip the same bytes, in linear time.
extension TemplateParser {
    /// The end of the fragment that begins at `start` (the reference's `QuotedFragment`): a quoted string, or a run
    /// without white space, `,` and `|` in which quotes occur only as quoted strings.
    ///
    /// Nil where none begins at `start`.
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

    /// The end of the quoted string that begins at `start`; nil where there is none.
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

    /// Calls `body` for each `key: value` in a range, in order, as the reference finds the attributes of a tag.
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

    /// The same as ``laxExpression(_:)`` outside a comparison.
    @discardableResult
    mutating func laxValue(_ range: Range<Int>) throws(LiquidError) -> PartID { asValue(try laxExpression(range)) }

    /// Reads a whole range of markup as one expression and returns its part.
    @discardableResult
    mutating func laxExpression(_ range: Range<Int>) throws(LiquidError) -> PartID {
        let stripped = stripped(range)
        let (start, end) = (stripped.lowerBound, stripped.upperBound)
        if start < end {
            let first = bytes[start]
            if first == bytes[end - 1], first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                return start + 1 < end ? tree.add(.string, start + 1, end - 1) : tree.add(.emptyString, start, end)
            }
            if first == UInt8(ascii: "("), bytes[end - 1] == UInt8(ascii: ")"),
                let bounds = rangeBounds(start + 1, end - 1)
            {
                try enterExpression(SourceRange(start, end))
                defer { expressionDepth -= 1 }
                let range = tree.add(.range, start, end)
                try laxValue(bounds.0)
                try laxValue(bounds.1)
                try closeRange(range, end: end)
                return range
            }
        }
        if let literal = literal(start, end), insertions.index(startingAt: start) == nil {
            let word = tree.add(literal, start, end)
            // In a comparison, `blank` and `empty` are themselves only where nothing is stripped.
            return stripped == range ? word : asValue(word)
        }
        if let number = try looseNumber(start, end) { return tree.add(number, start, end) }
        try enterExpression(SourceRange(start, end))
        defer { expressionDepth -= 1 }
        return try laxLookup(start, end)
    }

    /// The two bounds of `first..last`; nil where the range is not of that form.
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

    /// Whether a byte is white space, and not the space between tokens, which the reference has dropped.
    private func isSpaceInText(_ position: Int) -> Bool {
        bytes[position].isRubySpace && !spaceOfTokens.contains(position)
    }

    private func isDots(_ offset: Int, _ end: Int) -> Bool {
        offset + 1 < end && bytes[offset] == UInt8(ascii: ".") && bytes[offset + 1] == UInt8(ascii: ".")
    }

    /// A number; as in the reference also `1.` and `1.2.3`, which is read up to its second dot.
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
        if let integer = shortInteger(start, end) { return .integer(integer) }
        let digits = text(start, end)
        if let integer = Int(digits) { return .integer(integer) }
        if digits.utf8.contains(UInt8(ascii: ".")) {
            return .float(Double(digits.utf8.last == UInt8(ascii: ".") ? digits + "0" : digits) ?? 0)
        }
        guard end - start <= Number.maximumDigits else { throw Number.tooLong.placed(range: SourceRange(start, end)) }
        return BigInt(digits).map(BigInteger.value) ?? .integer(0)
    }

    /// The value of at most 18 digits with an optional sign, which is certain to fit; nil for other numbers.
    private mutating func shortInteger(_ start: Int, _ end: Int) -> Int? {
        guard end - start <= 18 else { return nil }
        let first = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
        var value = 0
        for position in first..<end {
            guard let digit = bytes[position].digit else { return nil }
            value = value &* 10 &+ digit
        }
        return first == start ? value : -value
    }

    /// Reads a variable and its path: words and balanced brackets; anything between them is skipped.
    private mutating func laxLookup(_ start: Int, _ end: Int) throws(LiquidError) -> PartID {
        let lookup = tree.add(.lookup, start, end)
        var closings: [Int: Int]?
        var position = start
        while position < end {
            let byte = bytes[position]
            let isRoot = tree.isLast(lookup)
            if byte == UInt8(ascii: "["), closings == nil { closings = bracketPairs(position, end) }
            if byte == UInt8(ascii: "["), let close = closings?[position] {
                let index = tree.add(isRoot ? .computed : .index, position, close + 1)
                if isRoot { expressionTraits.formUnion(.readsAnyName) }
                try laxValue((position + 1)..<close)
                tree.close(index)
                position = close + 1
            } else if byte.isNameByte {
                var stop = ByteClass.endOfName(in: bytes, from: position, to: end)
                if stop < end, bytes[stop] == UInt8(ascii: "?") { stop += 1 }
                try laxStep(position, stop, isRoot: isRoot)
                position = stop
            } else {
                position += 1
            }
        }
        if tree.isLast(lookup) { tree.add(.nothing, start, end) }
        let root = tree.first(in: lookup)
        if tree[root].kind == .root, tree.isLast(root) {
            tree.unwrap(lookup, to: tree.first(in: root))
        } else {
            closeLookup(lookup, end: end)
        }
        return lookup
    }

    /// Reads one word of a lookup, or an insertion.
    private mutating func laxStep(_ start: Int, _ end: Int, isRoot: Bool) throws(LiquidError) {
        let insertion = insertions.index(startingAt: start)
        switch insertion.map({ insertions[$0].kind }) {
        case .attribute:
            tree.add(isRoot ? .attribute : .attributeKey, start, end, detail: insertion ?? 0)
        case .output:
            let step = tree.add(isRoot ? .root : .index, start, end)
            try readInnerOutput(insertion ?? 0)
            tree.close(step)
        case .comment, nil:
            tree.add(isRoot ? .variable : .key, start, end)
        }
    }

    /// The offset of each `[` that is closed, with that of its `]`.
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
    /// The text without white space: for a range, the text by which the reference knows it.
    var withoutSpace: String { String(decoding: utf8.filter { !$0.isRubySpace }, as: UTF8.self) }
}
