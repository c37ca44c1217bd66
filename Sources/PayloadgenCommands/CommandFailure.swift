// SPDX-License-Identifier: MIT

import SourceText

/// Why a command ends early.
struct CommandFailure: Error {
    /// The exit status.
    let status: ExitStatus

    /// The report on standard error.
    let report: Report

    enum Report {
        /// Nothing, as for a closed pipe.
        case silent
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

    /// The reader has closed standard output, which is not an error.
    static let closedPipe = CommandFailure(.success, .silent)

    static let interrupted = CommandFailure(.interrupted, .silent)
}
