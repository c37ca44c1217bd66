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

    /// The reader of standard output has closed it before a command wrote all that it was to write.
    static let closedPipe = CommandFailure(.closedPipe, .silent)

    static let interrupted = CommandFailure(.interrupted, .silent)
}
