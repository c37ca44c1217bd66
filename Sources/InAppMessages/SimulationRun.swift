// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid

/// One run of a scenario.
struct SimulationRun: ~Copyable {
    private let scenario: Scenario
    private let context: RenderContext
    private let start: Time
    private var renderer: BrazeRenderer
    private var eligibility = Eligibility()
    private var presenter: Presenter
    private var choices: [String: Presenter.DisplayChoice] = [:]
    private var choice = Presenter.DisplayChoice.now
    /// The pairs of the messages that were triggered last.
    private var extras: [String: [(key: String, value: String)]] = [:]
    private var time = 0.0

    private(set) var lines: [Simulation.Line] = []

    init(_ scenario: Scenario, _ context: RenderContext, _ settings: BrazeSettings) {
        self.scenario = scenario
        self.context = context
        start = context.now ?? settings.clock
        renderer = BrazeRenderer(settings)
        presenter = Presenter(settings: scenario.settings)
    }

    mutating func take(_ step: Scenario.Step) {
        time = step.time
        switch step.kind {
        case .event(let event): take(event)
        case .foreground: presenter.isForeground = true
        case .background: presenter.isForeground = false
        case .launch: for action in presenter.launch() { tell(action) }
        case .dismiss:
            let actions = presenter.dismiss(at: time)
            if actions.isEmpty { tell(nil, .refused, "nothing is visible") }
            for action in actions { tell(action) }
        case .present(let id):
            guard let message = scenario.messages.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
            if isRendered(message, for: .empty) {
                tell(presenter.present(message, at: time), why: "the app presents it")
            }
        case .presentNext:
            guard let action = presenter.presentNext(at: time) else {
                return tell(nil, .refused, obstacle)
            }
            tell(action)
        case .delegate(let choice, let message):
            if let message { choices[message] = choice } else { (self.choice, choices) = (choice, [:]) }
            presenter.choice = { [choices, choice = self.choice] in choices[$0] ?? choice }
        case .orientation(let orientation): presenter.orientation = orientation
        case .asset(let message, let isLoaded):
            if let action = presenter.assetIsLoaded(isLoaded, of: message, at: time) { tell(action) }
        }
    }

    /// Why nothing comes from the stack.
    private var obstacle: String {
        if !presenter.isForeground { return "the app is in the background" }
        return presenter.visible.map { "'\($0)' is visible" } ?? "the stack is empty"
    }

    // MARK: - Events

    private mutating func take(_ event: AppEvent) {
        if event.kind == .sessionStart {
            for message in scenario.messages where message.hasAsset && !message.isControl {
                tell(message.id, .fetched, "assets are fetched at session start")
            }
        }
        if let seconds = presenter.secondsBlocked(at: time) {
            tell(nil, .blocked, "\(event): \(seconds.secondsText) are left of the minimum interval")
        } else {
            let choice = eligibility.choose(from: scenario.messages, for: event, at: time)
            for (id, refusal) in choice.refusals where refusal != .otherTrigger {
                tell(id, .refused, "\(event): \(refusal)")
            }
            if let message = choice.message {
                if trigger(message, by: event) { return }
            } else {
                tell(nil, .notMatched, "no message matches \(event)")
            }
        }
        // An event is also a moment for what waits on the stack.
        if let action = presenter.presentNext(at: time) { tell(action) }
    }

    /// Hands a message to the presenter; false where it never gets there.
    private mutating func trigger(_ message: InAppMessage, by event: AppEvent) -> Bool {
        if message.isControl {
            tell(message.id, .loggedAsControl, "\(event): the user is in the control group")
            return false
        }
        guard isRendered(message, for: event.properties) else { return false }
        tell(presenter.trigger(message, at: time), why: "\(event)")
        return true
    }

    /// Whether the pairs of a message render; why not is told.
    private mutating func isRendered(_ message: InAppMessage, for properties: LiquidObject) -> Bool {
        do throws(LiquidError) {
            guard let reason = try render(message, for: properties) else { return true }
            tell(message.id, .discarded, "aborted: \(reason)")
        } catch {
            tell(message.id, .discarded, "\(error.template ?? "extras"): \(error.message)")
        }
        return false
    }

    /// Renders the pairs of a message.
    ///
    /// - Returns: the reason where the message is aborted.
    private mutating func render(_ message: InAppMessage, for properties: LiquidObject) throws(LiquidError) -> String? {
        var upper = RenderContext(now: Time(seconds: start.seconds + Int(time.rounded(.down))))
        try upper.set("event_properties", .object(properties))
        renderer.begin(upper.laid(over: context), recordID: message.id)
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

    private mutating func tell(_ message: String?, _ action: Simulation.Action, _ why: String) {
        lines.append(Simulation.Line(time: time, message: message, action: action, why: why))
    }

    private mutating func tell(_ action: Presenter.Action, why: String = "its turn") {
        switch action {
        case .show(let id):
            tell(id, .shown, why)
            lines[lines.count - 1].extras = extras[id] ?? []
        case .close(let id): tell(id, .closed, "dismissed")
        case .stack(let id, let reason, let moved):
            tell(id, .stacked, "\(reason)" + (moved ? ", and was stacked before" : ""))
        case .wait(let id, let again):
            tell(id, .waiting, again ? "its asset is still being fetched" : "its asset is being fetched")
        case .discard(let id, let reason): tell(id, .discarded, "\(reason)")
        }
    }
}

extension Presenter.StackReason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .background: "the app is in the background"
        case .visible(let id): "'\(id)' is visible"
        case .delegate: "the delegate put it back"
        }
    }
}

extension Presenter.DiscardReason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .delegate: "the delegate dropped it"
        case .assetFailed: "its asset cannot be fetched"
        case .timeout: "its asset came after its timeout"
        case .orientation: "the device is held the other way"
        case .coldLaunch: "the app was started anew, and the stack lives in memory"
        }
    }
}
