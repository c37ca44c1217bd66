// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats

/// Reads the expectations of tests.
extension CampaignReader {
    mutating func readExpectation(_ node: DocumentNode, _ name: String) -> CampaignTest.Expectation {
        var expectation = CampaignTest.Expectation(place: document.place(node.range))
        let members = node.members ?? []
        for member in members {
            let place = document.place(member.value.range)
            switch member.name {
            case "aborted": expectation.aborted = member.value.scalar.map { Placed($0.text, at: place) }
            case "failed": expectation.failed = member.value.scalar.map { Placed($0.text, at: place) }
            case "bytes": expectation.bytes = bounds(member.value, name + ".bytes").map { Placed($0, at: place) }
            case "snapshot": if node.bool("snapshot") == true { expectation.snapshot = place }
            case "extras": expectation.extras = member.value
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

    private mutating func bounds(_ node: DocumentNode, _ name: String) -> ClosedRange<Int>? {
        if case .integer(let count)? = node.scalar?.value { return count...count }
        let low = node.integer("at_least") ?? 0
        let high = node.integer("at_most") ?? .max
        guard low <= high else {
            document.report("'\(name)': at_least \(low) is above at_most \(high)", at: node.range)
            return nil
        }
        return low...high
    }
}
