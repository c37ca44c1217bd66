// SPDX-License-Identifier: MIT

import BrazeLiquid
package import DiagnosticSources
package import InAppScenarios
import POSIXFiles
import PayloadKit

extension Rule {
    /// The rules about scenarios of in-app messages.
    static let scenarios: [Rule] = [scenarioSyntax, scenarioLimit, scenarioUnknownKey, scenarioEvent]

    private static let scenarioSyntax = Rule(
        .scenarioSyntax,
        source: .inAppTriggers,
        rationale: """
            A scenario with a fault is not simulated at all: without the faulty part, the simulation would show \
            other messages. Files with scenarios are NAME.scenario.yml, and YAML files with the keys of a scenario in \
            folders named 'scenarios'.
            """,
        failing: [.scenario("[{id: a, triggers: [⟦sesion_start⟧]}]")],
        passing: [.scenario("[{id: a, triggers: [session_start]}]")],
        .reading
    )

    private static let scenarioLimit = Rule(
        .scenarioLimit,
        source: "https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS",
        rationale: """
            A scenario holds up to 8 MiB, 2,000 messages and 20,000 steps. A message has up to 100 triggers, and a \
            trigger up to 100 filters. A regular expression has up to 500 characters, and all of them together up to \
            20,000. It searches texts of up to 4,096 characters, in up to 5,000,000 backtracking steps. A simulation \
            takes up to 10,000,000 units of work: about one for each message that an event is compared with, and for \
            each filter. 'lint' runs the simulation only to find which messages use the time or fetch something.
            """,
        .reading,
        .projectReading
    )

    private static let scenarioUnknownKey = Rule(
        .scenarioUnknownKey,
        source: .inAppTriggers,
        rationale: "What is under the key would have no effect.",
        failing: [.scenario("[{id: a, ⟦volume⟧: 5, triggers: [session_start]}]")],
        passing: [.scenario("[{id: a, priority: 5, triggers: [session_start]}]")],
        .reading
    )

    private static let scenarioEvent = Rule(
        .scenarioEvent,
        source: .inAppTriggers,
        rationale: """
            The name is misspelt in the timeline or in the trigger, so the message is not shown. The rule is silent \
            for events that are similar to no trigger, because a scenario may show that nothing waits for them. It is \
            also silent where 'not_matched' is expected.
            """,
        failing: [.scenario("[{id: a, triggers: [{custom_event: played}]}]", event: "⟦{custom_event: playd}⟧")],
        passing: [.scenario("[{id: a, triggers: [{custom_event: played}]}]", event: "{custom_event: bought}")],
        .reading
    )
}

extension RuleExample {
    /// An example of a scenario with the given messages and a timeline with one event.
    static func scenario(_ messages: String, event: String = "session_start") -> RuleExample {
        let text = "version: 1\nmessages: \(messages)\ntimeline: [{at: 0, event: \(event)}]\n"
        return RuleExample([File("a.scenario.yml", text)])
    }
}

extension RuleID {
    fileprivate static let scenarioEvent = RuleID(
        "scenario-event", .warning,
        "an event of a timeline that no message waits for, with a name similar to one that a message waits for")
}

extension ScenarioFile {
    /// The findings about events that no message waits for and whose names are similar to the names of triggers.
    fileprivate var misspeltEventFindings: [Diagnostic] {
        let triggers = scenario.messages.flatMap(\.conditions).map(\.trigger)
        let unmatched = (scenario.expectations ?? []).filter { $0.action == .notMatched }.map(\.time)
        return events.compactMap { time, event, place in
            guard !unmatched.contains(time), !triggers.contains(where: { $0.waits(for: event) }), let name = event.name
            else { return nil }
            let known = Set(triggers.compactMap { $0.isSameKind(as: event) ? $0.name : nil })
            guard let near = nearestName(to: name, in: known.sorted()) else { return nil }
            return Diagnostic(.scenarioEvent, "no message waits for '\(name)', did you mean '\(near)'?", at: place)
        }
    }
}

extension AppEvent.Kind {
    /// The name of the custom event, the product or the campaign.
    fileprivate var name: String? {
        switch self {
        case .sessionStart: nil
        case .pushClick(let campaign): campaign
        case .purchase(let product): product
        case .customEvent(let name): name
        }
    }
}

extension Trigger {
    /// The name of the custom event, the product or the campaign.
    fileprivate var name: String? {
        switch self {
        case .sessionStart, .anyPurchase: nil
        case .pushClick(let campaign): campaign
        case .purchase(let product): product
        case .customEvent(let name): name
        }
    }

    /// Whether an event is of the same kind as the trigger, and events of this kind have names.
    fileprivate func isSameKind(as event: AppEvent.Kind) -> Bool {
        switch (self, event) {
        case (.customEvent, .customEvent), (.purchase, .purchase), (.pushClick, .pushClick): true
        default: false
        }
    }
}

extension ScenarioFile {
    /// The finding about a scenario without messages or without events; nil if it has both.
    package var nothingSimulatedFinding: Diagnostic? {
        guard scenario.messages.isEmpty || scenario.timeline.isEmpty else { return nil }
        let part = scenario.messages.isEmpty ? "message" : "event in the timeline"
        let message = "the scenario has no \(part), so nothing is simulated"
        return Diagnostic(.nothingChecked, message, at: SourcePlace(wholeFile: file))
    }
}

extension Project {
    /// The scenarios whose findings are reported, each with the findings of reading the scenario and its profile.
    ///
    /// - Parameters:
    ///   - cache: the cache for the files that scenarios read.
    ///   - kept: scenarios that are not read again, by their absolute paths.
    /// - Returns: the scenarios in the order of their paths.
    func scenarios(_ cache: FileCache, keeping kept: [String: KeptCampaign] = [:]) -> [KeptCampaign] {
        files.filter(\.isReported).concurrentMap { file -> KeptCampaign? in
            guard case .scenario(let text)? = file.content else { return nil }
            if let known = kept[file.path] { return known }
            let folder = folder(around: file.path, cache)
            return KeptCampaign(path: file.path, linted: LintedCampaign(scenario: text, in: folder), read: folder.read)
        }
        .compactMap { $0 }
    }

    /// The findings about files in folders named `scenarios` that belong to other programs.
    ///
    /// - Parameter cache: the files that campaigns read.
    /// - Returns: the findings. The findings about files that look like fixtures are in ``unusedFindings(_:)``.
    func otherProgramFindings(_ cache: FileCache) -> [Diagnostic] {
        let read = Set(cache.paths)
        return files.compactMap { file in
            guard file.isReported, file.likeness == nil, !read.contains(file.path), let reason = file.reasonNotToRead
            else { return nil }
            return .notAScenarioFinding(paths.displayPath(file.path), reason)
        }
    }

    /// The findings about apps that scenarios name and that cannot be read.
    ///
    /// Each app is read once.
    func findingsAboutApps(of scenarios: [LintedCampaign], _ cache: FileCache) -> [Diagnostic] {
        var known: [String: InputError?] = [:]
        return scenarios.flatMap { scenario -> [Diagnostic] in
            guard let declared = scenario.declaredApp else { return [] }
            let file = paths.absolute(scenario.file.path)
            let folder = folder(around: file, cache)
            if let refusal = folder.refusal(of: declared.path) { return [declared.fault(refusal)] }
            let path = ProjectPaths(workingFolder: paths.folder(of: file)).absolute(declared.path)
            let found = known[path] ?? failure(ofAppAt: path)
            known[path] = found
            guard let found else { return [] }
            var named = NamedFiles(paths.root(of: file), shown: paths.displayPath)
            let isMade = found.reason != .ambiguous && named.isMadeByTools(path)
            return declared.findings(found).map { finding in
                var finding = finding
                guard finding.rule == .appNotFound else { return finding }
                // The rule for missing apps is about the arguments of commands, not about the files of projects.
                finding.rule = .scenarioSyntax
                if isMade { finding.severity = .info }
                return finding
            }
        }
    }

    /// Why the app in a folder or an `app.json` cannot be read; nil if it can be read.
    private func failure(ofAppAt path: String) -> InputError? {
        let shown = paths.displayPath(path)
        do throws(InputError) {
            switch overlay.item(at: path) {
            case nil:
                return InputError(.missing, [Diagnostic(.appNotFound, "no folder or file '\(shown)'", at: nil)])
            case .folder:
                var own = ProjectOptions(workingFolder: paths.workingFolder)
                own.unsavedTexts = options.unsavedTexts
                own.boundary = options.boundary
                let app = try NamedApp(shown, target: nil, own).app
                return app.unread.isEmpty ? nil : InputError(.invalid, app.unread)
            default:
                _ = try app(at: path)
                return nil
            }
        } catch {
            return error
        }
    }
}

extension DeclaredApp {
    /// The findings about why the app cannot be read.
    ///
    /// A finding without a place gets the place where the scenario names the app.
    package func findings(_ error: InputError) -> [Diagnostic] {
        if error.reason == .ambiguous {
            let message = "'\(path)' has several apps, expected the folder or project of one of them"
            return [Diagnostic(.appNotFound, message, at: place)]
        }
        return error.diagnostics.map { $0.place == nil ? Diagnostic($0.rule, $0.message, at: place) : $0 }
    }

    /// An error at the place where the scenario names the app.
    package func fault(_ message: String) -> Diagnostic { Diagnostic(.scenarioSyntax, message, at: place) }
}

extension LintedCampaign {
    /// The texts of a scenario's messages that a simulation renders, and the content blocks that these texts read; all
    /// texts if no simulation can run.
    var renderedTexts: [LintedText] {
        guard let rendering else { return templates }
        let own = zip(messages, texts).filter { rendering.messages.contains($0.0) }.map(\.1)
        return own + blocks(readBy: own)
    }

    /// What a simulation of the scenario renders; nil if no simulation can run without errors, or if the declarations
    /// of the app may change the result.
    var rendering: Simulation.Rendering? {
        guard let scenario, texts.allSatisfy(\.isWhole), kind != .scenario(profile: .unread),
            declaredApp == nil || scenario.scenario.pushes.isEmpty
        else { return nil }
        var data = context.flatMap { try? RenderContext(file: $0) } ?? .empty
        if let profile {
            guard let user = try? Profile(file: profile) else { return nil }
            data = user.context.laid(over: data)
        }
        data.now = scenario.start
        let settings = BrazeSettings(clock: scenario.start, timeZones: SystemTimeZones())
        return try? scenario.simulation(context: data, settings: settings).rendering()
    }

    /// Checks a scenario, and the profile that it names.
    ///
    /// - Parameters:
    ///   - file: the file of the scenario.
    ///   - folder: the files that the scenario may refer to.
    ///   - profile: a profile that replaces the one that the scenario names.
    ///   - context: a context for the simulation; it also replaces the profile that the scenario names.
    package init(
        scenario file: SourceFile,
        in folder: some CampaignFolder,
        profile: SourceFile? = nil,
        context: SourceFile? = nil
    ) {
        let reading = ScenarioFile.read(file)
        let isGiven = profile != nil || context != nil
        let path = isGiven ? nil : reading.file?.profilePath
        let inputs =
            isGiven ? TestInputs(context: context, profile: profile) : TestInputs(profile: path, in: folder)
        var findings = reading.faults
        // If only a part of the messages and events could be read, it is not known what is missing.
        if let scenario = reading.file, findings.isEmpty {
            findings = scenario.nothingSimulatedFinding.map { [$0] } ?? scenario.misspeltEventFindings
        }
        if let fault = path.flatMap({ inputs.missing[$0] }) {
            findings.append(Diagnostic(.scenarioSyntax, fault.message, at: reading.file?.profilePlace))
        }
        let user = profile ?? path.flatMap { inputs.files[$0] }
        let isShortForm = context != nil || inputs.givenFixtures.contains("user")
        let names = inputs.blocks.map(\.name)
        var kind = path == nil && !isGiven ? ScenarioProfile.none : .unread
        if context != nil || user.map({ (try? Profile(file: $0)) != nil }) ?? false {
            kind = isShortForm ? .shortForm(blocks: names) : .export
        }
        self.init(
            scenario: file, extras: reading.file?.extras ?? [], profile: kind, inputs: inputs,
            registry: folder.workspace?.registry, diagnostics: findings)
        (self.profile, self.context) = (user, context)
        if reading.faults.isEmpty { scenario = reading.file }
        declaredApp = reading.file?.app
    }
}
