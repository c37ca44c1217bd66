// SPDX-License-Identifier: MIT

import DiagnosticSources
import ExtensionAnalytics
import FindingReports
import PayloadKit
package import PayloadLinting

extension Rule {
    /// All rules that a command can report: those of the linter and ``inputs``.
    package static let ofCommands: [Rule] = all + inputs

    /// The title of the topic of ``inputs``, which ``Rule/topics`` does not list.
    package static let inputTopic = "Inputs of a command"

    /// The topic of the rule in the index of rule pages.
    package var topic: String {
        Rule.topics.first { $0.groups.contains { $0.contains { $0.id == id } } }?.title ?? Self.inputTopic
    }

    /// Rules about the inputs of a command, such as files that cannot be read.
    ///
    /// Their severities cannot be changed.
    static let inputs: [Rule] = [
        Rule(
            .jsonSyntax,
            source: .json,
            rationale: """
                The place is that of the first error. The input has to be UTF-8 and follow RFC 8259. If a key occurs \
                twice, the last one counts.
                """
        ),
        Rule(
            .appNotFound,
            source: .silentlyUnread,
            rationale: """
                --app accepts a folder with an Info.plist of an app or an extension in it, an Xcode project, or the \
                JSON that 'payloadgen app' writes.
                """
        ),
        Rule(
            .configurationSyntax,
            source: .yaml,
            rationale: """
                If a command could use only a part of the file, it would check less than you asked for. So no command \
                runs with such a file.
                """
        ),
        Rule(
            .configurationUnknownKey,
            source: RuleSource(mistake: "the name of an app or a rule misspelt in .payloadgen.yml"),
            rationale: "What is under the key would have no effect. Names of rules count as keys too."
        ),
        Rule(
            .testFailed,
            source: .braze("developer_guide/in_app_messages/sending_test_messages"),
            rationale: """
                The message of a test differs from its 'expect', or from its snapshot. 'test --update' writes a new \
                snapshot. Of a scenario, the finding shows the first line that differs.
                """
        ),
        Rule(
            .acknowledgement,
            source: .trackEndpoint,
            rationale: """
                'track --acknowledge' removes the records that lines of 'track' name. An id that names no pending \
                record was removed before, or belongs to another store.
                """
        ),
        Rule(
            .numbering,
            source: .trackEndpoint,
            rationale: """
                This file is beside the plist of --defaults, and holds the number of each pending record. Without it, \
                'track' could remove records that its lines do not name.
                """
        ),
        Rule(
            .baselineSyntax,
            source: .json,
            rationale: "'lint --write-baseline' writes the file that --baseline reads."
        ),
    ]
}
