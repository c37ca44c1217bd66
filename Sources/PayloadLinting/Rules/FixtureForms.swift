// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func form(_ path: String, _ expected: String) -> RuleMessage {
        "'\(path)' in the fixtures has the wrong form, expected \(expected)"
    }
    fileprivate static func noBody(_ url: String) -> RuleMessage {
        "the answer to \(url) has no body, so everything that is read of it is nil; expected 'body'"
    }
    fileprivate static func noCode(_ list: String) -> RuleMessage {
        "the list '\(list)' has no codes, so the message is aborted; expected at least one code"
    }
    fileprivate static func noMember(_ kind: String, _ name: String, near: String?) -> RuleMessage {
        "the fixtures have no \(kind) '\(name)'\(didYouMean(near))"
    }
}

extension Rule {
    static let fixtureForm = Rule(
        RuleID("fixture-form", .error, "fixtures of a form that templates cannot read"),
        source: .catalogs,
        rationale: """
            'catalogs' holds items by their ids, 'catalog_selections' lists of items by the names of selections, \
            'promotion_codes' lists of codes. An item, selection or translation that a template names and that is not \
            there is a warning, and so are a list without a code, a successful answer without a body, and {"$time": \
            TEXT} where TEXT is not a time.
            """,
        failing: [
            .fixtures(
                "{% catalog_items games g1 %}{{ items[0].name }}",
                "catalogs:\n  games: ⟦- {id: g1, name: Go}⟧\n".replacingList)
        ],
        passing: [
            .fixtures("{% catalog_items games g1 %}{{ items[0].name }}", "catalogs:\n  games: {g1: {name: Go}}\n")
        ],
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
        func add(_ path: String, _ expected: String, _ node: DocumentNode) {
            found.append(Finding(.form(path, expected), at: place(node)))
        }
        for (key, inner, isMember) in [
            ("catalogs", "items by their ids: 'ID: {…}'", \DocumentNode.isMapping),
            ("catalog_selections", "lists of items by the names of selections", \.isList),
        ] {
            for catalog in document.root.members(key) {
                guard let members = catalog.value.members else {
                    add("\(key).\(catalog.name)", inner, catalog.value)
                    continue
                }
                for member in members where !member.value[keyPath: isMember] {
                    let expected = key == "catalogs" ? "an object of fields" : "a list of items"
                    add("\(key).\(catalog.name).\(member.name)", expected, member.value)
                }
            }
        }
        for fixture in document.root.elements("connected_content") {
            guard let address = fixture.text("url"), fixture["body"] == nil, fixture["elapsed"] == nil,
                fixture.text("status") ?? "200" == "200"
            else { continue }
            found.append(Finding(.noBody(address), at: place(fixture), severity: .warning))
        }
        for list in document.root.members("promotion_codes") {
            if list.value.members != nil {
                add("promotion_codes.\(list.name)", "a list of codes", list.value)
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

    /// The findings about items, selections and translations that texts name and the fixtures lack.
    fileprivate var memberFindings: [Finding] {
        guard let root = campaign?.fixturesDocument?.root else { return [] }
        return fixtureRequests.filter(\.isReachable).flatMap { request -> [Finding] in
            let name = request.name.text
            var names = Array(zip(request.members, request.memberPlaces))
            let (kind, known): (String, [String]?)
            switch request.kind {
            case .catalog:
                (kind, known) = ("item of the catalog '\(name)'", root["catalogs"]?[name]?.members?.map(\.name))
            case .selection:
                kind = "selection of the catalog '\(name)'"
                known = root["catalog_selections"]?[name]?.members?.map(\.name)
            case .translation:
                let texts = root.members("translations").flatMap { $0.value.members?.map(\.name) ?? [$0.name] }
                (kind, known, names) = ("translation", texts.isEmpty ? nil : texts, [(request.name, request.place)])
            case .connectedContent, .promotion, .landingPage, .cart: return []
            }
            guard let known else { return [] }
            return names.filter { !$0.0.isMade && !known.contains($0.0.text) }.map { name, place in
                let near = nearestName(to: name.text, in: known)
                return Finding(.noMember(kind, name.text, near: near), at: place, severity: .warning)
            }
        }
    }
}

extension DocumentNode {
    fileprivate var isMapping: Bool { members != nil }
    fileprivate var isList: Bool { elements != nil }
}
