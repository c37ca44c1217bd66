// SPDX-License-Identifier: MIT

import BrazeLiquid
import DocumentFormats
import LiquidDocumentValues

extension ScenarioReader {
    mutating func readStep(_ node: DocumentNode, _ name: String) -> Scenario.Step? {
        let members = node.members ?? []
        let found = members.filter { Format.stepActions.contains($0.name) }
        guard let action = found.first, found.count == 1 else {
            // An invalid action is reported and removed from the step, so its absence is not reported again.
            if found.isEmpty, !node.isWhole { return nil }
            let words = found.isEmpty ? "no action" : found.map { "'\($0.name)'" }.joined(separator: " and ")
            let expected = Format.stepActions.joined(separator: ", ")
            document.report("'\(name)': found \(words), expected one of \(expected)", at: node.range)
            return nil
        }
        for detail in members where detail.name != "at" && !Self.details(of: action.name).contains(detail.name) {
            guard Format.stepDetails.contains(detail.name) else { continue }
            document.report("'\(name)': '\(action.name)' does not have '\(detail.name)'", at: detail.keyRange)
        }
        guard let kind = readAction(action, of: node, name), let time = node["at"].flatMap({ seconds($0) }) else {
            return nil
        }
        return Scenario.Step(at: time, kind)
    }

    private static func details(of action: String) -> [String] {
        switch action {
        case "event", "save": ["properties"]
        case "delegate", "asset": ["message"]
        case "action": ["of", "answer", "foreground"]
        default: []
        }
    }

    private mutating func readAction(
        _ action: DocumentMember,
        of step: DocumentNode,
        _ name: String
    ) -> Scenario.Step.Kind? {
        let node = action.value
        switch action.name {
        case "event":
            properties += step.members("properties").map { ($0.name, $0.value.members != nil, $0.keyRange) }
            let values = step["properties"].map { document.properties($0).resolvingTimes() }
            return event(node, values ?? .empty).map { .event($0) }
        case "app_state":
            switch node.scalar?.text {
            case "foreground": return .foreground
            case "background": return .background
            case "terminated": return .terminate
            default: return .launch
            }
        case "dismiss": return .dismiss
        case "click": return .click
        case "wipe": return .wipe
        case "change_user": return node.scalar.map { .changeUser($0.text) }
        case "present": return readID(node).map { .present(message: $0) }
        case "present_next": return .presentNext
        case "delegate":
            guard let choice: Presenter.DisplayChoice = step.choice("delegate") else { return nil }
            return .delegate(choice, message: step["message"].flatMap { readID($0) })
        case "orientation": return step.choice("orientation").map { .orientation($0) }
        case "push": return readPushID(node).map { .push($0) }
        case "tap": return readPushID(node).map { .respond(.tap, push: $0) }
        case "swipe_away": return readPushID(node).map { .respond(.dismiss, push: $0) }
        case "action":
            guard let push = step["of"] else {
                document.report("'\(name)': 'action' names no push, expected 'of'", at: step.range)
                return nil
            }
            let option: PushDelivery.ResponseOption = step.choice("answer") ?? .dismissAndForward
            let isForeground = step.bool("foreground") ?? false
            return readPushID(push).map {
                .respond(.action(node.scalar?.text ?? "", option, isForeground: isForeground), push: $0)
            }
        case "save":
            guard let record = node.scalar?.text else { return nil }
            records.insert(record)
            properties += step.members("properties").map { ($0.name, $0.value.members != nil, $0.keyRange) }
            let values = step["properties"].map { document.properties($0).resolvingTimes() }
            return .save(record, properties: values ?? .empty)
        case "reset_storage": return .resetStorage
        default:
            guard let message = step["message"] else {
                document.report("'\(name)': 'asset' without 'message'", at: step.range)
                return nil
            }
            return readID(message).map { .asset(message: $0, isLoaded: node.scalar?.text == "loaded") }
        }
    }

    private func event(_ node: DocumentNode, _ properties: LiquidObject) -> AppEvent? {
        switch eventParts(node) {
        case ("session_start", _)?: AppEvent(.sessionStart)
        case ("push_click", let campaign)?: AppEvent(.pushClick(campaign: campaign))
        case ("purchase", let product)?: AppEvent(.purchase(product: product ?? ""), properties: properties)
        case (_, let name)?: AppEvent(.customEvent(name: name ?? ""), properties: properties)
        case nil: nil
        }
    }
}
