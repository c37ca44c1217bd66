// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let assign = TagDefinition(
        "assign",
        summary: "Sets a variable to a value.",
        examples: [Example("{% assign greeting = 'hi' | capitalize %}{{ greeting }}", "Hi")]
    ) { (parser, tag, _) throws(LiquidError) in
        (try parser.assignment(tag), .printsNothing)
    }
}

/// A variable, and the value that it is set to.
private struct AssignNode: TagNode {
    let variable: NameSyntax
    let value: MarkupSyntax

    var expressions: [ExpressionSyntax] { value.expressions }
    var binding: TagBinding? { TagBinding(kind: .assign, name: variable, value: value) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        compiler.pushMarkup(value)
        compiler.emit(.assign(compiler.name(variable)))
    }
}

extension TemplateParser {
    fileprivate mutating func assignment(_ tag: TagToken) throws(LiquidError) -> AssignNode {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let (name, value) = try parser.assignmentSides(tag)
                let markup = try parser.outputMarkup(value, tag.markup.upperBound, of: tag)
                return AssignNode(variable: parser.name(name), value: markup)
            },
            strict2: { (parser) throws(LiquidError) in
                let (name, value) = try parser.assignmentSides(tag)
                // The reference implementation ignores what is before the name.
                let start = parser.isComparing ? tag.markup.lowerBound : name.lowerBound
                let variable = try parser.withTokens(start, name.upperBound) { (parser) throws(LiquidError) in
                    let name = try parser.expectName()
                    try parser.expect(.end, .equals)
                    return name
                }
                let end = tag.markup.upperBound
                if parser.isComparing, value == end {
                    throw parser.syntaxError(tag, "'assign' has no value", "")
                        .stopping(at: SourceRange(end, end), expected: .value)
                }
                return AssignNode(variable: variable, value: try parser.outputMarkup(value, end))
            }
        )
    }

    private mutating func assignmentSides(_ tag: TagToken) throws(LiquidError) -> (Range<Int>, value: Int) {
        let end = tag.markup.upperBound
        var position = tag.markup.lowerBound
        while position < end {
            guard let stop = signatureEnd(position, end) else {
                position += 1
                continue
            }
            let equals = skipSpace(stop, end)
            if equals < end, bytes[equals] == UInt8(ascii: "=") {
                return (position..<stop, skipSpace(equals + 1, end))
            }
            position = stop
        }
        throw syntaxError(
            tag,
            "'assign' needs a name, '=' and a value",
            "Syntax Error in 'assign' - Valid syntax: assign [var] = [source]"
        )
    }

    /// The end of a run of letters, digits and `_ - . [ ]`, each with an optional `(` before it and `)` after it; nil
    /// for an empty run.
    mutating func signatureEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while position < end {
            var next = position
            if bytes[next] == UInt8(ascii: "(") { next += 1 }
            guard next < end, isSignatureByte(bytes[next]) else { break }
            next += 1
            if next < end, bytes[next] == UInt8(ascii: ")") { next += 1 }
            position = next
        }
        return position > start ? position : nil
    }

    private func isSignatureByte(_ byte: UInt8) -> Bool {
        byte.isNameByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[")
            || byte == UInt8(ascii: "]")
    }
}
