// SPDX-License-Identifier: MIT

import BrazeLiquid
import LiquidTemplates

/// The state of a running simulation: the app, the user, the messages and the pushes.
struct SimulationRun: ~Copyable {
    private let scenario: Scenario
    private let context: RenderContext
    private let start: Time
    /// The id of the message for which each event reports why it was chosen or not; nil if nothing is explained.
    private let explained: String?

    private let settings: BrazeSettings
    private var renderer: BrazeRenderer
    /// The ids of the messages whose key-value pairs have read the current time.
    private var clockReadingMessageIDs: Set<String> = []
    /// Whether the current time affects what a message shows or whether it is shown; a message that was not shown does
    /// not count.
    private(set) var readsClock = false
    /// The ids of the messages whose key-value pairs were rendered.
    private(set) var renderedMessageIDs: Set<String> = []
    /// Whether a message that lacks a fixture ends the run; otherwise, the message counts as rendered.
    private let needsFixtures: Bool
    private var eligibility: Eligibility
    private var presenter: Presenter

    private var choices: [String: Presenter.DisplayChoice] = [:]
    private var choice = Presenter.DisplayChoice.now

    /// The ids of the messages that were not delivered, because their Liquid aborted them or failed.
    private var undeliveredMessageIDs: Set<String> = []
    /// The key-value pairs of each message as they were last rendered, by message id.
    private var extras: [String: [(key: String, value: String)]] = [:]

    /// The index of each message in the scenario, by its id.
    private let places: [String: Int]

    /// The messages that wait for the end of their delay; the next one to be shown is last.
    private var delayed: [Pending] = []
    /// The time at which the visible message was clicked; nil if it was not.
    ///
    /// The message closes when all steps at that time have been handled.
    private var clickedAt: Double?
    private var backgroundSince: Double?
    private var appState = PushDelivery.AppState.foreground
    private var delivery: PushDelivery
    private var pending: PendingJourney
    private let pushes: [String: Push]
    private var user: String?
    private var time = 0.0

    /// Counts the work of the run.
    private var work: SimulationWork

    /// The lines that were not given to the caller yet.
    private var lines: [Simulation.Line] = []

    /// Messages that wait for the end of a delay: the first is shown, or if it is aborted the next one.
    private struct Pending {
        var ranking: [InAppMessage]
        let event: AppEvent
        let since: Double
        /// The time at which the delay ends, in seconds.
        var due: Double
    }

    /// What an event did to the messages that it triggers.
    private enum Outcome {
        /// The event triggers no message.
        case noMessage
        /// A message is triggered, but has to wait for the end of its delay.
        case delayed
        /// None of the messages that the event triggers is shown.
        case dropped
        /// The message with this id was given to the presenter.
        case handedOver(String)
    }

    init(
        _ scenario: Scenario,
        _ context: RenderContext,
        _ settings: BrazeSettings,
        workLimit: Int,
        explaining id: String?,
        needsFixtures: Bool = true
    ) {
        self.scenario = scenario
        self.needsFixtures = needsFixtures
        self.context = context
        explained = id
        work = SimulationWork(limit: workLimit)
        delivery = PushDelivery(app: scenario.app)
        pending = PendingJourney(app: scenario.app)
        pushes = Dictionary(scenario.pushes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        places = Dictionary(scenario.messages.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        start = context.now ?? settings.clock
        self.settings = settings
        renderer = BrazeRenderer(settings)
        eligibility = Eligibility(settings: scenario.settings)
        presenter = Presenter(settings: scenario.settings)
        if !scenario.startsWithSession { deliver(at: min(0, scenario.timeline.first?.time ?? 0)) }
    }

    /// Gives the lines of the last step to a function.
    ///
    /// - Returns: whether the function wants more lines.
    /// - Throws: the error that ended the run, after the lines before it were passed on.
    mutating func handOver(_ body: (Simulation.Line) -> Bool) throws(SimulationError) -> Bool {
        let lines = lines
        self.lines.removeAll(keepingCapacity: true)
        for line in lines where !body(line) { return false }
        if let error = work.error { throw error }
        return true
    }

    // MARK: - Steps

    mutating func take(_ step: Scenario.Step) {
        work.charge(1)
        advance(to: step.time)
        time = step.time
        if appState == .terminated, step.kind.needsApp { return report(nil, .refused, "the app has ended") }
        switch step.kind {
        case .event(let event): take(event)
        case .foreground:
            if appState == .terminated { return startByUser() }
            appState = .foreground
            present(.foreground)
            let seconds = backgroundSince.map { time - $0 } ?? 0
            backgroundSince = nil
            if let timeout = scenario.settings.sessionTimeout, seconds >= timeout - timeNoise, seconds > 0 {
                take(AppEvent(.sessionStart))
            }
        case .background:
            appState = .background
            backgroundSince = backgroundSince ?? time
            present(.background)
        case .launch: for event in launch() { take(event) }
        case .terminate:
            appState = .terminated
            clear(.terminate, .terminated)
        case .push(let id): pushes[id].map { deliver($0) }
        case .respond(let response, let id): pushes[id].map { respond(to: $0, response) }
        case .save(let name, let properties):
            pending.save(name, properties: properties, user: user, at: time)
            report(name, .saved, "an extension keeps it for the app")
        case .resetStorage: for effect in pending.reset() { report(effect) }
        case .dismiss:
            if presenter.visible == nil { report(nil, .refused, "nothing is visible") }
            clickedAt = nil
            present(.dismiss(.dismissed), why: "held until the click was processed")
        case .click:
            if presenter.visible == nil { return report(nil, .refused, "nothing is visible") }
            clickedAt = time
            present(.click)
        case .present(let id):
            guard let message = message(id) else { return }
            if message.isControl || isRendered(message, for: .empty) {
                present(.present(message, since: time), why: "the app presents it")
            }
        case .presentNext:
            if let obstacle = presenter.obstacle { return report(nil, .refused, obstacle) }
            present(.presentNext, why: "the app asks for the next message")
        case .delegate(let choice, let message):
            if let message { choices[message] = choice } else { (self.choice, choices) = (choice, [:]) }
            presenter.choice = { [choices, choice = self.choice] in choices[$0] ?? choice }
        case .orientation(let orientation): present(.turn(orientation))
        case .asset(let message, let isLoaded): present(.asset(message, isLoaded: isLoaded), why: "its asset is loaded")
        case .changeUser(let id):
            if user == id { return report(nil, .refused, "'\(id)' is already the user") }
            user = id
            eligibility.changeUser(to: id)
            clear(.changeUser, .userChanged)
        case .wipe:
            // As in Braze's SDK since 17.0.0, no user is logged in after wiping.
            user = nil
            eligibility.wipe()
            clear(.wipe, .wiped)
        }
    }

    /// Handles what still happens after the last step, such as the end of delays.
    mutating func finish() {
        advance(to: .infinity)
    }

    /// Handles what happens without a step up to a time: messages close by themselves, and delayed messages are shown.
    ///
    /// A clicked message closes only once the time advances, so that a message triggered at the time of the click is
    /// held.
    private mutating func advance(to end: Double) {
        while !work.isOver {
            let click = clickedAt.flatMap { $0 < end ? $0 : nil }
            let closing = presenter.closesAt ?? .infinity
            let next = min(click ?? .infinity, closing, delayed.last?.due ?? .infinity)
            guard next <= end, next.isFinite else { return }
            time = next
            if click == next {
                clickedAt = nil
                present(.dismiss(.clicked), why: "held until the click was processed")
            } else if closing == next {
                clickedAt = nil
                present(.dismiss(.timer), why: "held until the click was processed")
            } else if let pending = delayed.popLast() {
                takeMoment(of: pending.event, display(pending))
            }
        }
    }

    /// The message with an id; nil if there is none.
    private func message(_ id: String) -> InAppMessage? {
        guard let message = places[id].map({ scenario.messages[$0] }), message.id.utf8.elementsEqual(id.utf8) else {
            return nil
        }
        return message
    }

    // MARK: - Delivery

    /// Delivers the messages at a session start: renders those key-value pairs that do not wait for the trigger.
    private mutating func deliver(at time: Double) {
        self.time = time
        for message in scenario.messages where !message.isLocal && !message.isControl && !work.isOver {
            undeliveredMessageIDs.remove(message.id)
            if !message.isTemplated, !isRendered(message, for: .empty) {
                undeliveredMessageIDs.insert(message.id)
            }
        }
    }

    // MARK: - The app and its pushes

    /// Starts the app if its process has ended, as a tap of the user does.
    ///
    /// This begins a session, unless only the timeline begins sessions.
    private mutating func startByUser() {
        let events = launch()
        if scenario.settings.sessionTimeout != nil { take(AppEvent(.sessionStart)) }
        for event in events { take(event) }
    }

    /// Starts the app again: what was in memory is lost, and what extensions saved is sent.
    ///
    /// - Returns: the saved events that the SDK logs and for which a message waits.
    private mutating func launch() -> [AppEvent] {
        appState = .foreground
        backgroundSince = nil
        eligibility.launch()
        clear(.launch, .coldLaunch)
        work.charge(pending.count)
        var events: [AppEvent] = []
        for effect in pending.send(user: user, at: time) {
            if case .log(let event) = effect {
                if scenario.messages.contains(where: { $0.conditions.contains { $0.trigger.waits(for: event.kind) } }) {
                    events.append(event)
                }
            } else {
                report(effect)
            }
        }
        return events
    }

    private mutating func deliver(_ push: Push) {
        for effect in delivery.arrive(push, appState) { take(effect, of: push) }
    }

    private mutating func respond(to push: Push, _ response: PushDelivery.Response) {
        for effect in delivery.respond(to: push, response) { take(effect, of: push) }
    }

    private mutating func take(_ effect: PushDelivery.Effect, of push: Push) {
        switch effect {
        case .display(let words): report(push.id, .displayed, words)
        case .withhold(let why): report(push.id, .notDisplayed, why)
        case .wake(let why): report(push.id, .woken, why)
        case .doNotWake(let why): report(push.id, .notWoken, why)
        case .dismiss(let why): report(push.id, .dismissed, why)
        case .stay(let why): report(push.id, .kept, why)
        case .refuse(let why): report(push.id, .refused, why)
        case .loseOpen(let why): report(push.id, .lost, why)
        case .openApp:
            switch appState {
            case .foreground: break
            case .background: take(Scenario.Step(at: time, .foreground))
            case .terminated: startByUser()
            }
        case .logOpen(let what):
            report(push.id, .opened, what)
            take(AppEvent(.pushClick(campaign: push.campaign)))
        }
    }

    private mutating func report(_ effect: PendingJourney.Effect) {
        switch effect {
        case .send(let name, let how): report(name, .sent, how)
        case .lose(let name, let why): report(name, .lost, why)
        case .keep(let name, let why): report(name, .kept, why)
        case .log: break
        }
    }

    // MARK: - Events

    private mutating func take(_ event: AppEvent) {
        if event.kind == .sessionStart {
            deliver(at: time)
            present(.sessionStart)
            for message in scenario.messages where message.hasAsset && !message.isControl && !message.isLocal {
                guard !undeliveredMessageIDs.contains(message.id) else { continue }
                report(message.id, .fetched, "assets are fetched at session start")
            }
        }
        let messages =
            undeliveredMessageIDs.isEmpty
            ? scenario.messages : scenario.messages.filter { !undeliveredMessageIDs.contains($0.id) }
        let choice = eligibility.choose(from: messages, for: event, at: time, &work)
        if work.isOver { return }
        for (id, refusal) in choice.refusals where refusal != .otherTrigger || id == explained {
            // If the interval blocks all messages, one line for the event says so, instead of one for each message.
            if case .tooSoon = refusal, choice.ranking.isEmpty, id != explained { continue }
            report(id, .refused, "\(event): \(refusal)")
        }
        if let explained, undeliveredMessageIDs.contains(explained) {
            report(explained, .refused, "\(event): it was aborted when it was delivered")
        }
        var outcome = Outcome.noMessage
        if let message = choice.message {
            if message.id == explained { report(message.id, .chosen, "\(event): \(choice.reason(of: message))") }
            outcome = start(Pending(ranking: choice.ranking, event: event, since: time, due: 0))
        } else if let seconds = choice.secondsBlocked {
            report(nil, .blocked, "\(event): \(seconds.secondsText) are left of the minimum interval")
        } else {
            report(nil, .notMatched, "no message matches \(event)")
        }
        takeMoment(of: event, outcome)
    }

    /// Takes a message from the stack if this is one of the moments that Braze's guide names and the settings follow
    /// the guide.
    private mutating func takeMoment(of event: AppEvent, _ outcome: Outcome) {
        guard scenario.settings.stackMoments == .documented, presenter.obstacle == nil, presenter.waiting == nil else {
            return
        }
        switch (outcome, event.kind) {
        case (.noMessage, .purchase), (.noMessage, .customEvent), (.delayed, _): return
        // A message that the delegate has just put back on the stack is not taken from it at once.
        case (.handedOver(let id), _) where presenter.topOfStack == id: return
        case (.noMessage, _), (.dropped, _), (.handedOver, _): break
        }
        present(.presentNext, why: "\(event) is when a message leaves the stack, according to Braze's guide")
    }

    /// Gives the first of the messages to the presenter, now or after its delay.
    private mutating func start(_ pending: Pending) -> Outcome {
        guard let message = pending.ranking.first else { return .dropped }
        var pending = pending
        pending.due = max(time, pending.since + message.delay)
        guard pending.due > time else { return display(pending) }
        report(message.id, .delayed, "\(pending.event): it comes \(message.delay.secondsText) later")
        var place = delayed.count
        while place > 0, delayed[place - 1].due <= pending.due { place -= 1 }
        work.charge((delayed.count - place) / 50)
        delayed.insert(pending, at: place)
        return .delayed
    }

    private mutating func display(_ pending: Pending) -> Outcome {
        guard let message = pending.ranking.first else { return .dropped }
        if time > pending.since, let refusal = eligibility.refusalAtDisplay(of: message, at: time) {
            if case .tooSoon = refusal {
                report(nil, .blocked, "'\(message.id)' after its delay: \(refusal)")
            } else {
                report(message.id, .refused, "after its delay: \(refusal)")
            }
            return .dropped
        }
        if message.isTemplated, !message.isControl, !isRendered(message, for: pending.event.properties) {
            guard scenario.settings.fallsBackAfterAbort else { return .dropped }
            var rest = pending
            rest.ranking.removeFirst()
            return start(rest)
        }
        eligibility.handOver(at: time)
        present(.present(message, since: pending.since), why: "\(pending.event)")
        return .handedOver(message.id)
    }

    // MARK: - The presenter

    private mutating func present(_ event: Presenter.Event, why: String = "") {
        // The charge is for the search of the stack for equal messages.
        work.charge(presenter.stackCount / 50)
        for effect in presenter.handle(event, at: time) { report(effect, why: why) }
    }

    /// Drops all messages, including those whose delay has not passed.
    private mutating func clear(_ event: Presenter.Event, _ reason: Presenter.DiscardReason) {
        clickedAt = nil
        present(event)
        for pending in delayed.reversed() { pending.ranking.first.map { report($0.id, .discarded, "\(reason)") } }
        delayed = []
    }

    // MARK: - Rendering

    /// Renders the key-value pairs of a message and returns whether that worked; if not, reports the reason.
    private mutating func isRendered(_ message: InAppMessage, for properties: LiquidObject) -> Bool {
        do throws(LiquidError) {
            guard let reason = try render(message, for: properties) else { return true }
            report(message.id, .discarded, "aborted: \(reason)")
        } catch {
            let words = "\(error.template ?? "extras"): \(error.message)"
            // It is not known what Braze would do, because Braze would fetch the content for which no fixture exists.
            if error.code == .context {
                if !needsFixtures { return true }
                work.end(SimulationError(message: message.id, words, isAboutFixtures: true))
            } else {
                report(message.id, .discarded, words)
            }
        }
        noteClock(of: message.id)
        return false
    }

    private mutating func noteClock(of id: String) { readsClock = readsClock || clockReadingMessageIDs.contains(id) }

    /// Renders the key-value pairs of a message and keeps them.
    ///
    /// - Returns: the reason if Liquid aborts the message; otherwise nil.
    private mutating func render(_ message: InAppMessage, for properties: LiquidObject) throws(LiquidError) -> String? {
        var upper = RenderContext(now: Time(seconds: start.seconds + Int(time.rounded(.down))))
        try upper.set("event_properties", .object(properties))
        renderer.begin(upper.laid(over: context), recordID: message.id)
        renderedMessageIDs.insert(message.id)
        defer {
            work.charge(10 + renderer.work / 50)
            // A renderer cannot forget that the time was read, so the next message gets a new one.
            if renderer.readsClock {
                clockReadingMessageIDs.insert(message.id)
                renderer = BrazeRenderer(settings)
            }
        }
        var rendered: [(key: String, value: String)] = []
        for extra in message.extras {
            switch try renderer.render(extra.template, field: extra.key) {
            case .aborted(let reason): return reason
            case .rendered: rendered.append((extra.key, renderer.text))
            }
        }
        extras[message.id] = rendered
        return nil
    }

    // MARK: - Lines

    private mutating func report(_ message: String?, _ action: Simulation.Action, _ why: String) {
        work.charge(5 + ((message?.utf8.count ?? 0) + why.utf8.count) / 10)
        lines.append(Simulation.Line(time: time, message: message, action: action, why: why))
    }

    private mutating func report(_ effect: Presenter.Effect, why: String) {
        switch effect {
        case .show(let id):
            report(id, .shown, why)
            noteClock(of: id)
            lines[lines.count - 1].extras = extras[id] ?? []
            if self.message(id)?.isLocal == false { eligibility.logImpression(of: id, at: time) }
        case .logControl(let id):
            report(id, .loggedAsControl, "\(why): the user is in the control group")
            eligibility.logImpression(of: id, at: time)
        case .close(let id, let reason): report(id, .closed, "\(reason)")
        case .stack(let id, let reason, let moved):
            report(id, .stacked, "\(reason)" + (moved ? ", and was stacked before" : ""))
        case .holdAsFollowUp(let id): report(id, .heldAsFollowUp, "a click is being processed")
        case .wait(let id, let again):
            report(id, .waiting, again ? "its asset is still being fetched" : "its asset is being fetched")
        case .discard(let id, let reason): report(id, .discarded, "\(reason)")
        }
    }
}

extension Eligibility.Choice {
    /// The words for why a message was chosen.
    fileprivate func reason(of message: InAppMessage) -> String {
        if ranking.count == 1 { return "no other message matches" }
        let next = ranking[1]
        let words = message.priority > next.priority ? "goes before" : "is listed before"
        return "it \(words) '\(next.id)'" + (ranking.count > 2 ? " and \(ranking.count - 2) more" : "")
    }
}

extension Scenario {
    /// Whether the timeline begins with a session start, which delivers the messages.
    ///
    /// If not, they were delivered before.
    fileprivate var startsWithSession: Bool {
        var background: Double?
        var isTerminated = false
        for step in timeline {
            switch step.kind {
            case .event(let event): return event.kind == .sessionStart
            case .background: background = background ?? step.time
            case .terminate: isTerminated = true
            case .launch: (background, isTerminated) = (nil, false)
            case .foreground, .respond(.tap, _), .respond(.action, _):
                guard let timeout = settings.sessionTimeout else { continue }
                if isTerminated || background.map({ step.time - $0 >= timeout - timeNoise }) == true { return true }
                background = nil
            default: continue
            }
        }
        return false
    }
}

extension Scenario.Step.Kind {
    /// Whether the step can only happen while the app is running.
    fileprivate var needsApp: Bool {
        switch self {
        case .event, .background, .dismiss, .click, .present, .presentNext, .changeUser, .wipe, .resetStorage: true
        case .foreground, .launch, .terminate, .delegate, .orientation, .asset, .push, .respond, .save: false
        }
    }
}
