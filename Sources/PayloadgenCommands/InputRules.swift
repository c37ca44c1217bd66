// SPDX-License-Identifier: MIT

import DiagnosticSources
import ExtensionAnalytics
import FindingReports
import PayloadKit
package import PayloadLinting

extension RuleDescription {
    /// All rules that a command may report.
    package static let all: [RuleDescription] = Rule.all.map(\.description) + inputs

    /// The title of the topic of ``inputs``, which ``Rule/topics`` does not list.
    package static let inputTopic = "Inputs of a command"

    /// The topic of the rule in the index of the rules' pages.
    package var topic: String {
        Rule.topics.first { $0.groups.contains { $0.contains { $0.id == id } } }?.title ?? Self.inputTopic
    }

    /// The rules about the inputs of a command.
    ///
    /// Their severities cannot be changed.
    static let inputs: [RuleDescription] = [
        RuleDescription(
            .jsonSyntax,
            source: .json,
            rationale: """
                The place is that of the first error. The input has to be UTF-8 and follow RFC 8259; where a key \
                occurs twice, the last one counts.
                """
        ),
        RuleDescription(
            .appNotFound,
            source: .silentlyUnread,
            rationale: """
                --app accepts a folder with an Info.plist of an app or an extension in it, an Xcode project, or the \
                JSON that 'payloadgen app' writes.
                """
        ),
        RuleDescription(
            .configurationSyntax,
            source: .yaml,
            rationale: """
                No command runs with a .payloadgen.yml of which it can use only a part: it would check less than was \
                asked for.
                """
        ),
        RuleDescription(
            .configurationUnknownKey,
            source: RuleSource(mistake: "the name of an app or a rule misspelt in .payloadgen.yml"),
            rationale: "What is under the key would have no effect. The names of rules are keys too."
        ),
        RuleDescription(
            .testFailed,
            source: .braze("developer_guide/in_app_messages/sending_test_messages"),
            rationale: """
                The message of a test differs from its 'expect', or from its stored snapshot; 'test --update' stores \
                a new one. Of a scenario, the first line that differs from the expected one is shown.
                """
        ),
        RuleDescription(
            .acknowledgement,
            source: .trackEndpoint,
            rationale: """
                'track --acknowledge' removes the records that lines of 'track' name. Ids that name no pending record \
                were removed before, or belong to another store.
                """
        ),
        RuleDescription(
            .numbering,
            source: .trackEndpoint,
            rationale: """
                A file beside the plist of --defaults holds the number of each pending record. Without it, a line of \
                'track' could remove records that it does not name.
                """
        ),
        RuleDescription(
            .baselineSyntax,
            source: .json,
            rationale: "'lint --write-baseline' writes the file that --baseline reads."
        ),
    ]
}
