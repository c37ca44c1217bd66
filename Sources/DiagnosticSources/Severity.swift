// SPDX-License-Identifier: MIT

/// The severity of a finding.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    case info
    case warning
    case error

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        }
    }

    /// Orders `info` before `warning` before `error`.
    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}
