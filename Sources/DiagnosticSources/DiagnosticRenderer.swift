// SPDX-License-Identifier: MIT

/// Writes findings for people: one line of place and message, the source line, and a caret under what was found.
///
/// ```
/// Info.plist:14:9: error: expected a boolean, found '<string>YES</string>' (boolean-type)
///         <string>YES</string>
///         ^~~~~~~~~~~~~~~~~~~~
/// fix: write '<true/>'
/// ```
///
/// Further places follow as notes, fixes as lines that start with `fix:`. The caret is in the right column even after
/// tabs, wide characters and combining characters. Of a long line, only the part around the caret is shown. Control
/// characters of an input are always escaped, so an input cannot control the terminal.
public struct DiagnosticRenderer: Sendable {
    /// Whether place, severity and caret are coloured with ANSI sequences.
    public var isColored: Bool

    /// Creates a renderer.
    public init(isColored: Bool = false) {
        self.isColored = isColored
    }

    /// The finding as text that ends with a line break.
    public func text(of diagnostic: Diagnostic) -> String {
        var buffer = ByteBuffer()
        write(diagnostic, into: &buffer)
        return buffer.string()
    }

    /// Writes a finding; the text ends with a line break.
    public func write(_ diagnostic: Diagnostic, into buffer: inout ByteBuffer) {
        writeLine(diagnostic, into: &buffer)
        writeExcerpt(of: diagnostic.place, into: &buffer)
        for related in diagnostic.related {
            writeHead(at: related.place, label: "note", style: .note, &buffer)
            buffer.appendShown(related.message)
            buffer.append("\n")
            writeExcerpt(of: related.place, into: &buffer)
        }
        for fix in diagnostic.fixes {
            styled(.caret, &buffer) { $0.append("fix:") }
            buffer.append(" ")
            buffer.appendShown(fix.message)
            buffer.append("\n")
        }
    }

    /// Writes `path:line:column: severity: message (rule)` and nothing else, on one line.
    public func writeLine(_ diagnostic: Diagnostic, into buffer: inout ByteBuffer) {
        let severity = diagnostic.severity
        writeHead(at: diagnostic.place, label: severity.rawValue, style: severity.style, &buffer)
        buffer.appendShown(diagnostic.message)
        buffer.append(" (")
        buffer.appendShown(diagnostic.rule.name)
        buffer.append(")\n")
    }

    private func writeHead(at place: SourcePlace?, label: String, style: Style, _ buffer: inout ByteBuffer) {
        if let place {
            let start = place.start
            styled(.place, &buffer) { buffer in
                buffer.appendShown(place.file.path)
                buffer.append(":")
                buffer.append(decimal: start.line)
                buffer.append(":")
                buffer.append(decimal: start.column)
                buffer.append(":")
            }
            buffer.append(" ")
        }
        styled(style, &buffer) { buffer in
            buffer.append(label)
            buffer.append(":")
        }
        buffer.append(" ")
    }

    private func writeExcerpt(of place: SourcePlace?, into buffer: inout ByteBuffer) {
        guard let place, let excerpt = Excerpt(of: place) else { return }
        buffer.append("    ")
        buffer.append(excerpt.text)
        buffer.append("\n    ")
        for _ in 0..<excerpt.caretColumn { buffer.append(" ") }
        styled(.caret, &buffer) { buffer in
            buffer.append("^")
            for _ in 0..<excerpt.underlineWidth - 1 { buffer.append("~") }
        }
        buffer.append("\n")
    }

    private func styled(_ style: Style, _ buffer: inout ByteBuffer, _ body: (inout ByteBuffer) -> Void) {
        if isColored { buffer.append("\u{1B}[\(style.rawValue)m") }
        body(&buffer)
        if isColored { buffer.append("\u{1B}[0m") }
    }
}

/// The numbers in the ANSI sequence for each part of a finding.
private enum Style: String {
    case place = "1"
    case error = "1;31"
    case warning = "1;33"
    case info = "1;34"
    case note = "1;36"
    case caret = "1;32"
}

extension Severity {
    fileprivate var style: Style {
        switch self {
        case .error: .error
        case .warning: .warning
        case .info: .info
        }
    }
}

/// The part of a source line that is shown below a finding, measured in columns of a terminal.
struct Excerpt {
    /// The line as it is shown, with `…` where it was cut.
    private(set) var text = ""

    /// The number of columns left of the caret.
    private(set) var caretColumn = 0

    /// The number of columns that the caret and the `~` after it take up, at least 1.
    private(set) var underlineWidth = 1

    /// The number of columns to which longer lines are cut.
    static let widest = 100

    /// The number of columns that are shown left of the caret when a line is cut.
    static let leadIn = 30

    /// The number of bytes that are read on each side of the start of the finding: more than fit into `widest` columns,
    /// but few enough that a long line costs no more than a short one.
    static let reach = 1_024

    private static let tabWidth = 4

    /// One Unicode scalar of the line, or the text that is shown instead of it, such as an escape.
    private struct Cell {
        var text: String
        var width: Int
        var offset: Int
    }

    /// Reads the line in which a place starts; nil if it is empty or holds only spaces and tabs.
    init?(of place: SourcePlace) {
        let line = place.file.line(place.start.line)
        let start = Swift.min(
            Swift.max(place.file.utf8Offset(ofStored: Int(place.range.start)), line.startIndex),
            line.endIndex
        )
        guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return nil }
        var from = Swift.max(line.startIndex, start - Self.reach)
        while from > line.startIndex, line[from] & 0xC0 == 0x80 { from -= 1 }
        var until = Swift.min(line.endIndex, start + Self.reach)
        while until < line.endIndex, line[until] & 0xC0 == 0x80 { until += 1 }
        let end = Swift.min(Swift.max(place.file.utf8Offset(ofStored: Int(place.range.end)), start), line.endIndex)

        let cells = Self.cells(of: line[from..<until], isCutLeft: from > line.startIndex)
        var caret = 0
        var underline = 0
        for cell in cells {
            if cell.offset < start { caret += cell.width } else if cell.offset < end { underline += cell.width }
        }
        let total = cells.reduce(0) { $0 + $1.width }
        let left = total > Self.widest ? Swift.max(0, Swift.min(caret - Self.leadIn, total - Self.widest)) : 0
        cut(cells, from: left, isCutLeft: from > line.startIndex, isCutRight: until < line.endIndex, caret: caret)
        underlineWidth = Swift.max(1, Swift.min(underline, Self.widest - caretColumn))
    }

    private mutating func cut(_ cells: [Cell], from left: Int, isCutLeft: Bool, isCutRight: Bool, caret: Int) {
        var column = 0
        var firstColumn: Int?
        var isCutRight = isCutRight
        for cell in cells {
            defer { column += cell.width }
            guard column >= left else { continue }
            if column + cell.width > left + Self.widest {
                isCutRight = true
                break
            }
            if firstColumn == nil { firstColumn = column }
            text += cell.text
        }
        caretColumn = caret - (firstColumn ?? 0)
        if isCutLeft || left > 0 {
            text = "…" + text
            caretColumn += 1
        }
        if isCutRight { text += "…" }
    }

    private static func cells(of bytes: ArraySlice<UInt8>, isCutLeft: Bool) -> [Cell] {
        var cells: [Cell] = []
        var shown = isCutLeft ? ShownScalars.withinLine : ShownScalars()
        var column = 0
        var isJoined = false
        var offset = bytes.startIndex
        var next = scalar(in: bytes, at: offset)
        while let (scalar, count) = next {
            next = self.scalar(in: bytes, at: offset + count)
            var cell = Cell(text: String(scalar), width: 0, offset: offset)
            if scalar == "\t" {
                cell.width = tabWidth - column % tabWidth
                cell.text = String(repeating: " ", count: cell.width)
                _ = shown.escape(for: " ", before: next?.0)
            } else if let escape = shown.escape(for: scalar, before: next?.0) {
                cell.text = escape
                cell.width = escape.utf8.count
            } else if !isJoined || !scalar.properties.isEmoji {
                cell.width = scalar.columnWidth
            }
            // A scalar after a zero-width joiner belongs to the same emoji as the scalar before the joiner.
            isJoined = scalar.value == 0x200D
            cells.append(cell)
            column += cell.width
            offset += count
        }
        return cells
    }

    /// The scalar at an offset with its number of bytes, or nil at the end; each byte that is not UTF-8 counts as
    /// U+FFFD.
    private static func scalar(in bytes: ArraySlice<UInt8>, at offset: Int) -> (Unicode.Scalar, Int)? {
        guard offset < bytes.endIndex else { return nil }
        var decoder = UTF8()
        var rest = bytes[offset...].prefix(4).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return ("\u{FFFD}", 1) }
        return (scalar, UTF8.width(scalar))
    }
}
