// SPDX-License-Identifier: MIT

package import AppBundles
package import AppDeclarations
package import DiagnosticSources
import PlistDocuments

/// The apps that a campaign is checked against.
package struct AppMatch: Sendable {
    /// The apps: the only app; or, of several, those that claim the campaign's category; or else the one app that
    /// claims the category that is certainly meant.
    package var apps: [App] = []

    /// All apps of the project if there are several and none claims the category; otherwise the same as ``apps``.
    package private(set) var candidates: [App] = []

    /// The findings that say why there is no app, with the default severities of the rules.
    package var findings: [Diagnostic] = []

    /// If no app was found, a manifest that may declare one but is not read.
    private var unread: UnreadManifest?

    /// Why only a part of the files was searched for an app, such as "in 'a', which …"; nil if all files were searched.
    private var searchedPart: String?

    /// The named app that cannot be read; nil if there is none.
    private var unusable: String?

    /// A match with no app and nothing to report.
    package static let none = AppMatch()

    /// Requires that the property lists and the code of the apps could be read.
    ///
    /// A list that could not be read may claim the category too, perhaps as the second one.
    ///
    /// - Parameter levels: the severities of the rules.
    /// - Returns: the findings about unread lists and code that, with these severities, are not errors.
    /// - Throws: `InputError` with the findings that are errors with these severities, if there are any.
    package func requireReadApps(_ levels: RuleLevels) throws(InputError) -> [Diagnostic] {
        let found = levels.apply(to: apps.flatMap(\.unread) + apps.conflictsInCode)
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else { throw InputError(.invalid, errors) }
        return found
    }

    /// The notes that a campaign is not checked against an app.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - count: the number of campaigns that the note is about; this one is the first of them.
    /// - Returns: the notes.
    package func note(on campaign: Campaign, count: Int = 1) -> [Diagnostic] {
        guard candidates.isEmpty, findings.isEmpty else { return [] }
        let place = campaign.push.category?.place ?? SourcePlace(wholeFile: campaign.file)
        let others = count > 1 ? ", as \(count - 1) more \(count > 2 ? "are" : "is") not" : ""
        let reason = (searchedPart.map { " " + $0 } ?? "") + (unread.map { ", and \($0.explanation)" } ?? "")
        let cause = unusable.map { "'\($0)' cannot be used" } ?? "none was found\(reason)"
        let message = "the campaign is not checked against an app\(others): \(cause)"
        let isKnownReason = unread == nil && unusable == nil
        return [Diagnostic(.campaignWithoutApp, message, at: place, severity: isKnownReason ? .info : .warning)]
    }

    /// Creates a match in a project without an app.
    ///
    /// - Parameters:
    ///   - unread: a manifest that may declare an app but is not read; nil if there is none.
    ///   - searchedPart: why only a part of the files was searched for an app; nil if all files were searched.
    package init(unread: UnreadManifest?, searchedPart: String? = nil) {
        self.unread = unread
        self.searchedPart = searchedPart
    }

    /// Creates a match for a named app that cannot be read.
    package init(unusable app: String) { unusable = app }

    package init(_ apps: [App] = [], of candidates: [App]? = nil, findings: [Diagnostic] = []) {
        self.apps = apps
        self.candidates = candidates ?? apps
        self.findings = findings
    }
}

extension Campaign {
    /// Chooses the apps that the campaign is checked against.
    ///
    /// The result is the app that the campaign names; otherwise the only app of the same enclosure; otherwise those apps
    /// that claim the category. If no app claims it, the result is the app that claims the category that is certainly
    /// meant. The finding about the category then lists the claims of all apps.
    ///
    /// - Parameters:
    ///   - found: the apps of the project.
    ///   - orphans: the property lists of extensions that belong to none of the apps.
    ///   - enclosure: the enclosure of the campaign; see ``AppModel/enclosure(of:)``.
    ///   - externalCategories: the categories that need no extension of the app.
    /// - Returns: the apps, or the findings that say why there are none.
    package func match(
        among found: [FoundApp],
        orphans: [AppModel.Orphan] = [],
        enclosure: String? = nil,
        externalCategories: [String] = []
    ) -> AppMatch {
        var candidates = found.filter { $0.exclusion == nil && $0.enclosure == enclosure }
        if let name = app {
            let named = found.filter { $0.app.isCalled(name.value) }
            if named.isEmpty { return unknown(name, among: found) }
            let exact = named.filter { $0.app.name.utf8.elementsEqual(name.value.utf8) }
            let fitting = named.filter { $0.exclusion == nil && $0.enclosure == enclosure }
            candidates = exact.isEmpty ? (fitting.isEmpty ? named : fitting) : exact
        }
        if candidates.count == 1 { return AppMatch([candidates[0].app]) }
        if candidates.isEmpty { return withoutApp(found, orphans, enclosure) }
        let apps = candidates.map(\.app)
        let names = "the project has " + apps.map(\.name).quoted(atMost: 8) + "; name one with 'app:'"
        guard let category = push.category, !category.text.isEmpty else {
            return unmatched("it has no category, and \(names)")
        }
        if category.holdsLiquid { return unmatched("its category holds Liquid, and \(names)") }
        let claiming = apps.filter { !$0.contentExtensions(claiming: category.text).isEmpty }
        if !claiming.isEmpty { return AppMatch(claiming) }
        let use = use(of: category.text, besides: externalCategories)
        if use.needsNoExtension { return unmatched("its category needs no extension, and \(names)") }
        let registering = apps.filter { $0.registration(for: use) != nil }
        if !registering.isEmpty { return AppMatch(registering) }
        let meant = apps.filter { $0.category(meantBy: category.text, besides: externalCategories) != category.text }
        return AppMatch(meant.count == 1 ? meant : [], of: apps)
    }

    private func unknown(_ name: Placed<String>, among found: [FoundApp]) -> AppMatch {
        guard !found.isEmpty else { return unmatched("it names the app '\(name.value)', and the project has no app") }
        let names = found.map(\.app.name)
        let near = nearestName(to: name.value, in: names)
        let hint = didYouMean(near, else: ", the project has \(names.quoted(atMost: 8))")
        return AppMatch(findings: [Diagnostic(.campaignSyntax, "no app '\(name.value)'\(hint)", at: name.place)])
    }

    private func withoutApp(_ found: [FoundApp], _ orphans: [AppModel.Orphan], _ enclosure: String?) -> AppMatch {
        if let excluded = found.first(where: { $0.exclusion != nil && $0.enclosure == enclosure }) {
            return unmatched("'\(excluded.app.name)' is not considered: \(excluded.exclusion ?? "")")
        }
        if !found.isEmpty {
            let names = found.map(\.app.name).quoted(atMost: 8)
            return unmatched(
                enclosure == nil
                    ? "the only apps of the project are in folders of tests or builds: \(names)"
                    : "it is in a folder of tests or builds, and the app \(names) is not",
                severity: .info
            )
        }
        guard let orphan = orphans.first else { return .none }
        let document = orphan.list.document
        let related = document.root.map { Diagnostic.Related("the extension", at: document.place($0.openingRange)) }
        return unmatched("no app was found that contains the extensions of the project", related.map { [$0] } ?? [])
    }

    private func unmatched(
        _ reason: String,
        _ related: [Diagnostic.Related] = [],
        severity: Severity? = nil
    ) -> AppMatch {
        let place = app?.place ?? push.category?.place ?? SourcePlace(wholeFile: file)
        let message = "the campaign is not checked against an app: \(reason)"
        let finding = Diagnostic(.campaignWithoutApp, message, at: place, severity: severity, related: related)
        return AppMatch(findings: [finding])
    }
}
