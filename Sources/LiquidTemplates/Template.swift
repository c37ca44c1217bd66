// SPDX-License-Identifier: MIT

import DiagnosticSources
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
        var faults: [LiquidError]?
        try self.init(source, name: name, environment: environment, mode: mode, trims: &trims, faults: &faults)
    }

    /// Reads and compiles a template.
    ///
    /// `trims` is read and set. Before the call, it says whether text at the start loses its leading white space;
    /// afterwards, even after an error, whether text that follows the template would lose its leading white space.
    /// With a list of `faults`, reading continues after syntax errors, which are added to the list.
    init(
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
    ///   they were found: the first is the error that `init` throws. Reading ends after 100 faults. The template is nil
    ///   if an error other than a syntax error ends the reading.
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
    /// The errors that occur whenever rendering reaches them, whatever the data, such as unknown operators, and filters
    /// with too many or too few arguments.
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
