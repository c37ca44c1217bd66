// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
public import LiquidTemplates

/// The value of a field of a push.
public enum PushValue: Sendable {
    /// A text that may contain Liquid.
    case text(TemplateText)
    /// A list of texts that may contain Liquid.
    case texts([TemplateText], at: SourcePlace)
    /// A mapping, with a value for each of the field's members.
    case members([PushValue?], at: SourcePlace)
    /// A text that cannot contain Liquid.
    case word(Placed<String>)
    /// `true` or `false`.
    case flag(Placed<Bool>)
    /// A whole number.
    case integer(Placed<Int>)
    /// A number that may have a fraction.
    case number(Placed<Double>)
    /// An instant, such as the time when the push expires.
    case time(Placed<Time>)

    /// The place of the value in the campaign's files.
    public var place: SourcePlace? {
        switch self {
        case .text(let text): text.place
        case .texts(_, let place), .members(_, let place): place
        case .word(let word): word.place
        case .flag(let flag): flag.place
        case .integer(let integer): integer.place
        case .number(let number): number.place
        case .time(let time): time.place
        }
    }

    /// The texts that Liquid renders.
    public var templates: [TemplateText] {
        switch self {
        case .text(let text): [text]
        case .texts(let texts, _): texts
        case .members(let members, _): members.flatMap { $0?.templates ?? [] }
        default: []
        }
    }
}
