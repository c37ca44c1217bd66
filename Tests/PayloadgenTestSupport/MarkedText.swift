// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// A text with marked ranges, by which a test shows the places that it expects instead of counting bytes.
///
/// `MarkedText("{{ ⟦nam⟧ }}")` is the text `{{ nam }}` with the range of `nam`. Ranges are numbered by their opening
/// mark, and may be inside each other; `⟦⟧` marks a position.
package struct MarkedText: Sendable {
    /// The text without marks.
    package private(set) var text = ""

    /// The marked ranges in bytes of ``text``, in the order of their opening marks.
    package private(set) var ranges: [SourceRange] = []

    /// Reads a text with marks; a mark without its partner marks nothing.
    package init(_ marked: String) {
        var open: [Int] = []
        var offset = 0
        var scalars = String.UnicodeScalarView()
        for scalar in marked.unicodeScalars {
            switch scalar {
            case "⟦":
                open.append(ranges.count)
                ranges.append(SourceRange(offset, offset))
            case "⟧":
                guard let index = open.popLast() else { continue }
                ranges[index].end = UInt32(clamping: offset)
            default:
                scalars.append(scalar)
                offset += UTF8.width(scalar)
            }
        }
        text = String(scalars)
    }

    /// The text as a source file.
    package func file(path: String = "t") -> SourceFile { SourceFile(path: path, text: text) }

    /// The text with marks around some ranges, for the messages of failed tests.
    package static func marking(_ ranges: [SourceRange], in text: String) -> String {
        let bytes = Array(text.utf8)
        var marked: [UInt8] = []
        for offset in 0...bytes.count {
            for range in ranges where Int(range.end) == offset && !range.isEmpty { marked += Array("⟧".utf8) }
            for range in ranges where Int(range.start) == offset { marked += Array((range.isEmpty ? "⟦⟧" : "⟦").utf8) }
            if offset < bytes.count { marked.append(bytes[offset]) }
        }
        return String(decoding: marked, as: UTF8.self)
    }
}
