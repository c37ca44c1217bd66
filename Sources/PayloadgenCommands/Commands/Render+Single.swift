// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import PayloadKit
import PayloadLinting

/// `payloadgen render` for one user.
extension Render {
    func renderOne(
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        var options = options
        let profile = try ContextOptions.profile(in: inputs.profile)
        if !options.overridesNow, let now = profile.context.now { options.now = now }
        let renderer: CampaignRenderer
        do throws(InputError) {
            renderer = try inputs.campaign.renderer(options: options)
        } catch {
            console.report(error.diagnostics)
            return ExitStatus.findings.forgiving(output.exitZero)
        }
        try checkOutputs(inputs)
        var session = renderer.session()
        let outcome = session.render(profile, triggerProperties: inputs.triggerProperties)
        let calls = session.connectedContentCalls
        let format = output.format ?? (output.file == nil && StandardStream.output.isTerminal ? .text : .payload)
        let found = MessageCheck(campaignFindings: inputs.findings, renderer, apps: inputs.apps)
        switch outcome {
        case .aborted(let reason):
            try write(outcome, of: profile, calls, format, on: console)
            // A mistake in the campaign may be the reason for the abort, so its findings are shown.
            console.report(inputs.findings + inputs.unread)
            console.log("aborted: \(reason)")
            return ExitStatus.aborted.forgiving(output.exitZero)
        case .failed:
            try write(outcome, of: profile, calls, format, on: console)
            console.report(found.about(outcome, nil) + inputs.unread)
            return ExitStatus.findings.forgiving(output.exitZero)
        case .rendered(let payload):
            let findings = found.about(outcome, payload)
            if payload.readsClock { reportClock(options, on: console) }
            return try finish(payload, for: profile, findings, inputs, options, format, on: console)
        }
    }

    private func finish(
        _ payload: Payload,
        for profile: Profile,
        _ findings: [Diagnostic],
        _ inputs: RenderInputs,
        _ options: RenderOptions,
        _ format: PayloadFormat,
        on console: Console
    ) throws(CommandFailure) -> ExitStatus {
        let hasFailed = findings.contains { $0.severity == .error }
        if hasFailed || format != .text { console.report(findings + payload.warnings + inputs.unread) }
        if hasFailed { return ExitStatus.findings.forgiving(output.exitZero) }
        var buffer = ByteBuffer(capacity: payload.bytes.count * 2)
        switch format {
        case .payload: buffer.append(line: payload.json(pretty: output.pretty))
        case .text:
            buffer.append(payload.description(findings: findings, ofApps: findingsOfApps(inputs, options)))
        case .simulator:
            buffer.append(line: payload.simulatorJSON(bundleID: try bundleID(inputs.apps), pretty: output.pretty))
        case .request:
            buffer.append(line: payload.requestJSON(bundleID: try bundleID(inputs.apps), pretty: output.pretty))
        case .messagesSend:
            do throws(RenderError) {
                let (json, warnings) = try payload.messagesSendJSON(pretty: output.pretty)
                let findings = options.rules.apply(to: warnings)
                console.report(findings)
                if findings.contains(where: { $0.severity == .error }) {
                    return ExitStatus.findings.forgiving(output.exitZero)
                }
                buffer.append(line: json)
            } catch {
                console.report(error.diagnostics)
                return ExitStatus.findings.forgiving(output.exitZero)
            }
        case .record: buffer.append(line: record(.rendered(payload), of: profile, payload.connectedContentCalls))
        }
        try OutputTarget(output.output).complete(with: buffer)
        return .success
    }

    /// The findings about parts of the apps that were not read, and about faults in the apps' files; no message fails
    /// its checks because of them.
    private func findingsOfApps(
        _ inputs: RenderInputs,
        _ options: RenderOptions
    ) -> [Diagnostic] {
        guard !inputs.apps.isEmpty, let check = inputs.appCheck else { return inputs.unread }
        let campaign = LintedCampaign(inputs.campaign, folder: inputs.folder, match: inputs.match, options: options)
        let found = check.findings(ofAppsOf: CampaignCheck(campaign, options.rules), options.rules)
        return inputs.unread + found.without(inputs.unread)
    }

    private func record(_ outcome: Outcome, of profile: Profile, _ calls: [ConnectedContentCall]) -> [UInt8] {
        var record = Record(id: profile.id, outcome: outcome)
        if output.trace { record.connectedContentCalls = calls }
        return record.json(pretty: output.pretty)
    }

    /// Writes the output for a message without a payload: a record in the format for records; in text, the calls of
    /// connected content that its templates made; otherwise nothing.
    private func write(
        _ outcome: Outcome,
        of profile: Profile,
        _ calls: [ConnectedContentCall],
        _ format: PayloadFormat,
        on console: Console
    ) throws(CommandFailure) {
        if format == .record {
            try OutputTarget(output.output).complete(
                with: ByteBuffer(record(outcome, of: profile, calls) + [UInt8(ascii: "\n")]))
        }
        guard format == .text else { return }
        for line in calls.flatMap(\.lines) { console.log("connected content: " + line) }
    }

    /// Reports which current time was used, if templates read it and no option sets it.
    func reportClock(_ options: RenderOptions, on console: Console) {
        guard !options.overridesNow else { return }
        console.log("note: a template used the current time, which was \(options.now.iso8601Text); see --now")
    }

    private func bundleID(_ apps: [App]) throws(CommandFailure) -> String {
        let known = Set(apps.compactMap(\.bundleIdentifier)).sorted()
        if let id = output.bundleId ?? (known.count == 1 ? known[0] : nil) { return id }
        if known.count > 1 {
            throw CommandFailure(
                .usage, "several apps claim the category, expected --bundle-id with one of \(known.quoted())")
        }
        throw CommandFailure(.usage, "found no bundle identifier, expected --bundle-id, or --app with one in its plist")
    }
}

extension ByteBuffer {
    /// Creates a buffer with bytes.
    init(_ bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// Appends bytes and a line break.
    mutating func append(line: [UInt8]) {
        line.withUnsafeBufferPointer { append($0) }
        append("\n")
    }
}
