// SPDX-License-Identifier: MIT

import CampaignPreview
import DiagnosticSources
import FindingReports
import LiquidTemplates
import PayloadKit

/// The combined coverage of several campaigns, for one report.
///
/// A content block that several campaigns use is reported as one file, with the sum of the campaigns' counts.
struct CoverageCollection {
    /// The text of a template in a file, with the counts of its branches.
    private struct Entry {
        let text: CoverageMap.Text
        var times: [Int]
        var takers: [Int]
    }

    private struct File {
        let source: SourceFile
        var messages = 0
        var entries: [Entry] = []
    }

    private var files: [String: File] = [:]
    private var messages = 0

    /// Adds the coverage of a campaign.
    mutating func add(_ coverage: Coverage) {
        messages += coverage.messages
        var paths: Set<String> = []
        for text in coverage.map.texts {
            let path = text.source.file.path
            var file = files[path] ?? File(source: text.source.file)
            if paths.insert(path).inserted { file.messages += coverage.messages }
            let branches = text.firstBranch..<text.firstBranch + text.map.branches.count
            if let known = file.entries.firstIndex(where: { $0.text.source.range == text.source.range }) {
                for (offset, branch) in branches.enumerated() where file.entries[known].times.indices.contains(offset) {
                    file.entries[known].times[offset] += coverage.times[branch]
                    file.entries[known].takers[offset] += coverage.takers[branch]
                }
            } else {
                file.entries.append(
                    Entry(text: text, times: Array(coverage.times[branches]), takers: Array(coverage.takers[branches]))
                )
            }
            files[path] = file
        }
    }

    /// The report on the coverage of all campaigns.
    func report(_ unit: CoverageReport.Unit) -> CoverageReport {
        CoverageReport(tool: .payloadgen, unit: unit, messages: messages, files: files.values.map(Self.file))
    }

    private static func file(_ file: File) -> CoverageReport.File {
        var branches: [CoverageReport.Branch] = []
        var lines: [Int: Int] = [:]
        var decisions = 0
        for entry in file.entries.sorted(by: { $0.text.source.range.start < $1.text.source.range.start }) {
            let text = entry.text
            for index in text.branches {
                let branch = text.branch(index)
                branches.append(
                    CoverageReport.Branch(
                        place: text.place(ofBranch: index),
                        kind: branch.kind.word,
                        label: text.label(ofBranch: index),
                        words: text.words(ofBranch: index),
                        decision: decisions + branch.decision - 1,
                        times: entry.times[index - text.firstBranch],
                        takers: entry.takers[index - text.firstBranch],
                        conditions: text.conditions(ofBranch: index),
                        reads: text.reads(ofBranch: index)
                    )
                )
            }
            decisions += text.map.branches.map(\.decision).max() ?? 0
            for node in text.map.nodes {
                let times = entry.times[node.branch]
                for line in text.lines(of: node) { lines[line] = max(lines[line] ?? 0, times) }
            }
        }
        return CoverageReport.File(source: file.source, messages: file.messages, branches: branches, lines: lines)
    }
}

extension TemplateBranch.Kind {
    /// The word for the kind of branch in machine-readable reports; the words must never change.
    fileprivate var word: String {
        switch self {
        case .template: "template"
        case .branch: "branch"
        case .otherwise: "else"
        case .noBranch: "no-branch"
        case .elements: "elements"
        case .noElements: "no-elements"
        case .value: "default-not-used"
        case .replacement: "default-used"
        case .stop: "stop"
        }
    }
}

extension Coverage {
    /// The branches that the users of a batch take, as a report.
    var report: CoverageReport {
        var collection = CoverageCollection()
        collection.add(self)
        return collection.report(.users)
    }
}
