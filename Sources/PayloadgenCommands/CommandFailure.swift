// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Why a command ends early.
struct CommandFailure: Error {
    /// The exit status.
    let status: ExitStatus

    /// The report on standard error.
    let report: Report

    enum Report {
        /// Nothing.
        case silent
        /// Nothing, as the reader of standard output has closed it and so decided that it needs no more.
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

    /// The reader of standard output has closed it before a command wrote all that it was to write.
    static let closedPipe = CommandFailure(.success, .closedPipe)

    /// Whether this is ``closedPipe``.
    var isClosedPipe: Bool { if case .closedPipe = report { true } else { false } }

    static let interrupted = CommandFailure(.interrupted, .silent)
}
