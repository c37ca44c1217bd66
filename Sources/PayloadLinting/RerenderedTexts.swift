// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

/// The texts of fixtures that Liquid renders because a tag has `:rerender`.
enum RerenderedTexts {
    /// The start of the field names of these texts.
    static let prefix = "fixtures."

    /// The texts in a campaign's fixtures that tags with `:rerender` fetch, judged by the requests of its texts and
    /// blocks.
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
    /// The texts in the node, whose fields begin with the given name.
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
