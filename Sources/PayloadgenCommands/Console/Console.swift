// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Where a command reports: data on standard output, everything else on standard error.
///
/// What people read is ``ShownText``, in which nothing that others wrote can drive a terminal or a CI service.
struct Console {
    /// Whether data for people is coloured.
    let colorsOutput: Bool

    /// Writes findings to standard error.
    private let findings: DiagnosticRenderer

    init(_ color: ColorChoice) {
        colorsOutput = color.colors(.output)
        findings = DiagnosticRenderer(isColored: color.colors(.error))
    }

    /// Writes text for people to standard output.
    func print(_ text: ShownText) throws(CommandFailure) { try StandardStream.output.write(text.text) }

    /// Writes data to standard output, byte for byte.
    func print(data text: String) throws(CommandFailure) { try StandardStream.output.write(text) }

    /// Writes data to standard output, byte for byte.
    func print(data buffer: borrowing ByteBuffer) throws(CommandFailure) { try StandardStream.output.write(buffer) }

    /// Writes findings to standard error in the order of reports.
    func report(_ diagnostics: [Diagnostic]) {
        var buffer = ByteBuffer()
        for diagnostic in diagnostics.inReportOrder() { findings.write(diagnostic, into: &buffer) }
        tell(buffer)
    }

    /// Writes a line to standard error.
    func tell(_ line: ShownText) {
        var buffer = ByteBuffer()
        buffer.append(line)
        buffer.append("\n")
        tell(buffer)
    }

    /// Writes a line of data to standard error, byte for byte.
    func tell(data line: String) {
        var buffer = ByteBuffer()
        buffer.append(line)
        buffer.append("\n")
        tell(buffer)
    }

    /// Reports why a command ends.
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
