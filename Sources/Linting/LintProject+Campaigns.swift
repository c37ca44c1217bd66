// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
import PayloadKit
import SourceText

extension LintProject {
    /// The campaigns in the order of their paths, each with its app where that is known.
    ///
    /// Campaigns that are not reported are read only if a list must be compared with all campaigns.
    ///
    /// - Parameter cache: the cache for the files that campaigns read.
    /// - Returns: the campaigns that could be read.
    func campaigns(_ cache: FileCache) -> [LintedCampaign] {
        // Nothing is rendered, so the time has no effect.
        var renderOptions = RenderOptions(now: Time(seconds: 0))
        if let budget = options.configuration?.budget { renderOptions.budget = budget }
        renderOptions.externalCategories = options.configuration?.externalCategories ?? []
        let readsAll = files.contains { $0.isShown && $0.list?.contentExtension != nil }
        return files.filter { readsAll || $0.isShown }.concurrentMap { [renderOptions] file in
            guard case .campaign(let text)? = file.content else { return nil }
            let folder = ProjectFolder(
                around: file.path,
                paths: paths,
                cache: cache,
                overlay: overlay,
                keepsNewlineOfBlocks: options.configuration?.keepsNewlineOfBlocks ?? false
            )
            return LintedCampaign(text, folder: folder, isNamed: file.isNamed, options: renderOptions) { campaign in
                app(for: campaign, at: file.path)
            }
        }
        .compactMap { $0 }
    }

    /// The app for which a campaign is sent: the one that it names, else the only one of the project; nil where there
    /// are several.
    private func app(for campaign: Campaign, at path: String) -> App? {
        if let given = options.givenApp ?? (options.app == nil ? nil : apps.first?.app) { return given }
        if let name = campaign.app?.value { return only(apps.filter { $0.app.isCalled(name) }) }
        let world = world(of: path)
        return only(apps.filter { $0.world == world })
    }

    private func only(_ apps: [ProjectApp]) -> App? { apps.count == 1 ? apps[0].app : nil }

    /// The findings about campaigns that name an app which is not in the configuration.
    func unknownApps(in campaigns: [LintedCampaign]) -> [Diagnostic] {
        guard let configuration = options.configuration, !configuration.apps.isEmpty else { return [] }
        guard options.app == nil, options.givenApp == nil else { return [] }
        return campaigns.compactMap(\.campaign?.app).filter { configuration.app(named: $0.value) == nil }
            .map(configuration.unknownApp)
    }

    /// The findings in the files of key-value pairs.
    var extrasFindings: [Diagnostic] {
        files.filter(\.isShown).flatMap { file -> [Diagnostic] in
            guard case .extras(let text)? = file.content else { return [] }
            return App.extras(in: text).1
        }
    }

    /// Notes about the run, which are not findings.
    func notes(on campaigns: [LintedCampaign]) -> [String] {
        let apart = campaigns.filter { $0.campaign != nil && $0.app == nil }
        guard !apps.isEmpty, let first = apart.first?.campaign else { return [] }
        let number = apart.count == 1 ? "1 campaign is" : "\(apart.count) campaigns are"
        let names = apps.prefix(8).map { "'\($0.app.name)'" }.joined(separator: ", ") + (apps.count > 8 ? ", …" : "")
        return [
            "\(number) checked against no app, such as '\(first.file.path)': 'app:' names none of \(names)"
        ]
    }
}
