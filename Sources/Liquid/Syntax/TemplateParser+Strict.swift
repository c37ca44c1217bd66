// SPDX-License-Identifier: MIT

import SourceText

/// Expressions by the strict rules, read one token at a time.
extension TemplateParser {
    /// Reads one expression and returns its part.
    @discardableResult
    mutating func strictExpression() throws(LiquidError) -> PartID {
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
            try strictValue()
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
            try strictValue()
            try expect(.dotDot)
            try strictValue()
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

    mutating func enterExpression(_ range: SourceRange) throws(LiquidError) {
        guard expressionDepth < Self.maximumDepth else { throw nestingTooDeep(range) }
        expressionDepth += 1
    }

    /// Reads an expression that begins with a word.
    private mutating func strictLookup(_ first: Token) throws(LiquidError) -> PartID {
        let hasSegments = looksAt(.dot) || looksAt(.openSquare)
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
    private mutating func strictSegments(of lookup: PartID, _ end: Int) throws(LiquidError) {
        var end = end
        while true {
            if looksAt(.openSquare) {
                let index = tree.add(.index, token.start, token.end)
                try advance()
                try strictValue()
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
