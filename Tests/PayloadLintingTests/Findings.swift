// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport

extension LintedCampaign {
    /// What `lint` finds in the campaign, with the rules of all sets.
    var findings: [Diagnostic] {
        var levels = RuleLevels()
        levels.set = .strict
        return CampaignCheck(self, levels).findings(with: [], isReported: { _ in true })
    }
}

extension SourceFile {
    /// What `lint` finds in the file, which is named and the only one, with the rules of all sets.
    func lintFindings() throws -> [Diagnostic] {
        var options = ProjectOptions(workingFolder: "/App")
        options.rules.set = .strict
        options.unsavedTexts = [path: String(decoding: bytes, as: UTF8.self)]
        return try Linter(options: options).lint([path])
    }

    /// What `lint` finds in a folder that has only this file.
    func findingsInFolder() throws -> [Diagnostic] {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url.appending(path: path))
        return try withExtendedLifetime(folder) {
            try Linter(options: ProjectOptions(workingFolder: folder.url.path)).lint(["."])
        }
    }
}
