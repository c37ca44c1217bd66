// SPDX-License-Identifier: MIT

import PayloadKit

/// Estimates where a phone breaks and cuts the texts of a notification.
///
/// Apple publishes no numbers. The numbers of lines come from Braze's page "iOS rich notifications"; the widths of
/// letters are those of Helvetica, which is similar to the system font. The result is shown as approximate, and no rule
/// uses it. With JavaScript, the page measures the texts in the browser's own font.
enum PhoneText {
    /// How much of a text the phone shows.
    struct Fit: Sendable {
        /// The number of lines of the whole text.
        let lineCount: Int

        /// The text that is cut off at the end; empty if all of it is shown.
        let lost: String
    }

    /// The width available for a notification's text, in points.
    static func width(_ view: PageView, hasImage: Bool) -> Double {
        let screen = Double(view.device.rawValue) ?? 402
        return screen - 2 * 9 - 2 * 14 - 40 - 11 - (hasImage ? 55 : 0)
    }

    /// The font size, in points.
    static func size(_ view: PageView) -> Double {
        switch view.size {
        case .standard: 15.5
        case .large: 19
        case .largest: 23
        }
    }

    /// Whether the end of a title is cut off; a title has one line, which it shares with the time.
    static func isTitleCut(_ title: String, _ view: PageView, hasImage: Bool) -> Bool {
        let stamp = width(of: view.seen.stamp) * 13 / 1_000 + 8
        return width(of: title) * 1.05 * size(view) / 1_000 > width(view, hasImage: hasImage) - stamp
    }

    /// How much of a body the phone shows.
    static func fit(_ body: String, _ view: PageView, hasImage: Bool) -> Fit {
        let room = width(view, hasImage: hasImage) * 1_000 / size(view)
        let most = view.look.bodyLines
        var lineCount = 1
        var used = 0.0
        var word = 0.0
        var wordStart = body.startIndex
        var cut: String.Index?
        func breakLine(at index: String.Index) {
            lineCount += 1
            if lineCount == most + 1 { cut = index }
        }
        for index in body.indices {
            let character = body[index]
            if character.isNewline {
                used = 0
                word = 0
                wordStart = body.index(after: index)
                breakLine(at: wordStart)
                continue
            }
            let width = width(of: character)
            let isBreakable = character == " " || character.unicodeScalars.contains { $0.value >= 0x2E80 }
            if used + word + width > room, character != " " {
                if used > 0 {
                    breakLine(at: wordStart)
                    used = 0
                } else {
                    breakLine(at: index)
                    word = 0
                }
            }
            word += width
            if isBreakable {
                used += word
                word = 0
                wordStart = body.index(after: index)
            }
        }
        return Fit(lineCount: lineCount, lost: cut.map { String(body[$0...]) } ?? "")
    }

    /// The width of a text in thousandths of the font size, as in Helvetica.
    private static func width(of text: String) -> Double { text.reduce(0) { $0 + width(of: $1) } }

    private static func width(of character: Character) -> Double {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x20...0x7E: return Double(ascii[Int(scalar.value) - 0x20])
        case 0x300...0x36F, 0x200B...0x200F: return 0
        case 0x1100...0x11FF, 0x2E80...0xD7FF, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0x1F000...0x3FFFF:
            return 1_000
        default: return 560
        }
    }

    private static let ascii: [Int] = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
        556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667,
        556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556,
        556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722,
        500, 500, 500, 334, 260, 334, 584,
    ]
}
