// SPDX-License-Identifier: MIT

import SourceText

/// Why a command ends before its work is done.
struct CommandFailure: Error {
    /// How the command ends.
    let status: ExitStatus

    /// What is reported on standard error.
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

    /// The reader of standard output went away, which is its right.
    static let closedPipe = CommandFailure(.success, .silent)

    static let interrupted = CommandFailure(.interrupted, .silent)
}
