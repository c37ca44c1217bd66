// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// A token of markup, as a message names it.
struct MarkupToken {
    /// The kind of the token.
    ///
    /// Attributes and outputs inside of markup are words; a sign without a meaning is unknown.
    let kind: ExpressionLexer.Kind

    /// The range in the template.
    let range: Range<Int>

    /// Whether there is white space before the token.
    let isApart: Bool

    /// The tokens of markup; signs of other languages, such as `&&` and `===`, are one token each.
    static func all(in range: Range<Int>, of source: TemplateSource) -> [MarkupToken] {
        var tokens: [MarkupToken] = []
        var end = range.lowerBound
        for token in source.tokens(in: range) {
            let place = token.range.offsets
            if let last = tokens.last, last.range.upperBound == place.lowerBound,
                isOneSign(source.bytes[last.range], source.bytes[place])
            {
                let range = last.range.lowerBound..<place.upperBound
                tokens[tokens.count - 1] = MarkupToken(kind: .unknown, range: range, isApart: last.isApart)
            } else {
                let kind: ExpressionLexer.Kind =
                    switch token.kind {
                    case .attribute, .innerOutput: .word
                    case .comparison where source.bytes[place].first?.isLetter == true: .word
                    case .dash, .question: .unknown
                    default: token.kind
                    }
                tokens.append(MarkupToken(kind: kind, range: place, isApart: place.lowerBound > end))
            }
            end = place.upperBound
        }
        return tokens
    }

    private static func isOneSign(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Bool {
        first.count == 1 && first.elementsEqual(second) && first.allSatisfy("|&?+*/".utf8.contains)
            || first.allSatisfy("=!<>".utf8.contains) && second.allSatisfy("=<>".utf8.contains)
    }
}
