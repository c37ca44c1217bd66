// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Which branches of templates the tests or users of a run have reached: the input of every coverage format.
package struct CoverageReport: Sendable {
    /// Whether a run counts tests or users.
    package enum Unit: String, Sendable {
        case tests, users

        /// The word for one test or user, in messages.
        var noun: String { self == .tests ? "test" : "user" }
    }

    /// A branch of a template, or another alternative that rendering can take.
    package struct Branch: Sendable {
        /// The place of the branch.
        package var place: SourcePlace

        /// The kind of branch, a word for programs that read reports.
        package var kind: String

        /// The branch as the template's author writes it, such as a tag.
        package var label: String

        /// The label of the branch, or for some kinds of branches, words that say when the branch is taken.
        package var words: String

        /// The number of the branch's decision in the file.
        ///
        /// The branches of one decision exclude each other.
        package var decision: Int

        /// How many times the branch was taken, by all tests or users together.
        package var times: Int

        /// The number of tests or users that took the branch at least once.
        package var takers: Int

        /// The conditions under which the branch is taken, in words.
        package var conditions: [String]

        /// The attributes that are read by these conditions.
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

    /// A file with templates, and how much of it was reached.
    package struct File: Sendable {
        package let source: SourceFile

        /// The number of tests or users of the campaigns to which the file belongs.
        package var messages: Int

        /// The branches, in the order of the file.
        package var branches: [Branch]

        /// How many times each line with Liquid or text was rendered, by line number.
        package var lines: [Int: Int]

        package init(source: SourceFile, messages: Int, branches: [Branch], lines: [Int: Int]) {
            self.source = source
            self.messages = messages
            self.branches = branches
            self.lines = lines
        }

        /// The number of branches that at least one test or user took.
        package var takenCount: Int { branches.reduce(0) { $0 + ($1.takers > 0 ? 1 : 0) } }

        /// The number and share of branches that were taken, such as `12 of 15 branches (80%)`.
        package var share: String { CoverageReport.share(takenCount, branches.count) }

        /// How many times a decision was reached: the sum over its branches.
        func times(ofDecision decision: Int) -> Int {
            branches.reduce(0) { $0 + ($1.decision == decision ? $1.times : 0) }
        }

        /// The counted lines in ascending order, including those on which only a branch begins.
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

    /// Whether the run counts tests or users.
    package let unit: Unit

    /// The number of tests or users of the run.
    package let messages: Int

    /// The files with templates, ordered by path.
    package let files: [File]

    package init(tool: Report.Tool, unit: Unit, messages: Int, files: [File]) {
        self.tool = tool
        self.unit = unit
        self.messages = messages
        self.files = files.sorted { $0.source.path.utf8.lexicographicallyPrecedes($1.source.path.utf8) }
    }

    /// The number of branches in all files.
    package var branchCount: Int { files.reduce(0) { $0 + $1.branches.count } }

    /// The number of branches, in all files, that at least one test or user took.
    package var takenCount: Int { files.reduce(0) { $0 + $1.takenCount } }

    /// Whether fewer than a percentage of the branches were taken; false if there are no branches.
    package func isBelow(_ percentage: Double) -> Bool {
        Double(takenCount) * 100 < percentage * Double(branchCount)
    }

    /// The number and share of branches that were taken, such as `12 of 15 branches (80%)`.
    package var share: String { Self.share(takenCount, branchCount) }

    /// The share with the number of tests or users, such as `12 of 15 branches (80%) in 4 tests`.
    package var summary: String {
        share + (unit == .tests ? " in " : " with ") + counted(messages, unit.noun)
    }

    /// The number and share of taken branches in words, such as `12 of 15 branches (80%)`.
    static func share(_ taken: Int, _ all: Int) -> String {
        if all == 0 { return "no branches" }
        return "\(taken) of \(counted(all, "branch", "branches")) (\(percentage(taken, of: all)))"
    }

    /// A part of a whole as a percentage with at most one decimal, rounded down; 100% only for the whole, or if there
    /// is none.
    package static func percentage(_ part: Int, of all: Int) -> String {
        guard all > 0 else { return "100%" }
        let tenths = part * 1_000 / all
        // A share above zero is never shown as 0%.
        if tenths == 0, part > 0 { return "<0.1%" }
        return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }
}

package enum CoverageFormat: String, Sendable, CaseIterable {
    /// Readable text: the source lines with marks and counts.
    case text
    /// JSON in this project's own format.
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
