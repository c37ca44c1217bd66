// SPDX-License-Identifier: MIT

import AppBundles
import CampaignPreview
import DiagnosticSources
import FindingReports
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// One campaign, many users.
extension Render {
    func renderBatch(
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        var unread: [Diagnostic] = []
        let sources = try ProfileSource.all(users.profiles, part: batch.inputPart, unread: &unread) {
            console.log("note: \($0)")
        }
        unread = options.rules.apply(to: unread)
        var inputs = inputs
        inputs.findings += unread
        if batch.resume, let pipe = sources.first(where: { $0.status.kind == .pipe }) {
            throw CommandFailure(.usage, "found --resume with the pipe '\(pipe.path)', expected profiles from files")
        }
        var settings = settings(inputs)
        try checkOutputs(inputs, sources, folders: users.profiles.filter { FolderWalk.item(at: $0) == .folder })
        var options = options
        let readsClock = context.now == nil && options.context.now == nil
        // Output to a pipe or a terminal cannot be resumed.
        let path = output.file.flatMap { OutputTarget.isOrdinary($0) ? $0 : nil }
        var identity: BatchIdentity?
        if path != nil || batch.counts != nil {
            identity = try BatchIdentity(inputs, options, settings, sources, readsClock: readsClock)
        }
        var start = BatchStart()
        if batch.resume {
            guard let path else {
                throw CommandFailure(.usage, "found --resume, expected a regular file for --output")
            }
            if var own = identity, let records = FinishedBatch.records(of: &own, in: path) {
                guard batch.report != nil else { return finished(records, path, inputs, options, on: console) }
                identity = own
                console.log(
                    "note: '\(path)' is complete: its \(records.count) records are rendered again for --report, and not written"
                )
                start = BatchStart(target: try OutputTarget("/dev/null"))
            } else {
                start = try resumed(&identity, path, on: console)
            }
        }
        if let identity { options.now = Time(seconds: identity.now) }
        // --exit-zero does not apply: no record was written, and a reader must not mistake this for an empty batch.
        guard let (renderer, findings) = checkedRenderer(inputs, options, on: console) else { return .findings }
        #if DEBUG
            console.log("note: this is a debug build, in which batches take many times as long; see 'make help'")
        #endif
        InterruptSignal.listen()
        var read = batch.counts == nil ? [] : sources.map(Self.read)
        let files = try BatchFiles(batch, coverage)
        if coverage.isOn || files.sample != nil || files.counts != nil { settings.coverageMap = renderer.coverageMap }
        settings.seeksOnePerBranch = files.sample != nil
        let rules = options.rules
        let counted: CountedBatch
        do throws(CommandFailure) {
            let target =
                if let begun = start.target { begun } else { try OutputTarget(output.output, keepsPartial: true) }
            if start.target == nil { try identity?.write(beside: target) }
            let progress = BatchProgress(sources, output: output.file)
            let pipeline = BatchPipeline(
                renderer, settings, sources, to: target.recordWriter, progress, inputs.profileFindings,
                needsAll: files.areWanted || coverage.isOn || batch.summary != nil
            ) { finding in
                console.report(rules.apply(to: [finding]))
            }
            var report: BatchReport
            do throws(CommandFailure) {
                report = try pipeline.run(after: start.kept)
            } catch {
                guard error.isClosedPipe else { throw error }
                // The reader needs no more records; those that it has got decide how the batch ends.
                var read = EarlierRecords()
                read.add(pipeline.report)
                throw CommandFailure(status(of: read), .closedPipe)
            }
            let empty = report.profiles > 0 ? Self.findings(aboutEmpty: pipeline.emptyInputs) : []
            let shown = rules.apply(to: pipeline.missingIDs.map { [$0] } ?? [])
            report.note(inputs: unread + rules.apply(to: empty) + shown)
            let none = nothingRendered(of: start.earlier.count + report.profiles, users.profiles)
            report.note(inputs: rules.apply(to: none))
            counted = self.counted(report, pipeline, renderer, after: start.earlier, shown)
            if let identity { FinishedBatch.note(identity, counted.all, in: target) }
            let unfinishedPath = target.unfinishedPath
            try target.finish()
            if let unfinishedPath { BatchIdentity.remove(beside: unfinishedPath) }
            if let sample = files.sample { try write(pipeline.sample, to: sample, on: console) }
            if let counts = files.counts, let identity {
                let covered = pipeline.coverage ?? Coverage(renderer.coverageMap)
                for index in read.indices where !pipeline.filledSources.contains(index) { read[index].noteEmpty() }
                let input = PartCounts.Input(
                    sources: read,
                    firstLine: batch.firstLine ?? 1,
                    lineCount: pipeline.lineCount,
                    shard: batch.shard
                )
                try PartCounts.write(report, covered, of: identity, input, to: counts)
            }
        } catch {
            files.discard()
            throw error
        }
        return try conclude(counted, findings, inputs, options, files, on: console)
    }

    /// Reports that `--resume` has nothing to do.
    private func finished(
        _ records: EarlierRecords,
        _ path: String,
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) -> ExitStatus {
        let errors = records.hasInputErrors ? " and errors in its inputs" : ""
        let found = "\(records.count) records of this batch\(errors)"
        console.log("note: '\(path)' is complete, with \(found): nothing to resume")
        // The summary counts the records of this run, and there are none.
        show(BatchReport(), inputs.findings + inputs.unread, [], options, on: console)
        return status(of: records)
    }

    /// Opens the records that an earlier run has left.
    private func resumed(
        _ identity: inout BatchIdentity?,
        _ path: String,
        on console: Console
    ) throws(CommandFailure) -> BatchStart {
        guard let target = try OutputTarget.unfinished(path) else {
            console.log("note: there is no '\(path).partial' to resume: starting with the first profile")
            return BatchStart()
        }
        if FileStatus(descriptor: target.descriptor)?.size == 0 {
            // The batch ended before its identity was stored.
            try identity?.write(beside: target)
            console.log("note: '\(path).partial' has no records: starting with the first profile")
            return BatchStart(target: target)
        }
        let isUntouched = try identity?.resume(target, path) ?? false
        let earlier = try EarlierRecords(cutting: target, path: path + ".partial")
        let kept = KeptRecords(
            earlier, in: target, path: path + ".partial", areRenderedAgain: !isUntouched)
        if isUntouched {
            console.log("note: resuming after the \(earlier.count) records of '\(path).partial'")
            return BatchStart(target: target, earlier: earlier, kept: kept)
        }
        console.log(
            "note: the profiles were written or copied again since '\(path).partial' was begun: its \(earlier.count) records are rendered again, to compare them"
        )
        return BatchStart(target: target, kept: kept)
    }

    private func counted(
        _ report: BatchReport,
        _ pipeline: BatchPipeline,
        _ renderer: CampaignRenderer,
        after earlier: EarlierRecords,
        _ shown: [Diagnostic]
    ) -> CountedBatch {
        var all = earlier
        all.add(report)
        return CountedBatch(
            report: report,
            coverage: coverage.isOn ? (pipeline.coverage ?? Coverage(renderer.coverageMap)).report : nil,
            profiles: users.profiles,
            resumedAfter: earlier.count,
            all: all,
            shown: shown
        )
    }

    /// A source that a part of a batch reads, as other parts recognize it.
    private static func read(_ source: ProfileSource) -> PartCounts.Input.Source {
        let (content, file) = (source.content, source.part?.file)
        return PartCounts.Input.Source(
            name: file ?? source.path, content: content, isNamed: content != nil || file != nil)
    }

    /// The finding about inputs without a profile beside others that have some.
    private static func findings(aboutEmpty paths: [String]) -> [Diagnostic] {
        guard let first = paths.first else { return [] }
        let place = SourcePlace(unread: first)
        return [Diagnostic(.nothingChecked, "found no profile in \(paths.quoted(atMost: 3))", at: place)]
    }

    /// The finding about a batch without any profile; none for a shard and a part of a file, which may have no profile
    /// although the batch has some.
    func nothingRendered(of count: Int, _ profiles: [String]) -> [Diagnostic] {
        guard count == 0, batch.shard == nil, batch.inputPart == nil else { return [] }
        let names = profiles.quoted(atMost: 3)
        return [Diagnostic(.nothingChecked, "found no profile in \(names), so nothing was rendered", at: nil)]
    }

    /// The settings of a batch, without its branches.
    func settings(_ inputs: RenderInputs) -> BatchSettings {
        var settings = BatchSettings()
        settings.triggerProperties = inputs.triggerProperties
        settings.apps = inputs.apps
        settings.shard = batch.shard
        settings.idField = batch.idField
        settings.jobs = batch.jobCount
        return settings
    }

    /// Creates the renderer and reports what is found in the campaign; nil where that has an error.
    func checkedRenderer(
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) -> (renderer: CampaignRenderer, findings: [Diagnostic])? {
        let renderer: CampaignRenderer
        do throws(InputError) {
            renderer = try inputs.campaign.renderer(options: options)
        } catch {
            console.report(error.diagnostics)
            return nil
        }
        let notes = renderer.staticFindings(apps: inputs.apps).filter { $0.severity == .info }
        let findings = inputs.findings + inputs.unread + notes.without(inputs.findings)
        console.report(findings)
        return findings.contains { $0.severity == .error } ? nil : (renderer, findings)
    }

    /// Writes and shows the reports on a batch.
    func conclude(
        _ counted: CountedBatch,
        _ findings: [Diagnostic],
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        _ files: BatchFiles,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        // The others were reported before the first profile.
        let new = counted.report.inputs.withoutRepetitions(of: findings)
        if let page = files.page {
            let model = self.page(of: counted, inputs.campaign, findings + new, options).model
            try page.write(PageTemplate.batch.page(model))
            try page.finish()
        }
        console.report(new.withoutRepetitions(of: counted.shown))
        show(counted.report, findings, new, options, on: console)
        var result = status(of: counted.all)
        if let branches = counted.coverage {
            try CoverageOptions.write(branches, to: files.coverage)
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
        guard let shown = coverage.shown else { return }
        let isOnOutput = showsOnOutput(shown)
        var buffer = ByteBuffer(capacity: 1 << 12)
        shown.format.write(branches, isColored: isOnOutput && console.colorsOutput, into: &buffer)
        if isOnOutput { try console.print(data: buffer) } else { console.log(text: buffer) }
    }

    /// Writes few profiles that take every branch that any profile takes.
    private func write(
        _ sample: BranchSample?,
        to target: OutputTarget,
        on console: Console
    ) throws(CommandFailure) {
        let (chosen, armCount) = sample?.smallest() ?? ([], 0)
        var buffer = ByteBuffer(capacity: 1 << 12)
        for profile in chosen {
            profile.text.withUnsafeBufferPointer { buffer.append($0) }
            buffer.append("\n")
        }
        try target.write(buffer)
        try target.finish()
        let profiles = chosen.count == 1 ? "1 profile reaches" : "\(chosen.count) profiles reach"
        let branches = armCount == 1 ? "1 branch" : "\(armCount) branches"
        console.log("note: \(profiles) the \(branches) that any profile reaches")
    }

    private func page(
        of counted: CountedBatch,
        _ campaign: Campaign,
        _ findings: [Diagnostic],
        _ options: RenderOptions
    ) -> BatchPage {
        BatchPage(
            campaign: campaign.identity.name ?? self.campaign,
            path: self.campaign,
            profiles: counted.profiles,
            shard: batch.shard,
            resumedAfter: counted.resumedAfter,
            now: counted.report.readsClock ? options.now.iso8601Text : nil,
            findings: findings,
            report: counted.report,
            coverage: counted.coverage
        )
    }

    /// Shows what was found in the messages, and the summary, which has all findings.
    ///
    /// - Parameters:
    ///   - report: the counts.
    ///   - known: what was reported before the first profile.
    ///   - inputFindings: what was reported about the inputs since.
    ///   - options: the options of rendering.
    ///   - console: where to write to.
    private func show(
        _ report: BatchReport,
        _ known: [Diagnostic],
        _ inputFindings: [Diagnostic],
        _ options: RenderOptions,
        on console: Console
    ) {
        let messageFindings = report.diagnostics.uncovered(by: known)
        console.report(messageFindings)
        if let rest = report.furtherDiagnostics { console.log("note: findings: \(rest)") }
        if report.readsClock { reportClock(options, on: console) }
        switch batch.summary {
        case .text: console.log(report.text)
        case .json: console.log(data: report.json(findings: (known + inputFindings + messageFindings).inReportOrder()))
        case nil: break
        }
    }

    /// The exit status of a batch, by the records and inputs of all its runs.
    private func status(of all: EarlierRecords) -> ExitStatus {
        var status: ExitStatus = .success
        if all.aborted > 0, batch.failOnAbort { status = .aborted }
        if all.failed > 0 { status = .partialFailure }
        if all.hasInputErrors { status = .findings }
        return status.forgiving(output.exitZero)
    }
}

/// Where a batch begins: by default with the first profile, in a new file.
private struct BatchStart {
    /// The file that an earlier run has begun.
    var target: OutputTarget?

    /// Those of its records that are skipped.
    var earlier = EarlierRecords()

    /// All records in the file, to be compared with the input; nil where there are none.
    var kept: KeptRecords?
}

/// The files that a batch writes in addition to its records.
///
/// They are opened before the first profile, so that a file that cannot be written is reported before hours of
/// rendering.
struct BatchFiles {
    /// The page of `--report`.
    let page: OutputTarget?

    /// The profiles of `--one-per-branch`.
    let sample: OutputTarget?

    /// The file of `--counts`.
    let counts: OutputTarget?

    /// The files of `--coverage`.
    let coverage: [(CoverageFormat, OutputTarget)]

    init(_ batch: BatchOptions, _ coverage: CoverageOptions) throws(CommandFailure) {
        page = if let path = batch.report { try OutputTarget(path) } else { nil }
        sample = if let path = batch.onePerBranch { try OutputTarget(path) } else { nil }
        counts = if let path = batch.counts { try OutputTarget(path) } else { nil }
        self.coverage = try coverage.files()
    }

    /// Whether there is any such file.
    var areWanted: Bool { page != nil || sample != nil || counts != nil || !coverage.isEmpty }

    /// Gives up all files.
    func discard() {
        for target in [page, sample, counts] { target?.discard() }
        for (_, target) in coverage { target.discard() }
    }
}

/// What a batch has counted.
struct CountedBatch {
    var report: BatchReport

    /// The branches that users reach; nil where they are not asked for.
    let coverage: CoverageReport?

    /// The names of the profiles.
    let profiles: [String]

    /// How many records an earlier run wrote, which are not in the report.
    var resumedAfter = 0

    /// The records of all runs.
    let all: EarlierRecords

    /// The findings about inputs that were shown at once.
    var shown: [Diagnostic] = []
}
