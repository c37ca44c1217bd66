// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import Foundation
import PayloadKit

/// `payloadgen render --merge`: reports on a batch whose parts were rendered by several processes.
extension Render {
    func mergeParts(
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        let settings = settings(inputs)
        try checkOutputs(inputs)
        var options = options
        let isNowFromClock = context.now == nil && options.context.now == nil
        let identity = try BatchIdentity(inputs, options, settings, [], isNowFromClock: isNowFromClock)
        guard let (renderer, findings) = checkedRenderer(inputs, options, on: console) else { return .findings }
        let files = try BatchFiles(batch, coverage)
        let parts: PartCounts
        do throws(CommandFailure) {
            parts = try PartCounts(merging: users.merge, of: identity, renderer.coverageMap)
        } catch {
            files.discard()
            throw error
        }
        if let now = parts.now { options.now = Time(seconds: now) }
        var report = parts.report
        report.note(inputs: options.rules.apply(to: nothingRenderedFindings(of: report.profiles, parts.profiles)))
        var all = RecordCounts()
        all.add(report)
        let counted = CountedBatch(
            report: report,
            coverage: coverage.isOn ? parts.coverage.report : nil,
            profiles: parts.profiles,
            all: all
        )
        return try conclude(counted, findings, inputs, options, files, on: console)
    }
}
