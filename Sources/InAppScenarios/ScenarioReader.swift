// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidDocumentValues

extension RuleID {
    package static let scenarioSyntax = RuleID(
        "scenario-syntax", .error, "a file that is not a scenario", isAboutUnread: true
    )
    package static let scenarioLimit = RuleID(
        "scenario-limit", .error, "a scenario beyond the limits of a simulation", isAboutUnread: true
    )
    package static let scenarioUnknownKey = RuleID(
        "scenario-unknown-key", .error, "an unknown key in a scenario", isAboutUnread: true
    )
}

/// The app that a scenario names, whose property lists complete the scenario.
package struct DeclaredApp: Sendable {
    /// The path of the app's folder or `app.json`, relative to the scenario file.
    package let path: String

    /// The place at which the scenario file names the app.
    package let place: SourcePlace

    /// Whether the app's property lists, and not the scenario, say if the app has a service extension.
    package let givesServiceExtension: Bool

    /// Whether the app's property lists, and not the scenario, say which categories its content extensions claim.
    package let givesContentCategories: Bool
}

/// Reads a scenario from a file, and collects the faults in it.
struct ScenarioReader {
    var document: DocumentReader
    private(set) var start: Time
    private let now: Time?
    private(set) var profile: (path: String, range: SourceRange)?
    private(set) var scenario = Scenario()
    private(set) var events: [(time: Double, kind: AppEvent.Kind, range: SourceRange)] = []
    /// The properties of the timeline's events and of the records that it saves, each with its range in the file.
    var properties: [(name: String, isObject: Bool, range: SourceRange)] = []
    /// Whether the file or the caller sets the start time; otherwise, the clock does.
    private(set) var hasStart: Bool
    private(set) var expectationPlaces: [SourceRange] = []
    private(set) var messagePlaces: [String: SourceRange] = [:]

    private(set) var app: DeclaredApp?
    /// The key-value pairs of all messages so far, each with the id of its message.
    var extras: [(message: String, pair: DocumentMember)] = []
    private var pushPlaces: [String: SourceRange] = [:]

    /// The errors in the Liquid of values in ``extras``.
    var faultsOfExtras: [Diagnostic] = []

    /// The names of the records that extensions save in the timeline.
    var records: Set<String> = []

    /// The number of Unicode scalars in all regular expressions that were read so far.
    var patternScalars = 0

    /// Creates a reader for a file.
    init(file: SourceFile, now: Time?, clock: Time) {
        document = DocumentReader(
            file: file,
            syntaxRule: .scenarioSyntax,
            unknownKeyRule: .scenarioUnknownKey,
            synonyms: KeySynonyms([
                (["time", "clock", "date"], ["now"]), (["user", "user_profile"], ["profile"]),
                (["expected", "expects", "assert", "should"], ["expect"]),
                (["picture", "attachment", "media", "photo", "image_url"], ["image"]),
                (["data", "custom", "custom_data", "payload", "key_value_pairs", "pairs"], ["extras"]),
            ])
        )
        self.now = now
        start = now ?? clock
        hasStart = now != nil
    }

    mutating func read(_ root: DocumentNode) {
        guard let root = document.checked(root, .scenario) else { return }
        start = now ?? root.time("now") ?? start
        hasStart = hasStart || root["now"] != nil
        if let profile = root["profile"], let path = profile.scalar?.text { self.profile = (path, profile.range) }
        // The messages are read first, wherever they are in the file, because the timeline names them.
        readMessages(root.elements("messages"))
        if let app = root["app"] { readApp(app) }
        readPushes(root.elements("pushes"))
        if let settings = root["config"] { readSettings(settings) }
        readTimeline(root.elements("timeline"))
        if let expect = root["expect"] { readExpectations(expect) }
    }

    private mutating func readSettings(_ node: DocumentNode) {
        var settings = scenario.settings
        settings.minimumInterval = duration("minimum_interval", of: node, "config") ?? settings.minimumInterval
        settings.showsAtInterval = node.bool("shows_at_interval") ?? settings.showsAtInterval
        settings.intervalStart = node.choice("interval_from") ?? settings.intervalStart
        settings.stackMoments = node.choice("stack_moments") ?? settings.stackMoments
        settings.background = node.choice("background") ?? settings.background
        settings.presentsNextOnDismissal = node.bool("next_on_dismissal") ?? settings.presentsNextOnDismissal
        settings.appliesTimeoutOnStack = node.bool("stack_timeout") ?? settings.appliesTimeoutOnStack
        settings.fallsBackAfterAbort = node.bool("abort_falls_back") ?? settings.fallsBackAfterAbort
        settings.missingProperty = node.choice("missing_property") ?? settings.missingProperty
        settings.sessionTimeout = duration("session_timeout", of: node, "config")
        settings.device = node.choice("device") ?? settings.device
        scenario.settings = settings
        scenario.decided = Set(GuideConflict.allCases.filter { node[$0.rawValue] != nil })
    }

    private mutating func readMessages(_ elements: [DocumentNode]) {
        for (index, element) in limited(elements, to: SimulationLimits().messages, "messages").enumerated() {
            guard let message = readMessage(element, "messages[\(index)]"), let id = element["id"]?.range else {
                continue
            }
            if let first = messagePlaces.updateValue(id, forKey: message.id) {
                document.report(
                    "two messages have the id '\(message.id)'",
                    at: id,
                    related: [Diagnostic.Related("the first", at: document.place(first))]
                )
            }
            scenario.messages.append(message)
        }
    }

    private mutating func readApp(_ node: DocumentNode) {
        var app = AppSetup()
        let isAutomatic = node.bool("automation") ?? false
        let forwarded = node.elements("forwards").compactMap {
            $0.scalar.flatMap { AppSetup.Callback(rawValue: $0.text) }
        }
        app.forwarded = isAutomatic ? Set(AppSetup.Callback.allCases) : Set(forwarded)
        app.presentsInForeground = node.bool("foreground_presentation") ?? isAutomatic
        app.hasRemoteNotificationMode = texts(node.elements("background_modes")).contains("remote-notification")
        app.hasServiceExtension = node.bool("service_extension") ?? false
        app.contentCategories = Set(texts(node.elements("content_categories")))
        app.storage = node.choice("pending") ?? .store
        app.sending = node.choice("sends_by") ?? .sdk
        app.hasSDKAtSending = node.bool("sdk_at_launch") ?? true
        scenario.app = app
        guard let declared = node["declared_in"], let path = declared.scalar?.text else { return }
        self.app = DeclaredApp(
            path: path,
            place: document.place(declared.range),
            givesServiceExtension: node["service_extension"] == nil,
            givesContentCategories: node["content_categories"] == nil
        )
    }

    private func texts(_ nodes: [DocumentNode]) -> [String] { nodes.compactMap { $0.scalar?.text } }

    private mutating func readPushes(_ elements: [DocumentNode]) {
        for element in limited(elements, to: SimulationLimits().messages, "pushes") {
            guard let node = element["id"], let id = node.scalar?.text else { continue }
            if let first = pushPlaces.updateValue(node.range, forKey: id) ?? messagePlaces[id] {
                document.report(
                    "two pushes or messages have the id '\(id)'",
                    at: node.range,
                    related: [Diagnostic.Related("the first", at: document.place(first))]
                )
            }
            var push = Push(id: id)
            push.campaign = element.text("campaign")
            push.category = element.text("category")
            push.hasAlert = element.bool("alert") ?? true
            push.wakesApp = element.bool("content_available") ?? false
            push.hasImage = element.bool("image") ?? false
            push.isFromBraze = element.bool("braze") ?? true
            scenario.pushes.append(push)
        }
    }

    private mutating func readTimeline(_ elements: [DocumentNode]) {
        var last = -Double.infinity
        for (index, element) in limited(elements, to: SimulationLimits().steps, "steps").enumerated() {
            guard let step = readStep(element, "timeline[\(index)]") else { continue }
            if step.time < last, let place = element["at"]?.range {
                document.report(
                    "found a step that is earlier than the one above it, expected ascending times", at: place)
            }
            last = max(last, step.time)
            scenario.timeline.append(step)
            if case .event(let event) = step.kind, let range = element["event"]?.range {
                events.append((step.time, event.kind, range))
            }
        }
    }

    private mutating func readExpectations(_ node: DocumentNode) {
        var expectations: [Scenario.Expectation] = []
        for element in node.elements ?? [] {
            let action: Simulation.Action? = element.choice("action")
            guard let time = element["at"].flatMap({ seconds($0) }), let action else { continue }
            var message: String?
            if let node = element["message"], !node.isNull { message = readSubject(node) }
            expectations.append(Scenario.Expectation(at: time, message: message, action))
            expectationPlaces.append(element.range)
        }
        scenario.expectations = expectations
        expectationPlaces.append(SourceRange(start: node.range.start, end: node.range.start))
    }

    // MARK: - Values of all parts

    /// The maximum number of seconds between the start of the timeline and any other time: ten thousand years.
    private static let mostSeconds = 3.2e11

    /// Reads a time: seconds since the start of the timeline, or a date and time, which is converted to such seconds.
    mutating func seconds(_ node: DocumentNode) -> Double? {
        let seconds =
            node.number ?? node.time.map { Double($0.seconds - start.seconds) + Double($0.nanosecond) / 1_000_000_000 }
        guard let seconds, abs(seconds) > Self.mostSeconds else { return seconds }
        document.report("found a time more than 10,000 years from the start", at: node.range)
        return nil
    }

    /// Reads a duration in seconds, which must not be negative.
    mutating func duration(_ key: String, of node: DocumentNode, _ name: String) -> Double? {
        guard let value = node[key], let seconds = value.number else { return nil }
        if 0...Self.mostSeconds ~= seconds { return seconds }
        document.report("'\(name).\(key)': expected 0 seconds or more", at: value.range)
        return nil
    }

    /// Reads an event: a word such as `session_start`, or a mapping with one of a few keys, such as `{custom_event:
    /// opened}`.
    func eventParts(_ node: DocumentNode) -> (kind: String, name: String?)? {
        if let word = node.scalar?.text { return (word, nil) }
        let member = node.members?.first { $0.name != "filters" }
        return member.map { ($0.name, $0.value.scalar?.text ?? "") }
    }

    /// Reads the id of a message; reports an id that no message of the scenario has.
    mutating func readID(_ node: DocumentNode) -> String? {
        guard let id = node.scalar?.text else { return nil }
        if let place = messagePlaces.index(forKey: id), messagePlaces[place].key.utf8.elementsEqual(id.utf8) {
            return id
        }
        let near = document.suggestions.nearest(to: id, in: scenario.messages.map(\.id))
        document.report("there is no message '\(id)'\(didYouMean(near))", at: node.range)
        return nil
    }

    /// Reads the id of a push; reports an id that no push of the scenario has.
    mutating func readPushID(_ node: DocumentNode) -> String? {
        guard let id = node.scalar?.text else { return nil }
        if pushPlaces[id] != nil { return id }
        let near = document.suggestions.nearest(to: id, in: scenario.pushes.map(\.id))
        document.report("there is no push '\(id)'\(didYouMean(near))", at: node.range)
        return nil
    }

    /// Reads what an expectation is about: the id of a message or push in the scenario, or the name of a saved record.
    private mutating func readSubject(_ node: DocumentNode) -> String? {
        if let name = node.scalar?.text, pushPlaces[name] != nil || records.contains(name) { return name }
        return readID(node)
    }

    /// The first elements of a list, up to a limit; reports a longer list.
    mutating func limited(_ elements: [DocumentNode], to limit: Int, _ name: String) -> ArraySlice<DocumentNode> {
        if elements.count > limit {
            let message = "found \(elements.count) \(name), expected at most \(limit)"
            document.report(message, at: elements[limit].range, rule: .scenarioLimit)
        }
        return elements.prefix(limit)
    }
}

extension DocumentNode {
    fileprivate var isNull: Bool { if case .null? = scalar?.value { true } else { false } }
}
