// SPDX-License-Identifier: MIT

import DiagnosticSources

extension Report {
    /// The findings as readable text, and their numbers at the end.
    func writeText(isColored: Bool, into buffer: inout ByteBuffer) {
        let renderer = DiagnosticRenderer(isColored: isColored)
        for diagnostic in shown { renderer.write(diagnostic, into: &buffer) }
        buffer.append("\(summary)\n")
    }

    /// One line for each finding, in the format of compiler messages, which Xcode shows as issues.
    func writeXcode(rootPath: String?, into buffer: inout ByteBuffer) {
        for diagnostic in shown {
            if let place = diagnostic.place {
                if let rootPath, !place.file.path.hasPrefix("/") {
                    buffer.appendShown(rootPath.hasSuffix("/") ? rootPath : rootPath + "/")
                }
                buffer.appendShown(place.file.path)
                buffer.append(":\(place.start.line):\(place.start.column): ")
            }
            buffer.append(diagnostic.severity == .info ? "note" : diagnostic.severity.rawValue)
            buffer.append(": ")
            buffer.appendShown(diagnostic.message)
            buffer.append(" (")
            buffer.appendShown(diagnostic.rule.name)
            buffer.append(")\n")
        }
        if let text = leftOut.text { buffer.append("note: \(text)\n") }
    }
}
