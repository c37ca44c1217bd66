// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit

extension Project {
    /// The lists whose findings are reported.
    ///
    /// Data of tests is left out, unless the user named it or its folder. A property list is such data if it is in a
    /// folder of tests, declares neither an app nor an extension, and is built by no target.
    var shownLists: [LintedPlist] {
        let namedEnclosures = Set(inputs.compactMap { model.enclosure(of: $0 + "/") })
        return files.compactMap { file in
            guard file.isShown, let list = file.list else { return nil }
            if list.plist.role == .other, !file.isNamed, model.settings[file.path] == nil,
                let enclosure = model.enclosure(of: file.path), !enclosure.hasSuffix(".app"),
                !namedEnclosures.contains(enclosure)
            {
                return nil
            }
            return checked(list, at: file.path)
        }
    }

    /// The lists at the given absolute paths, whether their findings are reported or not.
    func lists(at paths: Set<String>) -> [LintedPlist] {
        files.compactMap { file in
            guard paths.contains(file.path), let list = file.list else { return nil }
            return checked(list, at: file.path)
        }
    }

    /// A list with the build settings and storyboards of the projects that build it.
    private func checked(_ list: LintedPlist, at path: String) -> LintedPlist {
        var list = list
        list.settings = model.settings[path] ?? []
        if list.contentExtension != nil { list.storyboards = storyboards(beside: path) }
        return list
    }

    /// The findings about reading the property lists of an app, the projects that build them, and the files of
    /// key-value pairs beside them.
    ///
    /// - Parameter lists: the absolute paths of the lists.
    /// - Returns: the findings.
    func findings(aboutReading lists: Set<String>) -> [Diagnostic] {
        let fileFindings = files.flatMap { file -> [Diagnostic] in
            switch file.content {
            case .xcodeProject(let project)?:
                return project.targets.contains { !$0.lists.isDisjoint(with: lists) } ? file.unread : []
            default: return lists.contains(file.path) ? file.unread : []
            }
        }
        let listFindings = unreadLists.filter { lists.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
        return fileFindings + extrasFaults(beside: lists) + listFindings
    }

    /// The names of the storyboards in the targets that a list belongs to; nil where they are not known.
    private func storyboards(beside list: String) -> Set<String>? {
        var names: Set<String>?
        for (_, project) in model.projects {
            for target in project.targets where target.lists.contains(list) {
                guard let sources = project.sources.targets[target.name], sources.gaps.isEmpty,
                    !sources.files.isEmpty || !sources.folders.isEmpty
                else { return nil }
                var found = sources.resources
                for folder in sources.folders.keys {
                    let root = paths.root(of: list)
                    guard (try? root.resolve(folder)) != nil else { return nil }
                    var walk = FolderWalk(isWanted: { $0.hasSuffix(".storyboard") }, entryLimit: 10_000)
                    guard let files = walk.files(under: folder), walk.gaps.isEmpty else { return nil }
                    found.formUnion(files.map(\.fileName))
                }
                names = (names ?? []).union(found)
            }
        }
        return names
    }

    /// The findings about merge conflicts in the code of the apps that the shown campaigns are checked against, and in
    /// the shown files of all apps.
    func conflictsInCode(_ campaigns: [LintedCampaign], isShown: (String) -> Bool) -> [Diagnostic] {
        let met = campaigns.filter { isShown($0.file.path) }.flatMap(\.apps).conflictsInCode
        let known = Set(met.compactMap { $0.place?.file.path })
        return met
            + apps.map(\.app).conflictsInCode.filter { finding in
                finding.place.map { isShown($0.file.path) && !known.contains($0.file.path) } ?? true
            }
    }

    /// The paths of the files whose findings are reported, as messages show them.
    var shownPaths: Set<String> {
        let shown = Set(files.filter(\.isShown).map { paths.shown($0.path) })
        // The code of apps is analysed if their folders are checked, not if single files are named.
        guard files.contains(where: { $0.isShown && !$0.isNamed }) else { return shown }
        // The files of an app's code are known only after the code was read.
        for app in apps { _ = app.app.codes }
        // The code of an Xcode project is in the folder that contains the project.
        let folders = shownFolders.map { folder in
            folder.hasSuffix(".xcodeproj") || folder.hasSuffix(".xcworkspace") ? paths.folder(of: folder) : folder
        }
        let made = model.projects.flatMap(\.project.targets).flatMap(\.madeLists.keys)
        return shown.union((codePaths + made).filter { folders.contains(where: $0.isPath) }.map { paths.shown($0) })
    }
}

extension ProjectFile {
    /// The property list, if the file is one.
    var list: LintedPlist? {
        if case .list(let plist)? = content { LintedPlist(plist, isNamed: isNamed) } else { nil }
    }
}
