// SPDX-License-Identifier: MIT

import DocumentFormats
import LiquidDocumentValues

extension ScenarioReader {
    /// The limits for messages: every event is compared with all of their triggers and filters.
    private enum MessageLimit {
        static let triggers = 100
        static let filters = 100
        /// The maximum number of scalars of all patterns of all messages, because patterns are compiled before the
        /// simulation and its limits begin.
        static let patternScalars = 20_000
    }

    mutating func readMessage(_ node: DocumentNode, _ name: String) -> InAppMessage? {
        guard let id = node.text("id") else { return nil }
        var message = InAppMessage(id: id)
        let shared = readFilters(node, name)
        let triggers = limited(node.elements("triggers"), to: MessageLimit.triggers, "triggers of '\(id)'")
        for (index, trigger) in triggers.enumerated() {
            let place = "\(name).triggers[\(index)]"
            guard var condition = readCondition(trigger, place) else { continue }
            if condition.trigger.takesFilters {
                condition.filters += shared
            } else if let filters = trigger["filters"] {
                document.report("'\(place).filters': the trigger does not accept filters", at: filters.range)
            }
            message.conditions.append(condition)
        }
        if let filters = node["filters"], !message.conditions.contains(where: \.trigger.takesFilters) {
            document.report("'\(name).filters': no trigger of the message accepts filters", at: filters.range)
        }
        message.priority = priority(node["priority"])
        message.start = node["start"].flatMap { seconds($0) }
        message.end = node["end"].flatMap { seconds($0) }
        if let start = message.start, let end = message.end, end <= start, let range = node["end"]?.range {
            document.report(
                "'\(name)': 'end' is not after 'start', so the message is never shown; expected a later time", at: range
            )
        }
        if let reEligibility = reEligibility(of: node, name) { message.reEligibility = reEligibility }
        message.isControl = node.bool("control") ?? false
        message.isReEvaluated = node.bool("templated") ?? false
        message.delay = duration("delay", of: node, name) ?? 0
        message.timeout = duration("timeout", of: node, name)
        message.minimumInterval = duration("minimum_interval", of: node, name)
        message.closeAfter = duration("close_after", of: node, name)
        message.orientation = node.choice("orientation")
        message.hasAsset = node.bool("asset") ?? false
        let pairs = node.members("extras")
        message.extras = readExtras(pairs)
        extras += pairs.map { (id, $0) }
        return message
    }

    private mutating func readCondition(_ node: DocumentNode, _ name: String) -> InAppMessage.Condition? {
        let events = (node.members ?? []).filter { $0.name != "filters" }
        if node.members != nil, events.count != 1 {
            document.report("'\(name)': found \(events.count) events, expected one", at: node.range)
            return nil
        }
        return trigger(node).map { InAppMessage.Condition($0, filters: readFilters(node, name)) }
    }

    private func trigger(_ node: DocumentNode) -> Trigger? {
        switch eventParts(node) {
        case ("session_start", _)?: .sessionStart
        case ("push_click", let campaign)?: .pushClick(campaign: campaign)
        case ("any_purchase", _)?: .anyPurchase
        case ("purchase", let product)?: .purchase(product: product ?? "")
        case (_, let event)?: .customEvent(name: event ?? "")
        case nil: nil
        }
    }

    private func priority(_ node: DocumentNode?) -> Double {
        switch node?.scalar?.text {
        case "high": 2
        case "medium": 1
        default: node?.number ?? 0
        }
    }

    private mutating func reEligibility(of node: DocumentNode, _ name: String) -> InAppMessage.ReEligibility? {
        let key = "re_eligibility"
        guard let value = node[key], value.number == nil else {
            return duration(key, of: node, name).map { .after(seconds: $0) }
        }
        return value.scalar?.text == "always" ? .always : .once
    }

    private mutating func readFilters(_ node: DocumentNode, _ name: String) -> [[PropertyFilter]] {
        var groups: [[PropertyFilter]] = []
        for filter in limited(node.elements("filters"), to: MessageLimit.filters, "filters of '\(name)'") {
            if filter.elements?.isEmpty ?? false {
                document.report(
                    "'\(name).filters': found an empty list, which no event can pass; expected at least one filter",
                    at: filter.range)
            }
            let group = limited(filter.elements ?? [filter], to: MessageLimit.filters, "filters in a list of '\(name)'")
            groups.append(group.compactMap { readFilter($0, name + ".filters") })
        }
        return groups
    }

    private mutating func readFilter(_ node: DocumentNode, _ name: String) -> PropertyFilter? {
        guard let comparator: PropertyFilter.Comparator = node.choice("comparator") else { return nil }
        var filter = PropertyFilter(node.text("property") ?? "", .string, comparator)
        if comparator.takesPattern, let text = node["value"]?.scalar?.text, !isWithinLimits(pattern: text, node, name) {
            return nil
        }
        if let value = node["value"] { filter.value = document.data(value) }
        guard comparator.takesValue == (node["value"] != nil) else {
            let expected = comparator.takesValue ? "a" : "no"
            document.report("'\(name)': '\(comparator.rawValue)' takes \(expected) value", at: node.range)
            return nil
        }
        guard let type = node.choice("type") ?? PropertyFilter.PropertyType(filter.value) else {
            document.report("'\(name)': a filter has no 'type', expected number, string or boolean", at: node.range)
            return nil
        }
        filter.type = type
        checkType(of: filter, at: node, name)
        return filter
    }

    private mutating func isWithinLimits(pattern: String, _ node: DocumentNode, _ name: String) -> Bool {
        let count = pattern.unicodeScalars.count
        patternScalars += count
        let message: String
        if count > PropertyFilter.mostPatternScalars {
            message =
                "found a regular expression of \(count) characters, expected at most \(PropertyFilter.mostPatternScalars)"
        } else if patternScalars > MessageLimit.patternScalars {
            message = """
                the regular expressions hold more than the limit of \(MessageLimit.patternScalars) characters in \
                total
                """
        } else {
            return true
        }
        document.report("'\(name)': \(message)", at: node["value"]?.range ?? node.range, rule: .scenarioLimit)
        return false
    }

    private mutating func checkType(of filter: PropertyFilter, at node: DocumentNode, _ name: String) {
        let word = filter.comparator.rawValue
        if !filter.comparator.types.contains(filter.type) {
            document.report("'\(name)': '\(word)' never passes for a \(filter.type.rawValue)", at: node.range)
        } else if filter.comparator.takesValue, PropertyFilter.PropertyType(filter.value) != filter.type {
            document.report("'\(name)': the value is not a \(filter.type.rawValue)", at: node.range)
        } else if filter.comparator.takesPattern, !filter.hasPattern {
            document.report("'\(name)': the value is not a regular expression", at: node["value"]?.range ?? node.range)
        }
    }

    private mutating func readExtras(_ members: [DocumentMember]) -> [InAppMessage.Extra] {
        var extras: [InAppMessage.Extra] = []
        for member in members {
            guard let text = member.value.scalar else { continue }
            do throws(LiquidError) {
                extras.append(try InAppMessage.Extra(member.name, text.text))
            } catch {
                let range = error.range.map(text.map.fileRange(of:)) ?? member.value.range
                faultsOfExtras.append(Diagnostic(error.rule, error.message, at: document.place(range)))
            }
        }
        return extras
    }
}
