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
        let triggerProperties = try context.readTriggerProperties()
        let run: Batch
        do throws(CampaignError) {
            run = Batch(
                renderer: try campaign.renderer(options: options),
                triggerProperties: triggerProperties,
                app: app,
                shard: batch.shard
            )
        } catch {
            console.report(error.diagnostics)
            return ExitStatus.findings.forgiving(output.exitZero)
        }
        let findings = run.renderer.staticFindings(app: app)
        console.report(findings)
        if findings.contains(where: { $0.severity == .error }) { return ExitStatus.findings.forgiving(output.exitZero) }
        InterruptSignal.listen()
        var tally = BatchTally()
        let target = try OutputTarget(output.output)
        for source in sources { try render(source, run, to: target, &tally) }
        try target.finish()
        return report(tally, options, on: console)
    }

    /// Renders what one source gives, block by block.
    private func render(
        _ source: ProfileSource,
        _ run: Batch,
        to target: borrowing OutputTarget,
        _ tally: inout BatchTally
    ) throws(CommandFailure) {
        var blocks = try LineBlocks(source)
        while let block = try blocks.next() {
            let parts = BatchPart.parts(of: block, count: batch.jobCount)
            if parts.count == 1 {
                run.render(parts[0])
            } else {
                DispatchQueue.concurrentPerform(iterations: parts.count) { run.render(parts[$0]) }
            }
            for part in parts {
                try target.write(part.json.buffer)
                tally.add(part.tally)
            }
            if InterruptSignal.wasSent { throw .interrupted }
        }
    }

    private func report(_ tally: BatchTally, _ options: RenderOptions, on console: Console) -> ExitStatus {
        console.report(tally.diagnostics)
        if tally.readsClock { tellClock(options, on: console) }
        switch batch.summary {
        case .text: console.tell(tally.text)
        case .json: console.tell(tally.json)
        case nil: break
        }
        let status: ExitStatus =
            tally.failed > 0 ? .partialFailure : tally.aborted > 0 && batch.failOnAbort ? .aborted : .success
        return status.forgiving(output.exitZero)
    }
}
