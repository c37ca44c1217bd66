// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Which branches of templates tests or users have reached: the input of every format of coverage.
package struct CoverageReport: Sendable {
    /// Who reaches branches.
    package enum Unit: String, Sendable {
        case tests, users

        /// The noun for one.
        var noun: String { self == .tests ? "test" : "user" }
    }

    /// A branch, or another way that a template can take.
    package struct Arm: Sendable {
        /// Where it is written.
        package var place: SourcePlace

        /// The kind, for machines.
        package var kind: String

        /// What it is, in the words of its author.
        package var label: String

        /// What it is, in a sentence.
        package var words: String

        /// The number of the decision in the file; the arms of one decision are alternatives.
        package var decision: Int

        /// How many times it was taken.
        package var times: Int

        /// How many tests or users have taken it.
        package var takers: Int

        /// What has to hold for it to be taken, in words.
        package var conditions: [String]

        /// The attributes that the conditions read.
        package var reads: [String]

        /// Creates an arm.
        package init(
            place: SourcePlace,
            kind: String,
            label: String,
            words: String,
            decision: Int,
            times: Int,
            takers: Int,
            conditions: [String],
            reads: [String]
        ) {
            self.place = place
            self.kind = kind
            self.label = label
            self.words = words
            self.decision = decision
            self.times = times
            self.takers = takers
            self.conditions = conditions
            self.reads = reads
        }
    }

    /// A file with templates.
    package struct File: Sendable {
        /// The file.
        package let source: SourceFile

        /// The number of tests or users of the campaigns that the file belongs to.
        package var messages: Int

        /// The arms in the order of the file.
        package var arms: [Arm]

        /// How many times the lines with Liquid or text of a template were rendered, by their numbers.
        package var lines: [Int: Int]

        /// Creates a file.
        package init(source: SourceFile, messages: Int, arms: [Arm], lines: [Int: Int]) {
            self.source = source
            self.messages = messages
            self.arms = arms
            self.lines = lines
        }

        /// The number of arms that were taken.
        package var takenCount: Int { arms.reduce(0) { $0 + ($1.takers > 0 ? 1 : 0) } }

        /// The numbers in words, such as `12 of 15 branches (80%)`.
        package var share: String { CoverageReport.share(takenCount, arms.count) }

        /// How many times a decision was reached.
        func times(ofDecision decision: Int) -> Int {
            arms.reduce(0) { $0 + ($1.decision == decision ? $1.times : 0) }
        }

        /// The lines in order, with those on which an arm is written.
        var countedLines: [(number: Int, times: Int)] {
            var lines = lines
            for arm in arms where lines[arm.place.start.line] == nil {
                lines[arm.place.start.line] = times(ofDecision: arm.decision)
            }
            return lines.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// The program that measured.
    package let tool: Report.Tool

    /// The unit of the counts.
    package let unit: Unit

    /// The number of tests or users.
    package let messages: Int

    /// The files by their paths.
    package let files: [File]

    /// Creates a report.
    package init(tool: Report.Tool, unit: Unit, messages: Int, files: [File]) {
        self.tool = tool
        self.unit = unit
        self.messages = messages
        self.files = files.sorted { $0.source.path.utf8.lexicographicallyPrecedes($1.source.path.utf8) }
    }

    /// The number of arms.
    package var armCount: Int { files.reduce(0) { $0 + $1.arms.count } }

    /// The number of arms that were taken.
    package var takenCount: Int { files.reduce(0) { $0 + $1.takenCount } }

    /// Whether less than a percentage of the arms was taken; templates without arms are covered.
    package func isBelow(_ percentage: Double) -> Bool {
        Double(takenCount) * 100 < percentage * Double(armCount)
    }

    /// The share of branches that were taken, in words.
    package var share: String { Self.share(takenCount, armCount) }

    /// The numbers in words, such as `12 of 15 branches (80%) in 4 tests`.
    package var summary: String {
        share + (unit == .tests ? " in " : " with ") + counted(messages, unit.noun)
    }

    /// The share of branches in words.
    static func share(_ taken: Int, _ all: Int) -> String {
        if all == 0 { return "no branches" }
        return "\(taken) of \(counted(all, "branch", "branches")) (\(percentage(taken, of: all)))"
    }

    /// A share as a percentage with at most one decimal, rounded down, so that only all of them are 100%.
    package static func percentage(_ part: Int, of all: Int) -> String {
        guard all > 0 else { return "100%" }
        let tenths = part * 1_000 / all
        // A share that exists is never shown as nothing.
        if tenths == 0, part > 0 { return "<0.1%" }
        return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }
}

/// A format for coverage.
package enum CoverageFormat: String, Sendable, CaseIterable {
    /// The source with marks and counts.
    case text
    /// The JSON that this project defines.
    case json
    /// LCOV's trace file.
    case lcov
    /// Cobertura XML.
    case cobertura

    /// Appends a report in this format; the same report gives the same bytes.
    package func write(_ report: CoverageReport, isColored: Bool = false, into buffer: inout ByteBuffer) {
        switch self {
        case .text: report.writeText(isColored: isColored, into: &buffer)
        case .json: report.writeJSON(into: &buffer)
        case .lcov: report.writeLCOV(into: &buffer)
        case .cobertura: report.writeCobertura(into: &buffer)
        }
    }
}
