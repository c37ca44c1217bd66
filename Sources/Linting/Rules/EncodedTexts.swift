// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func twice(_ filter: String, _ earlier: String) -> RuleMessage {
        "'\(filter)' encodes what '\(earlier)' has already encoded, so it is encoded twice; expected one of them"
    }
    fileprivate static func whole(_ filter: String) -> RuleMessage {
        "'\(filter)' encodes the whole address, its colon and slashes too, so it opens nothing; expected the value without it"
    }
    fileprivate static func shown(_ filter: String, _ example: String, _ use: String) -> RuleMessage {
        "'\(filter)' is for \(use), and users read its codes in a notification, such as \(example); expected the value without it"
    }
}

extension Rule {
    static let encodedText = Rule(
        RuleDescription(
            RuleID("encoded-text", .warning, "a text that is encoded twice, or encoded where users read it"),
            name: "Encoded text",
            rationale: """
                A second 'url_encode' turns '%20' into '%2520'. A notification is not HTML, so 'escape' prints '&amp;' \
                for '&' and 'newline_to_br' '<br />', nor an address, so 'url_encode' prints '+' for a space. An address that is \
                encoded as a whole has no scheme. That 'json_escape' prints a backslash \
                before quotes is reported as info. Silent for encodings of URLs where the text before them holds '/', '?' or '='.
                """,
            failing: [
                .campaign(
                    "push: {title: Hi, uri: 'https://example.com/?n={{ ${first_name} | url_encode | ⟦url_encode⟧ }}'}"),
                .campaign("push: {title: 'Hi {{ ${first_name} | ⟦escape⟧ }}'}"),
                .campaign("push: {title: 'Hi {{ ${city} | ⟦url_encode⟧ }}'}"),
                .campaign("push: {title: 'Hi {{ custom_attribute.${note} | ⟦newline_to_br⟧ }}'}"),
                .campaign("push: {title: Hi, uri: '{{ custom_attribute.${link} | ⟦url_encode⟧ }}'}"),
            ],
            passing: [
                .campaign("push: {title: Hi, uri: 'https://example.com/?n={{ ${first_name} | url_encode }}'}"),
                .campaign("push: {title: 'Book at example.com/{{ ${city} | url_encode }}'}"),
            ]
        ),
        .campaign { campaign in
            let addresses = Set(campaign.addresses.map(\.field))
            return campaign.templates.flatMap { text in
                text.encodedTwice + text.encodedForNobody
                    + (addresses.contains(text.source.field) ? text.encodedAddress : [])
            }
        }
    )
}

extension LintedText {
    private static let urlEncodings: Set<String> = ["url_encode", "url_param_escape", "url_escape"]
    private static let encodings: [Set<String>] = [urlEncodings, ["json_escape"], ["escape"], ["base64_encode"]]

    fileprivate var encodedTwice: [Finding] {
        markups.flatMap { markup -> [Finding] in
            let filters = Array(markup.filters)
            return zip(filters, filters.dropFirst()).compactMap { first, second in
                guard
                    Self.encodings.contains(where: { $0.contains(first.name) && $0.contains(second.name) }),
                    first.name != "base64_encode"
                else { return nil }
                return Finding(.twice(second.name, first.name), at: place(of: second.nameRange))
            }
        }
    }

    /// The finding about an address that begins with an encoded value.
    fileprivate var encodedAddress: [Finding] {
        guard isWhole, let first = template?.root.nodes.first(where: { _ in true }),
            case .output(let markup) = first.kind,
            let filter = Array(markup.filters).last(where: { $0.name != "default" }),
            ["url_encode", "url_param_escape"].contains(filter.name)
        else { return [] }
        return [Finding(.whole(filter.name), at: place(of: filter.nameRange))]
    }

    /// The findings about encoded values in the texts of the notification.
    fileprivate var encodedForNobody: [Finding] {
        guard let template, isShown, isWhole else { return [] }
        let firstSign = bytes.firstIndex { "/?=".utf8.contains($0) } ?? bytes.count
        var found: [Finding] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if case .output(let markup) = node.kind, markup.expression?.literal == nil,
                    let last = markup.filters.map({ $0 }).last,
                    let finding = encodingFinding(last, isInAddress: firstSign < Int(node.range.start))
                {
                    found.append(finding)
                }
                // A captured or translated text may be used elsewhere.
                if let tag = node.tag, tag.isCapture { continue }
                for inner in node.blocks { add(inner) }
            }
        }
        add(template.root)
        return found
    }

    private func encodingFinding(_ filter: FilterSyntax, isInAddress: Bool) -> Finding? {
        let place = place(of: filter.nameRange)
        switch filter.name {
        case "escape":
            return Finding(.shown(filter.name, "'&amp;' for '&'", "HTML"), at: place)
        case "newline_to_br":
            return Finding(.shown(filter.name, "'<br />' for a line break", "HTML"), at: place)
        case "json_escape":
            return Finding(.shown(filter.name, "'\\\"' for '\"'", "JSON"), at: place, severity: .info)
        default:
            guard Self.urlEncodings.contains(filter.name), !isInAddress else { return nil }
            let example = filter.name == "url_encode" ? "'+' for a space" : "'%20' for a space"
            return Finding(.shown(filter.name, example, "addresses"), at: place)
        }
    }
}
