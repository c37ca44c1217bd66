// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Where a command tells what it has to tell: data on standard output, everything else on standard error.
struct Console {
    /// Whether data for people is coloured.
    let colorsOutput: Bool

    /// Writes findings to standard error.
    private let findings: DiagnosticRenderer

    init(_ color: ColorChoice) {
        colorsOutput = color.colors(.output)
        findings = DiagnosticRenderer(isColored: color.colors(.error))
    }

    /// Writes text to standard output.
    func print(_ text: String) throws(CommandFailure) { try StandardStream.output.write(text) }

    /// Writes bytes to standard output.
    func print(_ buffer: borrowing ByteBuffer) throws(CommandFailure) { try StandardStream.output.write(buffer) }

    /// Writes findings to standard error in the order of reports.
    func report(_ diagnostics: [Diagnostic]) {
        var buffer = ByteBuffer()
        for diagnostic in diagnostics.inReportOrder() { findings.write(diagnostic, into: &buffer) }
        tell(buffer)
    }

    /// Writes a line to standard error.
    func tell(_ line: String) {
        var buffer = ByteBuffer()
        buffer.append(line)
        buffer.append("\n")
        tell(buffer)
    }

    /// Tells why a command ends.
    func report(_ failure: CommandFailure) {
        switch failure.report {
        case .silent: return
        case .message(let message): tell("error: \(message)")
        case .findings(let diagnostics): report(diagnostics)
        }
    }

    /// Who does not listen on standard error misses the message and nothing else.
    private func tell(_ buffer: borrowing ByteBuffer) { try? StandardStream.error.write(buffer) }
}
