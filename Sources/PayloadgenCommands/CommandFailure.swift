// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Why a command ends early: its exit status, and what it reports.
struct CommandFailure: Error {
    let status: ExitStatus

    /// What is written to standard error.
    let report: Report

    enum Report {
        /// Nothing is reported.
        case silent
        /// Nothing is reported: the reader of standard output has closed it, as `head` does, because it needs no more.
        case closedPipe
        /// The text `error: ` and this message: lower case, no full stop.
        case message(String)
        /// Findings, shown with their places.
        case findings([Diagnostic])
    }

    init(_ status: ExitStatus, _ report: Report) {
        self.status = status
        self.report = report
    }

    init(_ status: ExitStatus, _ message: String) {
        self.init(status, .message(message))
    }

    /// The failure for standard output that its reader has closed before the command wrote everything.
    static let closedPipe = CommandFailure(.success, .closedPipe)

    /// Whether the reader of standard output has closed it.
    var isClosedPipe: Bool { if case .closedPipe = report { true } else { false } }

    static let interrupted = CommandFailure(.interrupted, .silent)
}
