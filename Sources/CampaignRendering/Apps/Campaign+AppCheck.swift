// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources

/// Checks of a campaign against apps, as far as they are possible before a message is rendered. Each finding has the
/// default severity of its rule.
extension Campaign {
    /// The findings about how the campaign fits apps: about its category, its image, its key-value pairs, and what else
    /// it needs.
    ///
    /// - Parameters:
    ///   - apps: the apps that the campaign may be for, whose requirements it already has.
    ///   - candidates: all apps of the project if there are several and none claims the category; nil if they are the
    ///     same as `apps`.
    ///   - externalCategories: the categories that need no extension.
    ///   - sentCategories: how many campaigns of the project are known to send each category.
    ///   - isWhole: whether the whole campaign was read, so that a missing part is really missing.
    /// - Returns: the findings.
    package func matchFindings(
        _ apps: [App],
        of candidates: [App]? = nil,
        besides externalCategories: [String],
        sent sentCategories: [String: Int] = [:],
        isWhole: Bool = true
    ) -> [Diagnostic] {
        var findings = imageFindings(apps) + needFindings(apps)
        if isWhole || push.category != nil {
            findings += categoryFindings(apps, of: candidates, besides: externalCategories, sent: sentCategories)
        }
        guard isWhole else { return findings }
        return findings + categoryNotGivenFindings(apps)
            + apps.flatMap { missingPairFindings($0, besides: externalCategories) }
    }

    /// The findings about the category; if none of several apps claims it, a single finding for all apps of the
    /// project.
    private func categoryFindings(
        _ apps: [App],
        of candidates: [App]?,
        besides externalCategories: [String],
        sent sentCategories: [String: Int]
    ) -> [Diagnostic] {
        guard !isCategoryNotGiven, push.category?.holdsLiquid != true else { return [] }
        var use = use(of: push.category?.text, besides: externalCategories)
        use.sentCategories = sentCategories
        guard let candidates, candidates.count > apps.count else { return relating(apps.flatMap { $0.check(use) }) }
        return relating([App.unclaimedFinding(use, by: candidates)])
    }

    /// The finding that the category is not known, because Braze's API does not return it.
    private func categoryNotGivenFindings(_ apps: [App]) -> [Diagnostic] {
        guard isCategoryNotGiven, !push.isBackground else { return [] }
        return [categoryNotGiven(apps, at: push.category?.place ?? SourcePlace(wholeFile: file))]
    }

    /// The findings about an image that no extension of an app fetches.
    private func imageFindings(_ apps: [App]) -> [Diagnostic] {
        guard let image = push.image?.url, !image.holdsLiquid else { return [] }
        return apps.filter { !$0.hasServiceExtension }.map { .withoutService($0, at: image.place) }
    }

    /// The findings about what the message needs from apps besides extensions.
    private func needFindings(_ apps: [App]) -> [Diagnostic] {
        apps.flatMap { app in app.undeclaredNeeds(of: push) { $0.holdsLiquid ? nil : $0.text } }
    }

    /// The findings about pairs that code of an app needs but that the campaign does not send.
    ///
    /// If the category has Liquid, or if a key with Liquid may turn out to be a missing one, each message is checked
    /// when it is rendered; one finding of severity info for each of the two cases says so.
    ///
    /// - Parameters:
    ///   - app: the app that the campaign is sent to.
    ///   - externalCategories: the categories that need no extension.
    /// - Returns: the findings.
    private func missingPairFindings(_ app: App, besides externalCategories: [String]) -> [Diagnostic] {
        let sent = Set(push.extras.filter { !$0.key.holdsLiquid }.map(\.key.text))
        func missing(_ category: String?) -> [App.MissingRead] {
            app.missingReads(self, category: category, sent: sent, runsService: push.runsService)
        }
        let rendered = push.category.flatMap { $0.holdsLiquid ? $0 : nil }
        var findings: [Diagnostic] = []
        var maybeSent: [App.MissingRead] = []
        // Reads that concern only some categories cannot be checked before the category is known.
        let missingForAll = categories(in: app, besides: externalCategories).flatMap(missing).filter {
            rendered == nil || $0.read.condition.categories == .all
        }
        for read in missingForAll {
            if push.renderedKey(thatMayBe: read) == nil {
                findings.append(read.finding)
            } else if read.finding.severity > .info {
                maybeSent.append(read)
            }
        }
        if let first = maybeSent.first, let key = push.renderedKey(thatMayBe: first) {
            findings.append(.undecided(maybeSent, "sent", "a key has Liquid", at: key.place))
        }
        guard let rendered else { return findings }
        var known = Set(missingForAll.map(\.read.key))
        let missingForSome = app.contentExtensions.flatMap(\.categories).flatMap { missing($0.value) }.filter {
            $0.finding.severity > .info && known.insert($0.read.key).inserted
        }
        if !missingForSome.isEmpty {
            findings.append(.undecided(missingForSome, "needed", "the category has Liquid", at: rendered.place))
        }
        return findings
    }

    /// What the campaign requires of an app if it has this category.
    package func use(of category: String?, besides externalCategories: [String]) -> CategoryUse {
        CategoryUse(
            category,
            at: push.category?.place ?? SourcePlace(wholeFile: file),
            userInteraction: requirements?.userInteraction,
            needsCategory: requirements?.isStated == true || !push.buttons.isEmpty,
            hasButtons: !push.buttons.isEmpty,
            externalCategories: externalCategories,
            isVisiblePush: !push.isBackground
        )
    }
}

extension PushMessage {
    /// The first key with Liquid that may render as the missing key, or as a key that code accepts instead.
    fileprivate func renderedKey(thatMayBe missing: App.MissingRead) -> TemplateText? {
        let read = missing.read
        return ([read.key] + read.alternatives).lazy.compactMap { renderedKey(thatMayBe: $0) }.first
    }

    /// The first key with Liquid that may render as this key, judging by the text around the Liquid.
    func renderedKey(thatMayBe key: String) -> TemplateText? {
        extras.map(\.key).first { $0.holdsLiquid && $0.mayRender(as: key) }
    }
}

extension TemplateText {
    /// The text before the first Liquid; the whole text if it has no Liquid.
    var textBeforeLiquid: Substring {
        let bytes = Array(text.utf8)[...]
        let offset = ["{{", "{%", "${"].compactMap { bytes.firstRange(ofBytes: $0.utf8)?.lowerBound }.min()
        return text[..<text.utf8.index(text.startIndex, offsetBy: offset ?? bytes.count)]
    }

    /// Whether the text may render as `result`, judging by the text before the first Liquid and after the last, without
    /// surrounding spaces.
    fileprivate func mayRender(as result: String) -> Bool {
        let end = text.lastIndex(of: "}").map(text.index(after:)) ?? text.endIndex
        let prefix = textBeforeLiquid.trimmed
        return result.hasPrefix(prefix) && result.dropFirst(prefix.count).hasSuffix(text[end...].trimmed)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}

extension Diagnostic {
    /// The finding that only a rendered message can be checked for some keys.
    fileprivate static func undecided(
        _ reads: [App.MissingRead],
        _ what: String,
        _ reason: String,
        at place: SourcePlace
    ) -> Diagnostic {
        let names = reads.map(\.read.key).quoted(atMost: 3)
        return Diagnostic(
            .extrasContract,
            "whether \(names) \(reads.count == 1 ? "is" : "are") \(what) is known only after rendering, as \(reason)",
            at: place,
            severity: .info,
            related: reads.prefix(3).flatMap(\.finding.related)
        )
    }

    static func withoutService(_ app: App, at place: SourcePlace) -> Diagnostic {
        let other = app.unembedded.first { $0.declared.kind == .service }
        let addition = other.map { "; the extension '\($0.target)' is not embedded" } ?? ""
        return Diagnostic(
            .richPushWithoutService,
            (app.mayHaveMore
                ? "the push has an image, and among the extensions of \(app.name) that could be read is no service extension to fetch it"
                : "the push has an image, and \(app.name) has no service extension to fetch it") + addition,
            at: place,
            severity: app.mayHaveMore ? .warning : nil,
            related: app.place.map { [Diagnostic.Related("the app", at: $0)] } ?? []
        )
    }
}

extension RuleID {
    package static let categoryNotGiven = RuleID(
        "category-not-given", .info, "a pulled campaign whose category is not known, as Braze's API does not give it"
    )
}

extension Campaign {
    /// Whether the message may have a category that is not known, because Braze's API does not return categories.
    package var isCategoryNotGiven: Bool { identity.isPulled && push.category == nil && push.request == nil }

    /// The categories with which the message is checked against an app: its own, or the one that it certainly means; if
    /// Braze's API does not return it, a category of each content extension that the key-value pairs fit best.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - externalCategories: the categories that need no extension.
    /// - Returns: the categories; a single nil if the message has none, no extension fits, or the category has Liquid.
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
    /// An extension fits if at least half of the pairs that it needs are sent. An extension that needs none fits if it
    /// reads all pairs that are sent.
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
        let hint =
            fitting.isEmpty
            ? "" : "; its key-value pairs are checked against the extension of \(names), which fits them best"
        return Diagnostic(
            .categoryNotGiven,
            "Braze's API gives no category, so which extension shows the message is not checked\(hint); expected a category under 'pull: match' in .payloadgen.yml, or 'category' in the file",
            at: place,
            related: fitting.compactMap { found in found.place.map { Diagnostic.Related("this extension", at: $0) } }
        )
    }

    /// Adds the campaign as a related place to the findings about a category that the configuration sets, so that
    /// people who check only this campaign find them there.
    func relating(_ findings: [Diagnostic]) -> [Diagnostic] {
        guard let category = push.category, category.file !== file else { return findings }
        return findings.map { finding in
            guard finding.place?.file === category.file else { return finding }
            var finding = finding
            finding.related.insert(Diagnostic.Related("for this campaign", at: SourcePlace(wholeFile: file)), at: 0)
            return finding
        }
    }
}
