// SPDX-License-Identifier: MIT

import InAppMessages
import Liquid
import PayloadKit
import SourceText

/// Reads the file of a scenario.
///
/// It stands here because YAML is read by PayloadKit, which the library of in-app messages does without.
struct ScenarioReader {
    static let syntaxRule = "scenario-syntax"

    var document: DocumentReader
    /// The start, from which absolute times are counted.
    let start: Time
    private(set) var scenario = Scenario()

    private static let keys = ["version", "config", "messages", "timeline"]

    /// Reads a scenario.
    ///
    /// - Throws: every fault with its place.
    static func scenario(in file: SourceFile, start: Time) throws(CommandFailure) -> Scenario {
        var reader = ScenarioReader(
            document: DocumentReader(
                file: file,
                syntaxRule: syntaxRule,
                unknownKeyRule: "scenario-unknown-key"
            ),
            start: start
        )
        do throws(DocumentError) {
            if let root = try DocumentNode.read(file, rule: syntaxRule) {
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
        let members = document.members(of: root, name: "the scenario", owner: "the scenario", keys: Self.keys)
        guard root.members != nil else { return }
        // The timeline names messages, wherever it stands in the file.
        if let messages = root["messages"] { readMessages(messages) }
        for member in members {
            switch member.name {
            case "version":
                if let version = document.integer(member.value, "version"), version != 1 {
                    document.report("found version \(version), expected 1", at: member.value.range)
                }
            case "config": readSettings(member.value)
            case "timeline": readTimeline(member.value)
            default: break
            }
        }
        for key in ["messages", "timeline"] where root[key] == nil {
            document.report("the scenario has no '\(key)'", at: SourceRange(0, 0))
        }
    }

    private mutating func readSettings(_ node: DocumentNode) {
        let keys = ["minimum_interval", "shows_at_interval"]
        for member in document.members(of: node, name: "config", owner: "'config'", keys: keys) {
            switch member.name {
            case "minimum_interval":
                if let seconds = document.number(member.value, "config.minimum_interval") {
                    scenario.settings.minimumInterval = seconds
                }
            case "shows_at_interval":
                if let showsAtInterval = document.bool(member.value, "config.shows_at_interval") {
                    scenario.settings.showsAtInterval = showsAtInterval
                }
            default: break
            }
        }
    }

    private mutating func readMessages(_ node: DocumentNode) {
        var places: [String: SourceRange] = [:]
        for (index, element) in document.elements(of: node, name: "messages").enumerated() {
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

    private mutating func readTimeline(_ node: DocumentNode) {
        var last = -Double.infinity
        for (index, element) in document.elements(of: node, name: "timeline").enumerated() {
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
    mutating func seconds(_ node: DocumentNode, _ name: String) -> Double? {
        switch node.scalar?.value {
        case .integer(let seconds): return Double(seconds)
        case .float(let seconds) where seconds.isFinite: return seconds
        default:
            guard let scalar = node.scalar, let time = Time(iso8601: scalar.text) else {
                document.reportType(node, name, expected: "seconds since the start, or a time in ISO 8601")
                return nil
            }
            return Double(time.seconds - start.seconds) + Double(time.nanosecond) / 1_000_000_000
        }
    }

    /// A word, or one of a few keys with its text: `session_start`, `{custom_event: opened}`.
    mutating func happening(
        _ node: DocumentNode,
        _ name: String,
        words: [String],
        keys: [String]
    ) -> (kind: String, name: String)? {
        if let scalar = node.scalar {
            if words.contains(scalar.text) { return (scalar.text, "") }
            let near = nearestName(to: scalar.text, in: words).map { ", did you mean '\($0)'?" } ?? ""
            let known = words + keys.map { "{\($0): …}" }
            document.reportType(node, name, expected: "one of " + known.joined(separator: ", ") + near)
            return nil
        }
        let members = document.members(of: node, name: name, owner: "'\(name)'", keys: keys)
        guard let member = members.first, keys.contains(member.name) else { return nil }
        guard members.count == 1 else {
            document.report("'\(name)': found \(members.count) keys, expected one", at: node.range)
            return nil
        }
        return document.text(member.value, "\(name).\(member.name)").map { (member.name, $0.text) }
    }
}
