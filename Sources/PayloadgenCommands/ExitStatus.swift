// SPDX-License-Identifier: MIT

/// How a command ended: the exit codes that users and their scripts rely on.
enum ExitStatus: Int32, Sendable {
    /// Clean.
    case success = 0
    /// Findings at or above the fail level, a failed test, or a message that does not render or pass its checks.
    case findings = 1
    /// Some profiles of a batch failed; the others were written.
    case partialFailure = 2
    /// `abort_message` ended the message.
    case aborted = 3
    /// Wrong usage.
    case usage = 64
    /// An input is not what it should be.
    case unreadableInput = 65
    /// An input file is missing.
    case missingInput = 66
    /// An internal error.
    case internalError = 70
    /// Output cannot be written.
    case unwritableOutput = 74
    /// Broken configuration.
    case brokenConfiguration = 78
    /// Ctrl-C.
    case interrupted = 130

    /// The status under `--exit-zero`, which lets a result pass and nothing else.
    func forgiving(_ isForgiving: Bool) -> ExitStatus {
        switch self {
        case .findings, .partialFailure, .aborted: isForgiving ? .success : self
        default: self
        }
    }
}
