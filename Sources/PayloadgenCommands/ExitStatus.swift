// SPDX-License-Identifier: MIT

/// The exit codes of the command, which users and scripts rely on.
enum ExitStatus: Int32, Sendable {
    /// The command did what was asked.
    case success = 0
    /// Findings at or above the fail level, a failed test, or a message that does not render or pass its checks.
    case findings = 1
    /// Some profiles of a batch failed; all others were rendered.
    case partialFailure = 2
    /// A template aborted the message with `abort_message`.
    case aborted = 3
    /// The arguments are wrong.
    case usage = 64
    /// An input cannot be read, or its contents are invalid.
    case unreadableInput = 65
    /// An input file is missing.
    case missingInput = 66
    /// Braze cannot be reached, or answers with an error.
    case unreachable = 69
    /// An error of the command itself.
    case internalError = 70
    /// Output cannot be written.
    case unwritableOutput = 74
    /// Braze does not accept the API key.
    case refused = 77
    /// The configuration is invalid.
    case brokenConfiguration = 78
    /// The user pressed Ctrl-C.
    case interrupted = 130

    /// The status with the option `--exit-zero`, which turns results such as findings into success, but not failures
    /// such as a missing file.
    func forgiving(_ isForgiving: Bool) -> ExitStatus {
        switch self {
        case .findings, .partialFailure, .aborted: isForgiving ? .success : self
        default: self
        }
    }
}
