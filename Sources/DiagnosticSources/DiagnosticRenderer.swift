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
/// tabs, wide characters and combining characters. Only the part around the caret is shown of a long line. Control
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
