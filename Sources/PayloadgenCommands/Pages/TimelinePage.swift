// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import InAppScenarios

/// The page that `simulate --format html` writes: a scenario as a picture, one row for each message.
///
/// The page is complete, as ``BatchPage`` is.
struct TimelinePage {
    /// The scenario.
    let file: ScenarioFile

    /// What happened to its messages, pushes and records: the first ``mostLines`` lines.
    let lines: [Simulation.Line]

    /// The number of all lines.
    let lineCount: Int

    /// The differences from its expectations.
    let failures: [Diagnostic]

    /// The differences from Braze's guide.
    let differences: [Simulation.Difference]

    /// The most lines that the page shows; `--format json` writes them all.
    static let mostLines = 5_000

    /// The most moments and messages that the picture shows.
    private static let most = (moments: 200, messages: 200)

    /// The page.
    func html() -> HTMLWriter {
        var html = HTMLWriter()
        html.page(title: "Timeline of \(file.file.path)", style: Self.style) { html in
            html.block("header") { html in
                html.element("h1", text: "In-app messages over time")
                html.element("p") { html in html.element("code") { $0.foreign(file.file.path) } }
                for failure in failures {
                    html.element("p", ("class", "note")) { html in
                        html.text("Not as expected: ")
                        html.foreign(failure.message)
                    }
                }
                for difference in differences {
                    html.element("p", ("class", "note")) { $0.foreign(difference.words) }
                }
            }
            html.block("main") { html in
                if lines.isEmpty {
                    html.element("p", text: "Nothing happens.")
                } else {
                    writePicture(to: &html)
                    writeLines(to: &html)
                }
            }
        }
        return html
    }

    // MARK: - The picture

    /// A span of time in which a message is in one state.
    private struct Span {
        let action: Simulation.Action
        let from: Int
        let to: Int
    }

    /// The moments at which something happens; they are the columns of the picture, which is not to scale.
    private var moments: [Double] {
        Set(file.scenario.timeline.map(\.time) + lines.map(\.time)).sorted()
    }

    /// Notes that only the first of many moments, rows or lines are shown.
    private func note(_ count: Int, _ most: Int, _ name: StaticString, to html: inout HTMLWriter) {
        guard count > most else { return }
        html.element("p", ("class", "note"), text: "The first \(most) of \(count) \(name).")
    }

    private func writePicture(to html: inout HTMLWriter) {
        let all = moments
        let moments = Array(all.prefix(Self.most.moments))
        // Pushes and saved records have lanes as well, after the messages.
        let saves = file.scenario.timeline.compactMap { if case .save(let name) = $0.kind { name } else { nil } }
        var seen: Set<String> = []
        let ids = (file.scenario.messages.map(\.id) + file.scenario.pushes.map(\.id) + saves).filter {
            seen.insert($0).inserted
        }
        let messages = ids.prefix(Self.most.messages)
        let linesByMessage = Dictionary(grouping: lines.filter(\.action.isCompared)) { $0.message }
        html.block("section", ("aria-labelledby", "timeline")) { html in
            html.element("h2", ("id", "timeline"), text: "Timeline")
            html.element("p", text: "A column for each moment at which something happens, not to scale.")
            note(all.count, moments.count, "moments", to: &html)
            note(ids.count, messages.count, "messages, pushes and records", to: &html)
            html.block("ul", ("class", "legend")) { html in
                let used = Set(lines.map(\.action))
                for action in Self.drawn + Self.drawnOfPushes where used.contains(action) {
                    html.element("li", ("class", action.rawValue), text: action.words)
                }
            }
            html.block("div", ("class", "lanes"), ("tabindex", "0")) { html in
                html.block("table") { html in
                    html.element("caption", text: "The states of each message")
                    html.element("thead") { html in
                        html.element("tr") { html in
                            html.element("th", ("scope", "col"), text: "message")
                            for moment in moments { html.element("th", ("scope", "col"), text: moment.secondsText) }
                        }
                    }
                    html.markup("\n")
                    html.block("tbody") { html in
                        writeEvents(moments, to: &html)
                        for message in messages {
                            writeLane(message, linesByMessage[message] ?? [], moments, to: &html)
                        }
                    }
                }
            }
        }
    }

    private static let drawn: [Simulation.Action] = [
        .shown, .stacked, .waiting, .delayed, .heldAsFollowUp, .loggedAsControl, .discarded, .closed,
    ]

    private static let drawnOfPushes: [Simulation.Action] = [
        .displayed, .notDisplayed, .woken, .notWoken, .opened, .dismissed, .saved, .sent, .kept, .lost,
    ]

    private func writeEvents(_ moments: [Double], to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("th", ("scope", "row"), text: "what happens")
            for moment in moments {
                html.element("td", ("class", "event")) { html in
                    let words = file.scenario.timeline.filter { $0.time == moment }.map(\.kind.words)
                    html.foreign(words.joined(separator: ", "))
                    for line in lines where line.time == moment && line.message == nil && line.action.isCompared {
                        html.markup("<br>")
                        html.element("small", text: line.action.words)
                    }
                }
            }
        }
        html.markup("\n")
    }

    private func writeLane(
        _ id: String,
        _ own: [Simulation.Line],
        _ moments: [Double],
        to html: inout HTMLWriter
    ) {
        let columns = Dictionary(uniqueKeysWithValues: moments.enumerated().map { ($0.element, $0.offset) })
        var spans: [Span] = []
        for (index, line) in own.enumerated() {
            guard let from = columns[line.time] else { continue }
            let lasts = [.shown, .stacked, .waiting, .delayed, .heldAsFollowUp, .displayed, .saved, .kept].contains(
                line.action)
            let next = index + 1 < own.count ? columns[own[index + 1].time] : moments.count
            spans.append(Span(action: line.action, from: from, to: lasts ? max(next ?? from, from) : from))
        }
        html.element("tr") { html in
            html.element("th", ("scope", "row")) { $0.foreign(id) }
            for column in moments.indices {
                // Of several actions at one moment, the last one is drawn, and all are named.
                let here = spans.filter { $0.from <= column && (column < $0.to || column == $0.from) }
                let starting = here.filter { $0.from == column }
                html.element("td", ("class", here.last?.action.rawValue ?? "none")) { html in
                    for span in starting {
                        html.element("span", text: span.action.words)
                        html.text(" ")
                    }
                }
            }
        }
        html.markup("\n")
    }

    // MARK: - The lines

    private func writeLines(to html: inout HTMLWriter) {
        html.block("section", ("aria-labelledby", "lines")) { html in
            html.element("h2", ("id", "lines"), text: "Line by line")
            note(lineCount, lines.count, "lines", to: &html)
            html.block("table", ("class", "lines")) { html in
                html.element("caption", text: "Actions and reasons")
                html.element("thead") { html in
                    html.element("tr") { html in
                        for name in ["at", "message", "action", "why"] {
                            html.element("th", ("scope", "col"), text: name)
                        }
                    }
                }
                html.markup("\n")
                html.block("tbody") { html in
                    for line in lines {
                        html.element("tr") { html in
                            html.element("td", text: line.time.secondsText)
                            html.element("th", ("scope", "row")) { $0.foreign(line.message ?? "–") }
                            html.element("td", text: line.action.words)
                            html.element("td") { html in
                                html.foreign(line.why)
                                for extra in line.extras {
                                    html.markup("<br>")
                                    html.element("code") { $0.foreign("\(extra.key)=\(extra.value)") }
                                }
                            }
                        }
                        html.markup("\n")
                    }
                }
            }
        }
    }

    /// Text has a contrast of at least 4.5 to its background.
    private static let style: StaticString = """

        :root { color-scheme: light dark; --ink: #1b2230; --soft: #535d6e; --ground: #ffffff; --card: #f2f4f7;
          --line: #c5ccd6; --shown: #cfe3ff; --stacked: #ffe3b3; --waiting: #e4e0f5; --discarded: #ffd3cf;
          --control: #c9eee6; --budget: #8a5a00; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e7ebf1; --soft: #a9b3c2; --ground: #12161c; --card: #1d232c; --line: #3b4554; --shown: #1f4b86;
            --stacked: #6b4a00; --waiting: #443a70; --discarded: #7a2720; --control: #0b5548; --budget: #f2bf66; }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
        h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
        p { margin: .25rem 0; color: var(--soft); }
        code { font: .9em ui-monospace, monospace; }
        .note { border-left: 4px solid var(--budget); padding-left: .75rem; color: var(--ink); }
        .lanes { overflow-x: auto; }
        .lanes:focus-visible { outline: 3px solid var(--stacked); outline-offset: 2px; }
        table { border-collapse: collapse; margin: .5rem 0; font-size: .875rem; }
        caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
        th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid var(--line);
          font-weight: 400; }
        thead th { color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
        .lanes th:first-child { position: sticky; left: 0; background: var(--ground); min-width: 8rem; font-weight: 600; }
        .lanes td { min-width: 8.5rem; }
        .event { color: var(--soft); }
        .lines { width: 100%; }
        .lines td { min-width: 6rem; }
        .lines td:last-child { min-width: 14rem; }
        .lines td:first-child { min-width: 4rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: .5rem 0; padding: 0; list-style: none;
          font-size: .875rem; }
        .legend li { padding: 0 .5rem; border-radius: .25rem; border: 1px solid var(--line); }
        .shown, .displayed { background: var(--shown); }
        .stacked, .saved, .kept { background: var(--stacked); }
        .waiting, .delayed, .held_as_followup { background: var(--waiting); }
        .discarded, .lost, .not_displayed, .not_woken { background: var(--discarded); }
        .logged_as_control, .opened, .sent, .woken { background: var(--control); }
        .closed, .dismissed { background: var(--card); }

        """
}

extension Scenario.Step.Kind {
    /// The description of a step.
    fileprivate var words: String {
        switch self {
        case .event(let event): event.description
        case .foreground: "foreground"
        case .background: "background"
        case .launch: "launch"
        case .dismiss: "dismiss"
        case .click: "click"
        case .present(let id): "the app presents '\(id)'"
        case .presentNext: "present next"
        case .delegate(let choice, let message): "delegate: \(choice.rawValue)" + (message.map { " '\($0)'" } ?? "")
        case .orientation(let orientation): orientation.rawValue
        case .asset(let id, let isLoaded): "asset of '\(id)' \(isLoaded ? "loaded" : "failed")"
        case .changeUser(let id): "user '\(id)'"
        case .wipe: "wipe"
        case .terminate: "the app ends"
        case .push(let id): "push '\(id)'"
        case .respond(.tap, let id): "tap on '\(id)'"
        case .respond(.action(let action), let id): "'\(action)' of '\(id)'"
        case .respond(.dismiss, let id): "'\(id)' is swiped away"
        case .save(let name): "an extension saves '\(name)'"
        case .resetStorage: "the app removes the keys of UserDefaults"
        }
    }
}
