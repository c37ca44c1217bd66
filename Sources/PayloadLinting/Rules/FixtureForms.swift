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
        "the answer to \(url) has no body, so everything that is read from it is missing; expected 'body'"
    }
    fileprivate static func noCode(_ list: String) -> RuleMessage {
        "the list '\(list)' has no codes, so the message is aborted; expected at least one code"
    }
    fileprivate static func noMember(_ kind: String, _ name: String, near: String?) -> RuleMessage {
        "the fixtures have no \(kind) '\(name)'\(didYouMean(near))"
    }
    fileprivate static func memberOfList(_ path: String, _ key: String) -> RuleMessage {
        let expected =
            ["count", "length", "len"].contains(key) ? "'.size'" : "an element, such as '[0].\(key)', or a loop"
        return """
            '\(path)' is empty, because the value is a list in the fixtures, which has no '\(key)'; expected \(expected)
            """
    }
    fileprivate static func envelope(_ path: String, _ name: String, _ expected: String) -> RuleMessage {
        "no response of the fixtures has '\(path)': '\(name)' is the body of the response itself; expected '\(expected)'"
    }
    fileprivate static func unknownField(_ name: String, _ owner: String, near: String) -> RuleMessage {
        "no \(owner) of the fixtures has a field '\(name)', so it is empty; did you mean '\(near)'?"
    }
}

extension Rule {
    static let fixtureForm = Rule(
        RuleID("fixture-form", .error, "fixtures of a form that templates cannot read"),
        source: .catalogs,
        rationale: """
            'catalogs' holds items by their ids, 'catalog_selections' lists of items under the names of their \
            selections, and 'promotion_codes' lists of codes. These faults are warnings: an item, selection or \
            translation that a template names and the fixtures lack, a list without a code, a successful answer \
            without a body, and {"$time": TEXT} where TEXT is not a time.
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

    static let fixtureField = Rule(
        RuleID("fixture-field", .warning, "a field that a text reads and that the fixtures spell differently"),
        source: .catalogs,
        rationale: """
            The text reads nothing, so nothing is printed. A response is the object that the server sends, without a \
            wrapper around it: write 'r.left' for 'r.body.left'. Otherwise the text or the fixture misspells the \
            field. The rule compares the members of 'items', of what ':save' names, and of their parts with the fields \
            of all items and responses in the fixtures. It is silent for a field that is similar to none of them, \
            because a real response may have more fields than its fixture.
            """,
        failing: [
            .fixtures("{% catalog_items games g1 %}{{ items[0]⟦.tilte⟧ }}", "catalogs:\n  games: {g1: {title: Go}}\n"),
            .fixtures(
                "{% connected_content https://example.com/a :save r %}{{ r⟦.body⟧.left }}",
                "connected_content:\n  - {url: 'https://example.com/a', body: {left: 1}}\n"),
            .fixtures(
                "{% connected_content https://example.com/a :save r %}{{ r⟦.lefft⟧ }}",
                "connected_content:\n  - {url: 'https://example.com/a', body: {left: 1}}\n"),
        ],
        passing: [
            .fixtures(
                "{% catalog_items games g1 %}{{ items[0].title }}{{ items.size }}",
                "catalogs:\n  games: {g1: {title: Go}}\n")
        ],
        .campaign { campaign in
            guard let fixtures = campaign.campaign?.fixturesDocument?.root else { return [] }
            var suggestions = Suggestions()
            return campaign.templates.flatMap { $0.unknownFieldFindings(fixtures, &suggestions) }
        }
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
            ("catalog_selections", "lists of items under the names of their selections", \.isList),
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
        return root.writtenTimeFindings(in: file).map { finding in
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

extension LintedText {
    /// The names under which the text saves responses.
    private var savedNames: Set<String> {
        Set(uses(of: "connected_content").map { savedName(of: $0) ?? "connected" })
    }

    /// The members of catalog items that the text reads and that are not among the given fields, with their places.
    func membersOfItems(fields: [String]) -> [(key: String, place: SourcePlace)] {
        guard hasCatalogItems else { return [] }
        return parts.lookups.compactMap { lookup in
            let steps = lookup.steps
            guard case .name("items") = lookup.root, steps.count > 1, case .key(let key) = steps[1].kind,
                key != "size", !fields.contains(key)
            else { return nil }
            switch steps[0].kind {
            case .index, .key("first"), .key("last"): return (key, place(of: lookup.range(of: key, steps[1])))
            default: return nil
            }
        }
    }

    fileprivate func unknownFieldFindings(_ fixtures: DocumentNode, _ suggestions: inout Suggestions) -> [Finding] {
        let saved = savedNames
        let values = FixtureValues(self, saved, fixtures)
        // A member that is compared with a number from 100 to 599 is probably meant as the status of the response.
        let compared = Set(
            comparisons.filter { compared in
                guard case .integer(let number)? = compared.right.literal else { return false }
                return (100..<600).contains(number)
            }.map { Int($0.left.range.start) }
        )
        return parts.lookups.compactMap { lookup in
            guard case .name(let name) = lookup.root, let stop = values.stop(of: lookup) else { return nil }
            let steps = lookup.steps
            let path = lookup.text
            let place = place(of: lookup.range(of: stop.key, steps[stop.index]))
            if saved.contains(name), stop.index == 0 {
                if ["status", "status_code", "code"].contains(stop.key), compared.contains(Int(lookup.range.start)) {
                    return Finding(.envelope("\(name).\(stop.key)", name, "\(name).__http_status_code__"), at: place)
                }
                if ["body", "response", "json", "result"].contains(stop.key), steps.count > 1,
                    case .key(let inner) = steps[1].kind, stop.known.contains(inner)
                {
                    return Finding(.envelope("\(name).\(stop.key)", name, "\(name).\(inner)"), at: place)
                }
            }
            if stop.isList { return Finding(.memberOfList(path, stop.key), at: place) }
            guard let near = suggestions.nearest(to: stop.key, in: stop.known) else { return nil }
            return Finding(.unknownField(stop.key, name == "items" ? "item" : "response", near: near), at: place)
        }
    }
}

/// The values in the fixtures that the variables of a template stand for: responses, items and parts of them.
private struct FixtureValues {
    /// The step of a lookup for which the fixtures have no value.
    struct Stop {
        let index: Int
        let key: String

        /// Whether the step reads a named member of a list; lists have no named members.
        let isList: Bool

        /// The members that the objects in the fixtures have instead.
        let known: [String]
    }

    private var values: [String: [DocumentNode]] = [:]

    init(_ text: LintedText, _ saved: Set<String>, _ fixtures: DocumentNode) {
        let bodies = fixtures.elements("connected_content").compactMap { $0["body"] }
        let items =
            fixtures.members("catalogs").flatMap { $0.value.members ?? [] }.map(\.value)
            + fixtures.members("catalog_selections").flatMap { $0.value.members ?? [] }.flatMap {
                $0.value.elements ?? []
            }
        for name in saved where !bodies.isEmpty { values[name] = bodies }
        if text.fetchesItems, !items.isEmpty { values["items"] = items }
        var bound = saved
        var ambiguous: Set<String> = []
        for tag in text.parts.tags {
            var name: String?
            var nodes: [DocumentNode]?
            if let (target, markup) = tag.assignment {
                name = target.text
                if markup.filters.isEmpty, let lookup = markup.expression?.lookup { nodes = end(of: lookup) }
            } else if let element = tag.boundName?.text {
                name = element
                if tag.name.text == "for", let lookup = tag.expressions.first?.lookup,
                    let lists = end(of: lookup), lists.allSatisfy({ $0.elements != nil })
                {
                    nodes = lists.flatMap { $0.elements ?? [] }
                }
            }
            guard let name else { continue }
            if !bound.insert(name).inserted {
                ambiguous.insert(name)
            } else if let nodes, !nodes.isEmpty {
                values[name] = nodes
            }
        }
        for name in ambiguous { values[name] = nil }
    }

    /// The first step of a lookup that the fixtures do not have; nil if they have all steps or if the values are not
    /// known.
    func stop(of lookup: LookupSyntax) -> Stop? { walk(lookup).stop }

    private func end(of lookup: LookupSyntax) -> [DocumentNode]? { walk(lookup).nodes }

    private func walk(_ lookup: LookupSyntax) -> (nodes: [DocumentNode]?, stop: Stop?) {
        guard case .name(let name) = lookup.root, var nodes = values[name], !nodes.isEmpty else {
            return (nil, nil)
        }
        for (index, step) in lookup.steps.enumerated() {
            // The tag chooses the items in the list, so an index selects no particular item of the fixtures.
            if index == 0, name == "items" {
                switch step.kind {
                case .index, .key("first"), .key("last"): continue
                default: return (nil, nil)
                }
            }
            let isLists = nodes.allSatisfy { $0.elements != nil }
            let isObjects = nodes.allSatisfy { $0.members != nil }
            switch step.kind {
            case .key("first") where isLists, .key("last") where isLists, .index where isLists:
                nodes = nodes.flatMap { $0.elements ?? [] }
            case .key(let key):
                if key == "size" || key == "__http_status_code__" { return (nil, nil) }
                if isLists { return (nil, Stop(index: index, key: key, isList: true, known: [])) }
                guard isObjects else { return (nil, nil) }
                // Each response has a status, in addition to the members of its body.
                let known = Set(
                    nodes.flatMap { $0.members ?? [] }.map(\.name) + (index == 0 ? ["__http_status_code__"] : []))
                nodes = nodes.compactMap { $0[key] }
                if nodes.isEmpty { return (nil, Stop(index: index, key: key, isList: false, known: known.sorted())) }
            case .index, .attribute: return (nil, nil)
            }
            if nodes.isEmpty { return (nil, nil) }
        }
        return (nodes, nil)
    }
}
