// SPDX-License-Identifier: MIT

public import DiagnosticSources
import JSONTexts

/// A template: its nodes, and the program that renders it.
///
/// Templates render as in Shopify's Ruby Liquid 5.13, which comments call the reference implementation.
public final class Template: Sendable {
    /// The name that errors carry; nil for a template without one.
    public let name: String?

    /// The dialect in which the template is written.
    public var environment: Environment { program.environment }

    /// The bytes of the template, and where syntax of the dialect is in them.
    public var source: TemplateSource { program.parsed.source }

    /// The maximum number of bytes that a template may have; its places and instructions are counted in 32 bits.
    static let maximumBytes = 1 << 28

    let program: Program

    /// Whether the template ends in a `-%}` or `-}}`, which in the reference implementation also trims the start of the
    /// next partial that is read.
    let trimsAfter: Bool

    /// Reads and compiles a template.
    ///
    /// - Parameters:
    ///   - source: the bytes, which must be UTF-8.
    ///   - name: the name that errors carry.
    ///   - environment: the dialect.
    ///   - mode: how strictly the syntax is read.
    /// - Throws: `syntax`, `stackLevel` for too deep nesting, `encoding`, `memory` for more than 256 MiB.
    public convenience init(
        _ source: [UInt8],
        name: String? = nil,
        environment: Environment = .standard,
        mode: ErrorMode = .lax
    ) throws(LiquidError) {
        var trims = false
        try self.init(source, name: name, environment: environment, mode: mode, trims: &trims)
    }

    /// Reads and compiles a template.
    ///
    /// `trims` is read and set. Before the call, it says whether text at the start loses its leading white space;
    /// afterwards, even after an error, whether text that follows the template would lose its leading white space.
    convenience init(
        _ source: [UInt8],
        name: String?,
        environment: Environment,
        mode: ErrorMode,
        trims: inout Bool
    ) throws(LiquidError) {
        var faults: [LiquidError]?
        try self.init(source, name: name, environment: environment, mode: mode, trims: &trims, faults: &faults)
    }

    private init(
        _ source: [UInt8],
        name: String?,
        environment: Environment,
        mode: ErrorMode,
        trims: inout Bool,
        faults: inout [LiquidError]?
    ) throws(LiquidError) {
        guard source.count <= Self.maximumBytes else {
            throw LiquidError.overLimit(
                "the template has \(source.count) bytes, expected at most \(Self.maximumBytes)", template: name)
        }
        guard source.withBytes({ $0.isASCII || firstInvalidUTF8($0, in: $0.indices) == nil }) else {
            throw LiquidError(
                .encoding,
                "the template is not UTF-8",
                referenceText: "Invalid template encoding",
                template: name
            )
        }
        self.name = name
        do throws(LiquidError) {
            let parsed = try TemplateParser.parse(
                source,
                environment: environment,
                mode: mode,
                trims: &trims,
                faults: &faults
            )
            trimsAfter = trims
            program = Compiler.program(of: parsed)
        } catch {
            throw error.placed(template: name)
        }
    }

    /// Reads a template as far as it can be read, whatever is wrong with it.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - name: the name that faults carry.
    ///   - environment: the dialect.
    ///   - mode: how strictly the syntax is read.
    /// - Returns: the template without what cannot be read, for analysis only, and the faults in the order in which
    ///   they were found: the first is the error that `init` throws. Reading ends after 100 faults.
    public static func reading(
        _ source: String,
        name: String? = nil,
        environment: Environment = .standard,
        mode: ErrorMode = .lax
    ) -> (template: Template?, faults: [LiquidError]) {
        var faults: [LiquidError]? = []
        var trims = false
        do throws(LiquidError) {
            let template = try Template(
                Array(source.utf8),
                name: name,
                environment: environment,
                mode: mode,
                trims: &trims,
                faults: &faults
            )
            return (template, (faults ?? []).map { $0.placed(template: name) })
        } catch {
            return (nil, (faults ?? []).map { $0.placed(template: name) } + [error])
        }
    }

    /// Reads and compiles a template from text.
    ///
    /// - Throws: the same errors as for bytes.
    public convenience init(
        _ source: String,
        name: String? = nil,
        environment: Environment = .standard,
        mode: ErrorMode = .lax
    ) throws(LiquidError) {
        try self.init(Array(source.utf8), name: name, environment: environment, mode: mode)
    }
}

extension Template {
    /// The errors that occur whenever rendering reaches them, whatever the data: unknown operators, and filters with
    /// too many or too few arguments.
    public var certainErrors: [LiquidError] { program.lists.errors }

    /// The uses of unknown filters, in the order of the source.
    public var unknownFilters: [FilterSyntax] {
        program.lists.unknownFilters.sorted { $0.nameRange.start < $1.nameRange.start }
    }
}

/// How strictly a template's syntax is read.
public enum ErrorMode: String, Sendable, CaseIterable {
    /// Malformed expressions are read as far as possible; only malformed tags are errors.
    case lax
    /// Expressions must be well formed where the reference implementation's mode `strict` checks them; in some tags it
    /// does not.
    case strict
    /// Every expression and argument must be well formed.
    case strict2
}

/// The bytes of a template, and the places of the dialect's own syntax in them.
public struct TemplateSource: Sendable {
    /// The bytes as written.
    public let bytes: [UInt8]

    /// The pieces of the dialect's own syntax by ascending start; a piece inside another one comes after it.
    public let embedded: [EmbeddedSyntax]

    /// Whether the source contains HTML comments.
    let hasComments: Bool

    init(bytes: [UInt8], embedded: [EmbeddedSyntax]) {
        self.bytes = bytes
        self.embedded = embedded
        hasComments = embedded.contains { $0.kind == .comment }
    }

    /// The bytes with a ``CoveringWord`` over each piece of embedded syntax that is not inside another one.
    package var covered: [UInt8] { covered(in: 0..<bytes.count) }

    /// The bytes of a range with a ``CoveringWord`` over each piece of embedded syntax in it that is not inside
    /// another one.
    package func covered(in range: Range<Int>) -> [UInt8] {
        var covered = Array(bytes[range])
        covered.withUnsafeMutableBufferPointer { covered in
            var end = range.lowerBound
            for syntax in embedded.starting(in: range) where Int(syntax.range.start) >= end {
                end = min(Int(syntax.range.end), range.upperBound)
                let place = Int(syntax.range.start) - range.lowerBound..<end - range.lowerBound
                CoveringWord.cover(syntax.kind, place, in: covered)
            }
        }
        return covered
    }

    /// The parts of a range of text that are printed: everything except comments.
    public func printed(in range: Range<Int>) -> [Range<Int>] {
        if !hasComments { return [range] }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for syntax in embedded.starting(in: range) where syntax.kind == .comment {
            parts.append(start..<Int(syntax.range.start))
            start = min(Int(syntax.range.end), range.upperBound)
        }
        parts.append(start..<range.upperBound)
        return parts
    }
}

/// A piece of a dialect's own syntax: `${name}`, an output that is used as a value, or an HTML comment.
///
/// The rules of standard Liquid read it as a word of the same length or, if it is a comment, as white space.
public struct EmbeddedSyntax: Sendable {
    /// The kinds of embedded syntax.
    public enum Kind: Sendable {
        /// An attribute, such as `${zip code}`; in text it is an output.
        case attribute
        /// `{{ … }}` inside a tag or another output, used as a value.
        case output
        /// `<!-- … -->`, which is dropped.
        case comment
    }

    /// What the syntax is.
    public let kind: Kind

    /// The whole piece, with its delimiters.
    public let range: SourceRange

    /// The name of an attribute without the white space around it, or the contents of an output; empty for a comment.
    public let content: SourceRange
}

extension [EmbeddedSyntax] {
    /// The pieces that start in a range.
    func starting(in range: Range<Int>) -> ArraySlice<EmbeddedSyntax> {
        if isEmpty { return [] }
        return self[firstIndex(from: range.lowerBound)..<firstIndex(from: range.upperBound)]
    }

    private func firstIndex(from offset: Int) -> Int { partitioningIndex { Int($0.range.start) >= offset } }
}

/// The bytes that the rules of standard Liquid read instead of a dialect's own syntax: one word of underscores that
/// ends with `z`, or spaces for a comment.
enum CoveringWord {
    static func cover(_ kind: EmbeddedSyntax.Kind, _ range: Range<Int>, in bytes: UnsafeMutableBufferPointer<UInt8>) {
        if kind == .comment {
            for position in range where bytes[position] != UInt8(ascii: "\n") { bytes[position] = UInt8(ascii: " ") }
        } else {
            for position in range { bytes[position] = UInt8(ascii: "_") }
            bytes[range.upperBound - 1] = UInt8(ascii: "z")
        }
    }

    /// The kind of token that a covering word at an offset replaces, and the offset after it; nil without such a word.
    @inline(__always)
    static func token(at start: Int, in bytes: Bytes, _ written: Bytes) -> (ExpressionLexer.Kind, end: Int)? {
        guard bytes[start] != written[start] else { return nil }
        let last = ByteSearch.first(UInt8(ascii: "z"), in: bytes, from: start) ?? bytes.count - 1
        return (written[start] == UInt8(ascii: "$") ? .attribute : .innerOutput, last + 1)
    }
}
