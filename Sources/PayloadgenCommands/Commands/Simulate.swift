// SPDX-License-Identifier: MIT

import ArgumentParser
import BrazeLiquid
import InAppMessages
import Liquid
import PayloadKit
import SourceText

/// `payloadgen simulate`.
struct Simulate: Command {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run in-app messages through a timeline: what is shown when, and why everything else is not.",
        discussion: """
            The scenario says which messages there are, what triggers them, and what happens: events, the app in the \
            background, messages that are closed, answers of the delegate. Nothing waits: the clock is that of the \
            timeline, which starts at --now.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument(help: "The scenario, or - for standard input.")
    var scenario: String

    @Option(help: ArgumentHelp("The user whom the pairs of messages read.", valueName: "file"))
    var profile: String?

    @Option(help: ArgumentHelp("A context in the short form; it lies under the profile.", valueName: "file"))
    var context: String?

    @Option(help: ArgumentHelp("The time at which the timeline starts; by default the clock.", valueName: "time"))
    var now: TimeArgument?

    @Option(help: "A table, or a JSON object a line.")
    var format = Format.text

    @OptionGroup var color: ColorOption

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let start = now?.time ?? .current
        let scenario = try ScenarioReader.scenario(in: Inputs.file(scenario), start: start)
        var data = try ContextOptions.profile(profile).context
        if let context { data = data.laid(over: try ContextOptions.context(context)) }
        if let now { data.now = now.time }
        let settings = BrazeSettings(clock: start, timeZones: SystemTimeZones())
        let lines = Simulation(scenario, context: data, settings: settings).run()
        switch format {
        case .text: try console.print(Self.table(lines))
        case .json: try console.print(data: Self.json(lines))
        }
        return .success
    }

    private static func table(_ lines: [Simulation.Line]) -> ShownText {
        var table = TextTable()
        table.add("AT", "MESSAGE", "ACTION", "WHY")
        for line in lines {
            let extras = line.extras.map { "\($0.key)=\($0.value)" }
            let why = ([line.why] + extras).filter { !$0.isEmpty }.joined(separator: "; ")
            table.add(secondsText(line.time), line.message ?? "-", line.action.words, why)
        }
        return table.text
    }

    private static func json(_ lines: [Simulation.Line]) -> String {
        var text = ""
        for line in lines {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("at")
            writer.double(line.time)
            writer.key("message")
            if let message = line.message { writer.string(message) } else { writer.null() }
            writer.member("action", line.action.rawValue)
            writer.member("why", line.why)
            if !line.extras.isEmpty {
                writer.key("extras")
                writer.beginObject()
                for extra in line.extras { writer.member(extra.key, extra.value) }
                writer.endObject()
            }
            writer.endObject()
            text += writer.buffer.string() + "\n"
        }
        return text
    }

    private static func secondsText(_ time: Double) -> String {
        let text = "\(time)"
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
    }
}

extension Simulation.Action {
    fileprivate var words: String { rawValue.replacing("_", with: " ") }
}
