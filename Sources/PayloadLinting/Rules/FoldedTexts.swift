// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension Rule {
    static let foldedText = Rule(
        RuleID("folded-text", .warning, "a text over several lines whose line breaks are sent as spaces"),
        source: "https://yaml.org/spec/1.2.2/#65-line-folding",
        rationale: """
            YAML reads a line break in a text with or without quotes as a space, so a text that was copied with its \
            lines loses them. '|-' and the text indented below keeps them; so does '\\n' in double quotes. Silent for \
            blocks ('|' and '>'), inside Liquid's braces, for '$json:' values and after '\\' at the end of a line.
            """,
        failing: [
            .campaign("push:\n  title: Hi\n  body: \"Two lines⟦.⟧\n    Or one?\""),
            .campaign("push:\n  title: Hi\n  body: Two lines⟦.⟧\n    Or one?"),
        ],
        passing: [
            .campaign("push:\n  title: Hi\n  body: |-\n    Two lines.\n    And the second."),
            .campaign("push:\n  title: Hi\n  body: \"Two lines.\\nAnd {{ ${first_name} |\n    default: 'you' }}.\""),
        ],
        .campaign { campaign in
            campaign.texts.compactMap { text in
                guard text.isOfAlert || text.source.field.hasPrefix("extras."), let range = text.foldedBreak else {
                    return nil
                }
                return Finding(
                    "the line break after this is sent as a space; write '|-' with the text below it, or '\\n'",
                    at: SourcePlace(text.source.file, range))
            }
        }
    )
}

extension LintedText {
    /// The character before the first line break that YAML folds to a space; nil where there is none.
    fileprivate var foldedBreak: SourceRange? {
        let bytes = source.file.bytes[source.range.offsets]
        let json = Array("$json:".utf8)
        guard let first = bytes.first, first != UInt8(ascii: "|"), first != UInt8(ascii: ">"),
            !bytes.starts(with: json), !bytes.dropFirst().starts(with: json)
        else { return nil }
        var isInMarkup = false
        var breaks = 0
        var last = bytes.startIndex
        for (index, byte) in zip(bytes.indices, bytes) {
            switch byte {
            case UInt8(ascii: "\n"): breaks += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default:
                let isEscaped = first == UInt8(ascii: "\"") && bytes[last] == UInt8(ascii: "\\")
                // A blank line is a line break.
                if breaks == 1, !isInMarkup, !isEscaped {
                    let start = bytes[...last].lastIndex { $0 & 0xC0 != 0x80 } ?? last
                    return SourceRange(start, last + 1)
                }
                breaks = 0
                if last == index - 1 {
                    switch (bytes[last], byte) {
                    case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "{"), UInt8(ascii: "%")):
                        isInMarkup = true
                    case (UInt8(ascii: "}"), UInt8(ascii: "}")), (UInt8(ascii: "%"), UInt8(ascii: "}")):
                        isInMarkup = false
                    default: break
                    }
                }
                last = index
            }
        }
        return nil
    }
}
