// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
package import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension Diagnostic {
    /// The finding about campaigns outside of the folders that a configuration names.
    ///
    /// - Parameters:
    ///   - campaigns: the paths of the campaigns, as messages show them.
    ///   - place: the place of the configuration.
    /// - Returns: the finding; nil if `campaigns` is empty.
    package static func leftOut(_ campaigns: [String], at place: SourcePlace) -> Diagnostic? {
        guard !campaigns.isEmpty else { return nil }
        return Diagnostic(.unread("'campaigns' leaves out \(campaigns.quoted(atMost: 3))", severity: .info), at: place)
    }

    /// The finding about a file that is in a folder named `scenarios`, but is not read.
    ///
    /// - Parameters:
    ///   - path: the path of the file, as messages show it.
    ///   - reason: why the file is taken for a file of another program.
    /// - Returns: the finding.
    package static func notAScenarioFinding(_ path: String, _ reason: String) -> Diagnostic {
        Diagnostic(.unread(reason, severity: .info), at: SourcePlace(unread: path))
    }
}

extension Project {
    /// The findings about campaigns that a configuration leaves out: those outside of the folders that it names, or all
    /// of them.
    ///
    /// - Parameter excluded: the absolute paths of the excluded files.
    /// - Returns: the findings.
    func excludedCampaignFindings(_ excluded: some Collection<String>) -> [Diagnostic] {
        let excluded = excluded.filter(Campaign.isCampaign)
        return options.configurations.flatMap { excludedCampaignFindings($0, excluded) }
    }

    private func excludedCampaignFindings(
        _ configuration: ProjectConfiguration,
        _ excluded: [String]
    ) -> [Diagnostic] {
        let place = paths.place(of: configuration.folder + "/" + ProjectConfiguration.fileName)
        func isOwn(_ path: String) -> Bool { options.configuration(of: path)?.folder == configuration.folder }
        guard !files.contains(where: { $0.isCampaign && isOwn($0.path) }) else {
            let known = Set(files.map(\.path))
            let leftOut = leftOutCampaigns.filter { !known.contains($0) && isOwn($0) }
            return [.leftOut(leftOut.map(paths.displayPath), at: place)].compactMap(\.self)
        }
        guard !reportedFolders.isEmpty, let first = excluded.filter(isOwn).min() else { return [] }
        let message = "no campaign is checked: 'exclude' or 'campaigns' leaves out '\(paths.displayPath(first))'"
        return [Diagnostic(.nothingChecked, message, at: place)]
    }

    /// The campaigns in the order of their paths, each with its app where that is known.
    ///
    /// Campaigns whose findings are not reported are read only if a reported file, such as a property list, a file of
    /// fixtures or a content block, has to be compared with all campaigns.
    ///
    /// - Parameters:
    ///   - cache: the cache for the files that campaigns read.
    ///   - kept: campaigns that are not read again, by their absolute paths.
    /// - Returns: the campaigns that could be read.
    func campaigns(_ cache: FileCache, keeping kept: [String: KeptCampaign] = [:]) -> [KeptCampaign] {
        let readsAll = files.contains { $0.isReported && $0.mayConcernCampaigns }
        var campaigns = files.filter { readsAll || $0.isReported }.concurrentMap { file -> KeptCampaign? in
            guard case .campaign(let text)? = file.content else { return nil }
            if let known = kept[file.path] { return known }
            // Nothing is rendered, so the time has no effect.
            var renderOptions = RenderOptions(now: Time(seconds: 0))
            renderOptions.apply(options.configuration(of: file.path))
            let folder = folder(around: file.path, cache)
            let linted = LintedCampaign(
                text, folder: folder, isExplicitInput: file.isExplicitInput, options: renderOptions
            ) {
                campaign in
                match(campaign, atAbsolutePath: file.path)
            }
            return KeptCampaign(path: file.path, linted: linted, read: folder.read)
        }
        .compactMap { $0 }
        let sent = campaigns.compactMap(\.linted.sentCategory).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for index in campaigns.indices where campaigns[index].linted.sentCategories != sent {
            campaigns[index].linted.sentCategories = sent
            campaigns[index].findings = nil
        }
        return campaigns
    }

    /// The content blocks that no campaign reads; they are checked alone.
    ///
    /// - Parameter read: the absolute paths of the files that campaigns read.
    /// - Returns: the blocks in the order of their paths.
    func unreadBlocks(_ read: Set<String>) -> [LintedCampaign] {
        files.filter { $0.isReported && !read.contains($0.path) }.concurrentMap { file in
            guard case .template(let text)? = file.content else { return nil }
            let configuration = options.configuration(of: file.path)
            return LintedCampaign(
                block: text, keepsNewline: configuration?.keepsNewlineOfBlocks ?? false,
                registry: configuration?.workspace?.registry)
        }
        .compactMap { $0 }
    }

    /// The other files whose comments suppress findings: those of key-value pairs, and the code that was read.
    var documents: [SourceFile] {
        files.compactMap { file in
            if case .extras(let text)? = file.content { text } else { nil }
        } + codeFiles
    }

    /// The findings in the files of key-value pairs.
    var extrasFindings: [Diagnostic] {
        files.filter(\.isReported).flatMap { file -> [Diagnostic] in
            guard case .extras(let text)? = file.content else { return [] }
            let faults = App.extras(in: text).1
            return faults.isEmpty && !isBesideBundle(file.path) ? [unusedExtras(file.path)] : faults
        }
    }

    /// Whether the Info.plist of an app or an extension is in the folder of a file.
    private func isBesideBundle(_ path: String) -> Bool {
        let folder = paths.folder(of: path)
        return files.contains { file in
            guard let plist = file.list?.plist, paths.folder(of: file.path) == folder else { return false }
            return [.app, .appExtension].contains(plist.role) || plist.isUnknownBundle
        }
    }

    private func unusedExtras(_ path: String) -> Diagnostic {
        let message =
            "not compared with campaigns: no Info.plist of an app or an extension is in the folder of this file"
        return Diagnostic(.unreadFile, message, at: paths.place(of: path), severity: .info)
    }
}

extension Project {
    /// The findings about unused files: data files that the user named, and files that look like fixtures or a REST
    /// body.
    ///
    /// - Parameter cache: the files that campaigns read.
    /// - Returns: the findings.
    func unusedFindings(_ cache: FileCache) -> [Diagnostic] {
        let read = Set(cache.paths + options.configurations.flatMap(\.apps).flatMap(\.source.paths))
        return files.filter { !read.contains($0.path) }.compactMap { file in
            guard file.isExplicitInput && file.isData && file.unread.isEmpty || file.isReported && file.likeness != nil
            else {
                return nil
            }
            let place = paths.place(of: file.path)
            if file.likeness == .restBody {
                let reason = "it is a REST body that no campaign has under 'push', and campaigns are named"
                return .misnamedCampaign(place, reason)
            }
            let reason =
                file.likeness == .fixtures
                ? "it has the keys of fixtures, and no campaign of the project names it under 'fixtures'"
                : "no campaign and no app of the project names the file"
            return Diagnostic(.unread(reason, severity: .info), at: place)
        }
    }
}

extension ProjectFile {
    /// Whether campaigns are compared with the file.
    fileprivate var mayConcernCampaigns: Bool {
        switch content {
        case .list(let plist)?: plist.role != .other
        case .extras?, .xcodeProject?: true
        case .template?: true
        case .app?, .scenario?: false
        // The campaign may share its fixtures and content blocks with other campaigns.
        case .campaign(let text)?:
            ["fixtures", "content_blocks:"].contains { text.bytes[...].firstRange(ofBytes: $0.utf8) != nil }
        case nil: isExplicitInput || likeness != nil || reasonNotToRead != nil
        }
    }
}
