// SPDX-License-Identifier: MIT

/// Converts an Objective-C file to a ``CodeUnit``.
///
/// It reads the parts of the language that are needed to follow reads of dictionaries: classes with their properties
/// and methods, functions, constants, macros, statements and expressions. It skips everything else.
struct ObjectiveCUnitReader {
    static let depthLimit = 160

    var tokens: [ObjectiveCToken]
    var position = 0
    var unit = CodeUnit()
    var depth = 0

    /// Whether the code that is being read is in a statement or method that only debug builds have.
    var isConditional = false

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - text: the UTF-8 of the file.
    ///   - isValid: whether the file is UTF-8 text. If it is not, invalid bytes are reported unless they are in
    ///     comments.
    /// - Returns: what it declares.
    static func unit(of text: [UInt8], isValid: Bool) -> CodeUnit {
        let lexer = ObjectiveCLexer(text)
        var reader = ObjectiveCUnitReader(tokens: lexer.tokens)
        reader.readFile()
        for macro in lexer.macros { reader.read(macro) }
        reader.unit.imports.formUnion(lexer.imports)
        if reader.unit.unread == nil {
            if let macro = lexer.cutMacro {
                reader.unit.unread = UnreadRegion(
                    offset: macro.offset,
                    why: "the macro '\(macro.text)' has more than \(ObjectiveCLexer.macroTokenLimit) tokens"
                )
            } else if lexer.isCut {
                reader.unit.unread = UnreadRegion(
                    offset: lexer.tokens.last?.offset ?? 0,
                    why: "the file has more than \(ObjectiveCLexer.tokenLimit) tokens"
                )
            } else if !isValid, let token = lexer.tokens.first(where: \.isInvalid) {
                reader.unit.unread = .notText(at: token.offset)
            } else if let bracket = lexer.unpairedBracket {
                reader.unit.unread = UnreadRegion(
                    offset: bracket.offset, why: "the bracket '\(bracket.text)' has no matching bracket")
            }
        }
        return reader.unit
    }

    private init(tokens: [ObjectiveCToken]) { self.tokens = tokens }

    // MARK: - Tokens

    var current: ObjectiveCToken? { position < tokens.count ? tokens[position] : nil }

    func at(_ ahead: Int) -> ObjectiveCToken? {
        position + ahead < tokens.count ? tokens[position + ahead] : nil
    }

    var offset: Int { current?.offset ?? tokens.last?.offset ?? 0 }

    func sees(_ text: String) -> Bool {
        guard let current else { return false }
        return current.kind != .string && current.text == text
    }

    mutating func take(_ text: String) -> Bool {
        guard sees(text) else { return false }
        position += 1
        return true
    }

    mutating func mention(_ name: String) { unit.mentions.insert(name) }

    /// Skips brackets of any kind, from an opening bracket to the closing one.
    mutating func skipBrackets() {
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

    /// Skips past the next semicolon outside brackets, but not past a closing bracket or the beginning or end of a
    /// class.
    mutating func skipStatement() {
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
            if beginsOrEndsClass { return }
            position += 1
        }
    }

    /// Whether the next token begins or ends the declaration of a class or protocol, and so ends any statement.
    private var beginsOrEndsClass: Bool {
        guard let current, current.kind == .keyword else { return false }
        switch current.text {
        case "@end", "@interface", "@implementation": return true
        case "@protocol": return at(1)?.text != "("
        default: return false
        }
    }

    /// Records the first place where code is not read because it is nested too deeply.
    mutating func noteDepth() {
        guard unit.unread == nil else { return }
        unit.unread = UnreadRegion(offset: offset, why: "the code is nested deeper than \(Self.depthLimit) levels")
    }
}
