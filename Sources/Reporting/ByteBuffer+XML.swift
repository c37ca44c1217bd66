// SPDX-License-Identifier: MIT

package import SourceText

extension ByteBuffer {
    /// Appends text for the content of an XML 1.0 or HTML element, or for one of its attributes; scalars that XML cannot
    /// hold become U+FFFD.
    package mutating func appendXML(_ text: String, isAttribute: Bool = false) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            // Written plainly, a parser would read these back as blanks or line feeds.
            case "\r": append("&#13;")
            case "\t" where isAttribute, "\n" where isAttribute: append("&#\(scalar.value);")
            case "\t", "\n": append(String(scalar))
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: append(String(scalar))
            }
        }
    }

    /// Appends a blank and an attribute.
    mutating func appendAttribute(_ name: String, _ value: String) {
        append(" \(name)=\"")
        appendXML(value, isAttribute: true)
        append("\"")
    }
}
