// SPDX-License-Identifier: MIT

/// Expressions, messages and blocks.
extension ObjectiveCUnitReader {
    private static let precedences: [String: Int] = [
        "||": 3, "&&": 4, "|": 5, "^": 5, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "+": 9, "-": 9,
        "*": 10, "/": 10, "%": 10,
    ]

    mutating func expression() -> CodeExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.depthLimit else {
            noteDepth()
            return CodeExpression(.other([]), at: offset)
        }
        let left = operation(above: 0)
        if take("?:") { return CodeExpression(.binary("??", left, expression()), at: left.offset) }
        if take("?") {
            if take(":") { return CodeExpression(.binary("??", left, expression()), at: left.offset) }
            let first = expression()
            _ = take(":")
            return CodeExpression(.choice(left, first, expression()), at: left.offset)
        }
        if take("=") {
            return CodeExpression(.assign(left, expression()), at: left.offset)
        }
        if let token = current, token.kind == .symbol, ["+=", "-=", "*=", "/=", "|=", "&="].contains(token.text) {
            position += 1
            return CodeExpression(.other([left, expression()]), at: left.offset)
        }
        return left
    }

    private mutating func operation(above level: Int) -> CodeExpression {
        var left = unary()
        var count = 0
        while let token = current, token.kind == .symbol, let precedence = Self.precedences[token.text],
            precedence > level, count < 128
        {
            count += 1
            position += 1
            left = CodeExpression(.binary(token.text, left, operation(above: precedence)), at: left.offset)
        }
        return left
    }

    private mutating func unary() -> CodeExpression {
        depth += 1
        defer { depth -= 1 }
        let place = offset
        guard depth < Self.depthLimit else {
            noteDepth()
            return CodeExpression(.other([]), at: place)
        }
        if take("!") { return CodeExpression(.not(unary()), at: place) }
        if let token = current, token.kind == .symbol, ["-", "+", "*", "&", "~", "++", "--"].contains(token.text) {
            position += 1
            return CodeExpression(.other([unary()]), at: place)
        }
        if sees("("), let type = castType() {
            return CodeExpression(.cast(unary(), type, .plain), at: place)
        }
        return postfix(primary())
    }

    /// Reads a cast's type in parentheses, and moves after it; returns nil and does not move if there is no cast.
    private mutating func castType() -> CodeTypeName? {
        let start = position
        position += 1
        guard current?.kind == .word, let first = current?.text, let type = typeName(), take(")"), let next = current
        else {
            position = start
            return nil
        }
        let isCertain = type.isOptional || Self.scalars.contains(first)
        let startsOperand =
            next.kind != .symbol || ["[", "(", "@", "^"].contains(next.text)
            || (isCertain && ["-", "!", "*", "&"].contains(next.text))
        if startsOperand, isCertain || (first.first?.isUppercase ?? false && next.text != "(") { return type }
        position = start
        return nil
    }

    private mutating func primary() -> CodeExpression {
        guard let token = current else { return CodeExpression(.other([]), at: offset) }
        let place = token.offset
        switch token.kind {
        case .string:
            var parts: [CodeExpression] = []
            while let next = current, next.kind == .string {
                parts.append(CodeExpression(.text([.text(next.text)]), at: next.offset))
                position += 1
            }
            return glued(parts, at: place)
        case .number:
            position += 1
            return CodeExpression(.number(token.text), at: place)
        case .word:
            position += 1
            switch token.text {
            case "YES", "NO", "true", "false":
                return CodeExpression(.boolean(token.text == "YES" || token.text == "true"), at: place)
            case "nil", "NULL", "Nil": return CodeExpression(.null, at: place)
            default: break
            }
            mention(token.text)
            let name = CodeExpression(.name(token.text), at: place)
            // A macro before a string literal: both are concatenated.
            if current?.kind == .string { return glued([name, primary()], at: place) }
            return name
        case .keyword: return keyword(token)
        case .symbol: break
        }
        switch token.text {
        case "(":
            position += 1
            let inner = expression()
            var all = [inner]
            while take(",") { all.append(expression()) }
            if sees("{") { skipBrackets() }
            while current != nil, !sees(")"), !sees(";"), !sees("}") { position += 1 }
            _ = take(")")
            return all.count == 1 ? inner : CodeExpression(.other(all), at: place)
        case "[": return message()
        case "^": return closure()
        case "@":
            position += 1
            return boxed(at: place)
        case "{":
            position += 1
            let parts = list(to: "}")
            return CodeExpression(.list(parts), at: place)
        default: return CodeExpression(.other([]), at: place)
        }
    }

    private func glued(_ parts: [CodeExpression], at place: Int) -> CodeExpression {
        guard let first = parts.first else { return CodeExpression(.other([]), at: place) }
        return parts.dropFirst().prefix(32).reduce(first) { CodeExpression(.binary("+", $0, $1), at: place) }
    }

    private mutating func boxed(at place: Int) -> CodeExpression {
        if take("(") {
            let inner = expression()
            _ = take(")")
            return inner
        }
        // A nil in a collection literal terminates the process, as unwrapping nil with `!` does in Swift.
        func element(_ value: CodeExpression) -> CodeExpression { CodeExpression(.forced(value), at: value.offset) }
        if take("[") { return CodeExpression(.list(list(to: "]").map(element)), at: place) }
        if take("{") {
            var members: [(key: CodeExpression, value: CodeExpression)] = []
            while current != nil, !sees("}") {
                let before = position
                let key = expression()
                if take(":") { members.append((key, element(expression()))) }
                _ = take(",")
                if position == before { position += 1 }
            }
            _ = take("}")
            return CodeExpression(.map(members), at: place)
        }
        return unary()
    }

    mutating func list(to end: String) -> [CodeExpression] {
        var found: [CodeExpression] = []
        while current != nil, !sees(end), !sees(";") {
            let before = position
            found.append(expression())
            _ = take(",")
            if position == before { position += 1 }
        }
        _ = take(end)
        return found
    }

    mutating func keyword(_ token: ObjectiveCToken) -> CodeExpression {
        position += 1
        switch token.text {
        case "@YES", "@NO", "@true", "@false":
            return CodeExpression(.boolean(token.text == "@YES" || token.text == "@true"), at: token.offset)
        default:
            if sees("(") { skipBrackets() }
            return CodeExpression(token.text == "@available" ? .available : .other([]), at: token.offset)
        }
    }

    private mutating func postfix(_ first: CodeExpression) -> CodeExpression {
        var value = first
        var count = 0
        while let token = current, token.kind == .symbol, count < 100 {
            count += 1
            let place = token.offset
            switch token.text {
            case ".", "->":
                position += 1
                guard let name = current, name.kind == .word else { return value }
                position += 1
                mention(name.text)
                value = CodeExpression(.member(value, name.text), at: name.offset)
            case "[":
                position += 1
                let index = expression()
                while current != nil, !sees("]"), !sees(";"), !sees("}") { position += 1 }
                _ = take("]")
                value = CodeExpression(.index(value, [CodeArgument(label: "", value: index)]), at: place)
            case "(":
                position += 1
                let arguments = list(to: ")").map { CodeArgument(label: "", value: $0) }
                value = CodeExpression(.call(value, arguments), at: value.offset)
            case "++", "--": position += 1
            default: return value
            }
        }
        return value
    }

    /// Reads a message expression, `[receiver selector:argument …]`.
    mutating func message() -> CodeExpression {
        position += 1
        let receiver = expression()
        let place = offset
        var selector = ""
        var arguments: [CodeArgument] = []
        while let token = current, !sees("]"), !sees(";"), !sees("}") {
            let before = position
            if token.kind == .word {
                position += 1
                if take(":") {
                    selector += token.text + ":"
                    arguments.append(CodeArgument(label: "", value: expression()))
                    // A variadic method may have more arguments.
                    while take(",") { arguments.append(CodeArgument(label: "", value: expression())) }
                } else {
                    selector += token.text
                }
            } else if take(":") {
                selector += ":"
                arguments.append(CodeArgument(label: "", value: expression()))
            }
            if position == before { position += 1 }
        }
        _ = take("]")
        mention(selector)
        if let first = selector.split(separator: ":").first { mention(String(first)) }
        let callee = CodeExpression(.member(receiver, selector), at: place)
        return CodeExpression(.call(callee, arguments), at: place)
    }

    private mutating func closure() -> CodeExpression {
        let place = offset
        position += 1
        while let token = current, token.text != "{", token.text != "(", token.text != ";" { position += 1 }
        let parameters = take("(") ? self.parameters() : []
        return CodeExpression(.closure(CodeClosure(parameters: parameters, body: block())), at: place)
    }
}

extension String {
    /// The property that a method with this selector sets, as in `setKey:`; nil for other selectors.
    var setProperty: String? {
        guard hasPrefix("set"), hasSuffix(":"), !dropLast().contains(":"), let first = dropFirst(3).first,
            first.isUppercase
        else { return nil }
        return first.lowercased() + dropFirst(4).dropLast()
    }
}
