// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func tag(_ text: String) -> RuleMessage {
        "'\(text)' is HTML, which a notification shows as it is written; expected text without it"
    }
    fileprivate static func emoji(_ name: String) -> RuleMessage {
        "'\(name)' is the name of an emoji in chats, which a notification shows as it is written; expected the emoji itself"
    }
    fileprivate static func entity(_ text: String) -> RuleMessage {
        "'\(text)' is HTML, which a notification shows as it is written; expected the character itself"
    }
}

extension Rule {
    static let htmlText = Rule(
        RuleDescription(
            RuleID("html-text", .warning, "tags or entities of HTML in a text of the notification"),
            name: "HTML in a text",
            source: .remotePayload,
            rationale: """
                iOS shows the title, the subtitle and the body as plain text, so users read '<br>' and '&amp;'. \
                They come from emails and in-app messages. Names of emoji such as \
                ':tada:' are reported too. Silent for other words in angle brackets, and for key-value pairs, which an extension may show as HTML. Content \
                blocks that such a text prints are checked with it.
                """,
            failing: [
                .campaign("push: {title: 'Hi⟦<br>⟧there'}"),
                .campaign("push: {title: 'Rock ⟦&amp;⟧ Roll'}"),
                .campaign("push: {title: 'Hi ⟦:tada:⟧'}"),
                .campaign(
                    "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${footer}}}'}",
                    with: [RuleExample.File("blocks/footer.liquid", "⟦<b>⟧Bye⟦</b>⟧")]
                ),
            ],
            passing: [
                .campaign("push: {title: 'I <3 you & <you>, 10:30:45, a:b:c :-)', extras: {page: '<b>Hi</b>'}}"),
                .campaign(
                    "content_blocks: blocks\npush: {title: Hi, extras: {page: '{{content_blocks.${page}}}'}}",
                    with: [RuleExample.File("blocks/page.liquid", "<b>Bye</b>")]
                ),
            ]
        ),
        .campaign { campaign in
            campaign.shownTexts.flatMap { text in
                let bytes = Array(text.source.text.utf8)
                let runs = text.literalText
                let html = runs.flatMap { run in HTMLMark.all(bytes, in: run) }.map { mark in
                    Finding(mark.isEntity ? .entity(mark.text) : .tag(mark.text), at: text.place(of: mark.range))
                }
                let emoji = runs.flatMap { run in EmojiName.all(bytes, in: run) }.map { range in
                    Finding(
                        .emoji(String(decoding: bytes[range], as: UTF8.self)), at: text.place(of: SourceRange(range)))
                }
                return html + emoji
            }
        }
    )
}

extension LintedCampaign {
    /// The texts that the system shows, and the content blocks in them.
    fileprivate var shownTexts: [LintedText] {
        let fields = texts.filter { ["title", "subtitle", "body"].contains($0.source.field) }
        let blocksByName = Dictionary(zip(blockNames, blocks), uniquingKeysWith: { first, _ in first })
        var shown: Set<String> = []
        var open = fields
        while let text = open.popLast() {
            open += text.blockUses.filter { shown.insert($0.name).inserted }.compactMap { blocksByName[$0.name] }
        }
        let shownBlocks: [LintedText] = zip(blockNames, blocks).filter { shown.contains($0.0) }.map(\.1)
        return fields + translations + shownBlocks
    }
}

/// A tag or entity of HTML.
private struct HTMLMark {
    let text: String
    let range: SourceRange
    let isEntity: Bool

    private static let tags: Set<String> = [
        "a", "b", "br", "center", "div", "em", "font", "h1", "h2", "h3", "h4", "i", "img", "li", "ol", "p", "small",
        "span", "strong", "sub", "sup", "table", "td", "tr", "u", "ul",
    ]

    /// The tags that have no end.
    private static let single: Set<String> = ["br", "img"]

    private static let entities: Set<String> = [
        "amp", "apos", "bull", "copy", "euro", "gt", "hellip", "ldquo", "lsquo", "lt", "mdash", "nbsp", "ndash", "quot",
        "rdquo", "reg", "rsquo", "trade",
    ]

    /// The marks in a run of text, in its order.
    static func all(_ bytes: [UInt8], in run: Range<Int>) -> [HTMLMark] {
        var found: [HTMLMark] = []
        var index = run.lowerBound
        var closings = Closings(bytes[run])
        while index < run.upperBound {
            let end =
                switch bytes[index] {
                case UInt8(ascii: "<"): tagEnd(bytes[index..<run.upperBound], &closings)
                case UInt8(ascii: "&"): entityEnd(bytes[index..<run.upperBound])
                default: Int?.none
                }
            guard let end else {
                index += 1
                continue
            }
            let text = String(decoding: bytes[index..<end], as: UTF8.self)
            found.append(
                HTMLMark(text: text, range: SourceRange(index, end), isEntity: bytes[index] == UInt8(ascii: "&")))
            index = end
        }
        return found
    }

    /// The end of the tag at the start of the bytes; nil where there is none.
    private static func tagEnd(_ bytes: ArraySlice<UInt8>, _ closings: inout Closings) -> Int? {
        var rest = bytes.dropFirst()
        let isClosing = rest.first == UInt8(ascii: "/")
        if isClosing { rest = rest.dropFirst() }
        let name = rest.prefix { $0.isLetter || $0.isDigit }
        let word = String(decoding: name, as: UTF8.self).lowercased()
        // One tag alone may be a word in angle brackets.
        guard tags.contains(word),
            isClosing || single.contains(word) || closings.last(word).map({ $0 > bytes.startIndex }) ?? false
        else { return nil }
        let after = rest.dropFirst(name.count)
        guard let first = after.first, first == UInt8(ascii: ">") || first == UInt8(ascii: "/") || first <= 0x20,
            let close = after.firstIndex(where: { "<>".utf8.contains($0) }), bytes[close] == UInt8(ascii: ">")
        else { return nil }
        // Words follow the name of a tag only as attributes.
        let words = after[..<close].filter { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        return words.isEmpty || words.contains(UInt8(ascii: "=")) ? close + 1 : nil
    }

    /// The end of the entity at the start of the bytes; nil where there is none.
    private static func entityEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "#") }
        guard name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: ";") else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        return entities.contains(text) || isNumber(text) ? name.endIndex + 1 : nil
    }

    /// Whether a name is that of a character by its number, such as `#39` and `#x27`.
    private static func isNumber(_ name: String) -> Bool {
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            return name.count > 2 && name.dropFirst(2).allSatisfy(\.isHexDigit)
        }
        return name.hasPrefix("#") && name.count > 1 && name.dropFirst().allSatisfy(\.isWholeNumber)
    }
}

/// The last ends of tags in a run of text, each searched once.
private struct Closings {
    private let bytes: ArraySlice<UInt8>
    private var lasts: [String: Int?] = [:]

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The index of the last end of a tag; nil where there is none.
    mutating func last(_ name: String) -> Int? {
        if let known = lasts[name] { return known }
        let mark = ("</" + name + ">").utf8
        var last: Int?
        var start = bytes.startIndex
        while let range = bytes[start...].firstRange(ofBytes: mark) {
            last = range.lowerBound
            start = range.upperBound
        }
        lasts[name] = .some(last)
        return last
    }
}

/// Names of emoji between colons, as chats replace them.
private enum EmojiName {
    /// The ranges of the names in a run of text, in its order.
    static func all(_ bytes: [UInt8], in run: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        // The colon that may begin a name, and the one before the bytes that are read.
        var start: Int?
        for index in run {
            switch bytes[index] {
            case UInt8(ascii: ":"):
                let next = index + 1 < run.upperBound ? bytes[index + 1] : 0x20
                let isEnd = next <= 0x20 || ".,!?".utf8.contains(next)
                if let open = start, index - open > 2, isEnd {
                    found.append(open..<index + 1)
                    start = nil
                } else {
                    start = index == run.lowerBound || bytes[index - 1] <= 0x20 ? index : nil
                }
            case 0x61...0x7A, UInt8(ascii: "_"): break
            default: start = nil
            }
        }
        return found
    }
}
