// SPDX-License-Identifier: MIT

import SourceText

/// A template: its syntax tree, and the program that renders it.
public final class Template: Sendable {
    /// The name that errors carry; nil for a template without one.
    public let name: String?

    /// The dialect.
    public var environment: Environment { program.environment }

    /// The bytes of the template, and where syntax of the dialect is in them.
    public var source: TemplateSource { program.tree.source }

    /// The most bytes of a template; its places and instructions are counted in 32 bits.
    static let maximumBytes = 1 << 28

    let program: Program

    /// Whether the template ends in a `-%}` or `-}}`, which trims the start of the partial that is read next.
    let trimsBehind: Bool

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

    /// Reads and compiles a template; `trims` tells whether text at its start loses its leading white space, and
    /// afterwards, also where it cannot be read, whether text after it would.
    init(
        _ source: [UInt8],
        name: String?,
        environment: Environment,
        mode: ErrorMode,
        trims: inout Bool
    ) throws(LiquidError) {
        guard source.count <= Self.maximumBytes else {
            throw LiquidError(
                .memory,
                "the template has \(source.count) bytes, expected at most \(Self.maximumBytes)",
                referenceText: "Memory limits exceeded",
                template: name
            )
        }
        guard String(validUTF8: source) != nil else {
            throw LiquidError(
                .encoding,
                "the template is not UTF-8",
                referenceText: "Invalid template encoding",
                template: name
            )
        }
        self.name = name
        do throws(LiquidError) {
            let tree = try TemplateParser.parse(source, environment: environment, mode: mode, trims: &trims)
            trimsBehind = trims
            program = Compiler.program(of: tree)
        } catch {
            throw error.placed(template: name)
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
