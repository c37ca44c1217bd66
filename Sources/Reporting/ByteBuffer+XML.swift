// SPDX-License-Identifier: MIT

package import SourceText

extension ByteBuffer {
    /// Appends text for the content of an XML 1.0 or HTML element, or for one of its attributes.
    ///
    /// What ``ShownText`` would escape, as it drives a terminal or a CI service, hides, or changes the order of what is
    /// read, is written as a reference, which means the same to a parser. Scalars that XML cannot hold are written as
    /// `\u{1B}`.
    package mutating func appendXML(_ text: String, isAttribute: Bool = false) {
        var isFirst = true
        for line in isAttribute ? [Substring(text)] : text.xmlLines {
            if !isFirst { append("\n") }
            // What is before the first line is part of it.
            var scalars = isFirst ? .withinLine : ShownScalars()
            isFirst = false
            scalars.forEach(in: line) { scalar, escape in
                switch scalar {
                case "&": append("&amp;")
                case "<": append("&lt;")
                case ">": append("&gt;")
                case "\"": append("&quot;")
                case "\t" where !isAttribute: append(scalar)
                // Written plainly, a parser would read these back as blanks or line feeds.
                case "\r", "\t", "\n": append("&#\(scalar.value);")
                case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
                    append("\\u{\(String(scalar.value, radix: 16, uppercase: true))}")
                default:
                    if escape == nil { append(scalar) } else { append("&#x\(String(scalar.value, radix: 16));") }
                }
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

extension String {
    /// The lines of the text, which end at line feeds alone.
    fileprivate var xmlLines: [Substring] {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    }
}
