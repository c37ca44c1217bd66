// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unusedURL(_ url: String, near: String?) -> RuleMessage {
        """
        no text of the campaign requests the url \(url), so the fixture is \
        unused\(near.map { "; the nearest requested url is \($0)" } ?? "")
        """
    }
    fileprivate static func unused(_ kind: String, _ name: String) -> RuleMessage {
        "no text of the campaign requests the \(kind) '\(name)', so the fixture is unused"
    }
}

extension Rule {
    static let unusedFixture = Rule(
        RuleID("unused-fixture", .info, "a fixture that nothing requests"),
        source: .connectedContent,
        rationale: """
            It has no effect. Where a requested url without a fixture is similar, such as http instead of https, it is \
            a warning. A file of fixtures may be shared: all campaigns of the project that name it are compared with \
            it. Silent where Liquid computes a name that the fixture may have.
            """,
        failing: [
            .campaign(
                """
                fixtures: f.yml
                push: {title: '{% connected_content https://example.com/a :save r %}{{ r.a }}'}
                """,
                with: [.file("f.yml", "connected_content:\n  - url: ⟦http://example.com/a⟧\n    body: {a: 1}\n")]
            ),
            .fixtures(
                "{% catalog_items games g1 %}{{ items[0].name }}",
                "catalogs:\n  games: {g1: {name: Go}, ⟦g2⟧: {name: Chess}}\n  ⟦pets⟧: {}\n"),
        ],
        passing: [
            .campaign(
                """
                fixtures: f.yml
                push: {title: '{% connected_content https://example.com/{{${user_id}}} :save r %}{{ r.a }}'}
                """,
                with: [.file("f.yml", "connected_content:\n  - {url: 'https://example.com/*', body: {a: 1}}\n")]
            )
        ],
        .project { campaigns in
            // Without a campaign that cannot be read, it is not known what is used.
            guard campaigns.allSatisfy({ $0.campaign != nil }) else { return [] }
            let users = campaigns.filter { $0.campaign?.fixturesDocument != nil }
            return Dictionary(grouping: users) { $0.campaign?.fixturesDocument?.file.path ?? "" }
                .sorted { $0.key < $1.key }
                .flatMap { UnusedFixtures($0.value)?.findings ?? [] }
        }
    )
}

/// Finds the fixtures of one file for which none of its campaigns asks.
private struct UnusedFixtures {
    private let file: SourceFile
    private let root: DocumentNode
    private let requests: [FixtureRequest.Kind: [FixtureRequest]]
    private let blocks: Set<String>

    /// The most comparisons of a name with another one.
    private static let comparisonLimit = 1_000_000

    /// - Parameter campaigns: all campaigns that name the file.
    init?(_ campaigns: [LintedCampaign]) {
        guard campaigns.allSatisfy({ $0.templates.allSatisfy(\.isWhole) }),
            let document = campaigns.first?.campaign?.fixturesDocument
        else { return nil }
        (file, root) = document
        requests = Dictionary(grouping: campaigns.flatMap(\.fixtureRequests), by: \.kind)
        blocks = Set(campaigns.flatMap(\.templates).flatMap { $0.blockUses.map(\.name) })
    }

    var findings: [Finding] {
        let simple: [FixtureRequest.Kind] = [.promotion, .landingPage, .cart]
        return unusedAddresses + simple.flatMap(unusedNames) + unusedItems(.catalog, "item")
            + unusedItems(.selection, "selection") + unusedBlocks
    }

    private func finding(_ kind: String, _ member: DocumentMember) -> Finding {
        Finding(.unused(kind, member.name), at: SourcePlace(file, member.keyRange))
    }

    private func members(_ kind: FixtureRequest.Kind) -> [DocumentMember] { root.members(kind.rawValue) }

    /// The members that no request can be for, by their names.
    private func unmet(_ members: [DocumentMember], by names: [FixtureName]) -> [DocumentMember] {
        let exact = Set(names.filter { !$0.isMade }.map { Array($0.text.utf8) })
        let made = Dictionary(names.filter(\.isMade).map { ($0.text, $0) }, uniquingKeysWith: { first, _ in first })
        if made["*"] != nil || made.count * members.count > Self.comparisonLimit { return [] }
        return members.filter { member in
            !exact.contains(Array(member.name.utf8)) && !made.values.contains { $0.mayBe(member.name) }
        }
    }

    private func unusedNames(_ kind: FixtureRequest.Kind) -> [Finding] {
        unmet(members(kind), by: (requests[kind] ?? []).map(\.name)).map { finding(kind.name, $0) }
    }

    /// The catalogs that nothing asks for, and the unused items or selections of the other catalogs.
    private func unusedItems(_ kind: FixtureRequest.Kind, _ word: String) -> [Finding] {
        let all = requests[kind] ?? []
        let unused = unmet(members(kind), by: all.map(\.name))
        let names = Set(unused.map(\.name))
        return unused.map { finding(kind.name, $0) }
            + members(kind).filter { !names.contains($0.name) }.flatMap { catalog in
                let asked = all.filter { $0.name.mayBe(catalog.name) }.flatMap(\.members)
                return unmet(catalog.value.members ?? [], by: asked).map { finding(word, $0) }
            }
    }

    private var unusedBlocks: [Finding] {
        root.members("content_blocks").filter { !blocks.contains($0.name) }.map { finding("content block", $0) }
    }

    // MARK: - Connected content

    private var unusedAddresses: [Finding] {
        let all = requests[.connectedContent] ?? []
        let responses = root.elements("connected_content").filter { $0["url"] != nil }
        guard responses.count * all.count <= Self.comparisonLimit else { return [] }
        let urls = responses.compactMap { $0.text("url") }
        let patterns = urls.map { URLPattern($0) }
        let missing = all.filter { request in
            !request.name.isMade && !patterns.contains { $0.matches(request.name.text) }
        }
        var comparisonsLeft = 20_000
        return responses.compactMap { response in
            guard let node = response["url"], let url = node.scalar?.text,
                !all.contains(where: { Self.answers(url, response.text("method"), $0) })
            else { return nil }
            comparisonsLeft -= missing.count
            let near =
                comparisonsLeft > 0 && !url.contains("*")
                ? missing.prefix(100).first { nearestName(to: $0.name.text, in: [url]) != nil } : nil
            return Finding(
                .unusedURL(url, near: near?.name.text),
                at: SourcePlace(file, node.range),
                severity: near == nil ? nil : .warning,
                related: near.map { [Diagnostic.Related("requested here", at: $0.place)] } ?? []
            )
        }
    }

    /// Whether a fixture may answer a request.
    private static func answers(_ url: String, _ method: String?, _ request: FixtureRequest) -> Bool {
        if let method, let asked = request.method, method.uppercased() != asked { return false }
        return request.name.mayBe(url) || URLPattern(url).matches(request.name.text)
    }
}
