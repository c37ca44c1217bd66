// SPDX-License-Identifier: MIT

public import AppBundles
public import DiagnosticSources
import LiquidTemplates
import SwiftSources

extension CampaignRenderer {
    /// Checks what is the same for every user: names of filters, APNs' rules, the key-value pairs, and the category.
    ///
    /// - Parameter app: the app that the campaign is sent to; nil to check no category, and the pairs only against the
    ///   campaign's own `requires`.
    /// - Returns: the findings with the severities that the options give them, those of the campaign's file first.
    public func staticFindings(app: App? = nil) -> [Diagnostic] {
        staticFindings(apps: app.map { [$0] } ?? [])
    }

    /// The findings of ``staticFindings(app:)`` for a campaign that several apps may show.
    package func staticFindings(apps: [App]) -> [Diagnostic] {
        options.rules.apply(to: message.warnings + checkFindings(apps: apps))
    }

    /// The findings of ``staticFindings(apps:)`` with the severities of their rules, without those about filters.
    package func checkFindings(apps: [App]) -> [Diagnostic] {
        let campaign = campaign.requiring(apps)
        var findings = campaign.findings + contractFindings(campaign)
        let category = campaign.push.category
        for app in apps {
            if !campaign.isCategoryNotGiven, category?.holdsLiquid != true {
                findings += campaign.relating(app.check(use(of: category?.text)))
            }
            if let image = message.imageURL, image.template == nil, !app.hasServiceExtension {
                findings.append(.withoutService(app, at: image.source.place))
            }
            findings += missingReads(app: app)
            findings += app.undeclaredNeeds(of: campaign.push) { $0.holdsLiquid ? nil : $0.text }
        }
        if campaign.isCategoryNotGiven, !message.isBackground {
            findings.append(campaign.categoryNotGiven(apps, at: message.categoryPlace))
        }
        return findings
    }

    /// The findings about pairs that the campaign does not send and that code of an app needs.
    ///
    /// Where Liquid gives the category, or a key that may be a missing one, each message is checked when it is
    /// rendered, and one finding of info says so.
    ///
    /// - Parameter app: the app that the campaign is sent to.
    /// - Returns: the findings with the severities of their rules.
    private func missingReads(app: App) -> [Diagnostic] {
        let push = campaign.push
        let sent = Set(push.extras.filter { !$0.key.holdsLiquid }.map(\.key.text))
        let needed = campaign.requiring(app)
        func missing(_ category: String?) -> [App.MissingRead] {
            app.missingReads(needed, category: category, sent: sent, runsService: push.runsService)
        }
        let rendered = push.category.flatMap { $0.holdsLiquid ? $0 : nil }
        var findings: [Diagnostic] = []
        var maybeSent: [App.MissingRead] = []
        // Of code for some categories, nothing is known before the category is.
        let missingForAll = campaign.categories(in: app).flatMap(missing).filter {
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

    /// What the campaign requires of an app with a category.
    func use(of category: String?) -> CategoryUse {
        let requirements = campaign.requirements
        return CategoryUse(
            category,
            at: message.categoryPlace,
            userInteraction: requirements?.userInteraction,
            needsCategory: requirements?.isStated == true || !campaign.push.buttons.isEmpty,
            externalCategories: options.externalCategories,
            isShown: !message.isBackground
        )
    }

    /// Checks the pairs that a campaign requires, as far as they hold no Liquid.
    ///
    /// - Parameter campaign: the renderer's campaign, with the requirements of an app added.
    /// - Returns: the findings.
    private func contractFindings(_ campaign: Campaign) -> [Diagnostic] {
        let sent = Dictionary(
            message.extras.compactMap { extra in extra.name.map { (Array($0.text.utf8), extra) } },
            uniquingKeysWith: { first, _ in first }
        )
        return (campaign.requirements?.extras ?? []).compactMap { requirement in
            let name = Payload.Field.extrasPrefix + requirement.key
            guard let extra = sent[Array(name.utf8)] else {
                guard requirement.isRequired, campaign.push.renderedKey(thatMayBe: requirement.key) == nil else {
                    return nil
                }
                let place = campaign.place(ofMissing: requirement)
                return .contract(ExtrasContract.missing(requirement), requirement, at: place)
            }
            let isJSON = extra.value.isJSON
            guard let text = extra.text?.counted, text.template == nil else {
                // The value is checked after rendering; whether it is sent as JSON is known now.
                guard isJSON != (requirement.type == .json) else { return nil }
                let fault = ExtrasContract.wrongForm(requirement, isJSON: isJSON)
                return .contract(fault, requirement, at: extra.value.place)
            }
            var value = text.source.text
            let contract = ExtrasContract(requirement)
            let fault = value.withUTF8 { contract.fault($0, isJSON: isJSON, key: requirement.key) }
            return fault.map { .contract($0, requirement, at: extra.value.place) }
        }
    }
}

extension PushMessage {
    /// The first key with Liquid that may be a missing one, or another that is enough instead, after rendering.
    fileprivate func renderedKey(thatMayBe missing: App.MissingRead) -> TemplateText? {
        let read = missing.read
        return ([read.key] + read.alternatives).lazy.compactMap { renderedKey(thatMayBe: $0) }.first
    }

    /// The first key with Liquid that may be a key after rendering, given the text around its Liquid.
    fileprivate func renderedKey(thatMayBe key: String) -> TemplateText? {
        extras.map(\.key).first { $0.holdsLiquid && $0.mayRender(as: key) }
    }
}

extension TemplateText {
    /// The text before the first Liquid; all of it where there is none.
    var textBeforeLiquid: Substring {
        let bytes = Array(text.utf8)[...]
        let offset = ["{{", "{%", "${"].compactMap { bytes.firstRange(ofBytes: $0.utf8)?.lowerBound }.min()
        return text[..<text.utf8.index(text.startIndex, offsetBy: offset ?? bytes.count)]
    }

    /// Whether a result is possible, given the text before the first and after the last Liquid without spaces around
    /// it.
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
                ? "the push has an image and no extension of \(app.name) that could be read is a service extension to fetch it"
                : "the push has an image and \(app.name) has no service extension to fetch it") + addition,
            at: place,
            severity: app.mayHaveMore ? .warning : nil,
            related: app.place.map { [Diagnostic.Related("the app", at: $0)] } ?? []
        )
    }
}
