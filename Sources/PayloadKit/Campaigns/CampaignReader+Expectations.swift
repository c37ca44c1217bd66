// SPDX-License-Identifier: MIT

import AppBundles
import SourceText

/// What tests expect.
extension CampaignReader {
    mutating func readExpectation(_ node: DocumentNode, _ name: String) -> CampaignTest.Expectation {
        var expectation = CampaignTest.Expectation(place: document.place(node.range))
        let members = document.members(of: node, name: name)
        for member in members {
            let path = name + "." + member.name
            let place = document.place(member.value.range)
            switch member.name {
            case "aborted": expectation.aborted = document.text(member.value, path).map { Placed($0.text, at: place) }
            case "failed": expectation.failed = document.text(member.value, path).map { Placed($0.text, at: place) }
            case "bytes": expectation.bytes = readBounds(member.value, path).map { Placed($0, at: place) }
            case "snapshot": if document.bool(member.value, path) == true { expectation.snapshot = place }
            case "extras":
                _ = document.members(of: member.value, name: path)
                expectation.extras = member.value
            default: expectation.members.append(member)
            }
        }
        if let ending = members.first(where: { $0.name == "aborted" || $0.name == "failed" }),
            let other = members.first(where: { $0.name != ending.name })
        {
            document.report(
                "'\(other.name)' beside '\(ending.name)': a message that is not sent has no payload",
                at: other.keyRange
            )
        }
        return expectation
    }

    private mutating func readBounds(_ node: DocumentNode, _ name: String) -> ClosedRange<Int>? {
        if node.scalar != nil { return document.integer(node, name).map { $0...$0 } }
        var low = 0
        var high = Int.max
        for member in document.members(of: node, name: name, owner: "'\(name)'", keys: ["at_least", "at_most"]) {
            guard let bound = document.integer(member.value, name + "." + member.name) else { continue }
            if member.name == "at_least" { low = bound } else { high = bound }
        }
        guard low <= high else {
            document.report("'\(name)': at_least \(low) is above at_most \(high)", at: node.range)
            return nil
        }
        return low...high
    }
}
