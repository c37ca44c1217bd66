// SPDX-License-Identifier: MIT

import CampaignPreview
import DiagnosticSources
import InAppScenarios

/// The page that `simulate --format html` writes: a scenario as a picture, with one row for each message.
///
/// The page is one file: it loads no script, font or picture, and its content security policy forbids the browser to
/// load or run anything.
struct TimelinePage {
    /// The scenario that was simulated.
    let file: ScenarioFile

    /// The first ``mostLines`` lines of the simulation.
    let lines: [Simulation.Line]

    /// The number of all lines of the simulation.
    let lineCount: Int

    /// The findings about lines that differ from the scenario's expectations.
    let failures: [Diagnostic]

    /// The differences between the results with Braze's guide and with the code of its SDK.
    let differences: [Simulation.Difference]

    /// The maximum number of lines that the page shows; `--format json` writes all lines.
    static let mostLines = 5_000

    /// The maximum numbers of moments and of messages in the picture.
    private static let limit = (moments: 200, messages: 200)

    /// The values that the page's template shows.
    var model: PageModel {
        let all = moments
        let moments = Array(all.prefix(Self.limit.moments))
        // Pushes and saved records have rows below those of the messages.
        let saves = file.scenario.timeline.compactMap { if case .save(let name, _) = $0.kind { name } else { nil } }
        var seen: Set<String> = []
        let ids = (file.scenario.messages.map(\.id) + file.scenario.pushes.map(\.id) + saves).filter {
            seen.insert($0).inserted
        }
        let messages = ids.prefix(Self.limit.messages)
        let linesByMessage = Dictionary(grouping: lines.filter(\.action.isCompared)) { $0.message }
        let used = Set(lines.map(\.action))
        let notes = [
            Self.note(all.count, moments.count, "moments"),
            Self.note(ids.count, messages.count, "messages, pushes and records"),
        ]
        return [
            "title": "Timeline of \(file.file.path)",
            "path": file.file.path,
            "failures": failures.map(\.message),
            "differences": differences.map(\.words),
            "notes": notes.compactMap(\.self),
            "legend": Self.drawn.filter(used.contains).map { ["kind": $0.rawValue, "words": $0.words] as PageModel },
            "moments": moments.map(\.secondsText),
            "events": moments.map(event),
            "lanes": messages.map { lane($0, linesByMessage[$0] ?? [], moments) },
            "lines_note": Self.note(lineCount, lines.count, "lines"),
            "lines": lines.map(Self.row),
        ]
    }

    /// The columns of the picture in which a message is in one state.
    private struct Span {
        let action: Simulation.Action
        let from: Int
        let to: Int
    }

    /// The times at which something happens, in seconds: the columns of the picture, which is not to scale.
    private var moments: [Double] {
        Set(file.scenario.timeline.map(\.time) + lines.map(\.time)).sorted()
    }

    /// The note that the page shows only the first of many moments, rows or lines; nil if it shows all.
    private static func note(_ count: Int, _ most: Int, _ name: String) -> String? {
        count > most ? "The first \(most) of \(count) \(name)." : nil
    }

    /// The actions that have a colour in the picture; those of messages come first.
    private static let drawn: [Simulation.Action] = [
        .shown, .stacked, .waiting, .delayed, .heldAsFollowUp, .loggedAsControl, .discarded, .closed,
        .displayed, .notDisplayed, .woken, .notWoken, .opened, .dismissed, .saved, .sent, .kept, .lost,
    ]

    private func event(at moment: Double) -> PageModel {
        let words = file.scenario.timeline.filter { $0.time == moment }.map(\.kind.words)
        let unmatched = lines.filter { $0.time == moment && $0.message == nil && $0.action.isCompared }
        return ["words": words.joined(separator: ", "), "actions": unmatched.map(\.action.words)]
    }

    private func lane(_ id: String, _ lines: [Simulation.Line], _ moments: [Double]) -> PageModel {
        let columns = Dictionary(uniqueKeysWithValues: moments.enumerated().map { ($0.element, $0.offset) })
        var spans: [Span] = []
        for (index, line) in lines.enumerated() {
            guard let from = columns[line.time] else { continue }
            let lasts = [.shown, .stacked, .waiting, .delayed, .heldAsFollowUp, .displayed, .saved, .kept].contains(
                line.action)
            let next = index + 1 < lines.count ? columns[lines[index + 1].time] : moments.count
            spans.append(Span(action: line.action, from: from, to: lasts ? max(next ?? from, from) : from))
        }
        let cells = moments.indices.map { column in
            // If several actions happen at one moment, the cell has the colour of the last one and names all of them.
            let here = spans.filter { $0.from <= column && (column < $0.to || column == $0.from) }
            let words = here.filter { $0.from == column }.map(\.action.words)
            return ["kind": here.last?.action.rawValue, "actions": words] as PageModel
        }
        return ["id": id, "cells": cells]
    }

    private static func row(_ line: Simulation.Line) -> PageModel {
        [
            "at": line.time.secondsText, "message": line.message, "action": line.action.words, "why": line.why,
            "extras": line.extras.map { "\($0.key)=\($0.value)" },
        ]
    }
}

extension Scenario.Step.Kind {
    /// The step of the timeline in words.
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
        case .respond(.action(let action, _, _), let id): "'\(action)' of '\(id)'"
        case .respond(.dismiss, let id): "'\(id)' is swiped away"
        case .save(let name, _): "an extension saves '\(name)'"
        case .resetStorage: "the app removes the keys of UserDefaults"
        }
    }
}
