// SPDX-License-Identifier: MIT

import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func garbled(_ found: String, _ meant: String) -> RuleMessage {
        "'\(found)' is '\(meant)' in UTF-8, read as Windows-1252 when the text was copied; expected '\(meant)'"
    }
}

extension Rule {
    static let garbledText = Rule(
        RuleDescription(
            RuleID("garbled-text", .warning, "letters that come from reading UTF-8 in another encoding"),
            name: "Garbled text",
            rationale: """
                A text that passed through a spreadsheet or an old editor has 'Ã©' in place of 'é', and users read it so. \
                Only pairs with 'Ã' or 'Â', and the starts of punctuation ('â€') and of emoji ('ðŸ'), are reported, which no \
                language writes.
                """,
            fix: "writes the character that is meant",
            failing: [
                .campaign("push: {title: 'Caf⟦Ã©⟧ is open'}", fixed: "push: {title: 'Café is open'}"),
                .campaign("push: {title: 'It⟦â€™⟧s here ⟦ðŸŽ‰⟧'}", fixed: "push: {title: 'It’s here 🎉'}"),
            ],
            passing: [.campaign("push: {title: 'NESCAFÉ® «AMANHÃ» SÃO „Ä“ Â Ã —'}")]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                GarbledLetter.all(in: text.source.text).map { letter in
                    Finding(
                        .garbled(letter.found, letter.meant), at: text.place(of: letter.range),
                        fixes: text.renaming(letter.range, to: letter.meant))
                }
            }
        }
    )
}

/// A character whose bytes in UTF-8 were read as characters of Windows-1252.
private struct GarbledLetter {
    let found: String
    let meant: String
    let range: SourceRange

    /// The characters of Windows-1252 from 0x80 to 0x9F; a space for the bytes without one.
    private static let upper = Array("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ".unicodeScalars)

    /// The byte that is a scalar in Windows-1252; nil for other scalars and for ASCII.
    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        if (0x80...0xFF).contains(scalar.value) { return UInt8(scalar.value) }
        guard scalar.value > 0xFF, let index = upper.firstIndex(of: scalar) else { return nil }
        return UInt8(0x80 + index)
    }

    static func all(in text: String) -> [GarbledLetter] {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return [] }
        let scalars = Array(text.unicodeScalars)
        var found: [GarbledLetter] = []
        var index = 0
        var offset = 0
        while index < scalars.count {
            let count = Self.count(of: scalars[index...])
            let bytes = scalars[index..<min(index + count, scalars.count)].compactMap(byte)
            let meant = String(decoding: bytes, as: UTF8.self)
            if count > 0, bytes.count == count, meant.unicodeScalars.count == 1, meant != "\u{FFFD}" {
                var letters = String.UnicodeScalarView()
                letters.append(contentsOf: scalars[index..<index + count])
                let length = String(letters).utf8.count
                found.append(
                    GarbledLetter(
                        found: String(letters), meant: meant, range: SourceRange(offset, offset + length)))
                index += count
                offset += length
            } else {
                offset += UTF8.width(scalars[index])
                index += 1
            }
        }
        return found
    }

    /// The number of scalars at the start that can only come from one character; 0 where they may be text.
    private static func count(of scalars: ArraySlice<Unicode.Scalar>) -> Int {
        guard let first = scalars.first, let second = scalars.dropFirst().first else { return 0 }
        switch (first, second) {
        // Signs that follow a capital letter in texts are not taken: quotes, dashes, spaces.
        case ("Ã", "‰"), ("Ã", "œ"), ("Ã", "Ÿ"): return 2
        case ("Ã", "«"), ("Ã", "»"), ("Â", "«"), ("Â", "»"): return 0
        case ("Ã", "¡"..."¿"), ("Â", "¡"..."¿"): return 2
        case ("â", "€"), ("â", "‚"), ("â", "„"): return 3
        case ("ð", "Ÿ"): return 4
        default: return 0
        }
    }
}
