// SPDX-License-Identifier: MIT

import InAppMessages
import Liquid
import PayloadKit
import SourceText

extension ScenarioReader {
    /// The keys of which a step has exactly one.
    private static let actions = [
        "event", "app_state", "dismiss", "present", "present_next", "delegate", "orientation", "asset",
    ]

    private static let details = ["at", "properties", "message"]

    private enum AppState: String, CaseIterable {
        case foreground, background, launch
    }

    private enum AssetState: String, CaseIterable {
        case loaded, failed
    }

    mutating func readStep(_ node: DocumentNode, _ name: String) -> Scenario.Step? {
        let members = document.members(of: node, name: name, owner: "'\(name)'", keys: Self.actions + Self.details)
        guard node.members != nil else { return nil }
        let found = members.filter { Self.actions.contains($0.name) }
        guard let action = found.first, found.count == 1 else {
            let words = found.isEmpty ? "nothing that happens" : found.map { "'\($0.name)'" }.joined(separator: " and ")
            let expected = Self.actions.joined(separator: ", ")
            document.report("'\(name)': found \(words), expected one of \(expected)", at: node.range)
            return nil
        }
        for detail in members where detail.name != "at" && !Self.details(of: action.name).contains(detail.name) {
            guard Self.details.contains(detail.name) else { continue }
            document.report("'\(name)': '\(action.name)' takes no '\(detail.name)'", at: detail.keyRange)
        }
        guard let at = node["at"] else {
            document.report("'\(name)' has no 'at'", at: node.range)
            return nil
        }
        guard let kind = readAction(action, of: node, name), let time = seconds(at, name + ".at") else { return nil }
        return Scenario.Step(at: time, kind)
    }

    private static func details(of action: String) -> [String] {
        switch action {
        case "event": ["properties"]
        case "delegate", "asset": ["message"]
        default: []
        }
    }

    private mutating func readAction(
        _ action: DocumentMember,
        of step: DocumentNode,
        _ stepName: String
    ) -> Scenario.Step.Kind? {
        let name = "\(stepName).\(action.name)"
        let node = action.value
        switch action.name {
        case "event": return readEvent(node, step["properties"], name).map { .event($0) }
        case "app_state":
            switch document.choice(node, name, of: AppState.self) {
            case .foreground?: return .foreground
            case .background?: return .background
            case .launch?: return .launch
            case nil: return nil
            }
        case "dismiss": return isTrue(node, name) ? .dismiss : nil
        case "present": return readID(node, name).map { .present(message: $0) }
        case "present_next": return isTrue(node, name) ? .presentNext : nil
        case "delegate":
            guard let choice = document.choice(node, name, of: Presenter.DisplayChoice.self) else { return nil }
            return .delegate(choice, message: step["message"].flatMap { readID($0, stepName + ".message") })
        case "orientation": return document.choice(node, name).map { .orientation($0) }
        default:
            guard let state = document.choice(node, name, of: AssetState.self) else { return nil }
            guard let message = step["message"] else {
                document.report("'\(stepName)': 'asset' names no 'message'", at: step.range)
                return nil
            }
            return readID(message, stepName + ".message").map { .asset(message: $0, isLoaded: state == .loaded) }
        }
    }

    /// Whether a step that has no more to say says `true`.
    private mutating func isTrue(_ node: DocumentNode, _ name: String) -> Bool {
        if case .bool(true)? = node.scalar?.value { return true }
        document.reportType(node, name, expected: "true")
        return false
    }

    private mutating func readEvent(_ node: DocumentNode, _ properties: DocumentNode?, _ name: String) -> AppEvent? {
        let words = ["session_start", "push_click"]
        guard let (kind, subject) = happening(node, name, words: words, keys: ["purchase", "custom_event"]) else {
            return nil
        }
        if let properties { _ = document.members(of: properties, name: name + ".properties") }
        let object = properties?.object ?? .empty
        switch kind {
        case "session_start": return AppEvent(.sessionStart)
        case "push_click": return AppEvent(.pushClick)
        case "purchase": return AppEvent(.purchase(product: subject), properties: object)
        default: return AppEvent(.customEvent(name: subject), properties: object)
        }
    }

    private mutating func readID(_ node: DocumentNode, _ name: String) -> String? {
        guard let id = document.text(node, name)?.text else { return nil }
        let known = scenario.messages.map(\.id)
        if known.contains(where: { $0.utf8.elementsEqual(id.utf8) }) { return id }
        let near = nearestName(to: id, in: known).map { ", did you mean '\($0)'?" } ?? ""
        document.report("there is no message '\(id)'\(near)", at: node.range)
        return nil
    }
}
