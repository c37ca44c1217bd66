// SPDX-License-Identifier: MIT

extension String {
    /// The text without white space at either end.
    package var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The white space that the text begins or ends with, in words such as "begins with a line break"; nil if there is
    /// none at either end.
    package var whiteSpaceAtEnds: String? {
        if let name = unicodeScalars.first?.whiteSpaceName { return "begins with \(name)" }
        return unicodeScalars.last?.whiteSpaceName.map { "ends with \($0)" }
    }

    /// The first white space in the text, in words such as "a line break"; nil if there is none.
    package var whiteSpace: String? { unicodeScalars.lazy.compactMap(\.whiteSpaceName).first }
}

extension Unicode.Scalar {
    /// The common name of white space or of a control character below U+0020; nil for any other character.
    fileprivate var whiteSpaceName: String? {
        switch self {
        case " ": "a space"
        case "\n", "\r", "\u{2028}", "\u{2029}": "a line break"
        case "\t": "a tab"
        case "\u{A0}", "\u{202F}": "a no-break space"
        default: properties.isWhitespace || value < 0x20 ? "white space" : nil
        }
    }
}
