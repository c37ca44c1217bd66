// SPDX-License-Identifier: MIT

import Linting
import PayloadKit

/// A person with the message that they get.
struct Recipient: Sendable {
    /// The outcome as the page names it.
    enum Status: Sendable {
        /// The message is sent and passes its checks.
        case sent
        /// Braze sends the message, but it does not pass its checks.
        case faulty
        /// The message cannot be sent: Liquid fails, APNs refuses the payload, or the profile cannot be read.
        case failed
        /// A template ends the message.
        case aborted(reason: String)
    }

    let person: Person
    let status: Status

    /// The payload; nil where there is none.
    let payload: Payload?

    /// The record, as `render` writes it.
    let outcome: Outcome

    /// The errors and warnings about the message, errors first.
    let findings: [Diagnostic]

    /// Whether the phone shows a notification.
    var isShown: Bool {
        switch status {
        case .sent, .faulty: payload?.text(of: "title") != nil || payload?.text(of: "body") != nil
        case .failed, .aborted: false
        }
    }

    /// The first error.
    var firstError: Diagnostic? { findings.first { $0.severity == .error } }
}

/// One state of the page: a campaign, its people, and what the form holds.
struct Scene: Sendable {
    let view: View
    let settings: PreviewSettings
    let campaigns: [String]
    let draft: CampaignDraft
    let people: People

    /// The people in the list.
    let recipients: [Recipient]

    /// The person who is looked at.
    private(set) var selected: Recipient

    /// `api_trigger_properties`, and the names among them that only templates read.
    let trigger: LiquidObject
    let proposedTrigger: [String]

    /// What `now` means.
    let now: Time

    /// The text of `now` in the form if it is not a valid time.
    let invalidNow: String?

    /// The values of the profile that the form changes.
    let edits: [Profile.Entry]

    /// What templates read of the profile.
    let reads: [Profile.Entry]

    /// What is wrong around the campaign: files that cannot be read, or changes of the file that conflict.
    let problems: [String]

    /// Whether the file and the draft both changed the same lines.
    let isConflicting: Bool

    let zones: any TimeZoneProvider

    /// Makes a state of the page.
    ///
    /// - Parameters:
    ///   - project: the campaigns and people.
    ///   - view: what is shown.
    ///   - request: what the form holds.
    /// - Throws: why there is nothing to show.
    init(_ project: PreviewProject, _ view: View, _ request: DraftRequest) throws(PreviewProblem) {
        let inputs = project.inputs
        guard let path = project.campaign(view.campaign) else { throw PreviewProblem("there is no such campaign") }
        var problems = [project.problem].compactMap(\.self)
        let text = try DraftText(project, path, request, &problems)
        self.init(project, inputs, view, request, text, problems)
    }

    private init(
        _ project: PreviewProject,
        _ inputs: PreviewInputs,
        _ view: View,
        _ request: DraftRequest,
        _ text: DraftText,
        _ problems: [String]
    ) {
        var options = inputs.options
        let draft = text.draft
        let (people, _) = project.people(of: draft)
        let trigger = Self.trigger(inputs, draft.campaign, request)
        var invalidNow: String?
        if let now = request.now, !now.isEmpty {
            if let time = Time(iso8601: now) {
                options.now = time
                options.overridesNow = true
            } else {
                invalidNow = now
            }
        } else if !inputs.hasNow, let now = draft.campaign?.tests.lazy.compactMap(\.now).first {
            options.now = now
            options.overridesNow = true
        }
        let renderer = draft.renderer.flatMap { try? $0.campaign.renderer(options: options) }
        let chosen = project.settings.people.map { people.numbers(named: $0) }
        let numbers = chosen ?? people.numbers(from: view.first)
        let number = view.person.map { (0...people.count).contains($0) ? $0 : 0 } ?? numbers.first ?? 0
        let rendering = Rendering(renderer: renderer, draft: draft, trigger: trigger, rules: options.rules)
        let edits = Self.edits(request, people[number])
        self.view = view
        settings = project.settings
        campaigns = inputs.campaigns
        self.draft = draft
        self.people = people
        recipients = rendering.recipients(numbers.map { $0 == number ? people[$0].editing(edits) : people[$0] })
        selected =
            recipients.first { $0.person.number == number }
            ?? rendering.recipients([people[number].editing(edits)])[0]
        self.trigger = trigger
        let reads = draft.campaign?.reads ?? []
        proposedTrigger = reads.filter { $0.namespace == "api_trigger_properties" && trigger[$0.name] == nil }.map(
            \.name)
        self.reads = reads.filter { Self.profileNamespaces.contains($0.namespace) }
        now = options.now
        self.invalidNow = invalidNow
        self.edits = edits
        self.problems = problems
        isConflicting = text.isConflicting
        zones = options.timeZones
    }

    /// The same state with another person.
    func selecting(_ recipient: Recipient) -> Scene {
        var scene = self
        scene.selected = recipient
        return scene
    }

    /// The namespaces of a profile that the page shows.
    static let profileNamespaces = [
        BrazeEnvironment.attributesMember, "custom_attribute", "most_recently_used_device", "subscribed_state",
    ]

    private static func trigger(_ inputs: PreviewInputs, _ campaign: Campaign?, _ request: DraftRequest) -> LiquidObject
    {
        let given =
            inputs.triggerProperties
            ?? campaign?.tests.lazy.compactMap(\.triggerProperties).first ?? .empty
        guard !request.trigger.isEmpty else { return given }
        var builder = LiquidObject.Builder(given)
        for (name, text) in request.trigger {
            if let value = Value.edited(text, like: given[name]) { builder.set(name, value) }
        }
        return LiquidObject(builder)
    }

    private static func edits(_ request: DraftRequest, _ person: Person) -> [Profile.Entry] {
        guard case .success(let profile) = person.profile else { return [] }
        let entries = profile.entries
        return request.profile.compactMap { namespace, name, text in
            guard profileNamespaces.contains(namespace) else { return nil }
            let old = entries.first { $0.namespace == namespace && $0.name.utf8.elementsEqual(name.utf8) }?.value
            if (old?.shown ?? "") == text { return nil }
            return Profile.Entry(namespace, name, text.isEmpty ? nil : Value.edited(text, like: old))
        }
    }
}

extension Person {
    fileprivate func editing(_ edits: [Profile.Entry]) -> Person {
        guard !edits.isEmpty, case .success(let profile) = profile else { return self }
        return with(profile.replacing(edits))
    }
}

/// The text of a draft, after the changes of the form and of the file were merged.
struct DraftText {
    let draft: CampaignDraft

    /// Whether the file and the draft both changed the same lines.
    let isConflicting: Bool

    /// Merges what the form holds with the file.
    ///
    /// - Parameters:
    ///   - project: reads the file.
    ///   - path: the campaign.
    ///   - request: what the form holds.
    ///   - problems: receives what could not be done.
    /// - Throws: why the file cannot be read.
    init(
        _ project: PreviewProject,
        _ path: String,
        _ request: DraftRequest,
        _ problems: inout [String]
    ) throws(PreviewProblem) {
        var saved = try project.saved(path)
        let current = CampaignDraft.revision(of: saved)
        var bytes = saved
        var isConflicting = false
        if let text = request.text, !project.settings.isReadOnly {
            let base = request.base.flatMap { $0 == current ? saved : project.contents($0) } ?? saved
            bytes = LineText(base).replacing(with: text)
            if base != saved {
                let mine = LineText(bytes).lines
                if let merged = LineHunk.merged(LineText(base).lines, mine, LineText(saved).lines) {
                    bytes = LineText(saved).replacing(with: merged)
                } else {
                    // The draft stays what it is, on the revision that it was made from.
                    isConflicting = true
                    saved = base
                }
            }
        }
        for (name, text) in project.settings.isReadOnly ? [] : request.fields {
            let file = SourceFile(path: path, bytes: bytes)
            if let edited = FieldEdit.bytes(of: file, setting: name, to: text) {
                bytes = edited
            } else {
                problems.append("'\(name)' cannot hold this text here; edit it in the file")
            }
        }
        var draft = project.draft(path, saved: saved, bytes: bytes)
        if let fix = request.fix, !project.settings.isReadOnly {
            let wanted = draft.findings.filter { finding in
                fix == "all" || fix == finding.key
            }
            let own = wanted.filter { $0.place?.file.path == path }.compactMap(\.fixes.first)
            let applied = FixIt.apply(own, to: draft.file)
            if !applied.applied.isEmpty { draft = project.draft(path, saved: saved, bytes: applied.bytes) }
        }
        self.draft = draft
        self.isConflicting = isConflicting
    }
}

extension Diagnostic {
    /// What identifies the finding in a form.
    var key: String { "\(rule.name)@\(place.map { String($0.range.start) } ?? "")" }
}

/// Renders one campaign for people.
private struct Rendering {
    let renderer: CampaignRenderer?
    let draft: CampaignDraft
    let trigger: LiquidObject
    let rules: RuleLevels

    func recipients(_ people: [Person]) -> [Recipient] {
        guard let renderer else {
            let error = draft.findings.first { $0.severity == .error }
            let problem = RenderError(error?.message ?? "the campaign cannot be read", at: error?.place)
            return people.map {
                Recipient(person: $0, status: .failed, payload: nil, outcome: .failed(problem), findings: [])
            }
        }
        var session = renderer.session()
        var recipients: [Recipient] = []
        for person in people {
            switch person.profile {
            case .success(let profile):
                let message = session.draft(profile, triggerProperties: trigger)
                recipients.append(recipient(person, message))
            case .failure(let error):
                let problem = RenderError(error.message, rule: .profileSyntax)
                recipients.append(
                    Recipient(
                        person: person, status: .failed, payload: nil, outcome: .failed(problem),
                        findings: problem.diagnostics
                    )
                )
            }
        }
        return recipients
    }

    private func recipient(_ person: Person, _ message: MessageDraft) -> Recipient {
        var findings: [Diagnostic] = []
        if case .failed(let error) = message.outcome { findings += error.diagnostics }
        if let payload = message.payload {
            let ofApp = rules.apply(to: draft.app?.check(payload) ?? [])
            findings += ofApp.filter { $0.severity > .info } + payload.warnings
        }
        findings.sort { $0.severity > $1.severity }
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

extension Campaign {
    /// What the templates read of the data, in the order in which they first read it.
    fileprivate var reads: [Profile.Entry] {
        var known: Set<String> = []
        var entries: [Profile.Entry] = []
        let texts = push.texts + blocks.map(\.text)
        for text in texts where text.holdsLiquid {
            let template = Template.reading(text.text, environment: BrazeEnvironment.standard).template
            for read in template?.analysis().reads ?? [] {
                guard let (namespace, name) = read.path.attribute else { continue }
                let entry = Profile.Entry(namespace ?? BrazeEnvironment.attributesMember, name, nil)
                if known.insert(entry.liquid).inserted { entries.append(entry) }
            }
        }
        return entries
    }
}
