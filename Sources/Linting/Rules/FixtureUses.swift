// SPDX-License-Identifier: MIT

import BrazeLiquid
import Documents
import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func unknownList(_ name: String, near: String?, known: [String]) -> RuleMessage {
        "the fixtures have no list '\(name)' of promotion codes, and Braze sends no message without a code\(hint(near, known))"
    }
    fileprivate static func unknownMember(_ kind: String, _ name: String, near: String?, known: [String]) -> RuleMessage
    {
        "the fixtures have no \(kind) '\(name)'\(hint(near, known))"
    }
    fileprivate static func noURL(_ url: String, near: String?) -> RuleMessage {
        """
        no fixture answers \(url), so that tests and 'render' fail there\(near.map { "; the nearest url is \($0)" } ?? "")
        """
    }
    fileprivate static func unusedURL(_ url: String, near: String?) -> RuleMessage {
        """
        no text of the campaign requests the url \(url), so that the fixture is \
        unused\(near.map { "; the nearest requested url is \($0)" } ?? "")
        """
    }
    fileprivate static func quotedURL(_ url: String) -> RuleMessage {
        "the quotes become part of the url; expected it without quotes: \(url)"
    }
    private static func hint(_ near: String?, _ known: [String]) -> String {
        near.map { ", did you mean '\($0)'?" }
            ?? (known.isEmpty ? "" : "; they have " + known.prefix(5).map { "'\($0)'" }.joined(separator: ", "))
    }
}

extension Rule {
    /// The rules about content that templates fetch, and about the fixtures for it.
    static let fixtureUses: [Rule] = [unknownFixture, unusedFixture, quotedAddress]

    private static let unknownFixture = Rule(
        RuleDescription(
            RuleID("unknown-fixture", .warning, "something that a template fetches and the fixtures do not have"),
            name: "Unknown fixture",
            rationale: """
                Nothing is fetched from a network: what connected content, catalogs, promotion codes, carts and \
                landing pages return comes from the fixtures. A missing list of promotion codes is an error, as \
                Braze does not send the message. Silent for names and addresses that Liquid computes, and in a \
                campaign without fixtures.
                """,
            failing: [
                .campaign(
                    "fixtures: f.yml\npush: {title: \"{% promotion(⟦'sprin'⟧) %}\"}",
                    with: [RuleExample.File("f.yml", "promotion_codes:\n  spring: [A1]\n")]
                ),
                .campaign(
                    "fixtures: f.yml\npush: {title: '{% catalog_items ⟦game⟧ g1 %}{{ items[0].name }}'}",
                    with: [RuleExample.File("f.yml", "catalogs:\n  games: {g1: {name: Go}}\n")]
                ),
            ],
            passing: [
                .campaign(
                    "fixtures: f.yml\npush: {title: \"{% promotion('spring') %}\"}",
                    with: [RuleExample.File("f.yml", "promotion_codes:\n  spring: [A1]\n")]
                )
            ]
        ),
        .campaign { campaign in
            guard let fixtures = KnownFixtures(campaign) else { return [] }
            var suggestions = Suggestions()
            return campaign.fetches.compactMap { fixtures.finding(about: $0, &suggestions) }
        }
    )

    private static let unusedFixture = Rule(
        RuleDescription(
            RuleID("unused-fixture", .warning, "a fixture of connected content that nothing requests"),
            name: "Unused fixture",
            rationale: """
                Its url differs from the one that the template requests, such as http instead of https, so that it \
                is never used. Reported only where a fixed url of the campaign has no fixture: a file of fixtures \
                may be shared.
                """,
            failing: [
                .campaign(
                    """
                    fixtures: f.yml
                    push: {title: '{% connected_content https://example.com/a :save r %}{{ r.a }}'}
                    """,
                    with: [
                        RuleExample.File(
                            "f.yml", "connected_content:\n  - url: ⟦http://example.com/a⟧\n    body: {a: 1}\n")
                    ]
                )
            ],
            passing: [
                .campaign(
                    """
                    fixtures: f.yml
                    push: {title: '{% connected_content https://example.com/a :save r %}{{ r.a }}'}
                    """,
                    with: [
                        RuleExample.File(
                            "f.yml", "connected_content:\n  - {url: 'https://example.com/a', body: {a: 1}}\n")
                    ]
                )
            ]
        ),
        .campaign { campaign in
            guard campaign.templates.allSatisfy(\.isWhole), let document = campaign.campaign?.fixturesDocument,
                let fixtures = KnownFixtures(campaign)
            else { return [] }
            var asked: Set<String> = []
            let distinct = campaign.fetches.filter {
                $0.kind == .connectedContent && asked.insert($0.name).inserted
            }
            // The number of names that are compared with each URL is limited.
            let missing = distinct.filter { !fixtures.have($0) }.prefix(100)
            guard !missing.isEmpty else { return [] }
            var comparisonsLeft = 20_000
            return campaign.fixtureURLs.compactMap { node in
                guard let url = node.scalar?.text, !url.contains("*"), !asked.contains(url), comparisonsLeft > 0 else {
                    return nil
                }
                comparisonsLeft -= missing.count
                let near = missing.first { nearestName(to: $0.name, in: [url]) != nil }
                guard let near else { return nil }
                return Finding(
                    .unusedURL(url, near: near.name),
                    at: SourcePlace(document.file, node.range),
                    related: [Diagnostic.Related("requested here", at: near.place)]
                )
            }
        }
    )

    private static let quotedAddress = Rule(
        RuleDescription(
            RuleID("quoted-url", .warning, "quotes around the address of connected content"),
            name: "Quoted address",
            rationale:
                "The markup of connected_content is text, in which quotes mean nothing: they are sent as part of the address.",
            failing: [
                .campaign("push: {title: \"{% connected_content ⟦'https://example.com/a'⟧ :save r %}{{ r.a }}\"}")
            ],
            passing: [.campaign("push: {title: '{% connected_content https://example.com/a :save r %}{{ r.a }}'}")]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                text.analysis.tags.filter { $0.name == "connected_content" }.compactMap { tag in
                    guard let word = text.words(of: tag).first, let quote = word.text.first,
                        quote == "'" || quote == "\""
                    else {
                        return nil
                    }
                    let url = word.text.trimmingQuotes
                    return Finding(.quotedURL(url), at: text.place(of: word.range))
                }
            }
        }
    )
}

extension String {
    /// The text without quotes at its start and end.
    fileprivate var trimmingQuotes: String {
        var text = Substring(self)
        while let first = text.first, first == "'" || first == "\"" { text.removeFirst() }
        while let last = text.last, last == "'" || last == "\"" { text.removeLast() }
        return String(text)
    }
}

/// Content that a template fetches by a known name.
struct Fetch {
    enum Kind: String, CaseIterable {
        case connectedContent = "connected_content"
        case promotion = "promotion_codes"
        case catalog = "catalogs"
        case selection = "catalog_selections"
        case landingPage = "landing_pages"
        case cart = "shopping_carts"

        /// The kind, for messages.
        var name: String {
            switch self {
            case .connectedContent: "address"
            case .promotion: "list of promotion codes"
            case .catalog, .selection: "catalog"
            case .landingPage: "landing page"
            case .cart: "shopping cart"
            }
        }
    }

    var kind: Kind
    var name: String
    var place: SourcePlace
}

extension LintedText {
    /// A word in the markup of a tag.
    struct Word {
        var text: String
        var range: SourceRange
    }

    /// The words of a tag of Braze after its name; an output counts as a part of a word.
    func words(of tag: TagUse) -> [Word] {
        let covered = coveredBytes
        guard !covered.isEmpty else { return [] }
        var end = Int(tag.range.end)
        while end > Int(tag.nameRange.end),
            covered[end - 1] == UInt8(ascii: "}") || covered[end - 1] == UInt8(ascii: "%")
        { end -= 1 }
        if end > Int(tag.nameRange.end), covered[end - 1] == UInt8(ascii: "-") { end -= 1 }
        return covered[Int(tag.nameRange.end)..<end].split(whereSeparator: { $0 <= 0x20 }).map { word in
            let range = word.startIndex..<word.endIndex
            return Word(text: String(decoding: bytes[range], as: UTF8.self), range: SourceRange(range))
        }
    }

    /// The content that the text fetches by known names.
    fileprivate var fetches: [Fetch] {
        analysis.tags.filter(\.isReachable).compactMap { tag in
            let kind: Fetch.Kind
            switch tag.name {
            case "connected_content": kind = .connectedContent
            case "promotion": kind = .promotion
            case "catalog_items": kind = .catalog
            case "catalog_selection_items": kind = .selection
            case "landing_page_url": kind = .landingPage
            case "shopping_cart": kind = .cart
            default: return nil
            }
            guard var word = words(of: tag).first, !word.text.isEmpty else { return nil }
            if kind == .promotion {
                let open = word.text.prefix { $0 == "(" }.utf8.count
                let close = word.text.reversed().prefix { $0 == ")" }.count
                word.text = String(word.text.dropFirst(open).dropLast(close))
                word.range = SourceRange(Int(word.range.start) + open, Int(word.range.end) - close)
                word.text = word.text.trimmingQuotes
            }
            guard !word.text.contains("{{"), !word.text.contains("${"), !word.text.contains("'"),
                !word.text.contains("\"")
            else { return nil }
            return Fetch(kind: kind, name: word.text, place: place(of: word.range))
        }
    }
}

extension LintedCampaign {
    /// The content that all texts and blocks fetch by known names.
    var fetches: [Fetch] { templates.flatMap(\.fetches) }

    /// The URLs of the fixtures for connected content.
    var fixtureURLs: [DocumentNode] {
        (campaign?.fixturesDocument?.root["connected_content"]?.elements ?? []).compactMap { $0["url"] }
    }
}

/// The names of all fixtures of one kind.
private struct FixtureNames {
    /// The names, in the order of the file.
    let all: [String]

    /// The names as bytes, as names are compared byte by byte.
    private let exact: Set<[UInt8]>
    private let patterns: [URLPattern]

    init(_ names: [String]) {
        all = names
        exact = Set(names.map { Array($0.utf8) })
        patterns = []
    }

    init(urls: [String]) {
        all = urls
        exact = Set(urls.map { Array($0.utf8) })
        patterns = urls.map { URLPattern($0) }.filter(\.isPattern)
    }

    /// Whether a name is one of these, or a URL that matches one of these.
    func have(_ name: String) -> Bool {
        exact.contains(Array(name.utf8)) || patterns.contains { $0.matches(name) }
    }
}

/// The names of all fixtures of a campaign.
private struct KnownFixtures {
    private let names: [Fetch.Kind: FixtureNames]

    /// Reads the fixtures; nil where the campaign has none.
    init?(_ campaign: LintedCampaign) {
        guard let root = campaign.campaign?.fixturesDocument?.root else { return nil }
        var names: [Fetch.Kind: FixtureNames] = [:]
        for kind in Fetch.Kind.allCases where kind != .connectedContent {
            names[kind] = FixtureNames(root[kind.rawValue]?.members?.map(\.name) ?? [])
        }
        names[.connectedContent] = FixtureNames(urls: campaign.fixtureURLs.compactMap(\.scalar?.text))
        self.names = names
    }

    /// Whether there is a fixture for a fetch.
    func have(_ fetch: Fetch) -> Bool { names[fetch.kind]?.have(fetch.name) ?? false }

    /// The finding about a fetch without a fixture; nil where there is one.
    func finding(about fetch: Fetch, _ suggestions: inout Suggestions) -> Finding? {
        guard !have(fetch) else { return nil }
        let known = names[fetch.kind]?.all ?? []
        let near = suggestions.nearest(to: fetch.name, in: known)
        switch fetch.kind {
        case .connectedContent:
            return Finding(.noURL(fetch.name, near: near), at: fetch.place)
        case .promotion:
            return Finding(.unknownList(fetch.name, near: near, known: known), at: fetch.place, severity: .error)
        case .catalog, .selection, .landingPage, .cart:
            return Finding(.unknownMember(fetch.kind.name, fetch.name, near: near, known: known), at: fetch.place)
        }
    }
}
