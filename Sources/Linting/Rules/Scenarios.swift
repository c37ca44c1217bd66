// SPDX-License-Identifier: MIT

import InAppScenarios
import PayloadKit
import SourceText

extension Rule {
    /// The rules about scenarios of in-app messages.
    static let scenarios: [Rule] = [scenarioSyntax, scenarioLimit, scenarioUnknownKey]

    private static let scenarioSyntax = Rule(
        RuleDescription(
            .scenarioSyntax,
            name: "Scenario syntax",
            rationale: """
                A simulation of a part of the timeline would show other messages than the whole. Scenarios are \
                NAME.scenario.yml, and YAML files with the keys of a scenario in folders named 'scenarios'.
                """
        ),
        .run
    )

    private static let scenarioLimit = Rule(
        RuleDescription(
            .scenarioLimit,
            name: "Scenario beyond the limits",
            rationale: """
                A scenario holds up to 8 MiB, 2,000 messages and 20,000 steps; a message up to 100 triggers, and a \
                trigger up to 100 filters. A regular expression has up to 500 characters, all of them together up to \
                20,000; it searches texts of up to 1,000 characters, and takes up to 5,000,000 backtracking steps. The \
                simulation takes up to 10,000,000 units of work: about one for each message that an event is compared \
                with, and for each filter. Lint does not run the simulation.
                """
        ),
        .run
    )

    private static let scenarioUnknownKey = Rule(
        RuleDescription(
            .scenarioUnknownKey,
            name: "Unknown key in a scenario",
            rationale: "What is under the key would have no effect."
        ),
        .run
    )
}

extension LintProject {
    /// The findings in the scenarios, and in the profiles that they name.
    ///
    /// - Parameter cache: the cache for the files that scenarios read.
    /// - Returns: the findings.
    func scenarioFindings(_ cache: FileCache) -> [Diagnostic] {
        files.filter(\.isShown).concurrentMap { file -> [Diagnostic] in
            guard case .scenario(let text)? = file.content else { return [] }
            let folder = ProjectFolder(around: file.path, paths: paths, cache: cache, overlay: overlay)
            do throws(InputError) {
                let scenario = try ScenarioFile(text)
                if scenario.scenario.messages.isEmpty || scenario.scenario.timeline.isEmpty {
                    let part = scenario.scenario.messages.isEmpty ? "message" : "event in the timeline"
                    let message = "the scenario has no \(part), so nothing is simulated"
                    return [Diagnostic(.nothingChecked, message, at: SourcePlace(text, SourceRange(0, 0)))]
                }
                guard let path = scenario.profilePath else { return [] }
                guard let profile = folder.file(at: path) else {
                    let fault = folder.refusal(of: path) ?? "no file '\(path)'"
                    return [Diagnostic(.scenarioSyntax, fault, at: scenario.profilePlace)]
                }
                _ = try Profile(file: profile)
                return []
            } catch {
                return error.diagnostics
            }
        }
        .flatMap { $0 }
    }
}
