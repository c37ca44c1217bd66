// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func placeholder(_ text: String, _ name: String?) -> RuleMessage {
        let meant = name.map { "'{{ ${\($0)} }}'" } ?? "'{{ … }}'"
        return
            "'\(text)' is a placeholder of another system, which users read as it is, expected Liquid in double braces: \(meant)"
    }
    fileprivate static func choice(_ text: String) -> RuleMessage {
        "'\(text)' begins a plural or select of ICU MessageFormat, which users read as it is; expected {% if %} or {% case %}"
    }
    fileprivate static func escape(_ text: String, _ meant: String) -> RuleMessage {
        "'\(text)' is not an escape here, so users read the backslash; expected \(meant)"
    }
    fileprivate static let splitByEscape: RuleMessage =
        """
        '\\n' in a text of Liquid is a backslash and 'n', not a line break, so nothing is split; expected \
        "| newline_to_br | split: '<br />'"
        """
    fileprivate static func comment(_ text: String) -> RuleMessage {
        "'\(text)' is not a Liquid comment, so users read it; expected {% comment %}…{% endcomment %}"
    }
    fileprivate static func stray(_ braces: String) -> RuleMessage {
        "'\(braces)' does not belong to an output or tag, so users read it; expected '{{ … }}' or '{% … %}' around Liquid"
    }
    fileprivate static func html(_ text: String, _ expected: String) -> RuleMessage {
        "users read '\(text)' as it is written; expected \(expected)"
    }
}

extension Rule {
    static let foreignPlaceholder = Rule(
        RuleID("foreign-placeholder", .warning, "a placeholder, comment or escape of another language"),
        source: "https://mailchimp.com/help/all-the-merge-tags-cheat-sheet/",
        rationale: """
            Texts are often copied from other tools: '%%first_name%%', '*|FNAME|*', '#{first_name}', '{first_name}', \
            '<%= name %>', '[First Name]', '{0}', '{n, plural, …}'. Liquid replaces none of them. A single brace or \
            bracket is reported only around a number from 0 or the name of a Braze attribute. Braces that belong to no \
            output or tag are reported only beside the name of a tag or of a Braze attribute. An escape such as '\\n' \
            works only in double quotes of YAML and in JSON. It is reported in the title, the subtitle and the body, \
            and in quoted texts that Liquid prints there.
            """,
        failing: [
            .title("Hi ⟦%%first_name%%⟧"),
            .title("Hi ⟦{first_name}⟧"),
            .title("Hi ⟦*|FNAME|*⟧"),
            .title("Hi ⟦[FIRST_NAME]⟧"),
            .title("Hi,⟦\\n⟧welcome"),
            .title("Hi ⟦{ %⟧ if vip % }you"),
            .title("Hi first_name ⟦}}⟧"),
            .title("Hi ⟦{0}⟧"),
            .campaign("push:\n  title: |-\n    Hi\n    ⟦#⟧ the greeting"),
            .title("Hi ⟦/* name */⟧"),
            .title("Hi ⟦<First Name>⟧"),
            .title("⟦{n, plural, one {# song}⟧ other {# songs}}"),
        ],
        passing: [
            .title("f = {a: {b: {1}}} and {2} :-%}"),
            .title("50% off {today} *only* ¯\\_(ツ)_/¯"),
            .title("Lisez «Nom», [Sale] <first come>, {red, green, blue}"),
            .campaign("push:\n  title: |-\n    # 1 in Oslo\n    #music a // b"),
            .campaign("push: {title: '100 % sicher, 5%discount', extras: {format: '%d.%m.%Y'}}"),
            .campaign("push: {title: \"Hi,\\nwelcome\"}"),
            .push("extras: {order: '{\"items\": {\"count\": 1}}'}"),
        ],
        .campaign { campaign in
            let json = campaign.jsonFields
            return campaign.templates.flatMap { text -> [Finding] in
                let bytes = Array(text.source.text.utf8)
                return text.literalEscapeFindings(bytes)
                    + text.literalText.flatMap { run -> [Finding] in
                        let foreign = text.placeholderFindings(bytes, in: run)
                        return !foreign.isEmpty
                            ? foreign : json.contains(text.source.field) ? [] : text.strayBraceFindings(bytes, in: run)
                    }
            }
        }
    )

    static let htmlText = Rule(
        RuleID("html-text", .warning, "tags or entities of HTML in a text of the notification"),
        source: .remotePayload,
        rationale: """
            iOS shows the title, the subtitle and the body as plain text, so users read '<br>' and '&amp;'. Such texts \
            come from emails and in-app messages. Names of emoji such as ':tada:' are reported too. A content block is \
            checked together with the text that prints it. The rule is silent for other words in angle brackets, and \
            for key-value pairs, which an extension may show as HTML.
            """,
        failing: [
            .title("Hi⟦<br>⟧there"),
            .title("Rock ⟦&amp;⟧ Roll"),
            .title("Hi ⟦:tada:⟧"),
            .blocks("Hi {{content_blocks.${footer}}}", ["footer": "⟦<b>⟧Bye⟦</b>⟧"]),
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
    /// The fields that are sent as JSON, or as a text that is valid JSON.
    ///
    /// Braces in them are ordinary text.
    fileprivate var jsonFields: Set<String> {
        Set(
            extras.flatMap { extra -> [String] in
                if case .text(let text) = extra.value, text.holdsLiquid || (try? Value(json: text.text)) == nil {
                    return []
                }
                return extra.value.templates.map(\.field)
            }
        )
    }
}

extension LintedText {
    /// The finding about braces that were meant as Liquid and belong to no output or tag.
    ///
    /// Braces in formulas, code and emoticons are not reported.
    fileprivate func strayBraceFindings(_ bytes: [UInt8], in run: Range<Int>) -> [Finding] {
        for (mark, opens) in [("}}", false), ("%}", false), ("{ {", true), ("{ %", true)] {
            guard let found = bytes[run].firstRange(ofBytes: mark.utf8) else { continue }
            let inside =
                opens
                ? bytes[found.upperBound...].prefix { $0 != 0x0A }
                : bytes[..<found.lowerBound].suffix(Self.mostBytesOfLiquid)
                    .split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []
            guard Self.isLiquid(inside, isTag: mark.contains("%"), opens: opens) else { continue }
            return [Finding(.stray(mark), at: place(of: SourceRange(found)))]
        }
        return []
    }

    /// The maximum number of bytes before a closing brace that are searched for the Liquid which the brace closes.
    private static let mostBytesOfLiquid = 200

    private static let tagNames: Set<String> = [
        "if", "elsif", "else", "endif", "unless", "endunless", "case", "when", "endcase", "for", "endfor", "assign",
        "capture", "endcapture", "comment", "endcomment", "abort_message", "connected_content", "promotion",
    ]

    private static let attributeNames =
        AttributeTable.plainNames.union(BrazeNamespace.names)

    /// Whether the text beside a brace looks like the content of an output or a tag.
    private static func isLiquid(_ inside: ArraySlice<UInt8>, isTag: Bool, opens: Bool) -> Bool {
        let text = String(decoding: inside, as: UTF8.self)
        let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        if isTag {
            return opens
                ? words.first.map(tagNames.contains) ?? false : words.suffix(4).contains(where: tagNames.contains)
        }
        return text.holds("${") || words.contains { $0.contains("_") && attributeNames.contains($0) }
    }
}

/// A placeholder of another system.
private struct Placeholder {
    let range: Range<Int>

    /// The Braze attribute that the placeholder means; nil if it is not known.
    var name: String?

    /// Whether the placeholder begins a choice of ICU messages, such as `{n, plural, one {# song} other {# songs}}`.
    var isChoice = false

    /// The attributes that other systems write with capital letters, with or without spaces.
    private static let usualAttributes: Set<String> = ["first_name", "last_name", "email_address"]

    /// Opening and closing marks.
    ///
    /// If `isNormal` is true, ordinary text may be between them, so only the name of a Braze attribute, or a number in
    /// braces, counts as a placeholder.
    private static let marks: [(open: String, close: String, isNormal: Bool)] = [
        ("%%", "%%", false), ("*|", "|*", false), ("#{", "}", false), ("<%", "%>", false), ("{", "}", true),
        ("%", "%", true), ("[", "]", true), ("<", ">", true), ("«", "»", false),
    ]

    /// Reads the placeholder at the start of a range; nil if there is none.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - rest: the range from this place to the end of its run of literal text.
    ///   - isShown: whether users read the text as it is; other texts may be HTML or code.
    init?(_ bytes: [UInt8], _ rest: Range<Int>, isShown: Bool) {
        let start = rest.lowerBound
        if bytes[start] == UInt8(ascii: "$") {
            let word = bytes[rest].dropFirst().prefix(while: \.isWordByte)
            let name = String(decoding: word, as: UTF8.self).lowercased()
            guard AttributeTable.plainNames.contains(name) else { return nil }
            (range, self.name) = (start..<word.endIndex, name)
            return
        }
        for mark in Self.marks where bytes[rest].starts(with: mark.open.utf8) {
            // Names are short, so only a short part is searched: a text with many marks is not read again for each of
            // them.
            let inside = bytes[rest].dropFirst(mark.open.utf8.count).prefix(100)
            guard let close = inside.firstRange(ofBytes: mark.close.utf8) else { continue }
            let text = String(decoding: inside[..<close.lowerBound], as: UTF8.self)
            let found = start..<close.upperBound
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            if mark.open == "{", words.count > 2, ["plural", "select", "selectordinal"].contains(words[1]) {
                (range, isChoice) = (found, true)
                return
            }
            let word = text.filter { $0 != " " && $0 != "=" }
            let capital = word.first?.isUppercase ?? false ? ForeignNames.attribute(word) : nil
            name =
                ForeignNames.attributes[word.lowercased()] ?? AttributeTable.plainNames.first {
                    $0 == word.lowercased()
                }
                ?? capital.flatMap { Self.usualAttributes.contains($0) ? $0 : nil }
                ?? ["FNAME": "first_name", "LNAME": "last_name", "EMAIL": "email_address"][word]
            // Numbered placeholders start with `{0}`; without it, numbers in braces are ordinary text.
            let isIndex =
                mark.open == "{" && isShown && text.count == 1 && text.first?.isWholeNumber ?? false
                && bytes[...].firstRange(ofBytes: "{0}".utf8) != nil
            // HTML, lists and addresses such as 'user[name]=x' have brackets too.
            let isBracket = mark.open == "[" || mark.open == "<"
            let isApart = start == 0 || bytes[start - 1] <= 0x20 || bytes[start - 1] == UInt8(ascii: "(")
            let isWord = !word.isEmpty && word.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
            // In many languages these are quotation marks, so only names with underscores count, as in the fields of
            // Word.
            if mark.open == "«", !isShown || !text.contains("_") { continue }
            guard isWord, !mark.isNormal || name != nil || isIndex, mark.open != "%" || text == word,
                !isBracket || isShown && (isApart || mark.open == "<")
            else { continue }
            range = found
            return
        }
        return nil
    }
}

extension LintedText {
    fileprivate func placeholderFindings(_ bytes: [UInt8], in run: Range<Int>) -> [Finding] {
        var found = isShown ? commentFindings(bytes, in: run) : []
        var index = run.lowerBound
        while index < run.upperBound {
            guard let placeholder = Placeholder(bytes, index..<run.upperBound, isShown: isShown),
                !placeholder.isChoice || isRead
            else {
                index += 1
                continue
            }
            let text = String(decoding: bytes[placeholder.range], as: UTF8.self)
            let message = placeholder.isChoice ? RuleMessage.choice(text) : .placeholder(text, placeholder.name)
            found.append(Finding(message, at: place(of: SourceRange(placeholder.range))))
            index = placeholder.range.upperBound
        }
        return found
    }

    /// The findings about comments of other languages: between '/*' and '*/', or on lines that begin with '#' or '//',
    /// a space and a letter.
    private func commentFindings(_ bytes: [UInt8], in run: Range<Int>) -> [Finding] {
        run.compactMap { index in
            let rest = bytes[index..<run.upperBound]
            let mark = ["# ", "// ", "/*"].first { rest.starts(with: $0.utf8) }
            guard let mark else { return nil }
            let range: Range<Int>
            if mark == "/*" {
                guard let end = rest.prefix(1_000).firstRange(ofBytes: "*/".utf8)?.upperBound else { return nil }
                range = index..<end
            } else {
                let before = bytes[..<index].suffix(100).reversed().first { $0 != 0x20 }
                guard before == nil || before == 0x0A, rest.dropFirst(mark.utf8.count).first?.isLetter ?? false else {
                    return nil
                }
                range = index..<index + mark.utf8.count - 1
            }
            return Finding(
                .comment(String(decoding: bytes[range], as: UTF8.self)), at: place(of: SourceRange(range)))
        }
    }
}

extension LintedText {
    /// Whether the text is one that the system shows in the notification.
    var isOfAlert: Bool { ["title", "subtitle", "body"].contains(source.field) }

    /// Whether users read the text as it is.
    var isShown: Bool { isOfAlert || source.field.hasPrefix("translations.") }

    /// Whether people may read the text: as a part of the notification, or as the value of a key-value pair.
    var isRead: Bool {
        isShown || source.field.hasPrefix("content_blocks.")
            || source.field.hasPrefix("extras.") && !source.field.hasSuffix(" (key)")
    }

    /// The findings about escapes of other languages that users read.
    fileprivate func literalEscapeFindings(_ bytes: [UInt8]) -> [Finding] {
        var found: [Finding] = []
        for markup in parts.values {
            for filter in markup.filters where filter.name == "split" {
                guard let value = filter.arguments.first?.value, filter.literalText == "\\n" else { continue }
                found.append(Finding(.splitByEscape, at: place(of: value.range)))
            }
        }
        guard isShown else { return found }
        for run in literalText { found += Self.escapes(in: bytes, run).map { escapeFinding($0, bytes) } }
        // If such an escape ends a quoted text early, another rule reports how Liquid reads the rest.
        for markup in parts.values where !isIgnored(markup.range) {
            let joined = markup.filters.filter { ["append", "prepend", "join", "default"].contains($0.name) }
            let values = [markup.expression] + joined.map { $0.arguments.first?.value }
            for value in values.compactMap(\.self) {
                guard case .string? = value.literal else { continue }
                found += Self.escapes(in: bytes, value.range.offsets).map { escapeFinding($0, bytes) }
            }
        }
        return found
    }

    private func escapeFinding(_ range: Range<Int>, _ bytes: [UInt8]) -> Finding {
        let text = String(decoding: bytes[range], as: UTF8.self)
        let meant =
            text == "\\n" ? "a line break, in YAML a text below '|-' or in double quotes" : "the character itself"
        return Finding(.escape(text, meant), at: place(of: SourceRange(range)))
    }

    /// The ranges of `\n`, `\t`, `\"` and `\'` whose backslash is not itself escaped.
    private static func escapes(in bytes: [UInt8], _ run: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = run.lowerBound
        while index + 1 < run.upperBound {
            let isEscape = bytes[index] == UInt8(ascii: "\\")
            if isEscape, "nt\"'".utf8.contains(bytes[index + 1]) { found.append(index..<index + 2) }
            index += isEscape ? 2 : 1
        }
        return found
    }
}

extension LintedCampaign {
    /// The texts that the system shows, and the content blocks in them.
    fileprivate var shownTexts: [LintedText] {
        let fields = texts.filter(\.isOfAlert)
        return fields + translations + blocks(readBy: fields)
    }
}

/// An HTML tag or entity, or the name of an emoji between colons, as chat programs write it.
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

    /// Reads the mark at the start of a range; nil if there is none.
    ///
    /// - Parameters:
    ///   - bytes: a text.
    ///   - rest: the range from the mark to the end of its run of literal text.
    ///   - hasClosingTag: whether the text has a closing tag; without one, a tag may be a word in angle brackets.
    init?(_ bytes: [UInt8], _ rest: Range<Int>, isBesideClosingTag hasClosingTag: Bool) {
        let start = rest.lowerBound
        // Longer text is not a tag, an entity or an emoji.
        let inside = bytes[rest].dropFirst().prefix(200)
        func end(_ mark: Character) -> Int? { inside.firstIndex { $0 == mark.asciiValue } }
        func text(_ end: Int) -> String { String(decoding: bytes[(start + 1)..<end], as: UTF8.self) }
        switch bytes[start] {
        case UInt8(ascii: "<"):
            guard let end = end(">") else { return nil }
            let words = text(end).lowercased().split { $0 == " " || $0 == "/" }.map(String.init)
            let isSingle = text(end).hasPrefix("/") || words.first == "br" || words.first == "img"
            // Other words after the name of a tag are attributes, which contain '='.
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
