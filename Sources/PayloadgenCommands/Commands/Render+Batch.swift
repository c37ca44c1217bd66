// SPDX-License-Identifier: MIT

import AppBundles
import Files
import Foundation
import PayloadKit
import Reporting
import SourceText

/// One campaign, many users.
extension Render {
    func renderBatch(
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        let sources = try ProfileSource.all(users.profiles) { console.log("note: \($0)") }
        if batch.resume, let pipe = sources.first(where: { $0.status.kind == .pipe }) {
            throw CommandFailure(.usage, "found --resume with the pipe '\(pipe.path)', expected profiles from files")
        }
        var settings = BatchSettings()
        settings.triggerProperties = try context.readTriggerProperties(noting: inputs.files.options)
        settings.apps = inputs.apps
        settings.shard = batch.shard
        settings.idField = batch.idField
        settings.jobs = batch.jobCount
        try checkOutputs(inputs, sources, folders: users.profiles.filter { FolderWalk.item(at: $0) == .folder })
        var options = options
        let readsClock = context.now == nil && options.context.now == nil
        // Output to a pipe or a terminal cannot be resumed.
        let path = output.output.flatMap { OutputTarget.isOrdinary($0) ? $0 : nil }
        var identity: BatchIdentity?
        if path != nil { identity = try BatchIdentity(inputs, options, settings, sources, readsClock: readsClock) }
        var earlier = EarlierRecords()
        var unfinished: OutputTarget?
        if batch.resume {
            guard let path, identity != nil else {
                throw CommandFailure(.usage, "found --resume, expected a regular file for --output")
            }
            if let records = identity.flatMap({ FinishedBatch.records(of: $0, in: path) }) {
                console.log(
                    "note: '\(path)' is complete, with \(records.count) records of this batch: nothing to resume")
                if let report = batch.report {
                    throw CommandFailure(
                        .unwritableOutput,
                        "'\(report)' is not written: the page is made while records are rendered; start without --resume"
                    )
                }
                return status(failed: records.failed, aborted: records.aborted)
            }
            unfinished = try OutputTarget.unfinished(path)
            if let unfinished, FileStatus(descriptor: unfinished.descriptor)?.size == 0 {
                // The batch ended before its identity was stored.
                try identity?.write(beside: unfinished)
                console.log("note: '\(path).partial' has no records: starting with the first profile")
            } else if let unfinished {
                try identity?.resume(unfinished, path)
                earlier = try EarlierRecords(cutting: unfinished, path: path + ".partial")
                console.log("note: resuming after the \(earlier.count) records of '\(path).partial'")
            } else {
                console.log("note: there is no '\(path).partial' to resume: starting with the first profile")
            }
        }
        if let identity { options.now = Time(seconds: identity.now) }
        let renderer: CampaignRenderer
        do throws(InputError) {
            renderer = try inputs.campaign.renderer(options: options)
        } catch {
            console.report(error.diagnostics)
            return .findings
        }
        let ofCampaign = Set(inputs.findings.map { "\($0.rule) \($0.message)" })
        let others = renderer.staticFindings(apps: inputs.apps).filter { finding in
            // What both find is reported once; unknown filters are reported in the words of `lint`.
            finding.rule != .unknownFilter && !ofCampaign.contains("\(finding.rule) \(finding.message)")
        }
        let findings = inputs.findings + others
        console.report(findings)
        // --exit-zero does not apply: no record was written, and a reader must not mistake this for an empty batch.
        if findings.contains(where: { $0.severity == .error }) { return .findings }
        InterruptSignal.listen()
        // A page that cannot be written is reported before hours of rendering.
        let page: OutputTarget? = if let path = batch.report { try OutputTarget(path) } else { nil }
        let sample: OutputTarget? = if let path = batch.onePerBranch { try OutputTarget(path) } else { nil }
        let coverageFiles = try coverage.files()
        if coverage.isOn || sample != nil { settings.coverageMap = renderer.coverageMap }
        settings.seeksOnePerBranch = sample != nil
        let report: BatchReport
        let branches: CoverageReport?
        var all = earlier
        do throws(CommandFailure) {
            let target = if let unfinished { unfinished } else { try OutputTarget(output.output, keepsPartial: true) }
            if unfinished == nil { try identity?.write(beside: target) }
            let progress = BatchProgress(sources, output: output.output)
            let pipeline = BatchPipeline(renderer, settings, sources, to: target.recordWriter, progress) { warning in
                console.log("warning: --id-field: \(warning)")
            }
            report = try pipeline.run(skipping: earlier.count)
            branches = coverage.isOn ? (pipeline.coverage ?? Coverage(renderer.coverageMap)).report : nil
            all.add(report)
            if let identity { FinishedBatch.note(identity, all, in: target) }
            let unfinishedPath = target.unfinishedPath
            try target.finish()
            if let unfinishedPath { BatchIdentity.remove(beside: unfinishedPath) }
            if let sample { try write(pipeline.sample, to: sample, on: console) }
        } catch {
            page?.discard()
            sample?.discard()
            for (_, file) in coverageFiles { file.discard() }
            throw error
        }
        if let page {
            let html = self.page(
                of: report,
                branches,
                inputs.campaign,
                findings,
                options,
                resumedAfter: earlier.count
            )
            .html()
            try page.write(html.buffer)
            try page.finish()
        }
        show(report, options, on: console)
        var result = status(failed: all.failed, aborted: all.aborted)
        if let branches {
            try CoverageOptions.write(branches, to: coverageFiles)
            try show(branches, on: console)
            if let failure = coverage.failure(of: branches) {
                console.log(failure)
                result = ExitStatus.findings.forgiving(output.exitZero)
            }
        }
        return result
    }

    /// Shows the branches that users reach: on standard output, unless the records are there.
    private func show(_ branches: CoverageReport, on console: Console) throws(CommandFailure) {
        guard let format = coverage.shownFormat else { return }
        let hasOutput = output.output != nil && output.output != "-"
        var buffer = ByteBuffer(capacity: 1 << 12)
        format.write(branches, isColored: hasOutput && console.colorsOutput, into: &buffer)
        if hasOutput { try console.print(data: buffer) } else { console.log(text: buffer) }
    }

    /// Writes few profiles that take every branch that any profile takes.
    private func write(
        _ sample: BranchSample?,
        to target: OutputTarget,
        on console: Console
    ) throws(CommandFailure) {
        let (lines, armCount) = sample?.smallest() ?? ([], 0)
        var buffer = ByteBuffer(capacity: 1 << 12)
        for line in lines {
            line.withUnsafeBufferPointer { buffer.append($0) }
            buffer.append("\n")
        }
        try target.write(buffer)
        try target.finish()
        let profiles = lines.count == 1 ? "1 profile reaches" : "\(lines.count) profiles reach"
        let branches = armCount == 1 ? "1 branch" : "\(armCount) branches"
        console.log("note: \(profiles) the \(branches) that any profile reaches")
    }

    private func page(
        of report: BatchReport,
        _ coverage: CoverageReport?,
        _ campaign: Campaign,
        _ findings: [Diagnostic],
        _ options: RenderOptions,
        resumedAfter: Int
    ) -> BatchPage {
        BatchPage(
            campaign: campaign.identity.name ?? self.campaign,
            path: self.campaign,
            profiles: users.profiles,
            shard: batch.shard,
            resumedAfter: resumedAfter,
            now: report.readsClock ? options.now.iso8601Text : nil,
            findings: findings,
            report: report,
            coverage: coverage
        )
    }

    private func show(_ report: BatchReport, _ options: RenderOptions, on console: Console) {
        console.report(report.diagnostics)
        if let rest = report.furtherDiagnostics { console.log("note: findings: \(rest)") }
        if report.readsClock { reportClock(options, on: console) }
        switch batch.summary {
        case .text: console.log(report.text)
        case .json: console.log(data: report.json)
        case nil: break
        }
    }

    /// The exit status of a batch, by the records of all its runs.
    private func status(failed: Int, aborted: Int) -> ExitStatus {
        let status: ExitStatus = failed > 0 ? .partialFailure : aborted > 0 && batch.failOnAbort ? .aborted : .success
        return status.forgiving(output.exitZero)
    }
}
