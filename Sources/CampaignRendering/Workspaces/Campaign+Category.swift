// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources

extension RuleID {
    package static let categoryNotGiven = RuleID(
        "category-not-given", .info, "a pulled campaign whose category is not known, as Braze's API does not give it"
    )
}

extension Campaign {
    /// Whether Braze may send a category that is not known here: its API gives none.
    package var isCategoryNotGiven: Bool { identity.isPulled && push.category == nil && push.request == nil }

    /// The categories whose extensions in an app the message may be for: its own, or the one that is certainly meant;
    /// where Braze's API gives none, those of the content extensions that its key-value pairs fit best.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - externalCategories: the categories that need no extension.
    /// - Returns: the categories; nil for none, and for one that rendering gives.
    package func categories(in app: App, besides externalCategories: [String] = []) -> [String?] {
        if let category = push.category {
            return category.holdsLiquid ? [nil] : [app.category(meantBy: category.text, besides: externalCategories)]
        }
        guard isCategoryNotGiven else { return [nil] }
        let categories = fittingExtensions(of: app).map { $0.categories.first?.value }
        return categories.isEmpty ? [nil] : categories
    }

    /// The content extensions that the key-value pairs fit best: those that read the most of the pairs.
    ///
    /// An extension fits if at least half of the pairs are sent that it needs; one that needs none, if it reads all that are
    /// sent.
    private func fittingExtensions(of app: App) -> [App.Extension] {
        let sent = Set(push.extras.filter { !$0.key.holdsLiquid }.map(\.key.text))
        let counts = app.contentExtensions.filter { !$0.categories.isEmpty }.map { candidate in
            let reads = (candidate.code?.reads ?? []).filter { $0.path.isEmpty && !$0.isSystem }
            let declared = candidate.extras ?? []
            let read = Set(declared.map(\.key) + reads.map(\.key))
            let needed = Set(
                declared.filter(\.isRequired).map(\.key)
                    + reads.filter { $0.requirement == .crash || $0.requirement == .return }.map(\.key))
            let fits =
                needed.isEmpty
                ? sent.isSubset(of: read) : 2 * needed.intersection(sent).count >= needed.count
            return (candidate, fits ? read.intersection(sent).count : 0)
        }
        let most = counts.map(\.1).max() ?? 0
        return most == 0 ? [] : counts.filter { $0.1 == most }.map(\.0)
    }

    /// The finding that the category is not known, with the extensions that the pairs fit best.
    package func categoryNotGiven(_ apps: [App], at place: SourcePlace?) -> Diagnostic {
        let fitting = apps.flatMap(fittingExtensions)
        let names = fitting.compactMap { $0.categories.first?.value }.quoted(atMost: 4)
        let hint = fitting.isEmpty ? "" : "; its key-value pairs fit \(names), and are checked against that"
        return Diagnostic(
            .categoryNotGiven,
            "Braze's API gives no category, so which extension shows the message is not checked\(hint); expected one under 'pull: match' in .payloadgen.yml, or 'category' in the file",
            at: place,
            related: fitting.compactMap { found in found.place.map { Diagnostic.Related("this extension", at: $0) } }
        )
    }

    /// Findings about a category that the configuration gives, each with the campaign as a related place: there it is found
    /// by who checks only this campaign.
    package func relating(_ findings: [Diagnostic]) -> [Diagnostic] {
        guard let category = push.category, category.file !== file else { return findings }
        return findings.map { finding in
            guard finding.place?.file === category.file else { return finding }
            var finding = finding
            finding.related.insert(Diagnostic.Related("for this campaign", at: SourcePlace(wholeFile: file)), at: 0)
            return finding
        }
    }
}
