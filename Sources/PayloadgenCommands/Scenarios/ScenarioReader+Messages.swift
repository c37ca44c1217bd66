// SPDX-License-Identifier: MIT

import InAppMessages
import Liquid
import PayloadKit
import SourceText

extension ScenarioReader {
    private static let messageKeys = [
        "id", "triggers", "filters", "priority", "start", "end", "re_eligibility", "control", "timeout", "orientation",
        "asset", "extras",
    ]

    mutating func readMessage(_ node: DocumentNode, _ name: String) -> InAppMessage? {
        let members = document.members(of: node, name: name, owner: "'\(name)'", keys: Self.messageKeys)
        guard node.members != nil else { return nil }
        guard let id = node["id"] else {
            document.report("'\(name)' has no 'id'", at: node.range)
            return nil
        }
        var message = InAppMessage(id: document.text(id, name + ".id")?.text ?? "")
        for member in members {
            let name = "\(name).\(member.name)"
            let value = member.value
            switch member.name {
            case "triggers":
                for element in document.elements(of: value, name: name) {
                    if let trigger = readTrigger(element, name) { message.triggers.append(trigger) }
                }
            case "filters":
                for element in document.elements(of: value, name: name) {
                    let group = element.elements ?? [element]
                    message.filters.append(group.compactMap { readFilter($0, name) })
                }
            case "priority": message.priority = document.number(value, name) ?? 0
            case "start": message.start = seconds(value, name)
            case "end": message.end = seconds(value, name)
            case "re_eligibility": message.reEligibility = readReEligibility(value, name)
            case "control": message.isControl = document.bool(value, name) ?? false
            case "timeout": message.timeout = document.number(value, name)
            case "orientation": message.orientation = document.choice(value, name)
            case "asset": message.hasAsset = document.bool(value, name) ?? false
            case "extras": message.extras = readExtras(value, name)
            default: break
            }
        }
        if message.triggers.isEmpty, node["triggers"] == nil {
            document.report("'\(name)' has no 'triggers'", at: node.range)
        }
        if let filters = node["filters"], !message.triggers.contains(where: \.takesFilters) {
            document.report("'\(name).filters': no trigger of the message takes filters", at: filters.range)
        }
        return message
    }

    private mutating func readTrigger(_ node: DocumentNode, _ name: String) -> Trigger? {
        let words = ["session_start", "push_click", "any_purchase"]
        switch happening(node, name, words: words, keys: ["purchase", "custom_event"]) {
        case ("session_start", _)?: return .sessionStart
        case ("push_click", _)?: return .pushClick
        case ("any_purchase", _)?: return .anyPurchase
        case ("purchase", let product)?: return .purchase(product: product)
        case (_, let event)?: return .customEvent(name: event)
        case nil: return nil
        }
    }

    private mutating func readReEligibility(_ node: DocumentNode, _ name: String) -> InAppMessage.ReEligibility {
        switch node.scalar?.value {
        case .string("always"): return .always
        case .string("once"): return .once
        case .integer(let seconds): return .after(seconds: Double(seconds))
        case .float(let seconds) where seconds.isFinite: return .after(seconds: seconds)
        default:
            document.reportType(node, name, expected: "always, once, or a number of seconds")
            return .once
        }
    }

    private mutating func readFilter(_ node: DocumentNode, _ name: String) -> PropertyFilter? {
        let keys = ["property", "type", "comparator", "value"]
        let members = document.members(of: node, name: name, owner: "'\(name)'", keys: keys)
        guard node.members != nil else { return nil }
        for key in ["property", "comparator"] where node[key] == nil {
            document.report("'\(name)': a filter has no '\(key)'", at: node.range)
        }
        var filter = PropertyFilter("", .string, .equals)
        var type: PropertyFilter.PropertyType?
        for member in members {
            let name = "\(name).\(member.name)"
            switch member.name {
            case "property": filter.key = document.text(member.value, name)?.text ?? ""
            case "type": type = document.choice(member.value, name)
            case "comparator":
                guard let comparator = document.choice(member.value, name, of: PropertyFilter.Comparator.self) else {
                    return nil
                }
                filter.comparator = comparator
            case "value": filter.value = member.value.value
            default: break
            }
        }
        guard filter.comparator.takesValue == (node["value"] != nil) else {
            let expected = filter.comparator.takesValue ? "a" : "no"
            document.report("'\(name)': '\(filter.comparator.rawValue)' takes \(expected) value", at: node.range)
            return nil
        }
        guard let type = type ?? PropertyFilter.PropertyType(filter.value) else {
            document.report("'\(name)': a filter has no 'type', expected number, string or boolean", at: node.range)
            return nil
        }
        filter.type = type
        checkType(of: filter, at: node, name)
        return filter
    }

    private mutating func checkType(of filter: PropertyFilter, at node: DocumentNode, _ name: String) {
        let word = filter.comparator.rawValue
        if !filter.comparator.types.contains(filter.type) {
            document.report("'\(name)': '\(word)' never passes for a \(filter.type.rawValue)", at: node.range)
        } else if filter.comparator.takesValue, PropertyFilter.PropertyType(filter.value) != filter.type {
            document.report("'\(name)': the value is no \(filter.type.rawValue)", at: node.range)
        } else if case .string(let pattern) = filter.value, [.matches, .doesNotMatch].contains(filter.comparator),
            !PropertyFilter.isPattern(pattern)
        {
            document.report("'\(name)': the value is no regular expression", at: node["value"]?.range ?? node.range)
        }
    }

    private mutating func readExtras(_ node: DocumentNode, _ name: String) -> [InAppMessage.Extra] {
        var extras: [InAppMessage.Extra] = []
        for member in document.members(of: node, name: name) {
            guard let text = document.text(member.value, "\(name).\(member.name)") else { continue }
            do throws(LiquidError) {
                extras.append(try InAppMessage.Extra(member.name, text.text))
            } catch {
                document.report(
                    error.message,
                    at: error.range.map(text.map.fileRange(of:)) ?? member.value.range,
                    rule: "liquid-syntax"
                )
            }
        }
        return extras
    }
}
