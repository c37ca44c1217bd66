// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import FindingReports

/// The options `--coverage` and `--coverage-fail-under`.
struct CoverageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Report which branches of the templates were reached: --coverage=FORMAT with text (also for --coverage alone), json, lcov or cobertura; --coverage=FORMAT=FILE writes a file. Repeatable.",
            valueName: "format"
        )
    )
    var coverage: [CoverageTarget] = []

    @Option(
        help: ArgumentHelp("End with 1 where a smaller percentage of the branches was reached.", valueName: "percent")
    )
    var coverageFailUnder: Double?

    func validate() throws {
        if coverage.count(where: { $0.path == nil }) > 1 {
            throw ValidationError("found several --coverage without files, expected FORMAT=FILE for all but one")
        }
        if let percentage = coverageFailUnder, !(0...100).contains(percentage) {
            throw ValidationError("found --coverage-fail-under \(percentage), expected 0 to 100")
        }
    }

    /// Whether branches have to be counted.
    var isOn: Bool { !coverage.isEmpty || coverageFailUnder != nil }

    /// The given option that requires counting branches, as error messages name it.
    var usedOption: String { coverage.isEmpty ? "--coverage-fail-under" : "--coverage" }

    /// The report that is shown on the console; nil if all are written to files or there is none.
    var shown: CoverageTarget? { coverage.first { $0.path == nil } }

    /// The format of the report that is shown on the console; nil if there is none.
    var shownFormat: CoverageFormat? { shown?.format }

    /// Adds the report files to the outputs of a command.
    func add(to outputs: inout OutputGuard) {
        for target in coverage { outputs.add(target.path, as: target.option) }
    }

    /// Opens the files for reports, so that a file that cannot be written is reported before any work is done.
    func files() throws(CommandFailure) -> [(CoverageFormat, OutputTarget)] {
        var files: [(CoverageFormat, OutputTarget)] = []
        for target in coverage {
            if let path = target.path { files.append((target.format, try OutputTarget(path))) }
        }
        return files
    }

    /// Writes a report to the files, each in its format.
    static func write(
        _ report: CoverageReport,
        to files: [(CoverageFormat, OutputTarget)]
    ) throws(CommandFailure) {
        for (format, target) in files {
            var buffer = ByteBuffer(capacity: 1 << 12)
            format.write(report, into: &buffer)
            try target.complete(with: buffer)
        }
    }

    /// The message that too few branches were taken, for `--coverage-fail-under`; nil if enough were.
    func failure(of report: CoverageReport) -> ShownText? {
        guard let percentage = coverageFailUnder, report.isBelow(percentage) else { return nil }
        let least = percentage == percentage.rounded() ? "\(Int(percentage))" : "\(percentage)"
        return ShownText(verbatim: "error: coverage: \(report.summary), expected at least \(least)%")
    }

    /// The arguments with the default format added to each `--coverage` that has no value.
    static func completed(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments.enumerated().map { $0 < end && $1 == "--coverage" ? "--coverage=text" : $1 }
    }
}

/// The value of `--coverage`.
typealias CoverageTarget = FormatTarget<CoverageFormat>

extension CoverageTarget {
    /// Whether the report is for programs instead of people.
    var isForPrograms: Bool { format != .text }

    /// The option, as messages show it.
    var option: String { "--coverage=\(format.rawValue)" }
}
