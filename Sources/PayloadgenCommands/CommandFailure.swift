// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The reason that a command ends early.
struct CommandFailure: Error {
    let status: ExitStatus

    /// The report on standard error.
    let report: Report

    enum Report {
        /// Nothing is reported.
        case silent
        /// Nothing is reported, as the reader of standard output has closed it because it needs no more.
        case closedPipe
        /// `error: ` and a message: lower case, no full stop.
        case message(String)
        /// Findings with their places.
        case findings([Diagnostic])
    }

    init(_ status: ExitStatus, _ report: Report) {
        self.status = status
        self.report = report
    }

    init(_ status: ExitStatus, _ message: String) {
        self.init(status, .message(message))
    }

    /// The failure where the reader of standard output has closed it before the command wrote everything.
    static let closedPipe = CommandFailure(.success, .closedPipe)

    /// Whether the failure is ``closedPipe``.
    var isClosedPipe: Bool { if case .closedPipe = report { true } else { false } }

    static let interrupted = CommandFailure(.interrupted, .silent)
}
