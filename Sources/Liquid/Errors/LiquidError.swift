// SPDX-License-Identifier: MIT

public import SourceText

/// What went wrong while a template was read or rendered.
///
/// ``message`` speaks the project's own words. ``referenceText`` is what the reference implementation prints after
/// `Liquid error: ` or `Liquid syntax error: `.
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

    /// The partial in which a failure lies, innermost first.
    public struct Frame: Sendable, Equatable {
        /// The name of the template or partial; nil for the main template without a name.
        public var template: String?
        /// The range in it.
        public var range: SourceRange
    }

    private final class Storage: Sendable {
        let code: Code
        let message: String
        let referenceText: String
        let range: SourceRange?
        let line: Int?
        let template: String?
        let frames: [Frame]

        init(
            code: Code,
            message: String,
            referenceText: String,
            range: SourceRange?,
            line: Int?,
            template: String?,
            frames: [Frame]
        ) {
            self.code = code
            self.message = message
            self.referenceText = referenceText
            self.range = range
            self.line = line
            self.template = template
            self.frames = frames
        }
    }

    private let storage: Storage

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind.
    ///   - message: what was found and what was expected: lower case, no full stop.
    ///   - referenceText: the reference implementation's words; by default the message.
    ///   - range: the bytes of the template that it is about.
    ///   - line: the line of the template, from 1.
    ///   - template: the name of the template or partial.
    public init(
        _ code: Code,
        _ message: String,
        referenceText: String? = nil,
        range: SourceRange? = nil,
        line: Int? = nil,
        template: String? = nil
    ) {
        storage = Storage(
            code: code,
            message: message,
            referenceText: referenceText ?? message,
            range: range,
            line: line,
            template: template,
            frames: []
        )
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// The kind of failure.
    public var code: Code { storage.code }

    /// What was found and what was expected, in the project's words.
    public var message: String { storage.message }

    /// The reference implementation's words, without its prefix.
    public var referenceText: String { storage.referenceText }

    /// The bytes of the template that the failure is about.
    public var range: SourceRange? { storage.range }

    /// The line of the template, from 1.
    public var line: Int? { storage.line }

    /// The name of the template or partial in which it happened.
    public var template: String? { storage.template }

    /// The places of the partial tags that led here, innermost first.
    public var frames: [Frame] { storage.frames }

    /// The full line that the reference prints in place of what failed, such as `Liquid error (line 3): divided by 0`.
    public var inlineText: String {
        var text = code == .syntax ? "Liquid syntax error" : "Liquid error"
        if let line {
            text += " ("
            if let template { text += template + " " }
            text += "line \(line))"
        }
        return text + ": " + referenceText
    }

    /// The same error with what is not known yet filled in.
    package func placed(range: SourceRange? = nil, line: Int? = nil, template: String? = nil) -> LiquidError {
        LiquidError(
            Storage(
                code: code,
                message: message,
                referenceText: referenceText,
                range: self.range ?? range,
                line: self.line ?? line,
                template: self.template ?? template,
                frames: frames
            )
        )
    }

    /// The same error with the place of the partial tag that led to it.
    package func passing(_ frame: Frame) -> LiquidError {
        LiquidError(
            Storage(
                code: code,
                message: message,
                referenceText: referenceText,
                range: range,
                line: line,
                template: template,
                frames: frames + [frame]
            )
        )
    }
}
