// SPDX-License-Identifier: MIT

/// Converts an Objective-C file to a ``CodeUnit``.
///
/// It reads the parts of the language that are needed to follow reads of dictionaries: classes with their properties
/// and methods, functions, constants, macros, statements and expressions. It skips all others.
struct ObjectiveCUnitReader {
    private static let depthLimit = 160

    private var tokens: [ObjectiveCToken]
    private var position = 0
    private var unit = CodeUnit()
    private var depth = 0
    private var mentions: [Set<String>] = [[]]

    /// Reads a file.
    ///
    /// - Parameter text: the UTF-8 of the file.
    /// - Returns: what it declares.
    static func unit(of text: [UInt8]) -> CodeUnit {
        let lexer = ObjectiveCLexer(text)
        var reader = ObjectiveCUnitReader(tokens: lexer.tokens)
        reader.readFile()
        for macro in lexer.macros { reader.read(macro) }
        reader.unit.mentions = reader.mentions[0]
        if reader.unit.unread == nil {
            if let macro = lexer.cutMacro {
                reader.unit.unread = CodeGap(
                    offset: macro.offset,
                    why: "the macro '\(macro.text)' has more than \(ObjectiveCLexer.macroTokenLimit) tokens"
                )
            } else if lexer.isCut {
                reader.unit.unread = CodeGap(
                    offset: lexer.tokens.last?.offset ?? 0,
                    why: "the file has more than \(ObjectiveCLexer.tokenLimit) tokens"
                )
            }
        }
        return reader.unit
    }

    private init(tokens: [ObjectiveCToken]) { self.tokens = tokens }

    // MARK: - Tokens

    private var current: ObjectiveCToken? { position < tokens.count ? tokens[position] : nil }

    private func at(_ ahead: Int) -> ObjectiveCToken? {
        position + ahead < tokens.count ? tokens[position + ahead] : nil
    }

    private var offset: Int { current?.offset ?? tokens.last?.offset ?? 0 }

    private func sees(_ text: String) -> Bool {
        guard let current else { return false }
        return current.kind != .string && current.text == text
    }

    private mutating func take(_ text: String) -> Bool {
        guard sees(text) else { return false }
        position += 1
        return true
    }

    private mutating func mention(_ name: String) { mentions[mentions.count - 1].insert(name) }

    private mutating func collecting<Result>(_ read: (inout Self) -> Result) -> (Result, Set<String>) {
        mentions.append([])
        let result = read(&self)
        let own = mentions.removeLast()
        mentions[mentions.count - 1].formUnion(own)
        return (result, own)
    }

    /// Skips brackets of any kind, from an opening bracket to the closing one.
    private mutating func skipBrackets() {
        var level = 0
        while let token = current {
            position += 1
            guard token.kind == .symbol else { continue }
            switch token.text {
            case "(", "[", "{": level += 1
            case ")", "]", "}":
                level -= 1
                if level <= 0 { return }
            default: break
            }
        }
    }

    /// Skips to the position after the next semicolon outside brackets.
    private mutating func skipStatement() {
        while let token = current {
            if token.kind == .symbol {
                if token.text == ";" {
                    position += 1
                    return
                }
                if token.text == "}" || token.text == ")" || token.text == "]" { return }
                if token.text == "{" || token.text == "(" || token.text == "[" {
                    skipBrackets()
                    continue
                }
            }
            if token.kind == .keyword, token.text == "@end" { return }
            position += 1
        }
    }

    // MARK: - Files

    private mutating func readFile() {
        while let token = current {
            let before = position
            if token.kind == .keyword {
                switch token.text {
                case "@interface": readClass(isImplementation: false)
                case "@implementation": readClass(isImplementation: true)
                case "@protocol":
                    position += 1
                    while let token = current, token.text != "@end", token.text != ";" { position += 1 }
                    position += 1
                default: skipStatement()
                }
            } else {
                readGlobal()
            }
            if position == before { position += 1 }
        }
    }

    private mutating func readClass(isImplementation: Bool) {
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
                if let function = method(isStatic: token.text == "+") { functions.append(function) }
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
                objectiveCName: name.text
            )
        )
        if isImplementation || !isCategory {
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

    /// Reads a type with a name, such as `NSDictionary *info`; nil where there is none.
    private mutating func declarator() -> CodeVariable? {
        let start = position
        guard let type = typeName(), let name = current, name.kind == .word else {
            position = start
            return nil
        }
        position += 1
        return CodeVariable(pattern: .name(name.text), type: type, offset: name.offset)
    }

    /// Reads the type in parentheses before a parameter or after the `-` of a method; nil where there is none.
    private mutating func parenthesizedType() -> CodeTypeName? {
        guard sees("(") else { return nil }
        let start = position
        position += 1
        let type = typeName()
        position = start
        skipBrackets()
        return type
    }

    private mutating func method(isStatic: Bool) -> CodeFunction? {
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
                // Attributes after the selector end it.
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
        let (body, mentions) = collecting { reader in reader.block() }
        return CodeFunction(
            name: name,
            kind: .message,
            parameters: parameters,
            result: result,
            body: body,
            isStatic: isStatic,
            offset: place,
            mentions: mentions
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
        position += 1
        if sees("(") {
            function(name, type)
            return
        }
        var next: ObjectiveCToken? = name
        while let variable = next {
            while sees("[") { skipBrackets() }
            let (initial, mentions) = collecting { reader in
                reader.take("=") ? reader.expression() : nil
            }
            unit.variables.append(
                CodeVariable(
                    pattern: .name(variable.text),
                    type: type,
                    initial: initial,
                    isConstant: true,
                    offset: variable.offset,
                    mentions: mentions
                )
            )
            next = nil
            if take(",") {
                while sees("*") || sees("const") { position += 1 }
                if let another = current, another.kind == .word {
                    next = another
                    position += 1
                }
            }
        }
        skipStatement()
    }

    /// Reads the parameters of a function or block, after the opening parenthesis and with the closing one.
    private mutating func parameters() -> [CodeParameter] {
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
        position += 1
        let parameters = self.parameters()
        while let token = current, token.text != "{", token.text != ";" { position += 1 }
        guard sees("{") else {
            _ = take(";")
            return
        }
        let (body, mentions) = collecting { reader in reader.block() }
        unit.functions.append(
            CodeFunction(
                name: name.text,
                kind: .function,
                parameters: parameters,
                result: result,
                body: body,
                offset: name.offset,
                mentions: mentions
            )
        )
    }

    private mutating func read(_ macro: ObjectiveCMacro) {
        tokens = macro.body
        position = 0
        let (value, mentions) = collecting { reader in reader.expression() }
        unit.macros.append(
            CodeFunction(
                name: macro.name,
                kind: .macro,
                parameters: macro.parameters.map { CodeParameter(label: "", name: $0) },
                body: [.giveBack(value)],
                offset: macro.offset,
                mentions: mentions
            )
        )
    }

    // MARK: - Types

    private static let qualifiers: Set<String> = [
        "const", "static", "extern", "__block", "__weak", "__strong", "__unsafe_unretained", "__autoreleasing",
        "nullable",
        "nonnull", "_Nullable", "_Nonnull", "__kindof", "inline", "volatile", "unsigned", "signed", "struct", "enum",
        "IBOutlet", "IBInspectable", "FOUNDATION_EXPORT", "FOUNDATION_EXTERN", "UIKIT_EXTERN", "register", "__nullable",
        "__nonnull", "null_unspecified", "NS_NOESCAPE", "out", "inout", "in", "oneway", "__unused",
    ]

    private static let scalars: Set<String> = [
        "void", "BOOL", "bool", "int", "char", "short", "long", "float", "double", "NSInteger", "NSUInteger", "CGFloat",
        "NSTimeInterval", "id", "instancetype", "Class", "SEL", "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t",
        "unichar", "CGRect", "CGSize", "CGPoint", "UIEdgeInsets", "NSRange", "dispatch_queue_t", "auto",
    ]

    private mutating func skipQualifiers() {
        while let token = current, token.kind == .word, Self.qualifiers.contains(token.text) {
            if token.text == "unsigned" || token.text == "signed",
                let next = at(1), next.kind != .word || !Self.scalars.contains(next.text)
            {
                return
            }
            position += 1
        }
    }

    private static let typeListEnds: Set<String> = [";", "{", "}", ")"]

    /// Records that the rest of the file is not read, as its code is nested too deeply.
    private mutating func noteDepth() {
        guard unit.unread == nil else { return }
        unit.unread = CodeGap(offset: offset, why: "the code is nested deeper than \(Self.depthLimit) levels")
    }

    /// Reads a type; nil where there is none.
    private mutating func typeName() -> CodeTypeName? {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.depthLimit else {
            noteDepth()
            return nil
        }
        skipQualifiers()
        guard let name = current, name.kind == .word, !Self.statementWords.contains(name.text) else { return nil }
        position += 1
        if name.text == "long" || name.text == "short" { while sees("long") || sees("int") { position += 1 } }
        var arguments: [CodeTypeName] = []
        if sees("<") {
            position += 1
            // This may be a comparison and not a list of types: the limit keeps it from being read to the end of the
            // file each time.
            let end = position + 64
            while let token = current, token.text != ">", position < end, !Self.typeListEnds.contains(token.text) {
                let before = position
                if let inner = typeName() { arguments.append(inner) }
                _ = take(",")
                if position == before { position += 1 }
            }
            _ = take(">")
        }
        skipQualifiers()
        var isPointer = false
        while sees("*") {
            isPointer = true
            position += 1
            skipQualifiers()
        }
        if sees("("), let caret = at(1), caret.text == "^" { return .function }
        let type: CodeTypeName =
            switch (name.text, arguments.count) {
            case ("NSArray", 1), ("NSMutableArray", 1), ("NSSet", 1): .array(arguments[0].unwrapped)
            case ("NSDictionary", 2), ("NSMutableDictionary", 2):
                .dictionary(arguments[0].unwrapped, arguments[1].unwrapped)
            case ("id", _), ("instancetype", _): .named("Any", [])
            case ("void", _) where !isPointer: .named("Void", [])
            default: .named(name.text, [])
            }
        return isPointer || name.text == "id" || name.text == "instancetype" ? .optional(type) : type
    }

    // MARK: - Statements

    private static let statementWords: Set<String> = [
        "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "goto", "self",
        "super", "nil", "NULL", "YES", "NO", "sizeof",
    ]

    private mutating func block() -> [CodeStatement] {
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
            let subject = parenthesized()
            return [.expression(subject)] + statement()
        case "case" where token.kind == .word:
            while current != nil, !sees(":"), !sees("}") { position += 1 }
            _ = take(":")
            return []
        case "default" where token.kind == .word && at(1)?.text == ":":
            position += 2
            return []
        case "return" where token.kind == .word:
            position += 1
            if take(";") { return [.giveBack(nil)] }
            let value = expression()
            skipStatement()
            return [.giveBack(value)]
        case "break" where token.kind == .word, "continue" where token.kind == .word, "goto" where token.kind == .word:
            skipStatement()
            return [.leave]
        case "@throw":
            position += 1
            let value = expression()
            skipStatement()
            return [.throwing(value)]
        case "@try", "@finally", "@autoreleasepool":
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

    /// Reads a declaration of variables; nil where the statement is not one.
    private mutating func declaration() -> [CodeStatement]? {
        let start = position
        guard current?.kind == .word, let type = typeName() else {
            position = start
            return nil
        }
        if type == .function, sees("("), at(1)?.text == "^", let name = at(2), name.kind == .word {
            position += 3
            while current != nil, !sees("="), !sees(";"), !sees("}") {
                if sees("(") { skipBrackets() } else { position += 1 }
            }
            let initial = take("=") ? expression() : nil
            skipStatement()
            return [.variable(CodeVariable(pattern: .name(name.text), initial: initial, offset: name.offset))]
        }
        guard let name = current, name.kind == .word, let after = at(1),
            after.kind == .symbol, ["=", ";", ",", "["].contains(after.text)
        else {
            position = start
            return nil
        }
        var found: [CodeStatement] = []
        var next: ObjectiveCToken? = name
        while let variable = next {
            position += 1
            while sees("[") { skipBrackets() }
            let initial = take("=") ? expression() : nil
            found.append(
                .variable(
                    CodeVariable(pattern: .name(variable.text), type: type, initial: initial, offset: variable.offset)
                )
            )
            next = nil
            if take(",") {
                while sees("*") { position += 1 }
                if let another = current, another.kind == .word { next = another }
            }
        }
        skipStatement()
        return found
    }

    // MARK: - Expressions

    private static let precedences: [String: Int] = [
        "||": 3, "&&": 4, "|": 5, "^": 5, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "+": 9, "-": 9,
        "*": 10, "/": 10, "%": 10,
    ]

    private mutating func expression() -> CodeExpression {
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
        if take("=") { return CodeExpression(.assign(left, expression()), at: left.offset) }
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

    /// Reads the type of a cast in parentheses, and moves after it; nil, without moving, where there is no cast.
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
        if take("[") { return CodeExpression(.list(list(to: "]")), at: place) }
        if take("{") {
            var members: [(key: CodeExpression, value: CodeExpression)] = []
            while current != nil, !sees("}") {
                let before = position
                let key = expression()
                if take(":") { members.append((key, expression())) }
                _ = take(",")
                if position == before { position += 1 }
            }
            _ = take("}")
            return CodeExpression(.map(members), at: place)
        }
        return unary()
    }

    private mutating func list(to end: String) -> [CodeExpression] {
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

    private mutating func keyword(_ token: ObjectiveCToken) -> CodeExpression {
        position += 1
        switch token.text {
        case "@YES", "@NO", "@true", "@false":
            return CodeExpression(.boolean(token.text == "@YES" || token.text == "@true"), at: token.offset)
        default:
            if sees("(") { skipBrackets() }
            return CodeExpression(.other([]), at: token.offset)
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
    private mutating func message() -> CodeExpression {
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
                    // Further arguments of a variadic method follow.
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
        let body = block()
        return CodeExpression(
            .closure(CodeClosure(parameters: parameters, body: body, offset: place)),
            at: place
        )
    }
}
