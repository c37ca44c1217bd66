// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A format for reports of findings.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
    /// Readable text: place, message, source line and caret.
    case text
    /// JSON in this project's own format.
    case json
    /// SARIF 2.1.0, which code scanning reads.
    case sarif
    /// Workflow commands of GitHub Actions.
    case github
    /// GitLab's code quality report.
    case gitlab
    /// JUnit XML: one test case for each rule in each file.
    case junit
    /// Checkstyle XML.
    case checkstyle
    /// Lines that Xcode shows as issues.
    case xcode

    /// Options for writing a report.
    public struct Options: Sendable, Hashable {
        /// Whether text is coloured with ANSI sequences.
        public var isColored: Bool

        /// The lowest severity of a finding for which a JUnit case fails.
        public var failLevel: Severity

        /// The absolute path of the folder to which paths are relative, for Xcode, which needs absolute paths; nil to
        /// keep relative paths.
        public var rootPath: String?

        /// Creates options.
        public init(isColored: Bool = false, failLevel: Severity = .error, rootPath: String? = nil) {
            self.isColored = isColored
            self.failLevel = failLevel
            self.rootPath = rootPath
        }
    }

    /// Appends a report in this format; the same report gives the same bytes.
    public func write(_ report: Report, options: Options = Options(), into buffer: inout ByteBuffer) {
        switch self {
        case .text: report.writeText(isColored: options.isColored, into: &buffer)
        case .json: report.writeJSON(into: &buffer)
        case .sarif: report.writeSARIF(into: &buffer)
        case .github: report.writeWorkflowCommands(into: &buffer)
        case .gitlab: report.writeCodeQuality(into: &buffer)
        case .junit: report.writeJUnit(failLevel: options.failLevel, into: &buffer)
        case .checkstyle: report.writeCheckstyle(into: &buffer)
        case .xcode: report.writeXcode(rootPath: options.rootPath, into: &buffer)
        }
    }
}
