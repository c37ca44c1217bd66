// SPDX-License-Identifier: MIT

import ArgumentParser
import FindingReports

/// `--format FORMAT` or `--format FORMAT=FILE`.
struct ReportTarget: ExpressibleByArgument {
    let format: ReportFormat

    /// The file; nil for standard output.
    let path: String?

    init(_ format: ReportFormat) {
        self.format = format
        path = nil
    }

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let format = parts.first.flatMap(ReportFormat.init), parts.last?.isEmpty == false else { return nil }
        self.format = format
        path = parts.count == 2 && parts[1] != "-" ? parts[1] : nil
    }

    static var allValueStrings: [String] { ReportFormat.allCases.map(\.rawValue) }
}
