// SPDX-License-Identifier: MIT

import DiagnosticSources

extension ByteBuffer {
    /// Appends text for use in the content or an attribute of an XML 1.0 element.
    ///
    /// Scalars that ``ShownText`` would escape are written as character references, which a parser reads as the same
    /// scalars. Scalars that XML does not allow are written as escapes such as `\u{1B}`.
    mutating func appendXML(_ text: String, isAttribute: Bool = false) {
        var isFirst = true
        for line in isAttribute ? [Substring(text)] : text.xmlLines {
            if !isFirst { append("\n") }
            // The first line may continue one that already has text, where other characters need an escape.
            var scalars = isFirst ? .withinLine : ShownScalars()
            isFirst = false
            scalars.forEach(in: line) { scalar, escape in
                switch scalar {
                case "&": append("&amp;")
                case "<": append("&lt;")
                case ">": append("&gt;")
                case "\"": append("&quot;")
                case "\t" where !isAttribute: append(scalar)
                // XML parsers change these characters to spaces or line feeds unless they are written as references.
                case "\r", "\t", "\n": append("&#\(scalar.value);")
                case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
                    append("\\u{\(scalar.value.hexadecimal(uppercase: true))}")
                default:
                    if escape == nil { append(scalar) } else { append("&#x\(scalar.value.hexadecimal());") }
                }
            }
        }
    }

    /// Appends a space and an attribute.
    mutating func appendAttribute(_ name: String, _ value: String) {
        append(" \(name)=\"")
        appendXML(value, isAttribute: true)
        append("\"")
    }
}

extension String {
    /// The lines of the text, split only at line feeds.
    fileprivate var xmlLines: [Substring] {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    }
}
