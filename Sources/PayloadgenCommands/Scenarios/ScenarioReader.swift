// SPDX-License-Identifier: MIT

import Documents
import InAppMessages
import Liquid
import PayloadKit
import SourceText

extension RuleID {
    static let scenarioSyntax = RuleID("scenario-syntax", .error, "a file that is not a scenario")
    static let scenarioUnknownKey = RuleID("scenario-unknown-key", .error, "a key that scenarios do not have")
}

/// Reads the file of a scenario.
///
/// It is not part of `InAppMessages`, so that apps that use that library need no YAML reader.
struct ScenarioReader {
    var document: DocumentReader
    /// The start, from which absolute times are counted.
    let start: Time
    private(set) var scenario = Scenario()

    /// Reads a scenario.
    ///
    /// - Throws: every fault with its place.
    static func scenario(in file: SourceFile, start: Time) throws(CommandFailure) -> Scenario {
        var reader = ScenarioReader(
            document: DocumentReader(
                file: file, syntaxRule: .scenarioSyntax, unknownKeyRule: .scenarioUnknownKey
            ),
            start: start
        )
        do throws(DocumentError) {
            if let root = try DocumentNode.read(file, rule: .scenarioSyntax) {
                reader.read(root)
            } else {
                reader.document.report("the file holds nothing", at: SourceRange(0, 0))
            }
        } catch {
            throw CommandFailure(.unreadableInput, .findings(error.diagnostics))
        }
        guard reader.document.diagnostics.isEmpty else {
            throw CommandFailure(.unreadableInput, .findings(reader.document.diagnostics))
        }
        return reader.scenario
    }

    private mutating func read(_ root: DocumentNode) {
        guard let root = document.checked(root, .scenario) else { return }
        // The timeline names messages, wherever it is in the file.
        readMessages(root.elements("messages"))
        if let settings = root["config"] {
            if let interval = settings.number("minimum_interval") { scenario.settings.minimumInterval = interval }
            if let shows = settings.bool("shows_at_interval") { scenario.settings.showsAtInterval = shows }
        }
        readTimeline(root.elements("timeline"))
    }

    private mutating func readMessages(_ elements: [DocumentNode]) {
        var places: [String: SourceRange] = [:]
        for (index, element) in elements.enumerated() {
            guard let message = readMessage(element, "messages[\(index)]"), let id = element["id"]?.range else {
                continue
            }
            if let first = places.updateValue(id, forKey: message.id) {
                document.report(
                    "two messages have the id '\(message.id)'",
                    at: id,
                    related: [Diagnostic.Related("the first", at: document.place(first))]
                )
            }
            scenario.messages.append(message)
        }
    }

    private mutating func readTimeline(_ elements: [DocumentNode]) {
        var last = -Double.infinity
        for (index, element) in elements.enumerated() {
            guard let step = readStep(element, "timeline[\(index)]") else { continue }
            if step.time < last, let place = element["at"]?.range {
                document.report("found a step before the one above it, expected the order of time", at: place)
            }
            last = max(last, step.time)
            scenario.timeline.append(step)
        }
    }

    // MARK: - Values of both

    /// Seconds since the start, or a time.
    func seconds(_ node: DocumentNode) -> Double? {
        if let seconds = node.number { return seconds }
        return node.time.map { Double($0.seconds - start.seconds) + Double($0.nanosecond) / 1_000_000_000 }
    }

    /// A word, or one of a few keys with its text: `session_start`, `{custom_event: opened}`.
    func happening(_ node: DocumentNode) -> (kind: String, name: String)? {
        if let word = node.scalar?.text { return (word, "") }
        return node.members?.first.map { ($0.name, $0.value.scalar?.text ?? "") }
    }
}
