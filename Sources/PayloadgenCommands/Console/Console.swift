// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// The output of a command: data goes to standard output, everything else to standard error.
///
/// Readable text is ``ShownText``, so that no text from an input can control a terminal or a CI service.
struct Console {
    /// Whether readable text on standard output is coloured.
    let colorsOutput: Bool

    /// Writes findings with an excerpt of their source.
    private let findings: DiagnosticRenderer

    /// Whether something could not be written to standard error.
    ///
    /// All copies of a console share this value.
    private let isIncomplete = Locked(false)

    init(_ color: ColorChoice) {
        colorsOutput = color.colors(.output)
        findings = DiagnosticRenderer(isColored: color.colors(.error))
    }

    /// Writes readable text to standard output.
    func print(_ text: ShownText) throws(CommandFailure) { try StandardStream.output.write(text.text) }

    /// Writes data to standard output, unchanged.
    func print(data text: String) throws(CommandFailure) { try StandardStream.output.write(text) }

    /// Writes data to standard output, unchanged.
    func print(data buffer: borrowing ByteBuffer) throws(CommandFailure) { try StandardStream.output.write(buffer) }

    /// Writes a line of data to standard output, for a command that ends when nobody reads its lines.
    ///
    /// - Throws: ``CommandFailure/closedPipe`` if nobody reads the line, or the reason that it cannot be written.
    func print(line: borrowing ByteBuffer) throws(CommandFailure) {
        var writer = RecordWriter(.output, name: "standard output")
        try writer.write(line)
    }

    /// Writes findings to standard error, in the order of reports.
    func report(_ diagnostics: [Diagnostic]) {
        var buffer = ByteBuffer()
        for diagnostic in diagnostics.inReportOrder() { findings.write(diagnostic, into: &buffer) }
        log(buffer)
    }

    /// Writes a line of readable text to standard error.
    func log(_ line: ShownText) { log(data: line.text) }

    /// Writes a report to standard error, unchanged.
    func log(text buffer: borrowing ByteBuffer) { log(buffer) }

    /// Writes a line of data to standard error, unchanged.
    func log(data line: String) {
        var buffer = ByteBuffer()
        buffer.append(line)
        buffer.append("\n")
        log(buffer)
    }

    /// Writes the reason that a command ends early to standard error.
    func report(_ failure: CommandFailure) {
        switch failure.report {
        case .silent, .closedPipe: return
        case .message(let message): log("error: \(message)")
        case .findings(let diagnostics): report(diagnostics)
        }
    }

    /// Writes bytes to standard error.
    ///
    /// If this fails, it cannot be reported anywhere else, so it only changes ``status(_:)``.
    private func log(_ buffer: borrowing ByteBuffer) {
        do throws(CommandFailure) {
            try StandardStream.error.write(buffer)
        } catch {
            isIncomplete.withLock { $0 = true }
        }
    }

    /// The exit status of a command that has finished: an error instead of success if something could not be written to
    /// standard error.
    func status(_ status: ExitStatus) -> ExitStatus {
        status == .success && isIncomplete.withLock { $0 } ? .unwritableOutput : status
    }
}
