// SPDX-License-Identifier: MIT

import PayloadKit
import PayloadLinting

/// A person with the message that a campaign sends them.
struct Recipient: Sendable {
    /// What happens to the message, as the page shows it.
    enum Status: Sendable {
        /// The message is sent and passes its checks.
        case sent
        /// Braze sends the message although it does not pass its checks.
        case faulty
        /// The message cannot be sent: its Liquid fails, APNs would refuse the payload, or the profile cannot be read.
        case failed
        /// A template aborts the message, with this reason.
        case aborted(reason: String)
    }

    let person: Person
    let status: Status

    /// The payload of the message; nil if there is none.
    let payload: Payload?

    /// The outcome of rendering, as `render` reports it.
    let outcome: Outcome

    /// The findings that `render` reports about the message, errors first.
    let findings: [Diagnostic]

    /// What the templates did while the message was rendered; nil if nothing was rendered.
    var record: RecordedMessage?

    /// Whether the phone shows a notification for the message.
    var isShown: Bool {
        switch status {
        case .sent, .faulty: payload?.text(of: "title") != nil || payload?.text(of: "body") != nil
        case .failed, .aborted: false
        }
    }

    var firstError: Diagnostic? { findings.first { $0.severity == .error } }
}

/// Renders the messages of a campaign for people.
struct RecipientRenderer {
    let renderer: CampaignRenderer?
    let map: CoverageMap?
    let draft: CampaignDraft
    let trigger: LiquidObject
    private let findings: MessageCheck?

    init(_ renderer: CampaignRenderer?, _ map: CoverageMap?, _ draft: CampaignDraft, _ trigger: LiquidObject) {
        self.renderer = renderer
        self.map = map
        self.draft = draft
        self.trigger = trigger
        findings = renderer.map { MessageCheck(campaignFindings: draft.findingsOfMessages, $0, apps: draft.apps) }
    }

    func recipients(_ people: [Person]) -> [Recipient] {
        guard let renderer, let map else {
            let error = draft.findings.first { $0.severity == .error }
            let problem = RenderError(error?.message ?? "the campaign cannot be read", at: error?.place)
            return people.map { Recipient($0, failed: problem, findings: []) }
        }
        var session = renderer.session(counting: map, recordsSpans: true)
        var recipients: [Recipient] = []
        for person in people {
            switch person.profile {
            case .success(let profile):
                let (message, record) = session.recordDraft(
                    profile, triggerProperties: person.trigger(trigger))
                var recipient = recipient(person, message)
                recipient.record = record
                recipients.append(recipient)
            case .failure(let error):
                let problem = RenderError(error.message, rule: .profileSyntax)
                recipients.append(Recipient(person, failed: problem, findings: problem.diagnostics))
            }
        }
        return recipients
    }

    private func recipient(_ person: Person, _ message: MessageDraft) -> Recipient {
        let found =
            (findings?.about(message.outcome, message.payload) ?? []) + (message.payload?.warnings ?? [])
            + (person.file.flatMap { draft.findingsOfProfiles?.about($0) } ?? [])
        let findings = [Severity.error, .warning, .info].flatMap { severity in
            found.filter { $0.severity == severity }
        }
        let status: Recipient.Status
        switch message.outcome {
        case .aborted(let reason): status = .aborted(reason: reason)
        case .rendered, .failed:
            if let payload = message.payload {
                let hasErrors = findings.contains { $0.severity == .error }
                status = payload.size.isOverLimit ? .failed : hasErrors ? .faulty : .sent
            } else {
                status = .failed
            }
        }
        return Recipient(
            person: person, status: status, payload: message.payload, outcome: message.outcome, findings: findings
        )
    }
}

extension Recipient {
    /// Creates a recipient for whom nothing can be rendered.
    fileprivate init(_ person: Person, failed problem: RenderError, findings: [Diagnostic]) {
        self.init(person: person, status: .failed, payload: nil, outcome: .failed(problem), findings: findings)
    }
}
