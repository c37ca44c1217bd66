// SPDX-License-Identifier: MIT

import ArgumentParser
import FindingReports

/// A format of reports, by its name in the option `--format`.
protocol ReportFormatName: RawRepresentable<String>, CaseIterable, Equatable {
    /// Whether several reports in this format can follow each other on standard output, because they are read line by
    /// line.
    var isOfLines: Bool { get }

    /// The format for annotations of GitHub Actions.
    static var github: Self { get }
}

extension ReportFormat: ReportFormatName {
    var isOfLines: Bool { [.text, .github, .xcode].contains(self) }
}

extension TestReportFormat: ReportFormatName {
    var isOfLines: Bool { [.text, .github].contains(self) }
}

/// The value of an option for a format of a report: `FORMAT` or `FORMAT=FILE`.
struct FormatTarget<Format: RawRepresentable<String> & CaseIterable>: ExpressibleByArgument {
    let format: Format

    /// The path of the file; nil for the console.
    let path: String?

    /// Whether `FORMAT=-` asks for the report on standard output.
    let isForOutput: Bool

    init(_ format: Format) {
        self.format = format
        path = nil
        isForOutput = false
    }

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let format = parts.first.flatMap(Format.init(rawValue:)), parts.last?.isEmpty == false else { return nil }
        self.format = format
        isForOutput = parts.count == 2 && parts[1] == "-"
        path = parts.count == 2 && !isForOutput ? parts[1] : nil
    }

    static var allValueStrings: [String] { Format.allCases.map(\.rawValue) }
}

extension FormatTarget where Format: ReportFormatName {
    /// Throws an error for several reports on standard output, if the program that reads them could not separate them.
    static func validate(_ targets: [Self]) throws(ValidationError) {
        let shown = targets.filter { $0.path == nil }.map(\.format)
        guard shown.count > 1 else { return }
        if let format = shown.first(where: { !$0.isOfLines }) {
            throw ValidationError(
                "found \(format.rawValue) and another report for standard output, expected "
                    + "--format \(format.rawValue)=FILE")
        }
        if let format = shown.first(where: { format in shown.count { $0 == format } > 1 }) {
            throw ValidationError("found --format \(format.rawValue) twice, expected it once")
        }
    }
}
