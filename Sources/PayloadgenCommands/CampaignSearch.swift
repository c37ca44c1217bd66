// SPDX-License-Identifier: MIT

import AppBundles
import PayloadKit

/// Finds the campaigns that arguments name.
enum CampaignSearch {
    /// What a search comes upon.
    enum Item {
        /// A campaign that an argument names: it may be a pipe.
        case named(String)
        /// A campaign in a folder.
        case found(String)
        /// A folder that is not searched, with the reason.
        case unread(FolderWalk.Gap)
    }

    /// The campaign files: those that are named, and those in folders that are, each once.
    ///
    /// - Throws: ``ExitStatus/missingInput`` for a path that leads nowhere, and where there is no campaign at all.
    static func items(in paths: [String]) throws(CommandFailure) -> [Item] {
        var items: [Item] = []
        var known: Set<String> = []
        for path in paths {
            switch path == "-" ? .file : FolderWalk.item(at: path) {
            case nil: throw CommandFailure(.missingInput, "no file or folder '\(path)'")
            case .folder:
                var walk = FolderWalk(isWanted: { name in Campaign.fileSuffixes.contains { name.hasSuffix($0) } })
                guard let files = walk.files(under: path) else {
                    throw CommandFailure(.missingInput, "cannot open the folder '\(path)'")
                }
                items += files.filter { known.insert($0).inserted }.map { .found($0) }
                items += walk.gaps.map { .unread($0) }
            default: if known.insert(path).inserted { items.append(.named(path)) }
            }
        }
        if !items.isEmpty { return items }
        let places = paths.map { "'\($0)'" }.joined(separator: ", ")
        throw CommandFailure(.missingInput, "no campaign in \(places), expected NAME.campaign.yml")
    }
}
