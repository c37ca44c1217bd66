// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unknownList(_ name: String, near: String?, known: [String]) -> RuleMessage {
        "the fixtures have no list '\(name)' of promotion codes, and without a code there is no message\(hint(near, known))"
    }
    fileprivate static func unknownMember(_ kind: String, _ name: String, near: String?, known: [String]) -> RuleMessage
    {
        "the fixtures have no \(kind) '\(name)'\(hint(near, known))"
    }
    fileprivate static func noURL(_ url: String, near: String?) -> RuleMessage {
        """
        no fixture answers \(url), so tests and 'render' fail there\(near.map { "; the nearest url is \($0)" } ?? "; expected one under 'connected_content'")
        """
    }
    fileprivate static func otherMethod(_ url: String, _ method: String, answers: String) -> RuleMessage {
        "the fixture for \(url) answers \(answers), and the text asks with \(method), so tests and 'render' fail there; expected 'method: \(method)'"
    }
    fileprivate static func noFixtures(_ kind: String, _ name: String) -> RuleMessage {
        """
        the text fetches the \(kind) '\(name)', and the campaign has no 'fixtures': the result is not checked, and \
        'render' needs --context
        """
    }
    fileprivate static func unanswered(_ kind: FixtureRequest.Kind, _ name: String) -> RuleMessage {
        """
        the text fetches the \(kind.name) '\(name)', so the simulation ends with an error there; expected \
        '\(kind.rawValue)' in a profile in the short form, or in --context
        """
    }
    fileprivate static func noTranslations(_ name: String) -> RuleMessage {
        "there are no fixtures for 'translations', so only the text inside of the tag of the translation '\(name)' is checked"
    }
    fileprivate static func onlyRerendered(_ attribute: String) -> RuleMessage {
        """
        only content for ':rerender' reads '\(attribute)': Braze fetches only the attributes that the message itself \
        names in '${}', so this one may be blank; expected it in the message too
        """
    }
    fileprivate static func quotedURL(_ url: String) -> RuleMessage {
        "the quotes become part of the url; expected it without quotes: \(url)"
    }
    private static func hint(_ near: String?, _ known: [String]) -> String {
        didYouMean(near, else: known.isEmpty ? "" : "; they have " + known.quoted(atMost: 5))
    }
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
    /// The rules about content that templates fetch, and about the fixtures for it.
    static let fixtureUses: [Rule] = [unknownFixture, unusedFixture, quotedAddress, rerenderedAttribute]

    private static let unknownFixture = Rule(
        RuleID("unknown-fixture", .warning, "something that a template fetches and the fixtures do not have"),
        source: .connectedContent,
        rationale: """
            payloadgen fetches nothing from a network. What connected content, catalogs, promotion codes, carts and \
            landing pages return comes from the fixtures. A missing list of promotion codes is an error, because Braze \
            sends no message without a code. If a list is empty, write [] for it. Parts of a name that Liquid computes \
            may be any text. If a campaign has no fixtures, each fetch is an info, unless a context under 'tests' \
            gives the result. In a scenario, the profile in the short form gives the results, and only messages whose \
            key-value pairs are rendered are checked. If nothing gives translations, that is an info too: the text \
            inside the tag is printed.
            """,
        failing: [
            .fixtures("{% promotion(⟦'sprin'⟧) %}", "promotion_codes:\n  spring: [A1]\n"),
            .fixtures("{% catalog_items ⟦game⟧ g1 %}{{ items[0].name }}", "catalogs:\n  games: {g1: {name: Go}}\n"),
            .scenario(
                "[{id: a, triggers: [session_start], extras: {x: '{% connected_content ⟦https://example.com/⟧ %}'}}]"
            ),
            .title("Hi{% connected_content ⟦https://example.com/{{${user_id}}}⟧ %}"),
            .title("{% translation ⟦hello⟧ %}Hi{% endtranslation %}"),
            .scenario(
                "[{id: a, triggers: [session_start], extras: {x: '{% translation ⟦hello⟧ %}Hi{% endtranslation %}'}}]"
            ),
        ],
        passing: [.fixtures("{% promotion('spring') %}", "promotion_codes:\n  spring: [A1]\n")],
        .campaign { campaign in
            guard let fixtures = KnownFixtures(campaign) else {
                return campaign.missingFixtureFindings + campaign.unansweredRequestFindings
                    + campaign.untranslatedFindings
            }
            var suggestions = Suggestions()
            return campaign.fixtureRequests.filter(\.isReachable).compactMap {
                fixtures.finding(about: $0, &suggestions)
            } + campaign.untranslatedFindings
        }
    )

    private static let rerenderedAttribute = Rule(
        RuleID(
            "rerendered-attribute", .warning,
            "an attribute that is named only in content for ':rerender', so that it is missing"
        ),
        source: .personalization("connected_content/user_profile_fields_connected_content"),
        rationale: """
            Before Braze renders a message, it fetches the attributes that the message names in '${}'. Only then does \
            it see the attributes that a response of connected content or an item of a catalog names, so these are \
            missing. To have Braze fetch them, name such an attribute in the text that has the tag too, for example \
            with 'assign'. The rule is silent for properties of the trigger, the campaign and the like, which are not \
            fetched.
            """,
        failing: [
            .fixtures(
                "{% catalog_items games g1 :rerender %}{{ items[0].name }}",
                "catalogs:\n  games: {g1: {name: 'Go, {{ ⟦${first_name}⟧ }}'}}\n")
        ],
        passing: [
            .campaign(
                """
                fixtures: f.yml
                push: {title: '{% assign name = ${first_name} %}{% catalog_items games g1 :rerender %}{{ items[0].name }}'}
                """,
                with: [.file("f.yml", "catalogs:\n  games: {g1: {name: 'Go, {{ ${first_name} }}'}}\n")]
            )
        ],
        .campaign { campaign in
            let named = Set((campaign.texts + campaign.blocks).flatMap(\.fetchedAttributes).map(\.name))
            return campaign.rerendered.flatMap { text in
                text.fetchedAttributes.filter { !named.contains($0.name) }.map {
                    Finding(.onlyRerendered($0.name), at: text.place(of: $0.range))
                }
            }
        }
    )

    private static let quotedAddress = Rule(
        RuleID("quoted-url", .warning, "quotes around the address of connected content"),
        source: .connectedContent,
        rationale: """
            The markup of connected_content is text, so quotes have no meaning there: they are sent as part of the \
            address.
            """,
        failing: [.title("{% connected_content ⟦'https://example.com/a'⟧ :save r %}{{ r.a }}")],
        passing: [.title("{% connected_content https://example.com/a :save r %}{{ r.a }}")],
        .tags("connected_content") { tag, text in
            guard let word = text.words(of: tag).first, let quote = word.text.first, quote == "'" || quote == "\""
            else { return [] }
            return [Finding(.quotedURL(word.text.trimmingQuotes), at: text.place(of: word.range))]
        }
    )

    static let unusedFixture = Rule(
        RuleID("unused-fixture", .info, "a fixture that nothing requests"),
        source: .connectedContent,
        rationale: """
            Such a fixture has no effect. The finding is a warning if a similar url is requested without a fixture, \
            such as http instead of https. Several campaigns may name the same file of fixtures, and the rule compares \
            the file with all of them. It is silent where Liquid computes a name that the fixture may have.
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
            // If a campaign cannot be read, it is not known which fixtures are used.
            guard campaigns.allSatisfy({ $0.campaign != nil }) else { return [] }
            let users = campaigns.filter { $0.campaign?.fixturesDocument != nil }
            return Dictionary(grouping: users) { $0.campaign?.fixturesDocument?.file.path ?? "" }
                .sorted { $0.key < $1.key }
                .flatMap { UnusedFixtures($0.value)?.findings ?? [] }
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

extension LintedText {
    /// The attributes of the user and the device that the text reads.
    fileprivate var fetchedAttributes: [(name: String, range: SourceRange)] {
        analysis.reads.compactMap { read in
            guard let attribute = read.path.attribute else { return nil }
            let fetched = ["custom_attribute", "most_recently_used_device", "targeted_device", "subscribed_state"]
            guard let namespace = attribute.namespace else { return ("${\(attribute.name)}", read.range) }
            return fetched.contains(namespace) ? ("\(namespace).${\(attribute.name)}", read.range) : nil
        }
    }

    /// A word in the markup of a tag.
    struct Word {
        var text: String
        var range: SourceRange
    }

    /// The words after the name of a Braze tag.
    ///
    /// An output inside of a word is a part of this word.
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

    /// The name of the variable after the option `:save` of connected content.
    func savedName(of tag: TagUse) -> String? {
        let words = words(of: tag)
        return words.firstIndex { $0.text == ":save" }.flatMap { $0 + 1 < words.count ? words[$0 + 1].text : nil }
    }

    /// Whether the text has a tag that fetches items of a catalog.
    var fetchesItems: Bool {
        analysis.tags.contains { $0.name == "catalog_items" || $0.name == "catalog_selection_items" }
    }
}

extension LintedCampaign {
    /// The findings about requests in a campaign without fixtures.
    fileprivate var missingFixtureFindings: [Finding] {
        // The fixtures of a template without a campaign are not known.
        guard campaign != nil else { return [] }
        return firstRequests.filter { $0.kind.needsFixture && !givenFixtures.contains($0.kind.rawValue) }.map {
            request in
            Finding(.noFixtures(request.kind.name, request.name.text), at: request.place, severity: .info)
        }
    }
}

extension LintedCampaign {
    /// The findings about requests in a scenario whose profile has no fixtures of their kind.
    fileprivate var unansweredRequestFindings: [Finding] {
        guard case .scenario(let profile) = kind, profile != .unread else { return [] }
        func unanswered(_ texts: [LintedText]) -> [FixtureRequest] {
            texts.flatMap(\.fixtureRequests).filter {
                $0.isReachable && $0.kind.needsFixture && !givenFixtures.contains($0.kind.rawValue)
            }
        }
        // The scenario is simulated only if one of its templates has such a request.
        guard !unanswered(templates).isEmpty else { return [] }
        return unanswered(renderedTexts).map { Finding(.unanswered($0.kind, $0.name.text), at: $0.place) }
    }
}

extension LintedCampaign {
    /// The findings about translations if no fixtures, context or profile has any.
    ///
    /// Another rule covers pulled campaigns.
    fileprivate var untranslatedFindings: [Finding] {
        if campaign?.identity.isPulled == true { return [] }
        return untranslatedRequests.map { Finding(.noTranslations($0.name.text), at: $0.place, severity: .info) }
    }

    /// The translations that texts request although no fixtures, context or profile has any, each once.
    var untranslatedRequests: [FixtureRequest] {
        let kind = FixtureRequest.Kind.translation
        guard hasKnownFixtures, !givenFixtures.contains(kind.rawValue),
            campaign?.fixturesDocument?.root[kind.rawValue] == nil
        else { return [] }
        return firstRequests.filter { $0.kind == kind }
    }

    /// The requests that rendering reaches, each name once for its kind.
    private var firstRequests: [FixtureRequest] {
        fixtureRequests.filter(\.isReachable).unique { "\($0.kind.rawValue) \($0.name.text)" }
    }

    /// Whether it is known which fixtures the texts have.
    ///
    /// It is not known for a template without a campaign, or if the profile of a scenario cannot be read.
    private var hasKnownFixtures: Bool {
        if case .scenario(let profile) = kind { profile != .unread } else { campaign != nil }
    }
}

extension FixtureRequest.Kind {
    /// Whether a message cannot be rendered without a fixture of this kind.
    ///
    /// The text inside the tag replaces a missing translation.
    fileprivate var needsFixture: Bool { self != .translation }
}

/// The names of all fixtures of one kind.
private struct FixtureNames {
    /// The names, in the order of the file.
    let all: [String]

    /// The names as bytes, since they are compared byte by byte.
    private let exact: Set<[UInt8]>
    private let patterns: [URLPattern]

    init(_ names: [String], areURLs: Bool = false) {
        all = names
        exact = Set(names.map { Array($0.utf8) })
        patterns = areURLs ? names.map { URLPattern($0) }.filter(\.isPattern) : []
    }

    /// Whether the fixtures have a name, or a URL pattern that matches it.
    func have(_ name: String) -> Bool {
        exact.contains(Array(name.utf8)) || patterns.contains { $0.matches(name) }
    }
}

/// The names of all fixtures of a campaign.
private struct KnownFixtures {
    private let names: [FixtureRequest.Kind: FixtureNames]

    /// For each method, the URLs of connected content that have a response to it.
    private let methods: [String: FixtureNames]

    /// Reads the fixtures; nil if the campaign has none.
    init?(_ campaign: LintedCampaign) {
        guard let root = campaign.campaign?.fixturesDocument?.root else { return nil }
        var names: [FixtureRequest.Kind: FixtureNames] = [:]
        for kind in FixtureRequest.Kind.allCases where kind != .connectedContent {
            names[kind] = FixtureNames(root[kind.rawValue]?.members?.map(\.name) ?? [])
        }
        let responses = root["connected_content"]?.elements ?? []
        names[.connectedContent] = FixtureNames(responses.compactMap { $0.text("url") }, areURLs: true)
        self.names = names
        methods = ["GET", "POST"].reduce(into: [:]) { methods, method in
            let own = responses.filter { $0.text("method")?.uppercased() ?? method == method }
            methods[method] = FixtureNames(own.compactMap { $0.text("url") }, areURLs: true)
        }
    }

    /// The finding about a request without a fixture; nil if a fixture may answer the request.
    func finding(about request: FixtureRequest, _ suggestions: inout Suggestions) -> Finding? {
        let name = request.name.text
        let known = names[request.kind]?.all ?? []
        guard !name.contains("'"), !name.contains("\"") else { return nil }
        if request.name.isMade {
            let mayBeGiven = known.contains { request.name.mayBe($0) || URLPattern($0).matches(name) }
            guard known.count <= 10_000, !mayBeGiven else { return nil }
        } else if names[request.kind]?.have(name) ?? false {
            guard request.kind == .connectedContent, let method = request.method,
                let answered = methods[method], !answered.have(name)
            else { return nil }
            let other = method == "GET" ? "POST" : "GET"
            return Finding(.otherMethod(name, method, answers: other), at: request.place)
        }
        let near = request.name.isMade ? nil : suggestions.nearest(to: name, in: known)
        switch request.kind {
        case .connectedContent: return Finding(.noURL(name, near: near), at: request.place)
        case .promotion where !request.name.isMade:
            return Finding(.unknownList(name, near: near, known: known), at: request.place, severity: .error)
        case .promotion, .catalog, .selection, .landingPage, .cart:
            return Finding(.unknownMember(request.kind.name, name, near: near, known: known), at: request.place)
        // The text inside the tag replaces a missing translation.
        case .translation: return nil
        }
    }
}

/// Finds the fixtures in one file that are requested by none of the campaigns which use the file.
private struct UnusedFixtures {
    private let file: SourceFile
    private let root: DocumentNode
    private let requests: [FixtureRequest.Kind: [FixtureRequest]]
    private let blocks: Set<String>

    /// The maximum number of comparisons between the names of fixtures and the names that are requested.
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
        return unusedAddressFindings + simple.flatMap(unusedNameFindings) + unusedItemFindings(.catalog, "item")
            + unusedItemFindings(.selection, "selection") + unusedBlockFindings
    }

    private func finding(_ kind: String, _ member: DocumentMember) -> Finding {
        Finding(.unused(kind, member.name), at: SourcePlace(file, member.keyRange))
    }

    private func members(_ kind: FixtureRequest.Kind) -> [DocumentMember] { root.members(kind.rawValue) }

    /// The members whose names match no requested name; none if there are too many names to compare.
    private func unmet(_ members: [DocumentMember], by names: [FixtureName]) -> [DocumentMember] {
        let exact = Set(names.filter { !$0.isMade }.map { Array($0.text.utf8) })
        let made = Dictionary(first: names.filter(\.isMade).map { ($0.text, $0) })
        if made["*"] != nil || made.count * members.count > Self.comparisonLimit { return [] }
        return members.filter { member in
            !exact.contains(Array(member.name.utf8)) && !made.values.contains { $0.mayBe(member.name) }
        }
    }

    private func unusedNameFindings(_ kind: FixtureRequest.Kind) -> [Finding] {
        unmet(members(kind), by: (requests[kind] ?? []).map(\.name)).map { finding(kind.name, $0) }
    }

    /// The findings about catalogs that nothing requests, and about unused items or selections in the requested
    /// catalogs.
    private func unusedItemFindings(_ kind: FixtureRequest.Kind, _ word: String) -> [Finding] {
        let all = requests[kind] ?? []
        let unused = unmet(members(kind), by: all.map(\.name))
        let names = Set(unused.map(\.name))
        return unused.map { finding(kind.name, $0) }
            + members(kind).filter { !names.contains($0.name) }.flatMap { catalog in
                let asked = all.filter { $0.name.mayBe(catalog.name) }.flatMap(\.members)
                return unmet(catalog.value.members ?? [], by: asked).map { finding(word, $0) }
            }
    }

    private var unusedBlockFindings: [Finding] {
        root.members("content_blocks").filter { !blocks.contains($0.name) }.map { finding("content block", $0) }
    }

    // MARK: - Connected content

    private var unusedAddressFindings: [Finding] {
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
