// SPDX-License-Identifier: MIT

extension ByteBuffer {
    /// Appends text so that nothing in it can steer a terminal, hide or reorder: control and format characters and line
    /// breaks are written as escapes such as `\u{1B}` and `\n`.
    public mutating func appendShown(_ text: String) {
        for scalar in text.unicodeScalars { appendShown(scalar) }
    }

    /// Appends one scalar as ``appendShown(_:)-(String)`` does.
    mutating func appendShown(_ scalar: Unicode.Scalar) {
        guard scalar.isShownAsItself else { return append(scalar.escape) }
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(unit) }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar can be shown: it neither steers a terminal nor hides nor reorders text.
    var isShownAsItself: Bool {
        if value < 0x7F { return value >= 0x20 }
        switch properties.generalCategory {
        case .format:
            // Joins the parts of emoji, which push texts are full of.
            return value == 0x200D
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return false
        default:
            return true
        }
    }

    /// The escape that stands for a scalar that cannot be shown.
    var escape: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }

    /// The number of columns that the scalar takes on a terminal when it is shown as itself.
    var columnWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1160...0x11FF, 0x1F3FB...0x1F3FF: return 0
        default: return properties.isEmojiPresentation || isWideEastAsian ? 2 : 1
        }
    }

    /// Whether the scalar lies in a block that is wide or full width (Unicode Standard Annex 11).
    private var isWideEastAsian: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
