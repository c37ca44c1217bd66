// SPDX-License-Identifier: MIT

import CampaignPreview
import DiagnosticSources
import FindingReports
import LiquidTemplates
import PayloadKit

/// The combined coverage of several campaigns, for one report.
///
/// A content block that several campaigns use is reported as one file, with the sum of their counts.
struct CoverageCollection {
    /// A text of a file, with the counts of its branches.
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
            let arms = text.firstArm..<text.firstArm + text.map.arms.count
            if let known = file.entries.firstIndex(where: { $0.text.source.range == text.source.range }) {
                for (offset, arm) in arms.enumerated() where file.entries[known].times.indices.contains(offset) {
                    file.entries[known].times[offset] += coverage.times[arm]
                    file.entries[known].takers[offset] += coverage.takers[arm]
                }
            } else {
                file.entries.append(
                    Entry(text: text, times: Array(coverage.times[arms]), takers: Array(coverage.takers[arms]))
                )
            }
            files[path] = file
        }
    }

    /// The report on all campaigns.
    func report(_ unit: CoverageReport.Unit) -> CoverageReport {
        CoverageReport(tool: .payloadgen, unit: unit, messages: messages, files: files.values.map(Self.file))
    }

    private static func file(_ file: File) -> CoverageReport.File {
        var arms: [CoverageReport.Arm] = []
        var lines: [Int: Int] = [:]
        var decisions = 0
        for entry in file.entries.sorted(by: { $0.text.source.range.start < $1.text.source.range.start }) {
            let text = entry.text
            for index in text.arms {
                let arm = text.arm(index)
                arms.append(
                    CoverageReport.Arm(
                        place: text.place(ofArm: index),
                        kind: arm.kind.word,
                        label: text.label(ofArm: index),
                        words: text.words(ofArm: index),
                        decision: decisions + arm.decision - 1,
                        times: entry.times[index - text.firstArm],
                        takers: entry.takers[index - text.firstArm],
                        conditions: text.conditions(ofArm: index),
                        reads: text.reads(ofArm: index)
                    )
                )
            }
            decisions += text.map.arms.map(\.decision).max() ?? 0
            for node in text.map.nodes {
                let times = entry.times[node.arm]
                for line in text.lines(of: node) { lines[line] = max(lines[line] ?? 0, times) }
            }
        }
        return CoverageReport.File(source: file.source, messages: file.messages, arms: arms, lines: lines)
    }
}

extension TemplateArm.Kind {
    /// The word in machine-readable reports, which must never change.
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
    /// The coverage of a batch as a report.
    var report: CoverageReport {
        var collection = CoverageCollection()
        collection.add(self)
        return collection.report(.users)
    }
}
