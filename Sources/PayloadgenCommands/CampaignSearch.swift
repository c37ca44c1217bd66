// SPDX-License-Identifier: MIT

import AppBundles
import Files
import InAppScenarios
import Linting
import PayloadKit
import SourceText

/// Finds the campaigns and scenarios that arguments name.
enum CampaignSearch {
    /// A result of a search.
    enum Item {
        /// A file that an argument names: it may be a pipe.
        case named(String)
        /// A campaign or scenario in a folder.
        case found(String)
        /// A folder that is not searched, and why.
        case unread(FolderWalk.Gap)

        /// What the paths of one file or folder have in common.
        fileprivate var identity: String {
            let path =
                switch self {
                case .named(let path), .found(let path): path
                case .unread(let gap): gap.path
                }
            return path.realPath ?? path.absolutePath.standardizedPath
        }
    }

    /// The campaigns and scenarios of the project around the working folder: where its configuration names folders of
    /// campaigns, those in them, and the scenarios in other folders too, as scenarios are no campaigns.
    ///
    /// - Throws: as ``items(in:)``, also where the folders of campaigns have no file.
    static func project() throws(CommandFailure) -> [Item] {
        guard let configuration = try ProjectConfiguration.find(for: "."), !configuration.campaignFolders.isEmpty
        else { return try items(in: ["."]) }
        let items = try items(in: configuration.campaignFolders.map(Linter.shownPath))
        let known = Set(items.map(\.identity))
        let others = try search([Linter.shownPath(configuration.folder)]) { path in
            let path = path.absolutePath.standardizedPath
            // The folders of campaigns were searched, by their own configurations.
            return configuration.campaignFolders.contains(path) || configuration.excludes(path)
        }.items
        return items
            + others.filter { item in
                guard !known.contains(item.identity) else { return false }
                guard case .found(let path) = item else { return true }
                return isScenario(path) && (ScenarioFile.hasSuffix(path) || mayBeScenario(path))
            }
    }

    /// Whether a file may be a scenario, which has a timeline and messages with triggers: other programs have folders
    /// called `scenarios` too.
    ///
    /// It is not parsed, as the faults of a scenario are to be reported.
    private static func mayBeScenario(_ path: String) -> Bool {
        guard let file = try? SourceFile(contentsOf: path, in: ProjectRoot(of: path)) else { return false }
        return ["timeline", "triggers"].contains { file.bytes[...].firstRange(ofBytes: $0.utf8) != nil }
    }

    /// The files that are named, and the campaigns and scenarios in folders that are named, each once, without those
    /// that the folders' configurations exclude.
    ///
    /// A scenario is `NAME.scenario.yml`, or a YAML file in a folder `scenarios`.
    ///
    /// - Throws: ``ExitStatus/missingInput`` for a path that does not exist, and where there is no file at all;
    ///   ``ExitStatus/brokenConfiguration`` for a configuration that cannot be read.
    static func items(in paths: [String]) throws(CommandFailure) -> [Item] {
        var configurations: [ProjectConfiguration] = []
        for path in paths where FolderWalk.item(at: path) == .folder {
            if let configuration = try ProjectConfiguration.find(for: path) { configurations.append(configuration) }
        }
        var isAnyExcluded = false
        let items = try search(paths) { path in
            let isExcluded = configurations.contains { $0.excludes(path.absolutePath.standardizedPath) }
            isAnyExcluded = isAnyExcluded || isExcluded
            return isExcluded
        }.items
        if !items.isEmpty { return items }
        let places = paths.map { "'\($0)'" }.joined(separator: ", ")
        let rest = isAnyExcluded ? " outside of what 'exclude' in .payloadgen.yml names" : ""
        throw CommandFailure(.missingInput, "no campaign in \(places)\(rest), expected NAME.campaign.yml")
    }

    /// The same, where there may be no file, with the folders that were searched.
    ///
    /// - Parameters:
    ///   - paths: the files and folders that are named.
    ///   - isExcluded: whether a file or folder in a folder is left out, by its path.
    /// - Returns: the files, and all folders that were searched.
    /// - Throws: ``ExitStatus/missingInput`` for a path that does not exist.
    static func search(
        _ paths: [String],
        isExcluded: @escaping (String) -> Bool = { _ in false }
    ) throws(CommandFailure) -> (items: [Item], folders: [String]) {
        var items: [Item] = []
        var folders: [String] = []
        var known: Set<String> = []
        for path in paths {
            switch path == "-" ? .file : FolderWalk.item(at: path) {
            case nil:
                let meant = CoverageTarget(argument: path).map { _ in
                    "; for a report of the coverage, expected --coverage=\(path)"
                }
                throw CommandFailure(.missingInput, "no file or folder '\(path)'" + (meant ?? ""))
            case .folder:
                var walk = FolderWalk(
                    isWanted: { name in documentSuffixes.contains { name.hasSuffix($0) } }, isExcluded: isExcluded)
                guard let files = walk.files(under: path) else {
                    throw CommandFailure(.missingInput, "cannot open the folder '\(path)'")
                }
                items += files.filter { isTested($0) && known.insert($0).inserted }.map { .found($0) }
                items += walk.gaps.map { .unread($0) }
                folders += walk.folders
            default: if known.insert(path).inserted { items.append(.named(path)) }
            }
        }
        return (items, folders)
    }

    private static let documentSuffixes = [".yml", ".yaml", ".json"]

    private static func isTested(_ path: String) -> Bool { isCampaign(path) || isScenario(path) }

    /// Whether a file is a campaign by its name.
    static func isCampaign(_ path: String) -> Bool { Campaign.isCampaign(path) }

    /// Whether a file is a scenario by its name or its folder.
    static func isScenario(_ path: String) -> Bool { !isCampaign(path) && ScenarioFile.isScenario(path) }
}
