// SPDX-License-Identifier: MIT

/// Files: classes, methods, functions, global variables and macros.
extension ObjectiveCUnitReader {
    mutating func readFile() {
        while let token = current {
            let before = position
            if token.kind == .keyword {
                switch token.text {
                case "@interface", "@implementation": readClass()
                case "@import":
                    if let module = at(1), module.kind == .word { unit.imports.insert(module.text) }
                    skipStatement()
                case "@protocol":
                    position += 1
                    while let token = current, token.text != "@end", token.text != ";" { position += 1 }
                    position += 1
                default: skipStatement()
                }
            } else if token.isRegionMacro {
                position += 1
            } else {
                // A name with parentheses, but without a type before it, is a macro.
                if token.kind == .word, at(1)?.text == "(" { unit.mayDeclareMore = true }
                readGlobal()
            }
            if position == before { position += 1 }
        }
    }

    private mutating func readClass() {
        position += 1
        guard let name = current, name.kind == .word else { return }
        position += 1
        var inherited: [CodeTypeName] = []
        if take(":"), let parent = current, parent.kind == .word {
            inherited.append(.named(parent.text, []))
            position += 1
        }
        let isCategory = sees("(")
        if isCategory { skipBrackets() }
        if take("<") {
            while let token = current, token.text != ">" { position += 1 }
            _ = take(">")
        }
        var functions: [CodeFunction] = []
        var variables: [CodeVariable] = []
        if sees("{") { variables += instanceVariables() }
        while let token = current, token.text != "@end" {
            let before = position
            if token.kind == .keyword, token.text == "@property" {
                position += 1
                if sees("(") { skipBrackets() }
                if let variable = declarator() { variables.append(variable) }
                skipStatement()
            } else if token.kind == .symbol, token.text == "-" || token.text == "+" {
                if let function = method() { functions.append(function) }
            } else if token.kind == .keyword {
                skipStatement()
            } else {
                readGlobal()
            }
            if position == before { position += 1 }
        }
        _ = take("@end")
        unit.types.append(
            CodeType(
                name: name.text,
                kind: .extending,
                inherited: inherited,
                functions: functions,
                variables: variables,
                objectiveCName: name.text,
                isClass: !inherited.isEmpty,
                offset: name.offset
            )
        )
        if !isCategory {
            unit.types.append(CodeType(name: name.text, kind: .nominal, objectiveCName: name.text))
        }
    }

    private mutating func instanceVariables() -> [CodeVariable] {
        var found: [CodeVariable] = []
        position += 1
        while let token = current, token.text != "}" {
            let before = position
            if token.kind == .keyword {
                position += 1
                continue
            }
            if let variable = declarator() { found.append(variable) }
            skipStatement()
            if position == before { position += 1 }
        }
        _ = take("}")
        return found
    }

    /// Reads a type with a name, such as `NSDictionary *info`; nil if there is none.
    mutating func declarator() -> CodeVariable? {
        let start = position
        let type = typeName()
        if type == .function, sees("("), at(1)?.text == "^", let name = at(2), name.kind == .word {
            position += 3
            _ = take(")")
            if sees("(") { skipBrackets() }
            return CodeVariable(pattern: .name(name.text), type: type, offset: name.offset)
        }
        guard let type, let name = current, name.kind == .word else {
            position = start
            return nil
        }
        position += 1
        return CodeVariable(pattern: .name(name.text), type: type, offset: name.offset)
    }

    /// Reads the type in parentheses before a parameter or after the `-` of a method; nil if there is none.
    private mutating func parenthesizedType() -> CodeTypeName? {
        guard sees("(") else { return nil }
        let start = position
        position += 1
        let type = typeName()
        position = start
        skipBrackets()
        return type
    }

    mutating func method() -> CodeFunction? {
        isConditional = current?.isConditional ?? false
        defer { isConditional = false }
        position += 1
        let result = parenthesizedType()
        let place = offset
        var name = ""
        var parameters: [CodeParameter] = []
        while let token = current, token.kind == .word || sees(":") {
            let piece = token.kind == .word ? token.text : ""
            if token.kind == .word { position += 1 }
            guard take(":") else {
                if name.isEmpty { name = piece }
                // A word after the selector is an attribute.
                if !name.isEmpty { break }
                continue
            }
            name += piece + ":"
            let type = parenthesizedType()
            guard let parameter = current, parameter.kind == .word else { break }
            position += 1
            parameters.append(CodeParameter(label: piece, name: parameter.text, type: type))
        }
        while let token = current, token.text != "{", token.text != ";", token.text != "@end", token.text != "-",
            token.text != "+"
        {
            position += 1
        }
        if take(";") { return nil }
        guard sees("{") else { return nil }
        let body = block()
        return CodeFunction(
            name: name,
            kind: .message,
            parameters: parameters,
            result: result,
            body: body,
            isConditional: isConditional,
            offset: place
        )
    }

    private mutating func readGlobal() {
        let start = position
        if sees("typedef") || sees("struct") || sees("enum") || sees("union") {
            skipStatement()
            return
        }
        guard let type = typeName(), let name = current, name.kind == .word else {
            position = start
            skipStatement()
            if position == start { position += 1 }
            return
        }
        if at(1)?.text == "(" { function(name, type) } else { unit.variables += variables(of: type) }
    }

    /// Reads the names after a type, with their initial values, to the end of the statement.
    mutating func variables(of type: CodeTypeName) -> [CodeVariable] {
        var found: [CodeVariable] = []
        while let name = current, name.kind == .word {
            position += 1
            while sees("[") { skipBrackets() }
            let initial = take("=") ? expression() : nil
            found.append(
                CodeVariable(
                    pattern: .name(name.text), type: type, initial: initial, isConditional: name.isConditional,
                    offset: name.offset))
            guard take(",") else { break }
            while sees("*") || sees("const") { position += 1 }
        }
        skipStatement()
        return found
    }

    /// Reads the parameters of a function or block, from after the opening parenthesis to after the closing one.
    mutating func parameters() -> [CodeParameter] {
        var parameters: [CodeParameter] = []
        while let token = current, token.text != ")" {
            let before = position
            if let variable = declarator(), let name = variable.name {
                parameters.append(CodeParameter(label: "", name: name, type: variable.type))
            }
            while let token = current, token.text != ",", token.text != ")" {
                if token.text == "(" { skipBrackets() } else { position += 1 }
            }
            _ = take(",")
            if position == before { position += 1 }
        }
        _ = take(")")
        return parameters
    }

    private mutating func function(_ name: ObjectiveCToken, _ result: CodeTypeName) {
        position += 2
        let parameters = self.parameters()
        while let token = current, token.text != "{", token.text != ";" { position += 1 }
        guard sees("{") else {
            _ = take(";")
            return
        }
        isConditional = name.isConditional
        defer { isConditional = false }
        let body = block()
        unit.functions.append(
            CodeFunction(
                name: name.text,
                kind: .function,
                parameters: parameters,
                result: result,
                body: body,
                isConditional: name.isConditional,
                offset: name.offset
            )
        )
    }

    mutating func read(_ macro: ObjectiveCMacro) {
        tokens = macro.body
        position = 0
        let value = expression()
        unit.macros.append(
            CodeFunction(
                name: macro.name,
                kind: .macro,
                parameters: macro.parameters.map { CodeParameter(label: "", name: $0) },
                body: [.returning(value)],
                isConditional: macro.isConditional,
                offset: macro.offset
            )
        )
    }
}

extension ObjectiveCToken {
    /// Whether the token is a macro that begins or ends a region of declarations, such as `NS_ASSUME_NONNULL_BEGIN`.
    fileprivate var isRegionMacro: Bool {
        guard kind == .word, text.hasSuffix("_BEGIN") || text.hasSuffix("_END") else { return false }
        return !text.contains(where: \.isLowercase)
    }
}
