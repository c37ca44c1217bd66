// SPDX-License-Identifier: MIT

import POSIXFiles
import PayloadKit
import PayloadLinting

/// All that one state of the page shows: a campaign, its people, and the contents of the form.
struct Scene: Sendable {
    private(set) var view: PageView
    let scope: Scope
    let settings: PreviewSettings
    let campaigns: [String]
    let draft: CampaignDraft
    let people: People

    /// The people in the list with their messages; empty for ``Scope/message``.
    let recipients: [Recipient]

    /// The person whose message the page shows.
    private(set) var selected: Recipient

    /// Renders the campaign; nil if errors prevent that.
    let renderer: CampaignRenderer?

    /// The templates with their branches; nil if the campaign cannot be rendered.
    let map: CoverageMap?

    /// The branches and the people who take them; nil if the campaign cannot be rendered, and for ``Scope/message``.
    let branches: Branches?

    /// Which branches the profiles take; nil if only the people in the list are counted.
    let cover: BranchCover?

    /// The values of `api_trigger_properties` for the selected person.
    let trigger: LiquidObject

    /// The names of the properties in `api_trigger_properties` that templates read but that have no value.
    let proposedTrigger: [String]

    /// The time that templates see as `now`.
    let now: Time

    /// The form's text for `now`, if it is not a valid time.
    let invalidNow: String?

    /// The values of the selected person's profile that were changed in the form.
    let edits: [Profile.Entry]

    /// The profile of the selected person as edited JSON, and what is wrong with it; nil if the form has none.
    let profileJSON: (text: String, problem: String?)?

    /// The attributes that the templates read from a profile; empty for ``Scope/message``.
    let reads: [Profile.Entry]

    /// Problems that have no place in the campaign's text, such as files that cannot be read and changes that could not
    /// be made.
    let problems: [String]

    /// Whether the file and the form both changed the same lines.
    let isConflicting: Bool

    let zones: any TimeZoneProvider

    /// The results of the campaign's tests; nil if they are not run.
    let tests: DraftTests?

    /// The part of the page for which a scene is made.
    enum Scope: Sendable {
        /// The whole page, with the findings and the tests of the campaign.
        case page
        /// Only the message of the selected person.
        case message
    }

    /// Creates a state of the page.
    ///
    /// - Parameters:
    ///   - project: the campaigns and people.
    ///   - view: what is shown.
    ///   - request: the contents of the form.
    ///   - scope: the part of the page that is needed; if the campaign cannot be rendered, it is always the whole page,
    ///     which shows the reason.
    ///   - patience: the maximum time for rendering further profiles, in seconds.
    /// - Throws: the reason that there is nothing to show.
    init(
        _ project: PreviewProject,
        _ view: PageView,
        _ request: DraftRequest,
        scope: Scope = .page,
        patience: Double = BranchCover.slice
    ) throws(PreviewProblem) {
        let path = try project.campaign(view.campaign)
        var problems = [project.problem].compactMap(\.self)
        let text = try DraftText(project, path, request, app: view.app, &problems)
        self.init(project, view, request, text, problems, scope, patience)
    }

    private init(
        _ project: PreviewProject,
        _ wanted: PageView,
        _ request: DraftRequest,
        _ text: DraftText,
        _ found: [String],
        _ wantedScope: Scope,
        _ patience: Double
    ) {
        var (view, problems) = (wanted, found)
        let inputs = project.inputs
        var options = inputs.options
        // The view names the campaign, because later another one may be the first.
        view.campaign = text.draft.path
        let trigger = Self.trigger(inputs, text.draft.campaign, request)
        invalidNow = Self.setNow(in: &options, inputs, text.draft.campaign, request)
        options.isSuppressed = text.draft.suppression(inputs)
        let renderer = text.draft.isValid ? try? text.draft.campaign?.renderer(options: options) : nil
        let map = renderer?.coverageMap
        let scope = renderer == nil ? .page : wantedScope
        let draft = scope == .page ? project.checked(text.draft) : text.draft
        let rendering = RecipientRenderer(renderer, map, draft, trigger)
        let people = Self.updatePeople(project, rendering, request, &view, &problems)
        let chosen = project.chosen(people, of: draft.path)
        let covering =
            scope == .page && chosen == nil && view.isOnePerBranch
            ? Self.findCover(project, rendering, people, now: options.now, patience) : nil
        let numbers = chosen ?? covering?.numbers ?? people.numbers(from: view.first)
        let number = view.person.map { people.contains($0) ? $0 : 0 } ?? numbers.first ?? 0
        let person = Changed(people[number], by: request, isSelected: true)
        let listed = scope == .page ? numbers : []
        let recipients = rendering.recipients(
            // Changes that the form made to a person apply wherever that person is shown.
            listed.map { other in
                other == number ? person.person : Changed(people[other], by: request, isSelected: false).person
            }
        )
        self.recipients = recipients
        selected = recipients.first { $0.person.number == number } ?? rendering.recipients([person.person])[0]
        edits = person.edits
        profileJSON = person.json
        branches = scope == .page ? map.map { Branches($0, covering?.cover.coverage, recipients) } : nil
        let shown = person.person.trigger(trigger)
        self.trigger = shown
        let reads = scope == .page ? draft.campaign?.reads ?? [] : []
        proposedTrigger = reads.filter { $0.namespace == "api_trigger_properties" && shown[$0.name] == nil }.map(
            \.name)
        self.reads = reads.filter { Self.profileNamespaces.contains($0.namespace) }
        tests = scope == .page && renderer != nil ? DraftTests(draft, inputs) : nil
        self.view = view
        self.scope = scope
        self.draft = draft
        self.renderer = renderer
        self.map = map
        self.people = people
        cover = covering?.cover
        self.problems = problems
        settings = project.settings
        campaigns = inputs.campaigns
        now = options.now
        isConflicting = text.isConflicting
        zones = options.timeZones
    }

    /// Removes or adds a person as the form requests, and returns the people of the campaign.
    ///
    /// - Parameters:
    ///   - project: keeps the people.
    ///   - rendering: renders the campaign for the added person.
    ///   - request: the contents of the form.
    ///   - view: is changed to show the added person, and not to show a removed one.
    ///   - problems: receives the reason if nobody could be added.
    /// - Returns: the people.
    private static func updatePeople(
        _ project: PreviewProject,
        _ rendering: RecipientRenderer,
        _ request: DraftRequest,
        _ view: inout PageView,
        _ problems: inout [String]
    ) -> People {
        let draft = rendering.draft
        if let number = request.remove {
            project.remove(number, from: draft.path)
            if view.person == number { view.person = nil }
        }
        let people = project.people(of: draft).people
        guard let key = request.add, let renderer = rendering.renderer, let map = rendering.map else { return people }
        let addition = Addition(
            project: project, draft: draft, renderer: renderer, map: map, people: people, trigger: rendering.trigger)
        do throws(PreviewProblem) {
            view.person = try addition.add(key, like: view.person)
            return project.people(of: draft).people
        } catch {
            problems.append(error.message)
            return people
        }
    }

    /// Continues the search for a few people who together take every branch.
    ///
    /// - Parameters:
    ///   - project: keeps the results so far.
    ///   - rendering: renders the campaign for the profiles.
    ///   - people: the profiles.
    ///   - now: the time of rendering.
    ///   - patience: the maximum time, in seconds.
    /// - Returns: the branches that profiles take, and the people to list; nil if the campaign cannot be rendered.
    private static func findCover(
        _ project: PreviewProject,
        _ rendering: RecipientRenderer,
        _ people: People,
        now: Time,
        _ patience: Double
    ) -> (cover: BranchCover, numbers: [Int])? {
        guard let renderer = rendering.renderer, let map = rendering.map else { return nil }
        let (draft, trigger) = (rendering.draft, rendering.trigger)
        let key = BranchCover.key(of: draft, trigger, now: now, revision: project.revision)
        var cover = project.cover(key) ?? BranchCover(map, of: people)
        let last = project.lastCover(of: draft.path)
        cover.advance(renderer, people, trigger, for: patience)
        project.keep(cover, of: draft.path, key)
        // The list does not change before all profiles were looked through.
        let numbers = cover.isDone ? cover.chosen : last?.chosen.filter(people.contains) ?? cover.chosen
        return (cover, numbers + people.added.map(\.number))
    }

    /// A hash of the working folder, which the browser uses to keep apart the data of projects with the same relative
    /// paths.
    var projectKey: String { String(CampaignDraft.revision(of: Array(String.workingFolder.utf8)).prefix(16)) }

    /// The profile of the selected person as JSON, with all changes.
    var profileText: String {
        if let profileJSON, edits.isEmpty || profileJSON.problem != nil { return profileJSON.text }
        if edits.isEmpty, let text = people.text(of: selected.person.number) { return text }
        guard case .success(let profile) = selected.person.profile else { return "" }
        return profile.context.shortForm
    }

    /// How far the selected person's message got in each line of a text, by line number.
    ///
    /// - Parameter text: the text; nil for all texts in the campaign's file.
    /// - Returns: a mark for each line that contains something to render.
    func marks(of text: TemplateText? = nil) -> [Int: LineMark] {
        guard let map, let record = selected.record else { return [:] }
        let branches = Set(record.branches)
        var fault: SourcePlace?
        if case .failed(let error) = record.outcome, selected.payload == nil { fault = error.place }
        var marks: [Int: LineMark] = [:]
        for mapped in map.texts where mapped.source.file.path == draft.path {
            if let text, mapped.source.range != text.range { continue }
            marks.merge(mapped.marks(branches, failedAt: fault)) { $0.rawValue > $1.rawValue ? $0 : $1 }
        }
        return marks
    }

    /// Whether a tag in a text ended the selected person's message.
    func endsMessage(_ text: TemplateText) -> Bool {
        guard case .aborted = selected.status, let branches = selected.record?.branches,
            let mapped = map?.texts.first(where: { !$0.isBlock && $0.source.field == text.field })
        else { return false }
        return mapped.branches.contains { mapped.branch($0).kind == .stop && branches.contains($0) }
    }

    /// The ranges of the outputs `{{ … }}` in a text of the campaign.
    func outputs(of text: TemplateText) -> [Range<Int>] {
        guard let mapped = map?.texts.first(where: { !$0.isBlock && $0.source.field == text.field }) else { return [] }
        return mapped.map.nodes.map(\.range.offsets).filter { range in
            text.text.utf8.dropFirst(range.lowerBound).starts(with: "{{".utf8)
        }
    }

    /// The same state, with another person selected.
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

    /// Sets the time to that of the form, or else of the options, or else of the first test that has one.
    ///
    /// - Returns: the text of the form if it is not a valid time.
    private static func setNow(
        in options: inout RenderOptions,
        _ inputs: PreviewInputs,
        _ campaign: Campaign?,
        _ request: DraftRequest
    ) -> String? {
        let now: Time?
        if let text = request.now, !text.isEmpty {
            now = Time(iso8601: text)
            if now == nil { return text }
        } else {
            now = inputs.hasNow ? nil : campaign?.tests.lazy.compactMap(\.now).first
        }
        if let now {
            options.now = now
            options.overridesNow = true
        }
        return nil
    }
}

/// A person after the changes that the form made to the profile.
private struct Changed {
    /// The person with the changed profile.
    private(set) var person: Person

    /// The profile as edited JSON, and what is wrong with it; nil if the form has none.
    private(set) var json: (text: String, problem: String?)?

    /// The values of the profile that were changed in the form.
    let edits: [Profile.Entry]

    /// The maximum number of JSON profiles that are read from one request.
    private static let limit = 100

    init(_ person: Person, by request: DraftRequest, isSelected: Bool) {
        func isOwn(_ owner: Int?) -> Bool { owner.map { $0 == person.number } ?? isSelected }
        var changed = person
        for (owner, json) in request.profileJSON.suffix(Self.limit) where isOwn(owner) {
            let file = SourceFile(path: "profile", text: json)
            do throws(InputError) {
                changed = changed.with(try Profile(file: file))
                changed.file = file
                self.json = (json, nil)
            } catch {
                let place = error.diagnostics.first?.place?.start
                let prefix = place.map { "line \($0.line), column \($0.column): " } ?? ""
                self.json = (json, prefix + (error.diagnostics.first?.message ?? "this is not a profile"))
            }
        }
        edits = Self.edits(request.profile.filter { isOwn($0.person) }, changed)
        self.person = changed.editing(edits)
    }

    private static func edits(_ values: [DraftRequest.ProfileValue], _ person: Person) -> [Profile.Entry] {
        guard !values.isEmpty, case .success(let profile) = person.profile else { return [] }
        let entries = profile.entries
        return values.compactMap { _, namespace, name, text in
            guard Scene.profileNamespaces.contains(namespace) else { return nil }
            let old = entries.first { $0.namespace == namespace && $0.name.utf8.elementsEqual(name.utf8) }?.value
            if (old?.shown ?? "") == text { return nil }
            return Profile.Entry(namespace, name, text.isEmpty ? nil : Value.edited(text, like: old))
        }
    }
}

extension Person {
    fileprivate func editing(_ edits: [Profile.Entry]) -> Person {
        guard !edits.isEmpty, case .success(let profile) = profile else { return self }
        let changed = profile.replacing(edits)
        var person = with(changed)
        person.file = file.map { SourceFile(path: $0.path, text: changed.context.shortForm) }
        return person
    }
}

extension Campaign {
    /// The attributes that the templates read, in the order in which they are first read.
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
