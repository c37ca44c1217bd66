// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Finds campaigns and scenarios, given the files and folders that the arguments of a command name.
enum CampaignSearch {
    /// A result of a search.
    enum Item {
        /// A file that an argument names, which may be a pipe.
        case named(String)
        /// A campaign or scenario that was found in a folder.
        case found(String)
        /// A folder that is not searched, with the reason.
        case unread(FolderWalk.UnreadItem)
        /// A path that an argument names but that does not exist.
        case missing(String)

        fileprivate var path: String {
            switch self {
            case .named(let path), .found(let path), .missing(let path): path
            case .unread(let gap): gap.path
            }
        }

        /// A text that is equal for all paths that lead to the same file or folder.
        fileprivate var identity: String {
            if path == "-" { return path }
            // Symbolic links in the file name are not resolved: a campaign may name files in its folder, so links to it
            // in two folders are two campaigns.
            let path = path.absolutePath
            return (path.folder.realPath ?? path.folder.standardizedPath) + "/" + path.fileName
        }

        /// Whether the item is a campaign that was found in a folder.
        fileprivate var isCampaign: Bool {
            if case .found(let path) = self { Campaign.isCampaign(path) } else { false }
        }
    }

    /// The result of a search for tests.
    struct Found {
        /// The files that were found, the folders that are not searched, and the named paths that do not exist.
        fileprivate(set) var items: [Item]

        /// The findings about campaigns that are left out, and about folders without any campaign.
        fileprivate(set) var findings: [Diagnostic] = []

        /// The files that are not run, each with a finding that says why: the name is wrong, or the file is in a folder
        /// called `scenarios` and seems to belong to another program.
        private(set) var others: [(path: String, finding: Diagnostic)] = []

        /// Creates the result; ``others`` gets the files in folders `scenarios` that seem to belong to other programs.
        ///
        /// - Parameters:
        ///   - items: the results of the search.
        ///   - paths: the paths of files in the searched folders that may be misnamed.
        fileprivate init(_ items: [Item], others paths: [String]) {
            var others = paths.compactMap { path in ProjectFile.misnaming(of: path).map { (path, $0) } }
            self.items = items.filter { item in
                guard case .found(let path) = item, let (file, reason) = notAScenario(path) else { return true }
                others.append((path, file.misnamed().first ?? .notAScenarioFinding(shownPath(path), reason)))
                return false
            }
            self.others = others
        }
    }

    /// The campaigns and scenarios of the project in the working folder.
    ///
    /// If its configuration names folders of campaigns, campaigns are taken only from these folders, but scenarios from
    /// the whole project.
    ///
    /// - Throws: the failures of ``found(in:)``.
    static func project() throws(CommandFailure) -> Found {
        guard let configuration = try ProjectConfiguration.find(for: "."), !configuration.campaignFolders.isEmpty
        else { return try found(in: ["."]) }
        let folders = configuration.campaignFolders.map(Linter.shownPath)
        let exclusion = try Exclusion(of: folders)
        let (inFolders, _, othersInFolders) = try search(folders, isExcluded: exclusion.excludes)
        let known = Set(inFolders.map(\.identity))
        let rest = try search([Linter.shownPath(configuration.folder)]) { path in
            let path = path.absolutePath.standardizedPath
            // The folders of campaigns were searched already, each with its own configuration.
            return configuration.campaignFolders.contains(path) || configuration.excludes(path)
        }
        let others = rest.items.filter { !known.contains($0.identity) }
        let foundInFolders = Found(inFolders, others: othersInFolders)
        guard !foundInFolders.items.isEmpty else { throw nothing(in: folders, exclusion, foundInFolders) }
        var found = Found(inFolders + others.filter { !$0.isCampaign }, others: othersInFolders + rest.others)
        let path = Linter.shownPath(configuration.folder + "/" + ProjectConfiguration.fileName)
        let place = SourcePlace(unread: path)
        let leftOut = others.filter(\.isCampaign).map { shownPath($0.path) }
        if let finding = Diagnostic.leftOut(leftOut, at: place) { found.findings.append(finding) }
        if !inFolders.contains(where: \.isCampaign) {
            let message = "no campaign in \(folders.quoted(atMost: 8)), which 'campaigns' in .payloadgen.yml names"
            found.findings.append(Diagnostic(.nothingChecked, message, at: place))
        }
        return found
    }

    /// The named files, and the campaigns and scenarios in the named folders, each only once.
    ///
    /// Files that the configurations of the folders exclude are left out. Named paths that do not exist are part of the
    /// result, as ``Item/missing(_:)``.
    ///
    /// - Throws: ``ExitStatus/missingInput`` if the result is empty, or a folder cannot be opened;
    ///   ``ExitStatus/brokenConfiguration`` for a configuration that cannot be read.
    static func found(in paths: [String]) throws(CommandFailure) -> Found {
        let exclusion = try Exclusion(of: paths)
        let missing = paths.filter { $0 != "-" && FolderWalk.item(at: $0) == nil }
        let (items, _, others) = try search(paths.filter { !missing.contains($0) }, isExcluded: exclusion.excludes)
        let found = Found(items + missing.map(Item.missing), others: others)
        guard !found.items.isEmpty else { throw nothing(in: paths, exclusion, found) }
        return found
    }

    /// Which paths the configurations of some folders exclude.
    private final class Exclusion {
        private var configurations: [ProjectConfiguration] = []

        /// Whether a file or folder was excluded.
        private(set) var isUsed = false

        init(of paths: [String]) throws(CommandFailure) {
            for path in paths where FolderWalk.item(at: path) == .folder {
                if let configuration = try ProjectConfiguration.find(for: path) { configurations.append(configuration) }
            }
        }

        func excludes(_ path: String) -> Bool {
            let isExcluded = configurations.contains { $0.excludes(path.absolutePath.standardizedPath) }
            isUsed = isUsed || isExcluded
            return isExcluded
        }
    }

    private static func nothing(in paths: [String], _ exclusion: Exclusion, _ found: Found) -> CommandFailure {
        let rest = exclusion.isUsed ? " outside of what 'exclude' in .payloadgen.yml names" : ""
        let message = "no campaign in \(paths.quoted(atMost: 8))\(rest), expected NAME.campaign.yml"
        guard !found.others.isEmpty else { return CommandFailure(.missingInput, message) }
        let failure = Diagnostic(.nothingChecked, message, at: nil, severity: .error)
        return CommandFailure(.missingInput, .findings(found.others.map(\.finding) + [failure]))
    }

    private static func shownPath(_ path: String) -> String { Linter.shownPath(path.absolutePath.standardizedPath) }

    /// Finds the named files, and the campaigns and scenarios in the named folders, which may contain none.
    ///
    /// - Parameters:
    ///   - paths: the named files and folders.
    ///   - isExcluded: returns whether a file or folder inside a folder is left out, by its path.
    /// - Returns: the files, together with the folders that cannot be searched; all folders that were searched; and the
    ///   paths of files in these folders that may be misnamed.
    /// - Throws: ``ExitStatus/missingInput`` for a path that does not exist, or a folder that cannot be opened.
    static func search(
        _ paths: [String],
        isExcluded: @escaping (String) -> Bool = { _ in false }
    ) throws(CommandFailure) -> (items: [Item], folders: [String], others: [String]) {
        var items: [Item] = []
        var others: [String] = []
        var folders: [String] = []
        var known: Set<String> = []
        for path in paths {
            switch path == "-" ? .file : FolderWalk.item(at: path) {
            case nil: throw CommandFailure(.missingInput, missing(path))
            case .folder:
                var walk = FolderWalk(
                    isWanted: { isTested($0) || ProjectFile.mayBeMisnamed($0) }, isExcluded: isExcluded)
                guard let files = walk.files(under: path) else {
                    throw CommandFailure(.missingInput, "cannot open the folder '\(path)'")
                }
                let found = files.filter(isTested).map(Item.found) + walk.unreadItems.map(Item.unread)
                items += found.filter { known.insert($0.identity).inserted }
                others += files.filter { !isTested($0) }
                folders += walk.folders
            default:
                let item = Item.named(path)
                if known.insert(item.identity).inserted { items.append(item) }
            }
        }
        // A file that an argument names may have any name, so it is not reported as misnamed.
        return (items, folders, others.filter { known.insert(Item.found($0).identity).inserted })
    }

    /// The message about a path that does not exist.
    static func missing(_ path: String) -> String {
        let isOfCoverage = CoverageTarget(argument: path) != nil
        let meant = isOfCoverage ? "; for a report of the coverage, expected --coverage=\(path)" : ""
        return "no file or folder '\(path)'" + meant
    }

    private static func isTested(_ path: String) -> Bool { Campaign.isCampaign(path) || isScenario(path) }

    /// Whether a file counts as a scenario, because of its name or its folder.
    static func isScenario(_ path: String) -> Bool {
        !Campaign.isCampaign(path) && ScenarioRecognition.isScenario(path.absolutePath.standardizedPath)
    }

    /// The file and the reason, if a file in a folder `scenarios` seems to belong to another program; otherwise nil.
    private static func notAScenario(_ path: String) -> (SourceFile, String)? {
        guard isScenario(path), let file = try? SourceFile(contentsOf: path, in: ProjectRoot(of: path)) else {
            return nil
        }
        return ScenarioRecognition.reasonNotToRead(file, at: path).map { (file, $0) }
    }
}
