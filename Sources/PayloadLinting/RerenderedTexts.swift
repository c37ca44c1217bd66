// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

/// The texts of fixtures that Liquid renders because a tag has `:rerender`.
struct RerenderedTexts {
    /// The start of the fields of these texts.
    static let prefix = "fixtures."

    private(set) var texts: [LintedText] = []
    private let file: SourceFile?
    private let attributes: [String: AttributeType]

    /// - Parameters:
    ///   - campaign: the campaign with its fixtures.
    ///   - requests: what its texts and blocks fetch.
    ///   - attributes: the types of custom attributes.
    init(_ campaign: Campaign, _ requests: [FixtureRequest], _ attributes: [String: AttributeType]) {
        self.attributes = attributes
        let requests = requests.filter(\.rerenders)
        guard !requests.isEmpty, let (file, root) = campaign.fixturesDocument else {
            file = nil
            return
        }
        self.file = file
        for (index, response) in root.elements("connected_content").enumerated() {
            guard let url = response.text("url"), let body = response["body"] else { continue }
            let isAsked = requests.contains {
                $0.kind == .connectedContent && ($0.name.mayBe(url) || URLPattern(url).matches($0.name.text))
            }
            if isAsked { add(body, Self.prefix + "connected_content[\(index)].body") }
        }
        for kind in [FixtureRequest.Kind.catalog, .selection] {
            for catalog in root.members(kind.rawValue) {
                let asked = requests.filter { $0.kind == kind && $0.name.mayBe(catalog.name) }.flatMap(\.members)
                for member in catalog.value.members ?? [] where asked.contains(where: { $0.mayBe(member.name) }) {
                    add(member.value, Self.prefix + "\(kind.rawValue).\(catalog.name).\(member.name)")
                }
            }
        }
    }

    /// Adds the texts of a value; the depth limit of the document bounds the recursion.
    private mutating func add(_ node: DocumentNode, _ field: String) {
        for member in node.members ?? [] { add(member.value, field + "." + member.name) }
        for (index, element) in (node.elements ?? []).enumerated() { add(element, "\(field)[\(index)]") }
        guard let file, let scalar = node.scalar, scalar.text.utf8.contains(UInt8(ascii: "{")) else { return }
        let source = TemplateText(field: field, text: scalar.text, file: file, range: node.range, map: scalar.map)
        texts.append(LintedText(source, attributes: attributes, environment: BrazeEnvironment.rerender))
    }
}
