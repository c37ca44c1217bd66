// SPDX-License-Identifier: MIT

import Documents
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static let noVersion: RuleMessage =
        "the campaign has no 'version', expected 'version: 1' before the other keys"
}

extension Rule {
    static let missingVersion = Rule(
        RuleDescription(
            RuleID("missing-version", .warning, "a campaign without the version of its format"),
            name: "Missing version",
            rationale: """
                A later payloadgen would not know by which version of the format to read it. Today it is read as \
                version 1. Silent for REST bodies.
                """
        ),
        .run
    )
}

extension LintProject {
    /// The findings about campaigns without a version, in the files that are shown.
    func missingVersions(_ campaigns: [LintedCampaign], isShown: (String) -> Bool) -> [Diagnostic] {
        Rule.missingVersion.diagnostics(campaigns.filter { isShown($0.file.path) }.compactMap(\.missingVersion))
    }
}

extension LintedCampaign {
    fileprivate var missingVersion: Finding? {
        let key = file.path.hasSuffix(".json") ? "\"version\"" : "version"
        // Most campaigns have the key near their start, so that they need not be read once more.
        guard campaign != nil, file.bytes.prefix(200).firstRange(ofBytes: key.utf8) == nil,
            let root = try? DocumentNode.read(file, rule: .campaignSyntax), root["version"] == nil,
            root["push"] != nil, let first = root.members?.first
        else { return nil }
        return Finding(.noVersion, at: SourcePlace(file, first.keyRange))
    }
}
