// SPDX-License-Identifier: MIT

import AppBundles
import Foundation
import PayloadKit
import SourceText

/// One campaign, many users.
extension Render {
    func renderBatch(
        _ campaign: Campaign,
        _ options: RenderOptions,
        _ app: App?,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        let sources = try ProfileSource.all(profiles)
        var settings = BatchSettings()
        settings.triggerProperties = try context.readTriggerProperties()
        settings.app = app
        settings.shard = batch.shard
        settings.idField = batch.idField
        settings.jobs = batch.jobCount
        var options = options
        let readsClock = context.now == nil && options.context.now == nil
        var identity = BatchIdentity(campaign, options, settings, sources, readsClock: readsClock)
        let unfinished = try unfinished(&identity, on: console)
        options.now = Time(seconds: identity.now)
        let renderer: CampaignRenderer
        do throws(CampaignError) {
            renderer = try campaign.renderer(options: options)
        } catch {
            console.report(error.diagnostics)
            return .findings
        }
        let findings = renderer.staticFindings(app: app)
        console.report(findings)
        // Not forgiven by --exit-zero: no record was written, and whoever reads them must not take none for all.
        if findings.contains(where: { $0.severity == .error }) { return .findings }
        InterruptSignal.listen()
        let skipped = unfinished?.lineCount ?? 0
        // A page that cannot be written is told before hours of rendering.
        let page: OutputTarget? = if let path = batch.report { try OutputTarget(path) } else { nil }
        let report: BatchReport
        do throws(CommandFailure) {
            let target =
                if let unfinished { unfinished.target } else { try OutputTarget(output.output, keepsPartial: true) }
            let isRecorded = output.output.map { OutputTarget.isOrdinary($0) } ?? false
            if let path = output.output, isRecorded, unfinished == nil { try identity.write(for: path) }
            let progress = BatchProgress(sources, output: output.output)
            let pipeline = BatchPipeline(renderer, settings, sources, to: target.recordWriter, progress) { warning in
                console.tell("warning: --id-field: \(warning)")
            }
            report = try pipeline.run(skipping: skipped)
            try target.finish()
            if let path = output.output, isRecorded { BatchIdentity.remove(for: path) }
        } catch {
            page?.discard()
            throw error
        }
        if let page {
            try page.write(self.page(of: report, campaign, options, resumedBehind: skipped).html().buffer)
            try page.finish()
        }
        return tell(report, options, on: console)
    }

    private func page(
        of report: BatchReport,
        _ campaign: Campaign,
        _ options: RenderOptions,
        resumedBehind: Int
    ) -> BatchPage {
        BatchPage(
            campaign: campaign.identity.name ?? self.campaign,
            path: self.campaign,
            profiles: profiles,
            shard: batch.shard,
            resumedBehind: resumedBehind,
            now: report.readsClock ? options.now.iso8601Text : nil,
            report: report
        )
    }

    /// What a killed run left of the output, where it is asked for.
    private func unfinished(
        _ identity: inout BatchIdentity,
        on console: Console
    ) throws(CommandFailure) -> (target: OutputTarget, lineCount: Int)? {
        guard batch.resume, let path = output.output else { return nil }
        guard let unfinished = try OutputTarget.unfinished(path) else {
            console.tell("note: there is no '\(path).partial' to go on with: starting from the first profile")
            return nil
        }
        try identity.resume(path)
        console.tell("note: going on behind the \(unfinished.lineCount) records of '\(path).partial'")
        return unfinished
    }

    private func tell(_ report: BatchReport, _ options: RenderOptions, on console: Console) -> ExitStatus {
        console.report(report.diagnostics)
        if let rest = report.furtherDiagnostics { console.tell("note: findings: \(rest)") }
        if report.readsClock { tellClock(options, on: console) }
        switch batch.summary {
        case .text: console.tell(report.text)
        case .json: console.tell(report.json)
        case nil: break
        }
        let status: ExitStatus =
            report.failed > 0 ? .partialFailure : report.aborted > 0 && batch.failOnAbort ? .aborted : .success
        return status.forgiving(output.exitZero)
    }
}
