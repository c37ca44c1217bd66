// SPDX-License-Identifier: MIT

import Analytics
import InAppScenarios
import Linting
import PayloadKit
import Reporting
import SourceText

extension RuleDescription {
    /// Every rule that a command reports.
    static let all: [RuleDescription] = Rule.all.map(\.description) + inputs

    /// The rules about inputs that a command needs.
    ///
    /// Their severity cannot be changed.
    static let inputs: [RuleDescription] = [
        RuleDescription(
            .jsonSyntax,
            name: "JSON syntax",
            rationale: """
                The place is that of the first error. The input has to be UTF-8 and follow RFC 8259; where a key \
                occurs twice, the last one counts.
                """
        ),
        RuleDescription(
            .appNotFound,
            name: "App not found",
            rationale: """
                --app accepts a folder with an Info.plist of an app or an extension in it, an Xcode project, or the \
                JSON that 'payloadgen app' writes.
                """
        ),
        RuleDescription(
            .configurationSyntax,
            name: "Configuration syntax",
            rationale: """
                No command runs with a .payloadgen.yml of which it can use only a part: it would check less than was \
                asked for.
                """
        ),
        RuleDescription(
            .configurationUnknownKey,
            name: "Unknown key in the configuration",
            rationale: "What is under the key would have no effect. The names of rules are keys too."
        ),
        RuleDescription(
            .testFailed,
            name: "Failed test",
            rationale: """
                The message of a test differs from its 'expect', or from its stored snapshot; 'test --update' stores \
                a new one. Of a scenario, the first line that differs from the expected one is shown.
                """
        ),
        RuleDescription(
            .scenarioSyntax,
            name: "Scenario syntax",
            rationale: "A simulation of a part of the timeline would show other messages than the whole."
        ),
        RuleDescription(
            .scenarioLimit,
            name: "Scenario beyond the limits",
            rationale: """
                A scenario holds up to 8 MiB, 2,000 messages and 20,000 steps; a message up to 100 triggers, and a \
                trigger up to 100 filters. A regular expression has up to 500 characters, all together up to 20,000; \
                it searches texts of up to 1,000 characters, and takes up to 5,000,000 backtracking steps. The \
                simulation takes up to 10,000,000 units of work: about one for each message that an event is \
                compared with, and for each filter.
                """
        ),
        RuleDescription(
            .scenarioUnknownKey,
            name: "Unknown key in a scenario",
            rationale: "What is under the key would have no effect."
        ),
        RuleDescription(
            .acknowledgement,
            name: "Acknowledgement",
            rationale: """
                'track --acknowledge' removes the records that lines of 'track' name. Ids that name no pending record \
                were removed before, or belong to another store.
                """
        ),
        RuleDescription(
            .numbering,
            name: "Numbering",
            rationale: """
                A file beside the plist of --defaults holds the number of each pending record. Without it, a line of \
                'track' could remove records that it does not name.
                """
        ),
        RuleDescription(
            .baselineSyntax,
            name: "Baseline syntax",
            rationale: "'lint --write-baseline' writes the file that --baseline reads."
        ),
    ]
}
