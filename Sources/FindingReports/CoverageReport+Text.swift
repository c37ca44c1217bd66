// SPDX-License-Identifier: MIT

import DiagnosticSources

extension CoverageReport {
    /// Writes the lines that have templates, with their branches below.
    ///
    /// A line is marked with `+` if it was rendered and all of its branches were taken, otherwise with `!`.
    func writeText(isColored: Bool, into buffer: inout ByteBuffer) {
        for file in files {
            buffer.appendShown(file.source.path)
            buffer.append(": \(file.share)\n")
            write(file, isColored: isColored, into: &buffer)
            buffer.append("\n")
        }
        buffer.append("coverage: \(summary)\n")
    }

    private func write(_ file: File, isColored: Bool, into buffer: inout ByteBuffer) {
        let lines = file.countedLines
        let width = String(lines.last?.number ?? 0).utf8.count
        let branchesByLine = Dictionary(grouping: file.branches) { $0.place.start.line }
        var previous: Int?
        for (number, times) in lines {
            if let previous, number > previous + 1 { buffer.append(String(repeating: " ", count: width + 3) + "…\n") }
            previous = number
            let branches = branchesByLine[number] ?? []
            let mark = times == 0 || branches.contains { $0.takers == 0 } ? "!" : "+"
            append(mark, isColored, to: &buffer)
            let digits = String(number)
            buffer.append(" " + String(repeating: " ", count: width - digits.utf8.count) + digits + " | ")
            buffer.append(Self.shown(file.source.line(number)))
            buffer.append("\n")
            for branch in branches { write(branch, of: file, indent: width + 5, isColored, into: &buffer) }
        }
    }

    private func write(_ branch: Branch, of file: File, indent: Int, _ isColored: Bool, into buffer: inout ByteBuffer) {
        let margin = String(repeating: " ", count: indent)
        buffer.append(margin)
        append(branch.takers > 0 ? "+" : "!", isColored, to: &buffer)
        buffer.append(" ")
        buffer.appendShown(branch.label)
        buffer.append(": \(branch.takers) of \(counted(file.messages, unit.noun))")
        if file.messages > 0 { buffer.append(" (\(Self.percentage(branch.takers, of: file.messages)))") }
        buffer.append("\n")
        guard branch.takers == 0, !branch.conditions.isEmpty else { return }
        buffer.append(margin + "  needs: ")
        buffer.appendShown(branch.conditions.joined(separator: "; "))
        buffer.append("\n")
    }

    private func append(_ mark: String, _ isColored: Bool, to buffer: inout ByteBuffer) {
        if isColored { buffer.append(mark == "+" ? "\u{1B}[32m" : "\u{1B}[1;31m") }
        buffer.append(mark)
        if isColored { buffer.append("\u{1B}[0m") }
    }

    /// A source line, cut so that it fits on most terminals.
    private static func shown(_ line: ArraySlice<UInt8>) -> ShownText {
        ShownText(String(decoding: line, as: UTF8.self).shortened(to: 100))
    }
}
