// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func form(_ path: String, _ expected: String) -> RuleMessage {
        "'\(path)' in the fixtures has the wrong form, expected \(expected)"
    }
    fileprivate static func sameRequest(_ url: String) -> RuleMessage {
        "an earlier fixture answers \(url) as well, so this one is never used"
    }
    fileprivate static func noLanguage(_ name: String, _ objection: String) -> RuleMessage {
        "no user has the language '\(name)': \(objection)"
    }
    fileprivate static func noBody(_ url: String) -> RuleMessage {
        "the answer to \(url) has no body, so everything that is read of it is nil; expected 'body'"
    }
    fileprivate static func noCode(_ list: String) -> RuleMessage {
        "the list '\(list)' has no codes, so the message is aborted"
    }
    fileprivate static func noItem(_ catalog: String, _ id: String, near: String?) -> RuleMessage {
        "the catalog '\(catalog)' of the fixtures has no item '\(id)', so 'items' does not contain it\(didYouMean(near))"
    }
    fileprivate static func noSelection(_ catalog: String, _ name: String, near: String?) -> RuleMessage {
        "the catalog '\(catalog)' of the fixtures has no selection '\(name)'\(didYouMean(near))"
    }
    fileprivate static func noTranslation(_ id: String, near: String?, known: [String]) -> RuleMessage {
        let hint = didYouMean(near, else: "; they have \(known.quoted(atMost: 5))")
        return "the fixtures have no translation '\(id)'\(hint)"
    }
}

extension Rule {
    static let fixtureForm = Rule(
        RuleDescription(
            RuleID("fixture-form", .error, "fixtures of a form that templates cannot read"),
            name: "Form of fixtures",
            source: .catalogs,
            rationale: """
                'catalogs' holds items by their ids, 'catalog_selections' lists of items by the names of selections, \
                'promotion_codes' lists of codes. An item, selection or translation that a template names and that is not there is \
                a warning, and so are a list without a code, a successful answer without a body, and {"$time": TEXT} where TEXT is \
                not a time.
                """,
            failing: [
                .campaign(
                    "fixtures: f.yml\npush: {title: '{% catalog_items games g1 %}{{ items[0].name }}'}",
                    with: [RuleExample.File("f.yml", "catalogs:\n  games: ⟦- {id: g1, name: Go}⟧\n".replacingList)]
                )
            ],
            passing: [
                .campaign(
                    "fixtures: f.yml\npush: {title: '{% catalog_items games g1 %}{{ items[0].name }}'}",
                    with: [RuleExample.File("f.yml", "catalogs:\n  games: {g1: {name: Go}}\n")]
                )
            ]
        ),
        .campaign { campaign in campaign.formFindings + campaign.timeFindings + campaign.memberFindings }
    )
}

extension String {
    /// The example with its list written on one line.
    fileprivate var replacingList: String {
        parts(between: "- {id: g1, name: Go}").joined(separator: "[{id: g1, name: Go}]")
    }
}

extension LintedCampaign {
    fileprivate var formFindings: [Finding] {
        guard let document = campaign?.fixturesDocument else { return [] }
        func place(_ node: DocumentNode) -> SourcePlace { SourcePlace(document.file, node.range) }
        var found: [Finding] = []
        for catalog in document.root["catalogs"]?.members ?? [] {
            guard let items = catalog.value.members else {
                found.append(
                    Finding(
                        .form("catalogs.\(catalog.name)", "items by their ids: 'ID: {…}'"), at: place(catalog.value)))
                continue
            }
            for item in items where item.value.members == nil {
                let path = "catalogs.\(catalog.name).\(item.name)"
                found.append(Finding(.form(path, "an object of fields"), at: place(item.value)))
            }
        }
        for catalog in document.root["catalog_selections"]?.members ?? [] {
            guard let selections = catalog.value.members else {
                let path = "catalog_selections.\(catalog.name)"
                found.append(
                    Finding(.form(path, "lists of items by the names of selections"), at: place(catalog.value)))
                continue
            }
            for selection in selections where selection.value.elements == nil {
                let path = "catalog_selections.\(catalog.name).\(selection.name)"
                found.append(Finding(.form(path, "a list of items"), at: place(selection.value)))
            }
        }
        var answered: [String: SourcePlace] = [:]
        for fixture in document.root["connected_content"]?.elements ?? [] {
            guard let url = fixture["url"], let address = url.scalar?.text else { continue }
            if fixture["body"] == nil, fixture["elapsed"] == nil, fixture["status"]?.scalar?.text ?? "200" == "200" {
                found.append(Finding(.noBody(address), at: place(fixture), severity: .warning))
            }
            let key = "\(fixture["method"]?.scalar?.text.uppercased() ?? "") \(address)"
            guard let first = answered[key] else {
                answered[key] = place(url)
                continue
            }
            found.append(
                Finding(
                    .sameRequest(address), at: place(url), severity: .warning,
                    related: [Diagnostic.Related("the earlier fixture", at: first)]))
        }
        for language in document.root["translations"]?.members ?? [] where language.value.members != nil {
            guard let objection = AttributeSpelling.language.objection(to: language.name) else { continue }
            found.append(
                Finding(
                    .noLanguage(language.name, objection), at: SourcePlace(document.file, language.keyRange),
                    severity: .warning))
        }
        for list in document.root["promotion_codes"]?.members ?? [] {
            if list.value.members != nil {
                found.append(Finding(.form("promotion_codes.\(list.name)", "a list of codes"), at: place(list.value)))
            } else if list.value.elements?.isEmpty ?? false || list.value.scalar?.text.isEmpty ?? false {
                found.append(Finding(.noCode(list.name), at: place(list.value), severity: .warning))
            }
        }
        return found
    }

    /// The findings about values `{"$time": …}` that are read as objects, not as times.
    fileprivate var timeFindings: [Finding] {
        guard let (file, root) = campaign?.fixturesDocument else { return [] }
        return root.writtenTimes(in: file).map { finding in
            var finding = finding
            finding.severity = .warning
            return finding
        }
    }

    /// The findings about names in templates that are missing in the fixtures.
    fileprivate var memberFindings: [Finding] {
        guard let root = campaign?.fixturesDocument?.root else { return [] }
        return templates.flatMap { text in
            text.analysis.tags.filter(\.isReachable).flatMap { tag -> [Finding] in
                let words = text.words(of: tag).filter {
                    !$0.text.contains("{") && !$0.text.contains("$") && !$0.text.hasPrefix(":")
                }
                switch tag.name {
                case "catalog_items":
                    guard let catalog = words.first, let items = root["catalogs"]?[catalog.text]?.members else {
                        return []
                    }
                    let known = items.map(\.name)
                    return words.dropFirst().filter { !known.contains($0.text) }.map { word in
                        let message = RuleMessage.noItem(
                            catalog.text, word.text, near: nearestName(to: word.text, in: known))
                        return Finding(message, at: text.place(of: word.range), severity: .warning)
                    }
                case "catalog_selection_items":
                    guard words.count == 2, let selections = root["catalog_selections"]?[words[0].text]?.members else {
                        return []
                    }
                    let known = selections.map(\.name)
                    guard !known.contains(words[1].text) else { return [] }
                    let near = nearestName(to: words[1].text, in: known)
                    let message = RuleMessage.noSelection(words[0].text, words[1].text, near: near)
                    return [Finding(message, at: text.place(of: words[1].range), severity: .warning)]
                case "translation":
                    guard let id = words.first, let translations = root["translations"]?.members else { return [] }
                    let known = translations.flatMap { $0.value.members?.map(\.name) ?? [$0.name] }
                    guard !known.isEmpty, !known.contains(id.text) else { return [] }
                    let near = nearestName(to: id.text, in: known)
                    let message = RuleMessage.noTranslation(id.text, near: near, known: known)
                    return [Finding(message, at: text.place(of: id.range), severity: .warning)]
                default: return []
                }
            }
        }
    }
}
