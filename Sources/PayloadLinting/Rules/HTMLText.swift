// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func html(_ text: String, _ expected: String) -> RuleMessage {
        "users read '\(text)' as it is written; expected \(expected)"
    }
}

extension Rule {
    static let htmlText = Rule(
        RuleID("html-text", .warning, "tags or entities of HTML in a text of the notification"),
        source: .remotePayload,
        rationale: """
            iOS shows the title, the subtitle and the body as plain text, so users read '<br>' and '&amp;'. They come \
            from emails and in-app messages. Names of emoji such as ':tada:' are reported too. Silent for other words \
            in angle brackets, and for key-value pairs, which an extension may show as HTML. Content blocks that such \
            a text prints are checked with it.
            """,
        failing: [
            .title("Hi⟦<br>⟧there"),
            .title("Rock ⟦&amp;⟧ Roll"),
            .title("Hi ⟦:tada:⟧"),
            .campaign(
                "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${footer}}}'}",
                with: [.file("blocks/footer.liquid", "⟦<b>⟧Bye⟦</b>⟧")]
            ),
        ],
        passing: [
            .campaign("push: {title: 'I <3 you & <you>, 10:30:45, a:b:c :-)', extras: {page: '<b>Hi</b>'}}"),
            .campaign(
                "content_blocks: blocks\npush: {title: Hi, extras: {page: '{{content_blocks.${page}}}'}}",
                with: [.file("blocks/page.liquid", "<b>Bye</b>")]
            ),
        ],
        .campaign { campaign in
            campaign.shownTexts.flatMap { text in
                let bytes = Array(text.source.text.utf8)
                let runs = text.literalText
                let hasClosingTag = runs.contains { bytes[$0].firstRange(ofBytes: "</".utf8) != nil }
                return runs.flatMap { run in
                    run.compactMap { Mark(bytes, $0..<run.upperBound, isBesideClosingTag: hasClosingTag) }
                }.map { mark in
                    let written = String(decoding: bytes[mark.range], as: UTF8.self)
                    return Finding(.html(written, mark.expected), at: text.place(of: SourceRange(mark.range)))
                }
            }
        }
    )
}

extension LintedCampaign {
    /// The texts that the system shows, and the content blocks in them.
    fileprivate var shownTexts: [LintedText] {
        let fields = texts.filter(\.isOfAlert)
        return fields + translations + blocks(readBy: fields)
    }
}

/// A tag or entity of HTML, or the name of an emoji between colons, as chats replace it.
private struct Mark {
    let range: Range<Int>
    let expected: String

    private static let tags: Set<String> = [
        "a", "b", "br", "center", "div", "em", "font", "h1", "h2", "h3", "h4", "i", "img", "li", "ol", "p", "small",
        "span", "strong", "sub", "sup", "table", "td", "tr", "u", "ul",
    ]

    private static let entities: Set<String> = [
        "amp", "apos", "bull", "copy", "euro", "gt", "hellip", "ldquo", "lsquo", "lt", "mdash", "nbsp", "ndash", "quot",
        "rdquo", "reg", "rsquo", "trade",
    ]

    /// Reads the mark at the start of a range; nil where there is none.
    ///
    /// - Parameters:
    ///   - bytes: a text.
    ///   - rest: the range from the mark to the end of its run.
    ///   - hasClosingTag: whether the text has a closing tag; without one, a tag may be a word in angle brackets.
    init?(_ bytes: [UInt8], _ rest: Range<Int>, isBesideClosingTag hasClosingTag: Bool) {
        let start = rest.lowerBound
        // What is longer is text.
        let inside = bytes[rest].dropFirst().prefix(200)
        func end(_ mark: Character) -> Int? { inside.firstIndex { $0 == mark.asciiValue } }
        func text(_ end: Int) -> String { String(decoding: bytes[(start + 1)..<end], as: UTF8.self) }
        switch bytes[start] {
        case UInt8(ascii: "<"):
            guard let end = end(">") else { return nil }
            let words = text(end).lowercased().split { $0 == " " || $0 == "/" }.map(String.init)
            let isSingle = text(end).hasPrefix("/") || words.first == "br" || words.first == "img"
            // Words follow the name of a tag only as attributes.
            guard let name = words.first, Self.tags.contains(name), isSingle || hasClosingTag,
                words.count == 1 || text(end).contains("=")
            else { return nil }
            (range, expected) = (start..<end + 1, "text without HTML")
        case UInt8(ascii: "&"):
            guard let end = end(";") else { return nil }
            let name = text(end)
            let isNumber =
                name.hasPrefix("#") && name.count > 1 && name.dropFirst().allSatisfy { $0.isHexDigit || $0 == "x" }
            guard Self.entities.contains(name) || isNumber else { return nil }
            (range, expected) = (start..<end + 1, "the character itself")
        case UInt8(ascii: ":"):
            guard let end = end(":"), end > start + 2, start == 0 || bytes[start - 1] <= 0x20,
                text(end).utf8.allSatisfy({ $0.isLowerLetter || $0 == UInt8(ascii: "_") })
            else { return nil }
            (range, expected) = (start..<end + 1, "the emoji itself")
        default: return nil
        }
    }
}
