// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// An error in reading or rendering a template.
///
/// ``message`` is in the project's own words. ``referenceText`` is what the reference implementation (Shopify's Ruby
/// Liquid) prints after `Liquid error: ` or `Liquid syntax error: `.
public struct LiquidError: Error, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable {
        case syntax
        case argument
        case zeroDivision
        case floatDomain
        case fileSystem
        case stackLevel
        case memory
        case disabled
        case undefinedVariable
        case undefinedFilter
        case context
        case encoding
        case internalError
    }

    /// What an error is about, if its code does not say enough: a name that stays the same when messages are reworded.
    ///
    /// Dialects add topics of their own.
    public struct Topic: RawRepresentable, Sendable, Hashable {
        /// The name in kebab-case.
        public let rawValue: String

        /// Creates a topic with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A tag that the dialect does not have.
        public static let unknownTag = Topic(rawValue: "unknown-tag")

        /// A word between two values that is not a comparison; the range of the error is the word.
        public static let unknownOperator = Topic(rawValue: "unknown-operator")
    }

    /// A step of the path to an error inside a partial: the template or partial and the place of the tag in it.
    public struct Frame: Sendable, Equatable {
        /// The name of the template or partial; nil for the main template without a name.
        public var template: String?
        /// The range of the tag in that template or partial.
        public var range: SourceRange
    }

    private struct Facts {
        var code: Code
        var topic: Topic?
        var message: String
        var referenceText: String
        var range: SourceRange?
        var line: Int?
        var template: String?
        var frames: [Frame] = []
        var context: String?
        var fault: MarkupReading.Fault?
    }

    /// Keeps the error the size of a pointer, so that functions that may throw stay cheap.
    private final class Storage: Sendable {
        let facts: Facts

        init(_ facts: Facts) { self.facts = facts }
    }

    private let storage: Storage

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind.
    ///   - topic: what the error is about, if there is a topic for it.
    ///   - message: what was found and what was expected: lower case, no full stop; cut after 2,000 bytes, as messages
    ///     quote values of any length.
    ///   - referenceText: the reference implementation's words; by default the message.
    ///   - range: the bytes of the template that the error is about.
    ///   - line: the line of the template, from 1.
    ///   - template: the name of the template or partial.
    public init(
        _ code: Code,
        topic: Topic? = nil,
        _ message: String,
        referenceText: String? = nil,
        range: SourceRange? = nil,
        line: Int? = nil,
        template: String? = nil
    ) {
        storage = Storage(
            Facts(
                code: code,
                topic: topic,
                message: message.shortened,
                referenceText: (referenceText ?? message).shortened,
                range: range,
                line: line,
                template: template
            )
        )
    }

    private init(_ facts: Facts) { storage = Storage(facts) }

    private func changing(_ change: (inout Facts) -> Void) -> LiquidError {
        var facts = storage.facts
        change(&facts)
        return LiquidError(facts)
    }

    /// The error of a rendering or template that exceeds a limit.
    package static func overLimit(_ message: String, topic: Topic? = nil, template: String? = nil) -> LiquidError {
        LiquidError(.memory, topic: topic, message, referenceText: "Memory limits exceeded", template: template)
    }

    /// The kind of failure.
    public var code: Code { storage.facts.code }

    /// What the failure is about; nil for most failures.
    public var topic: Topic? { storage.facts.topic }

    /// What was found and what was expected, in the project's words.
    public var message: String { storage.facts.message }

    /// The reference implementation's words, without `Liquid error: ` before them.
    public var referenceText: String {
        storage.facts.context.map { "\(storage.facts.referenceText) \($0)" } ?? storage.facts.referenceText
    }

    /// The bytes of the template that the failure is about.
    public var range: SourceRange? { storage.facts.range }

    /// The line of the template, from 1.
    public var line: Int? { storage.facts.line }

    /// The name of the template or partial in which the error happened.
    public var template: String? { storage.facts.template }

    /// The places of the partial tags that led here, innermost first.
    public var frames: [Frame] { storage.facts.frames }

    /// Whether the error happened in a partial, even one without a name: ``range`` is then a range of the partial, and
    /// the last of ``frames`` is the tag in the main template.
    public var isInPartial: Bool { !frames.isEmpty }

    /// The full line that the reference implementation prints in place of what failed, such as
    /// `Liquid error (line 3): divided by 0`.
    ///
    /// For an exceeded limit, the text has no line.
    public var inlineText: String {
        var text = code == .syntax ? "Liquid syntax error" : "Liquid error"
        if let line, code != .memory {
            text += " ("
            if let template { text += template + " " }
            text += "line \(line))"
        }
        return text + ": " + referenceText
    }

    /// The same error, with range, line and template filled in unless it already has them.
    package func placed(range: SourceRange? = nil, line: Int? = nil, template: String? = nil) -> LiquidError {
        changing { facts in
            facts.range = facts.range ?? range
            facts.line = facts.line ?? line
            facts.template = facts.template ?? template
        }
    }

    /// The same error with the place of the partial tag that led to it.
    package func passing(_ frame: Frame) -> LiquidError { changing { $0.frames.append(frame) } }

    /// Where the strict rules stopped; nil for errors of any other kind.
    var fault: MarkupReading.Fault? { storage.facts.fault }

    /// The same error, with the place where the strict rules stopped.
    func stopping(at range: SourceRange, expected: MarkupReading.Expectation) -> LiquidError {
        changing { $0.fault = MarkupReading.Fault(range: range, expected: expected) }
    }

    /// The same error, with the place where the strict rules stopped taken from another error.
    func stopping(as other: LiquidError) -> LiquidError { changing { $0.fault = other.fault } }

    /// The same error with another message.
    func saying(_ message: String) -> LiquidError { changing { $0.message = message } }

    /// The same error with the markup that the reference implementation prints after its text.
    func inContext(_ context: String) -> LiquidError { changing { $0.context = context } }
}

extension String {
    /// The text, cut after about 2,000 bytes.
    package var shortened: String {
        guard utf8.count > 2_000 else { return self }
        return withBytes { String(decoding: $0[..<$0.scalarStart(before: 2_000)], as: UTF8.self) } + "…"
    }
}
