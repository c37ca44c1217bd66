// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

/// Content that a tag of a template fetches and that a fixture replaces.
struct FixtureRequest {
    /// The kinds of fixtures, by their keys in the file of fixtures.
    enum Kind: String, CaseIterable {
        case connectedContent = "connected_content"
        case promotion = "promotion_codes"
        case catalog = "catalogs"
        case selection = "catalog_selections"
        case landingPage = "landing_pages"
        case cart = "shopping_carts"
        case translation = "translations"

        /// The kind of a tag; nil for tags that fetch nothing.
        init?(tag: String) {
            switch tag {
            case "connected_content": self = .connectedContent
            case "promotion": self = .promotion
            case "catalog_items": self = .catalog
            case "catalog_selection_items": self = .selection
            case "landing_page_url": self = .landingPage
            case "shopping_cart": self = .cart
            case "translation": self = .translation
            default: return nil
            }
        }

        /// The name of the kind in messages.
        var name: String {
            switch self {
            case .connectedContent: "address"
            case .promotion: "list of promotion codes"
            case .catalog, .selection: "catalog"
            case .landingPage: "landing page"
            case .cart: "shopping cart"
            case .translation: "translation"
            }
        }
    }

    var kind: Kind

    /// The name or URL, with `*` for each part that Liquid makes.
    var name: FixtureName

    /// The names of the items, or the name of the selection, that the tag fetches from a catalog.
    var members: [FixtureName] = []

    /// The places of ``members``.
    var memberPlaces: [SourcePlace] = []

    /// The method of connected content; nil if Liquid produces it.
    var method: String?

    /// Whether Liquid in the fetched content is rendered.
    var rerenders = false

    /// The place of the name in the file.
    var place: SourcePlace

    /// Whether rendering can reach the tag.
    var isReachable: Bool
}

/// A name in the markup of a tag.
///
/// Liquid may produce parts of the name.
struct FixtureName {
    /// The name, with `*` for each part that Liquid makes.
    let text: String

    /// Whether Liquid makes a part of the name.
    let isMade: Bool

    /// Reads a name from the markup of a tag.
    init(markup: String) {
        var name: [UInt8] = []
        var isMade = false
        let bytes = Array(markup.utf8)
        var position = 0
        while position < bytes.count {
            guard let close = Self.end(of: bytes[position...]) else {
                name.append(bytes[position])
                position += 1
                continue
            }
            var end = bytes[position...].firstRange(ofBytes: close.utf8)?.upperBound ?? bytes.count
            // In '{{${name}}}', the first of the three closing braces belongs to the attribute.
            while close == "}}", end < bytes.count, bytes[end] == UInt8(ascii: "}") { end += 1 }
            if bytes[position] == UInt8(ascii: "$") { Self.removeNamespace(&name) }
            if name.last != UInt8(ascii: "*") { name.append(UInt8(ascii: "*")) }
            isMade = true
            position = end
        }
        text = String(decoding: name, as: UTF8.self)
        self.isMade = isMade
    }

    /// The delimiter that ends the Liquid with which the bytes begin; nil if they do not begin with Liquid.
    private static func end(of bytes: ArraySlice<UInt8>) -> String? {
        if bytes.starts(with: "{{".utf8) { return "}}" }
        if bytes.starts(with: "{%".utf8) { return "%}" }
        return bytes.starts(with: "${".utf8) ? "}" : nil
    }

    /// Removes the namespace before an attribute outside of `{{ … }}`, such as in `custom_attribute.${pet}`.
    private static func removeNamespace(_ name: inout [UInt8]) {
        for namespace in BrazeNamespace.names where name.reversed().starts(with: (namespace + ".").utf8.reversed()) {
            name.removeLast(namespace.utf8.count + 1)
            return
        }
    }

    /// Whether the name may be that of the given fixture.
    func mayBe(_ fixture: String) -> Bool {
        isMade ? URLPattern(text).matches(fixture) : text.utf8.elementsEqual(fixture.utf8)
    }
}

extension LintedText {
    /// The requests that the tags of the text make.
    var fixtureRequests: [FixtureRequest] {
        analysis.tags.compactMap { tag in
            guard let kind = FixtureRequest.Kind(tag: tag.name) else { return nil }
            let words = words(of: tag)
            guard let first = words.first else { return nil }
            let options = words.firstIndex { $0.isOption } ?? words.count
            var request = FixtureRequest(
                kind: kind,
                name: FixtureName(markup: first.text),
                place: place(of: first.range),
                isReachable: tag.isReachable
            )
            request.rerenders = words[options...].contains { $0.text == ":rerender" }
            switch kind {
            case .connectedContent:
                guard options > 0 else { return nil }
                // A URL may contain spaces, so it ends only before an option.
                let range = SourceRange(Int(first.range.start), Int(words[options - 1].range.end))
                request.name = FixtureName(markup: String(decoding: bytes[range.offsets], as: UTF8.self))
                request.place = place(of: range)
                request.method = method(words)
            case .promotion:
                let range = SourceRange(Int(first.range.start), Int(words[words.count - 1].range.end))
                let markup = String(decoding: bytes[range.offsets], as: UTF8.self)
                let name = markup.drop { "('\" ".contains($0) }
                let ended = name.prefix { !")'\"".contains($0) }
                request.name = FixtureName(markup: String(ended))
                let open = markup.prefix { "( ".contains($0) }.utf8.count
                let quotes = markup.utf8.count - name.utf8.count - open
                let end = open + quotes * 2 + ended.utf8.count
                request.place = place(
                    of: SourceRange(
                        Int(range.start) + open, min(Int(range.start) + end, Int(range.end))))
            case .catalog, .selection:
                let members = words.dropFirst().filter { !$0.text.hasPrefix(":") }
                request.members = members.map { FixtureName(markup: $0.text) }
                request.memberPlaces = members.map { place(of: $0.range) }
            case .landingPage, .cart, .translation: break
            }
            return request
        }
    }

    /// The method of connected content; nil if Liquid produces it.
    private func method(_ words: [Word]) -> String? {
        guard let option = words.firstIndex(where: { $0.text == ":method" }), option + 1 < words.count else {
            return "GET"
        }
        let method = FixtureName(markup: words[option + 1].text)
        return method.isMade ? nil : method.text.uppercased()
    }
}

extension LintedText.Word {
    /// Whether the word names an option, such as `:save`.
    fileprivate var isOption: Bool {
        let letters = text.utf8.dropFirst().first.map { ($0 | 0x20) >= UInt8(ascii: "a") } ?? false
        return text.hasPrefix(":") && letters
    }
}

extension LintedCampaign {
    /// The requests that the texts of the campaign and its content blocks make.
    var fixtureRequests: [FixtureRequest] { templates.flatMap(\.fixtureRequests) }
}

/// The texts of fixtures that Liquid renders because a tag has `:rerender`.
enum RerenderedTexts {
    /// The start of the field names of these texts.
    static let prefix = "fixtures."

    /// The texts in a campaign's fixtures that tags with `:rerender` fetch, according to the requests of its texts and
    /// blocks, without texts that contain no brace.
    static func all(in campaign: Campaign, _ requests: [FixtureRequest]) -> [TemplateText] {
        let requests = requests.filter(\.rerenders)
        guard !requests.isEmpty, let (file, root) = campaign.fixturesDocument else { return [] }
        var texts: [TemplateText] = []
        for (index, response) in root.elements("connected_content").enumerated() {
            guard let url = response.text("url"), let body = response["body"] else { continue }
            let isAsked = requests.contains {
                $0.kind == .connectedContent && ($0.name.mayBe(url) || URLPattern(url).matches($0.name.text))
            }
            if isAsked { texts += body.texts(in: file, field: prefix + "connected_content[\(index)].body") }
        }
        for (kind, catalog, member) in requests.catalogMembers(in: root) {
            texts += member.value.texts(in: file, field: prefix + "\(kind.rawValue).\(catalog).\(member.name)")
        }
        return texts.filter { $0.text.utf8.contains(UInt8(ascii: "{")) }
    }
}

extension [FixtureRequest] {
    /// The items and selections in fixtures that the requests fetch, each with the name of its catalog.
    func catalogMembers(
        in fixtures: DocumentNode
    ) -> [(kind: FixtureRequest.Kind, catalog: String, member: DocumentMember)] {
        [FixtureRequest.Kind.catalog, .selection].flatMap { kind in
            fixtures.members(kind.rawValue).flatMap { catalog in
                let asked = filter { $0.kind == kind && $0.name.mayBe(catalog.name) }.flatMap(\.members)
                return (catalog.value.members ?? []).filter { member in
                    asked.contains { $0.mayBe(member.name) }
                }.map { (kind, catalog.name, $0) }
            }
        }
    }
}

extension DocumentNode {
    /// All texts in the node, as templates whose field names begin with `field`.
    ///
    /// The depth limit of the document bounds the recursion.
    func texts(in file: SourceFile, field: String) -> [TemplateText] {
        if let scalar {
            return [TemplateText(field: field, text: scalar.text, file: file, range: range, map: scalar.map)]
        }
        return (members ?? []).flatMap { $0.value.texts(in: file, field: "\(field).\($0.name)") }
            + (elements ?? []).enumerated().flatMap { $1.texts(in: file, field: "\(field)[\($0)]") }
    }
}
