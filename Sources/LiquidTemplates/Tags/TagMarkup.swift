// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The markup of a tag that is being read: its bytes, and functions that read parts of them.
///
/// Offsets are those of the template. In the bytes, the dialect's own syntax is covered by words of the same length;
/// see ``EmbeddedSyntax``.
public struct TagMarkup: ~Copyable {
    /// An expression in the markup; its value is passed to the tag each time that it is rendered.
    public struct Expression: Sendable {
        let index: Int
    }

    private var parser: TemplateParser
    private let tag: TagToken
    fileprivate var expressions: [ExpressionSyntax] = []

    init(_ parser: consuming TemplateParser, _ tag: TagToken) {
        self.parser = parser
        self.tag = tag
    }

    /// The tag's name.
    public var name: String { parser.name(of: tag) }

    /// The range of the markup after the name.
    public var range: Range<Int> { tag.markup }

    /// The range of the whole tag.
    public var tagRange: SourceRange { tag.range }

    /// The byte at an offset inside ``range``; 0 outside it.
    public subscript(offset: Int) -> UInt8 {
        range.contains(offset) ? parser.bytes[offset] : 0
    }

    /// The text of a range as written.
    public func text(_ range: Range<Int>) -> String {
        let range = range.clamped(to: self.range)
        return parser.text(range.lowerBound, range.upperBound)
    }

    /// The embedded syntax that starts in a range, in order; a piece inside another one comes after it.
    public func embeddedSyntax(in range: Range<Int>) -> ArraySlice<EmbeddedSyntax> {
        parser.embedded.starting(in: range)
    }

    /// Reads a range as one value with its filters, and adds it to the tag's expressions.
    public mutating func addExpression(_ range: Range<Int>) throws(LiquidError) -> Expression {
        let range = range.clamped(to: self.range)
        let markup = try parser.outputMarkup(range.lowerBound, range.upperBound)
        return add(parser.value(of: markup, SourceRange(range)))
    }

    /// Adds a constant text to the tag's expressions, so that analysis finds it.
    public mutating func addLiteral(_ text: String, _ range: Range<Int>) -> Expression {
        add(ExpressionSyntax(.literal(.string(text)), SourceRange(range)))
    }

    private mutating func add(_ expression: ExpressionSyntax) -> Expression {
        expressions.append(expression)
        return Expression(index: expressions.count - 1)
    }

    /// A syntax error at a range of the markup.
    public func error(_ message: String, at range: Range<Int>) -> LiquidError {
        LiquidError(.syntax, message, range: SourceRange(range))
    }

    fileprivate consuming func finish() -> TemplateParser { parser }
}

extension TemplateParser {
    /// Calls `read` with the markup of a dialect's tag; returns the expressions that it adds, and its result.
    mutating func readMarkup(
        of tag: TagToken,
        _ read: (inout TagMarkup) throws(LiquidError) -> TagRun
    ) throws(LiquidError) -> (expressions: [ExpressionSyntax], run: TagRun) {
        var markup = TagMarkup(self, tag)
        do throws(LiquidError) {
            let run = try read(&markup)
            let expressions = markup.expressions
            self = markup.finish()
            return (expressions, run)
        } catch {
            self = markup.finish()
            throw error
        }
    }
}
