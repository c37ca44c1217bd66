// SPDX-License-Identifier: MIT

public import ArgumentParser
public import DiagnosticSources
import PayloadKit
import PayloadLinting

/// Lets `--fail-level` accept the names of severities.
extension Severity: ExpressibleByArgument {}

/// The options for the severities of rules; all commands that report findings about campaigns and scenarios have them.
struct RuleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Change the severity of a rule: ID=error, warning, info or off.", valueName: "rule"))
    var rule: [RuleSetting] = []

    /// The severities that `--rule` sets.
    ///
    /// - Parameter console: receives notes about retired rules.
    /// - Returns: the severities.
    /// - Throws: ``ExitStatus/usage`` for an unknown rule or severity, or a rule whose severity cannot be changed.
    func levels(notingOn console: Console) throws(CommandFailure) -> RuleLevels {
        var levels = RuleLevels()
        for setting in rule {
            if let retired = RetiredRule.named(setting.id) {
                console.log("note: \(retired.message)")
                continue
            }
            let id = try Rule.ofCommand(setting.id).id
            guard Rule.named(setting.id) != nil else {
                throw CommandFailure(
                    .usage,
                    "the severity of '\(setting.id)' cannot be changed: it reports an input that cannot be used"
                )
            }
            levels[id] = try setting.level()
        }
        return levels
    }

    /// The severities of rules: those that `--rule` sets, and for the other rules those of the project.
    func levels(
        _ configuration: ProjectConfiguration?,
        notingOn console: Console
    ) throws(CommandFailure) -> RuleLevels {
        try levels(notingOn: console).over(configuration?.rules ?? RuleLevels())
    }
}

/// The value of `--rule`: `ID=LEVEL`.
struct RuleSetting: ExpressibleByArgument {
    let id: String

    /// The level of the rule, as the user wrote it.
    private let levelName: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        id = parts[0]
        levelName = parts[1]
    }

    /// The level of the rule.
    ///
    /// - Throws: ``ExitStatus/usage`` for an unknown level, with a suggestion of the one that was probably meant.
    func level() throws(CommandFailure) -> RuleLevel {
        if levelName == "off" { return .off }
        if let severity = Severity(rawValue: levelName) { return .severity(severity) }
        let known = ["error", "warning", "info", "off"]
        let hint = didYouMean(nearestName(to: levelName, in: known), else: ", expected one of \(known.quoted())")
        throw CommandFailure(.usage, "unknown severity '\(levelName)' of '\(id)'\(hint)")
    }
}

extension Rule {
    /// The rule with an id, which some command can report.
    ///
    /// - Throws: ``ExitStatus/usage`` for an unknown rule, with a suggestion of the one that was probably meant.
    static func ofCommand(_ id: String) throws(CommandFailure) -> Rule {
        if let rule = ofCommands.first(where: { $0.id.name == id }) { return rule }
        let near = nearestName(to: id, in: ofCommands.map(\.id.name))
        throw CommandFailure(
            .usage, "unknown rule '\(id)'\(didYouMean(near, else: "; 'payloadgen rules' lists all"))")
    }
}
