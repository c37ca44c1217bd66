// SPDX-License-Identifier: MIT

public import ArgumentParser
import Linting
public import SourceText

/// `--fail-level` takes the names of severities.
extension Severity: ExpressibleByArgument {}

/// `--rule ID=LEVEL`.
struct RuleSetting: ExpressibleByArgument {
    let id: String

    /// The severity; nil turns the rule off.
    let severity: Severity?

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        id = parts[0]
        severity = Severity(rawValue: parts[1])
        if severity == nil, parts[1] != "off" { return nil }
    }
}

extension Rule {
    /// The rule with an id.
    ///
    /// - Throws: wrong usage, with the id that was probably meant.
    static func existing(_ id: String) throws(CommandFailure) -> Rule {
        if let rule = named(id) { return rule }
        let near = nearestName(to: id, in: all.map(\.id)).map { ", did you mean '\($0)'?" }
        throw CommandFailure(.usage, "unknown rule '\(id)'\(near ?? "; 'payloadgen rules' lists all")")
    }
}
