// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// The branches of templates that tests or users have reached: the input of every coverage format.
package struct CoverageReport: Sendable {
    /// Whether tests or users reach the branches.
    package enum Unit: String, Sendable {
        case tests, users

        /// The noun for one test or user.
        var noun: String { self == .tests ? "test" : "user" }
    }

    /// A branch of a template, or another alternative that rendering can take.
    package struct Branch: Sendable {
        /// The place of the branch.
        package var place: SourcePlace

        /// The kind of branch, for machines.
        package var kind: String

        /// The branch in the words of the template's author.
        package var label: String

        /// A sentence that describes the branch.
        package var words: String

        /// The number of the decision in the file; the branches of one decision are alternatives.
        package var decision: Int

        /// How many times the branch was taken.
        package var times: Int

        /// How many tests or users took the branch.
        package var takers: Int

        /// The conditions that have to be met to take the branch, in words.
        package var conditions: [String]

        /// The attributes that the conditions read.
        package var reads: [String]

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
        package let source: SourceFile

        /// The number of tests or users for the campaigns to which the file belongs.
        package var messages: Int

        /// The branches, in the order of the file.
        package var branches: [Branch]

        /// How many times each line with Liquid or text of a template was rendered, by line number.
        package var lines: [Int: Int]

        package init(source: SourceFile, messages: Int, branches: [Branch], lines: [Int: Int]) {
            self.source = source
            self.messages = messages
            self.branches = branches
            self.lines = lines
        }

        /// The number of branches that were taken.
        package var takenCount: Int { branches.reduce(0) { $0 + ($1.takers > 0 ? 1 : 0) } }

        /// The number and share of branches that were taken, such as `12 of 15 branches (80%)`.
        package var share: String { CoverageReport.share(takenCount, branches.count) }

        /// How many times a decision was reached.
        func times(ofDecision decision: Int) -> Int {
            branches.reduce(0) { $0 + ($1.decision == decision ? $1.times : 0) }
        }

        /// The lines in ascending order, including those that only begin a branch.
        var countedLines: [(number: Int, times: Int)] {
            var lines = lines
            for branch in branches where lines[branch.place.start.line] == nil {
                lines[branch.place.start.line] = times(ofDecision: branch.decision)
            }
            return lines.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// The program that measured the coverage.
    package let tool: Report.Tool

    /// Whether tests or users are counted.
    package let unit: Unit

    /// The number of tests or users.
    package let messages: Int

    /// The files, ordered by path.
    package let files: [File]

    package init(tool: Report.Tool, unit: Unit, messages: Int, files: [File]) {
        self.tool = tool
        self.unit = unit
        self.messages = messages
        self.files = files.sorted { $0.source.path.utf8.lexicographicallyPrecedes($1.source.path.utf8) }
    }

    /// The number of branches in all files.
    package var branchCount: Int { files.reduce(0) { $0 + $1.branches.count } }

    /// The number of branches that were taken.
    package var takenCount: Int { files.reduce(0) { $0 + $1.takenCount } }

    /// Whether fewer than a percentage of the branches were taken; false if there are no branches.
    package func isBelow(_ percentage: Double) -> Bool {
        Double(takenCount) * 100 < percentage * Double(branchCount)
    }

    /// The number and share of branches that were taken, in words.
    package var share: String { Self.share(takenCount, branchCount) }

    /// The share with the number of tests or users, such as `12 of 15 branches (80%) in 4 tests`.
    package var summary: String {
        share + (unit == .tests ? " in " : " with ") + counted(messages, unit.noun)
    }

    /// The number and share of branches in words.
    static func share(_ taken: Int, _ all: Int) -> String {
        if all == 0 { return "no branches" }
        return "\(taken) of \(counted(all, "branch", "branches")) (\(percentage(taken, of: all)))"
    }

    /// A share as a percentage with at most one decimal, rounded down, so that only a complete share is 100%.
    package static func percentage(_ part: Int, of all: Int) -> String {
        guard all > 0 else { return "100%" }
        let tenths = part * 1_000 / all
        // A share above zero is never shown as 0%.
        if tenths == 0, part > 0 { return "<0.1%" }
        return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }
}

package enum CoverageFormat: String, Sendable, CaseIterable {
    /// The source with marks and counts, as readable text.
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
