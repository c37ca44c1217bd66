// SPDX-License-Identifier: MIT

import AppBundles
import PayloadKit

/// Finds the campaigns that arguments name.
enum CampaignSearch {
    /// The campaign files: those that are named, and those in folders that are, each once.
    ///
    /// - Throws: ``ExitStatus/missingInput`` for a path that leads nowhere, and where there is no campaign at all.
    static func files(in paths: [String]) throws(CommandFailure) -> [String] {
        var found: [String] = []
        var known: Set<String> = []
        for path in paths {
            let files: [String]
            switch path == "-" ? .file : FolderWalk.item(at: path) {
            case nil: throw CommandFailure(.missingInput, "no file or folder '\(path)'")
            case .folder:
                var walk = FolderWalk(isWanted: { name in Campaign.fileSuffixes.contains { name.hasSuffix($0) } })
                files = walk.files(under: path) ?? []
            default: files = [path]
            }
            for file in files where known.insert(file).inserted { found.append(file) }
        }
        if !found.isEmpty { return found }
        let places = paths.map { "'\($0)'" }.joined(separator: ", ")
        throw CommandFailure(.missingInput, "no campaign in \(places), expected NAME.campaign.yml")
    }
}
