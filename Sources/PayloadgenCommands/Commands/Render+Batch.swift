// SPDX-License-Identifier: MIT

import AppDeclarations
import CampaignPreview
import DiagnosticSources
import FindingReports
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// `payloadgen render` for many users: a batch.
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
        let isNowFromClock = context.now == nil && options.context.now == nil
        // Only a batch that is written to a regular file can be resumed.
        let path = output.file.flatMap { OutputTarget.isOrdinary($0) ? $0 : nil }
        var identity: BatchIdentity?
        if path != nil || batch.counts != nil {
            identity = try BatchIdentity(inputs, options, settings, sources, isNowFromClock: isNowFromClock)
        }
        var start = BatchStart()
        if batch.resume {
            guard let path else {
                throw CommandFailure(.usage, "found --resume, expected a regular file for --output")
            }
            if var completed = identity, let records = FinishedBatch.records(of: &completed, in: path) {
                guard batch.report != nil else { return try finished(records, path, inputs, options, on: console) }
                identity = completed
                console.log(
                    "note: '\(path)' is complete: its \(records.count) records are rendered again for --report, and not written"
                )
                start = BatchStart(target: try OutputTarget("/dev/null"))
            } else {
                start = try resumed(&identity, path, on: console)
            }
        }
        if let identity { options.now = Time(seconds: identity.now) }
        // `--exit-zero` has no effect here: no record was written, and the result must not look like an empty batch.
        guard let (renderer, findings) = checkedRenderer(inputs, options, on: console) else { return .findings }
        #if DEBUG
            console.log("note: this is a debug build, in which batches take many times as long; see 'make help'")
        #endif
        InterruptSignal.listen()
        var read = batch.counts == nil ? [] : sources.map(Self.identification)
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
            let run = BatchRun(
                sources, to: target.recordWriter, after: start.kept, progress, inputs.profileFindings,
                needsAll: files.areWanted || coverage.isOn || batch.summary != nil
            ) { finding in
                console.report(rules.apply(to: [finding]))
            }
            let scheduler = BatchScheduler(renderer, settings, run) { InterruptSignal.wasSent }
            var report: BatchReport
            do throws(CommandFailure) {
                report = try run.run(scheduler)
            } catch {
                guard error.isClosedPipe else { throw error }
                // If the reader of the records needs no more, the exit status depends on those that were written.
                var read = RecordCounts()
                read.add(run.report)
                throw CommandFailure(status(of: read), .closedPipe)
            }
            let empty = report.profiles > 0 ? Self.findings(aboutEmpty: run.emptyInputs) : []
            let shown = rules.apply(to: run.missingIDs.map { [$0] } ?? [])
            report.note(inputs: unread + rules.apply(to: empty) + shown)
            let none = nothingRenderedFindings(of: start.earlier.count + report.profiles, users.profiles)
            report.note(inputs: rules.apply(to: none))
            var all = start.earlier
            all.add(report)
            let covered = settings.coverageMap.map { scheduler.coverage ?? Coverage($0) }
            counted = CountedBatch(
                report: report,
                coverage: coverage.isOn ? covered?.report : nil,
                profiles: users.profiles,
                resumedAfter: start.earlier.count,
                all: all,
                shown: shown
            )
            if let identity { FinishedBatch.note(identity, counted.all, in: target) }
            let unfinishedPath = target.unfinishedPath
            try target.finish()
            if let unfinishedPath { BatchIdentity.remove(beside: unfinishedPath) }
            if let sample = files.sample { try write(scheduler.sample, to: sample, on: console) }
            if let counts = files.counts, let identity, let covered {
                for index in read.indices where !run.filledSources.contains(index) { read[index].noteEmpty() }
                let input = PartCounts.Input(
                    sources: read,
                    firstLine: batch.firstLine ?? 1,
                    lineCount: run.lineCount,
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

    /// Reports that the batch is already complete, so that `--resume` has nothing to do.
    private func finished(
        _ records: RecordCounts,
        _ path: String,
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        let errors = records.hasInputErrors ? " and errors in its inputs" : ""
        let found = "\(records.count) records of this batch\(errors)"
        console.log("note: '\(path)' is complete, with \(found): nothing to resume")
        // The summary counts only the records that this run wrote, which are none.
        let summary: OutputTarget? = if let path = batch.summary?.path { try OutputTarget(path) } else { nil }
        try show(BatchReport(), inputs.findings + inputs.unread, [], options, summary, on: console)
        return status(of: records)
    }

    /// Opens the unfinished output of an earlier run, and reads the records in it.
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
            // The earlier run ended before it could store the identity of the batch, so this run stores it.
            try identity?.write(beside: target)
            console.log("note: '\(path).partial' has no records: starting with the first profile")
            return BatchStart(target: target)
        }
        let isUntouched = try identity?.resume(target, path) ?? false
        let earlier = try RecordCounts(cutting: target, path: path + ".partial")
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

    /// Describes a source that this part of a batch reads, so that other parts can recognize it.
    private static func identification(of source: ProfileSource) -> PartCounts.Input.Source {
        let (content, file) = (source.content, source.part?.file)
        return PartCounts.Input.Source(
            name: file ?? source.path, content: content, identifiesSource: content != nil || file != nil)
    }

    /// The finding about the paths of files without a profile; empty if there are no such files.
    private static func findings(aboutEmpty paths: [String]) -> [Diagnostic] {
        guard let first = paths.first else { return [] }
        let place = SourcePlace(unread: first)
        return [Diagnostic(.nothingChecked, "found no profile in \(paths.quoted(atMost: 3))", at: place)]
    }

    /// The finding that a batch has no profiles at all.
    ///
    /// A shard or a part of a file may have none although the batch has some, so it gets no finding.
    func nothingRenderedFindings(of count: Int, _ profiles: [String]) -> [Diagnostic] {
        guard count == 0, batch.shard == nil, batch.inputPart == nil else { return [] }
        let names = profiles.quoted(atMost: 3)
        return [Diagnostic(.nothingChecked, "found no profile in \(names), so nothing was rendered", at: nil)]
    }

    /// The settings of the batch, without those for counting branches.
    func settings(_ inputs: RenderInputs) -> BatchSettings {
        var settings = BatchSettings()
        settings.triggerProperties = inputs.triggerProperties
        settings.apps = inputs.apps
        settings.shard = batch.shard
        settings.idField = batch.idField
        settings.jobs = batch.jobCount
        return settings
    }

    /// Creates the renderer, and reports the findings about the campaign; returns nil if one of them is an error.
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

    /// Writes the reports on a batch to files and to the console, when all profiles are rendered.
    func conclude(
        _ counted: CountedBatch,
        _ findings: [Diagnostic],
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        _ files: BatchFiles,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        // The other findings were reported before the first profile was rendered.
        let new = counted.report.inputs.withoutRepetitions(of: findings)
        if let page = files.page {
            let model = self.page(of: counted, inputs, findings + new, options).model
            try page.complete(with: PageTemplate.batch.page(model))
        }
        console.report(new.withoutRepetitions(of: counted.shown))
        try show(counted.report, findings, new, options, files.summary, on: console)
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

    /// Shows which branches users take: on standard output, unless the records are written there.
    private func show(_ branches: CoverageReport, on console: Console) throws(CommandFailure) {
        guard let shown = coverage.shown else { return }
        let isOnOutput = showsOnOutput(shown)
        var buffer = ByteBuffer(capacity: 1 << 12)
        shown.format.write(branches, isColored: isOnOutput && console.colorsOutput, into: &buffer)
        if isOnOutput { try console.print(data: buffer) } else { console.log(text: buffer) }
    }

    /// Writes the file of `--one-per-branch`: a few profiles that together take every branch that any profile takes.
    private func write(
        _ sample: BranchSample?,
        to target: OutputTarget,
        on console: Console
    ) throws(CommandFailure) {
        let (chosen, branchCount) = sample?.smallest() ?? ([], 0)
        var buffer = ByteBuffer(capacity: 1 << 12)
        for profile in chosen { buffer.append(line: profile.text) }
        try target.complete(with: buffer)
        let profiles = chosen.count == 1 ? "1 profile reaches" : "\(chosen.count) profiles reach"
        let branches = branchCount == 1 ? "1 branch" : "\(branchCount) branches"
        console.log("note: \(profiles) the \(branches) that any profile reaches")
    }

    private func page(
        of counted: CountedBatch,
        _ inputs: RenderInputs,
        _ findings: [Diagnostic],
        _ options: RenderOptions
    ) -> BatchPage {
        BatchPage(
            campaign: inputs.campaign.identity.name ?? self.campaign,
            path: self.campaign,
            profiles: counted.profiles,
            shard: batch.shard,
            resumedAfter: counted.resumedAfter,
            now: counted.report.readsClock ? options.now.iso8601Text : nil,
            app: inputs.apps.first?.shownName ?? "App",
            findings: findings,
            report: counted.report,
            coverage: counted.coverage
        )
    }

    /// Shows the findings about the messages, and the summary with the numbers of all findings.
    ///
    /// - Parameters:
    ///   - report: the counts.
    ///   - known: the findings that were reported before the first profile.
    ///   - inputFindings: the findings about the inputs that were reported later.
    ///   - options: the options of rendering.
    ///   - file: the file for the summary; nil for standard error.
    ///   - console: where to write to.
    /// - Throws: the reason that the file cannot be written.
    private func show(
        _ report: BatchReport,
        _ known: [Diagnostic],
        _ inputFindings: [Diagnostic],
        _ options: RenderOptions,
        _ file: OutputTarget?,
        on console: Console
    ) throws(CommandFailure) {
        let messageFindings = report.diagnostics.uncovered(by: known)
        console.report(messageFindings)
        if let rest = report.furtherDiagnostics { console.log("note: findings: \(rest)") }
        if report.readsClock { reportClock(options, on: console) }
        guard let summary = batch.summary?.format else { return }
        let text =
            switch summary {
            case .text: report.text.text
            case .json: report.json(findings: (known + inputFindings + messageFindings).inReportOrder())
            }
        guard let file else { return console.log(data: text) }
        var buffer = ByteBuffer(capacity: text.utf8.count + 1)
        buffer.append(text)
        buffer.append("\n")
        try file.complete(with: buffer)
    }

    /// The exit status of a batch, from the records and inputs of this run and earlier ones.
    private func status(of all: RecordCounts) -> ExitStatus {
        var status: ExitStatus = .success
        if all.aborted > 0, batch.failOnAbort { status = .aborted }
        if all.failed > 0 { status = .partialFailure }
        if all.hasInputErrors { status = .findings }
        return status.forgiving(output.exitZero)
    }
}

/// Where a batch starts: with the first profile and a new file, unless it is resumed.
private struct BatchStart {
    /// The output that an earlier run has begun; nil for a new batch.
    var target: OutputTarget?

    /// The counts of the records that earlier runs wrote.
    var earlier = RecordCounts()

    /// The records of earlier runs as they are in the output, with which the input is compared; nil if there are none.
    var kept: KeptRecords?
}

/// The files that a batch writes besides its records.
///
/// They are opened before the first profile is rendered, so that a file that cannot be written is reported at once and
/// not after hours.
struct BatchFiles {
    /// The file of `--report`, a page about the batch; nil if the option is not given.
    let page: OutputTarget?

    /// The file of `--summary`; nil for standard error, or if the option is not given.
    let summary: OutputTarget?

    /// The file of `--one-per-branch`, with profiles; nil if the option is not given.
    let sample: OutputTarget?

    /// The file of `--counts`; nil if the option is not given.
    let counts: OutputTarget?

    /// The files of `--coverage`, each with its format.
    let coverage: [(CoverageFormat, OutputTarget)]

    init(_ batch: BatchOptions, _ coverage: CoverageOptions) throws(CommandFailure) {
        page = if let path = batch.report { try OutputTarget(path) } else { nil }
        summary = if let path = batch.summary?.path { try OutputTarget(path) } else { nil }
        sample = if let path = batch.onePerBranch { try OutputTarget(path) } else { nil }
        counts = if let path = batch.counts { try OutputTarget(path) } else { nil }
        self.coverage = try coverage.files()
    }

    /// Whether one of the options for such files is given.
    var areWanted: Bool { page != nil || summary != nil || sample != nil || counts != nil || !coverage.isEmpty }

    /// Removes the files, because they are incomplete.
    func discard() {
        for target in [page, summary, sample, counts] { target?.discard() }
        for (_, target) in coverage { target.discard() }
    }
}

/// The counts of a batch after its profiles were rendered, for all reports.
struct CountedBatch {
    var report: BatchReport

    /// Which branches users take; nil if no report on them was asked for.
    let coverage: CoverageReport?

    /// The names of the files or streams with profiles.
    let profiles: [String]

    /// The number of records that earlier runs wrote, which are not in ``report``.
    var resumedAfter = 0

    /// The records of this run and of earlier runs.
    let all: RecordCounts

    /// The findings about inputs that were shown already.
    var shown: [Diagnostic] = []
}
