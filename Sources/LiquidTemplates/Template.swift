// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// A template: its nodes, and the program that renders it.
///
/// Templates render as in Shopify's Ruby Liquid 5.13, which comments call the reference implementation.
public final class Template: Sendable {
    /// The name that errors carry; nil for a template without one.
    public let name: String?

    /// The dialect.
    public var environment: Environment { program.environment }

    /// The bytes of the template, and where syntax of the dialect is in them.
    public var source: TemplateSource { program.parsed.source }

    /// The most bytes that a template may have; its places and instructions are counted in 32 bits.
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
            throw LiquidError(
                .memory,
                "the template has \(source.count) bytes, expected at most \(Self.maximumBytes)",
                referenceText: "Memory limits exceeded",
                template: name
            )
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
