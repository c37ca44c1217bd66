// SPDX-License-Identifier: MIT

/// Statements and local variables.
extension ObjectiveCUnitReader {
    static let statementWords: Set<String> = [
        "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "goto", "self",
        "super", "nil", "NULL", "YES", "NO", "sizeof",
    ]

    mutating func block() -> [CodeStatement] {
        guard take("{") else { return [] }
        var found: [CodeStatement] = []
        while current != nil, !sees("}") {
            let before = position
            found += statement()
            if position == before { position += 1 }
            if sees("@end") { return found }
        }
        _ = take("}")
        return found
    }

    private mutating func statement() -> [CodeStatement] {
        let outer = isConditional
        let isInner = !outer && current?.isConditional ?? false
        isConditional = outer || isInner
        defer { isConditional = outer }
        let found = plainStatement()
        return isInner ? [.conditional(found, isForOthers: false)] : found
    }

    private mutating func plainStatement() -> [CodeStatement] {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.depthLimit else {
            noteDepth()
            skipStatement()
            if sees("}") { position += 1 }
            return []
        }
        guard let token = current else { return [] }
        if token.kind == .symbol {
            if token.text == "{" { return block() }
            if token.text == ";" {
                position += 1
                return []
            }
        }
        switch token.text {
        case "if" where token.kind == .word: return [branch()]
        case "for" where token.kind == .word: return loop()
        case "while" where token.kind == .word:
            position += 1
            let condition = parenthesized()
            return [.repeating([.expression(condition)], statement())]
        case "do" where token.kind == .word:
            position += 1
            let body = statement()
            guard take("while") else { return body }
            let condition = parenthesized()
            _ = take(";")
            return [.repeating([.expression(condition)], body)]
        case "switch" where token.kind == .word:
            position += 1
            return choice()
        case "case" where token.kind == .word:
            while current != nil, !sees(":"), !sees("}") { position += 1 }
            _ = take(":")
            return []
        case "default" where token.kind == .word && at(1)?.text == ":":
            position += 2
            return []
        case "return" where token.kind == .word:
            position += 1
            if take(";") { return [.returning(nil)] }
            let value = expression()
            skipStatement()
            return [.returning(value)]
        case "break" where token.kind == .word, "continue" where token.kind == .word, "goto" where token.kind == .word:
            skipStatement()
            return [.leave(token.text == "break" ? .innermost : token.text == "continue" ? .iteration : .function)]
        case "@throw":
            position += 1
            let value = expression()
            skipStatement()
            return [.throwing(value)]
        case "@try":
            position += 1
            let body = statement()
            var catches: [[CodeStatement]] = []
            while take("@catch") {
                if sees("(") { skipBrackets() }
                catches.append(statement())
            }
            return catches.isEmpty ? body : [.attempt(body, catches: catches, isExhaustive: true)]
        case "@finally", "@autoreleasepool":
            position += 1
            return statement()
        case "@catch", "@synchronized":
            position += 1
            if sees("(") { skipBrackets() }
            return statement()
        default: break
        }
        if let variables = declaration() { return variables }
        let value = expression()
        skipStatement()
        return [.expression(value)]
    }

    private mutating func parenthesized() -> CodeExpression {
        guard take("(") else { return CodeExpression(.other([]), at: offset) }
        let value = expression()
        while current != nil, !sees(")"), !sees("{"), !sees("}") { position += 1 }
        _ = take(")")
        return value
    }

    private mutating func branch() -> CodeStatement {
        position += 1
        let condition = parenthesized()
        let body = statement()
        guard take("else") else { return .branch([.expression(condition)], body, otherwise: nil) }
        return .branch([.expression(condition)], body, otherwise: statement())
    }

    /// Reads a `switch`; its subject is kept only for the reads in it.
    private mutating func choice() -> [CodeStatement] {
        let subject = parenthesized()
        guard take("{") else { return [.expression(subject)] + statement() }
        var cases: [CodeStatement.Case] = []
        while current != nil, !sees("}"), !sees("@end") {
            let before = position
            let isDefault = current?.text == "default" && at(1)?.text == ":"
            if isDefault || current?.text == "case" {
                // A case without an exit continues with the next case.
                if let last = cases.indices.last, !(cases[last].body.last?.isExit ?? false) {
                    cases[last].body.append(.leave(.entry))
                }
                cases.append(CodeStatement.Case(patterns: [.any], conditions: [], body: [], isDefault: isDefault))
            }
            let found = statement()
            if let last = cases.indices.last { cases[last].body += found }
            if position == before { position += 1 }
        }
        _ = take("}")
        return [.choose(CodeExpression(.other([subject]), at: subject.offset), cases)]
    }

    private mutating func loop() -> [CodeStatement] {
        position += 1
        guard sees("(") else { return [] }
        let start = position
        position += 1
        if let variable = declarator() ?? bareName(), take("in") {
            let place = offset
            let sequence = expression()
            _ = take(")")
            return [.loop(variable.pattern, sequence, conditions: [], statement(), offset: place)]
        }
        position = start + 1
        var found: [CodeStatement] = []
        if !sees(";") { found += statement() } else { position += 1 }
        while current != nil, !sees(")"), !sees("{"), !sees("}") {
            let before = position
            found.append(.expression(expression()))
            _ = take(";")
            _ = take(",")
            if position == before { position += 1 }
        }
        _ = take(")")
        return found + [.repeating([], statement())]
    }

    private mutating func bareName() -> CodeVariable? {
        guard let name = current, name.kind == .word else { return nil }
        position += 1
        return CodeVariable(pattern: .name(name.text), offset: name.offset)
    }

    /// Reads a declaration of variables; nil if the statement is not one.
    private mutating func declaration() -> [CodeStatement]? {
        let start = position
        guard current?.kind == .word, var variable = declarator(), let type = variable.type else {
            position = start
            return nil
        }
        if type == .function {
            if take("=") { variable.initial = expression() }
            skipStatement()
            return [.variable(variable)]
        }
        guard let after = current, after.kind == .symbol, ["=", ";", ",", "["].contains(after.text) else {
            position = start
            return nil
        }
        position -= 1
        return variables(of: type).map { .variable($0) }
    }
}

extension CodeStatement {
    /// Whether the statement leaves its block, so that later statements in the block do not run.
    fileprivate var isExit: Bool {
        switch self {
        case .returning, .throwing, .leave: true
        default: false
        }
    }
}
