// SPDX-License-Identifier: MIT

package import AppBundles
package import AppDeclarations
package import DiagnosticSources
import POSIXFiles
import PayloadKit
package import PlistDocuments

/// The input of rules about property lists.
package struct LintedPlist: Sendable {
    /// The property list with what it declares.
    package let plist: BundlePlist

    /// Whether the user named this file, rather than a folder that contains it.
    package let isExplicitInput: Bool

    /// The build settings for the list in each configuration; empty if they are not known.
    package var settings: [BuildSettings] = []

    /// The names of the storyboards in the target that builds the bundle; nil if they are not known.
    package var storyboards: Set<String>?

    /// The code of the extension that the list declares; nil if it declares none, or if the code is not known.
    package var code: TargetCode?

    /// The categories that campaigns send or code registers.
    var usedCategories: Set<String> = []

    /// Prepares a property list.
    package init(_ plist: BundlePlist, isExplicitInput: Bool) {
        self.plist = plist
        self.isExplicitInput = isExplicitInput
    }

    /// The document with the nodes of the list.
    package var document: PlistDocument { plist.document }

    /// The findings of reading the list.
    ///
    /// Findings about the format of a list that declares nothing of an app are left out, unless the user named the file
    /// or the list is broken.
    package var findings: [Diagnostic] {
        guard plist.role == .other, !isExplicitInput, !document.isBroken else { return document.diagnostics }
        return document.diagnostics.filter { $0.rule != .plistFormat }
    }

    /// The `NSExtension` dictionary, if the list is meant to declare a content extension.
    ///
    /// It is nil for a service extension, whatever keys the extension has.
    package var contentExtension: PlistNode? {
        plist.isContentExtension && plist.pointIdentifier?.string != BundleKey.servicePoint
            ? plist.extensionDictionary : nil
    }

    /// Whether all values were read.
    ///
    /// If not, a value may only seem to be missing because of a syntax error.
    package var isComplete: Bool { !document.isBroken }

    /// The place of findings about something missing in `NSExtensionAttributes`.
    var attributesPlace: SourcePlace? {
        let node = plist.extensionDictionary.flatMap { document[$0, BundleKey.attributes] } ?? plist.extensionDictionary
        return node.map { place(ofKeyOf: $0) }
    }

    /// Whether a text holds a build setting whose value is not known.
    func isUnresolved(_ text: String) -> Bool {
        guard App.holdsBuildSetting(text) else { return false }
        return settings.isEmpty || settings.contains { App.holdsBuildSetting($0.expand(text)) }
    }

    /// A reference in a text to a build setting that becomes empty because a target assigns it in no configuration.
    package func unsetReference(in text: String) -> String? {
        guard App.holdsBuildSetting(text) else { return nil }
        for target in targets {
            let found = target.settings.map { $0.unsetReference(in: text) }
            if !found.contains(nil), let reference = found.first { return reference }
        }
        return nil
    }

    /// Whether a text with build settings becomes empty in every configuration of at least one target.
    func becomesNothing(_ text: String) -> Bool { !targetsLeavingNothing(of: text).isEmpty }

    /// The names of the targets in which a text with build settings becomes empty in every configuration.
    func targetsLeavingNothing(of text: String) -> [String] {
        guard App.holdsBuildSetting(text) else { return [] }
        return targets.filter { target in target.settings.allSatisfy { $0.expand(text).isEmpty } }.map(\.name)
    }

    /// The targets that use the list, with their settings in each configuration.
    package var targets: [(name: String, settings: [BuildSettings])] {
        if settings.count == 1 { return [(name: "", settings: settings)] }
        return Dictionary(grouping: settings) { $0.value(of: "TARGET_NAME") ?? "" }
            .map { (name: $0.key, settings: $0.value) }.sorted { $0.name < $1.name }
    }

    /// Whether only targets for other systems than iOS use the list.
    var isForOtherSystems: Bool {
        !settings.isEmpty && settings.allSatisfy { settings in Platform(settings).map { $0 != .iOS } ?? false }
    }

    /// Whether the build adds the keys that every bundle needs.
    var isCompletedByBuild: Bool {
        !settings.isEmpty && settings.allSatisfy(\.generatesInfoPlist)
    }

    package func place(of node: PlistNode) -> SourcePlace { document.place(node.writtenRange) }

    package func place(ofKeyOf node: PlistNode) -> SourcePlace {
        document.place(node.key?.writtenRange ?? node.writtenRange)
    }
}

extension Project {
    /// The lists whose findings are reported.
    ///
    /// Data of tests is left out, unless the user named it or its folder. A property list is such data if it is in a
    /// folder of tests, declares neither an app nor an extension, and is built by no target.
    var reportedLists: [LintedPlist] {
        let namedEnclosures = Set(inputs.compactMap { model.enclosure(of: $0 + "/") })
        return files.compactMap { file in
            guard file.isReported, let list = file.list else { return nil }
            if list.plist.role == .other, !file.isExplicitInput, model.settings[file.path] == nil,
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

    /// The names of the storyboards in the targets that a list belongs to; nil if they are not known.
    private func storyboards(beside list: String) -> Set<String>? {
        var names: Set<String>?
        for (_, project) in model.projects {
            for target in project.targets where target.lists.contains(list) {
                guard let sources = project.sources.targets[target.name], sources.gaps.isEmpty,
                    !sources.files.isEmpty || !sources.folders.isEmpty
                else { return nil }
                // A storyboard that the project names may have been deleted.
                let root = paths.root(of: list)
                let there = sources.storyboards.filter { overlay.item(at: $0) != nil || !$0.isPath(in: root.path) }
                let deleted = Set(sources.storyboards.subtracting(there).map(\.fileName))
                var found = sources.resources.subtracting(deleted.subtracting(there.map(\.fileName)))
                for folder in sources.folders.keys {
                    guard (try? root.resolve(folder)) != nil else { return nil }
                    var walk = FolderWalk(isWanted: { $0.hasSuffix(".storyboard") }, entryLimit: 10_000)
                    guard let files = walk.files(under: folder), walk.unreadItems.isEmpty else { return nil }
                    found.formUnion(files.map(\.fileName))
                }
                names = (names ?? []).union(found)
            }
        }
        return names
    }

    /// The findings about merge conflicts in the code of the apps that reported campaigns are checked against, and in
    /// the reported files of all apps.
    func conflictsInCode(_ campaigns: [LintedCampaign], isReported: (String) -> Bool) -> [Diagnostic] {
        let met = campaigns.filter { isReported($0.file.path) }.flatMap(\.apps).conflictsInCode
        let known = Set(met.compactMap { $0.place?.file.path })
        return met
            + apps.map(\.app).conflictsInCode.filter { finding in
                finding.place.map { isReported($0.file.path) && !known.contains($0.file.path) } ?? true
            }
    }

    /// The files that cause a finding to be reported if one of its related places is in them.
    var requestedPaths: RequestedPaths {
        var named = Set(files.filter(\.isExplicitInput).map { paths.displayPath($0.path) })
        let folders = isWhole ? [] : reportedFolders
        // If the property list of a bundle is requested, so is the code of the bundle.
        let bundles = apps.map(\.app).flatMap { app in
            [(app.place, app.bundleCode)] + app.extensions.map { ($0.place, $0.bundleCode) }
        }
        let given = RequestedPaths(files: named, folders: folders, paths: paths)
        for (place, code) in bundles {
            guard let path = place?.file.path, given.contains(path), let code = code.value?.value else { continue }
            named.formUnion(code.reads.map(\.place.file.path))
        }
        return RequestedPaths(files: named, folders: folders, paths: paths)
    }

    /// The paths of the files whose findings are reported, as messages show them.
    var reportedPaths: Set<String> {
        let shown = Set(files.filter(\.isReported).map { paths.displayPath($0.path) })
        // The code of apps is analysed if their folders are checked, not if single files are named.
        guard files.contains(where: { $0.isReported && !$0.isExplicitInput }) else { return shown }
        // The files of an app's code are known only after the code was read.
        for app in apps { _ = app.app.codes }
        // The code of an Xcode project is in the folder that contains the project.
        let folders = reportedFolders.map { folder in
            folder.hasSuffix(".xcodeproj") || folder.hasSuffix(".xcworkspace") ? paths.folder(of: folder) : folder
        }
        let made = model.projects.flatMap(\.project.targets).flatMap(\.madeLists.keys)
        return shown.union(
            (codePaths + made).filter { folders.contains(where: $0.isPath) }.map { paths.displayPath($0) })
    }
}

/// The files that the user named, with the code of the bundles among them, and the named folders; no folders if the
/// user named the whole project.
struct RequestedPaths {
    fileprivate let files: Set<String>
    fileprivate let folders: [String]
    fileprivate let paths: ProjectPaths

    /// Whether a file is one of ``files``, or code in one of ``folders``.
    func contains(_ path: String) -> Bool {
        if files.contains(path) { return true }
        guard !folders.isEmpty, CodeComments.suffixes.contains(where: path.hasSuffix) else { return false }
        let absolute = paths.absolute(path)
        return folders.contains { absolute.isPath(in: $0) }
    }
}

extension ProjectFile {
    /// The property list, if the file is one.
    var list: LintedPlist? {
        if case .list(let plist)? = content { LintedPlist(plist, isExplicitInput: isExplicitInput) } else { nil }
    }
}
