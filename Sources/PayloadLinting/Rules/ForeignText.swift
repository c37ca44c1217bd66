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
        "'\(text)' begins a choice of ICU messages, in braces that users read as they are; expected {% if %} or {% case %}"
    }
    fileprivate static func escape(_ text: String, _ meant: String) -> RuleMessage {
        "'\(text)' is not an escape here, so users read the backslash; expected \(meant)"
    }
    fileprivate static let splitByEscape: RuleMessage =
        """
        '\\n' in a text of Liquid is a backslash and 'n', not a line break, so nothing is split; expected \
        '| newline_to_br | split: '<br />''
        """
    fileprivate static func stray(_ braces: String) -> RuleMessage {
        "'\(braces)' does not belong to an output or tag, so users read it; expected '{{ … }}' or '{% … %}' around Liquid"
    }
    fileprivate static func comment(_ text: String) -> RuleMessage {
        "'\(text)' is not a Liquid comment, so users read it; expected {% comment %}…{% endcomment %}"
    }
}

extension Rule {
    static let foreignPlaceholder = Rule(
        RuleDescription(
            RuleID("foreign-placeholder", .warning, "a placeholder, comment or escape of another language"),
            name: "Placeholder of another system",
            source: "https://mailchimp.com/help/all-the-merge-tags-cheat-sheet/",
            rationale: """
                Texts are copied from other tools: '%%first_name%%', '*|FNAME|*', '#{first_name}', '{first_name}', \
                '<%= name %>', '[First Name]', '«First_Name»', '{0}', '{n, plural, …}'. Liquid replaces none of them. A \
                single brace or bracket is reported only around a number from 0 or the name of a Braze attribute; braces \
                that belong to no output or tag only beside what Liquid would hold. \
                An escape such as '\\n' is one only in double quotes of YAML and in JSON: reported in the title, the \
                subtitle and the body, and in texts of Liquid that are printed there.
                """,
            failing: [
                .campaign("push: {title: 'Hi ⟦%%first_name%%⟧'}"),
                .campaign("push: {title: 'Hi ⟦{first_name}⟧'}"),
                .campaign("push: {title: 'Hi ⟦*|FNAME|*⟧'}"),
                .campaign("push: {title: 'Hi ⟦[FIRST_NAME]⟧'}"),
                .campaign("push: {title: 'Hi,⟦\\n⟧welcome'}"),
                .campaign("push: {title: 'Hi ⟦{ %⟧ if vip % }you'}"),
                .campaign("push: {title: 'Hi first_name ⟦}}⟧'}"),
                .campaign("push: {title: 'Hi ⟦{0}⟧'}"),
                .campaign("push: {title: 'Hi ⟦<First Name>⟧'}"),
                .campaign("push:\n  title: |-\n    Hi\n    ⟦#⟧ the greeting"),
                .campaign("push: {title: 'Hi ⟦/* name */⟧'}"),
                .campaign("push: {title: '⟦{n, plural,⟧ one {# song} other {# songs}}'}"),
            ],
            passing: [
                .campaign("push: {title: 'f = {a: {b: {1}}} and {2} :-%}'}"),
                .campaign("push: {title: '50% off {today} *only* ¯\\_(ツ)_/¯'}"),
                .campaign("push: {title: 'Lisez «Nom», [Sale] <first come>, {red, green, blue}'}"),
                .campaign("push:\n  title: |-\n    # 1 in Oslo\n    #music a // b"),
                .campaign("push: {title: '100 % sicher, 5%discount', extras: {format: '%d.%m.%Y'}}"),
                .campaign("push: {title: \"Hi,\\nwelcome\"}"),
                .campaign("push: {title: Hi, extras: {order: '{\"items\": {\"count\": 1}}'}}"),
            ]
        ),
        .campaign { campaign in
            let json = campaign.jsonFields
            return campaign.templates.flatMap { text -> [Finding] in
                let bytes = Array(text.source.text.utf8)
                return text.literalEscapes(bytes)
                    + text.literalText.flatMap { run -> [Finding] in
                        let foreign = ForeignText.all(text, bytes, in: run)
                        if !foreign.isEmpty { return foreign.map { $0.finding(text) } }
                        return json.contains(text.source.field) ? [] : text.strayBraces(bytes, in: run)
                    }
            }
        }
    )
}

extension LintedCampaign {
    /// The fields that are sent as JSON, or as a text that is JSON, in which braces are part of the text.
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
    /// In formulas, code and emoticons braces are text.
    fileprivate func strayBraces(_ bytes: [UInt8], in run: Range<Int>) -> [Finding] {
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

    /// The most bytes before a closing brace in which what belongs to it is searched.
    private static let mostBytesOfLiquid = 200

    private static let tagNames: Set<String> = [
        "if", "elsif", "else", "endif", "unless", "endunless", "case", "when", "endcase", "for", "endfor", "assign",
        "capture", "endcapture", "comment", "endcomment", "abort_message", "connected_content", "promotion",
    ]

    private static let attributeNames =
        Set(AttributeTable.all.filter { $0.namespace == nil }.compactMap(\.name)).union(BrazeNamespace.names)

    /// Whether the text beside a brace is what an output or a tag holds.
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

/// A placeholder of another system in a run of text.
private struct ForeignText {
    enum Kind {
        case placeholder, comment
        /// A choice of ICU messages, such as `{n, plural, one {# song} other {# songs}}`.
        case choice
    }

    let range: Range<Int>
    let text: String
    let name: String?
    let kind: Kind

    private static let names = Set(AttributeTable.all.filter { $0.namespace == nil }.compactMap(\.name))

    /// The attributes that other systems write with capital letters, with or without spaces.
    private static let usual: Set<String> = ["first_name", "last_name", "email_address"]

    /// The length of the longest comment and the longest name, in bytes, for which a closing mark is searched.
    private static let (longestComment, longestName) = (1_000, 100)

    /// Opening and closing marks.
    private static let marks: [(open: String, close: String)] = [
        ("%%", "%%"), ("*|", "|*"), ("#{", "}"), ("<%", "%>"), ("{", "}"), ("%", "%"), ("[", "]"), ("<", ">"),
        ("«", "»"),
        ("/*", "*/"),
    ]

    /// The placeholders in a run, in the order of the text; those in brackets only where users read the text, as HTML
    /// and lists have brackets too.
    static func all(_ linted: LintedText, _ bytes: [UInt8], in run: Range<Int>) -> [ForeignText] {
        let (isShown, isRead) = (linted.isShown, linted.isRead)
        var found: [ForeignText] = []
        var isFound = [Bool](repeating: false, count: run.count)
        func overlaps(_ range: Range<Int>) -> Bool {
            isFound[(range.lowerBound - run.lowerBound)..<(range.upperBound - run.lowerBound)].contains(true)
        }
        func add(_ text: ForeignText) {
            found.append(text)
            for index in text.range { isFound[index - run.lowerBound] = true }
        }
        for mark in marks where isShown || !["[", "<", "«", "/*"].contains(mark.open) {
            var start = run.lowerBound
            while start < run.upperBound, let open = bytes[start..<run.upperBound].firstRange(ofBytes: mark.open.utf8) {
                start = open.lowerBound + 1
                let reach = open.upperBound + (mark.open == "/*" ? longestComment : longestName)
                guard
                    let close = bytes[open.upperBound..<min(reach, run.upperBound)].firstRange(
                        ofBytes: mark.close.utf8),
                    !overlaps(open.lowerBound..<close.upperBound),
                    let text = ForeignText(bytes, mark, open, close, isShown: isShown)
                else { continue }
                add(text)
                start = text.range.upperBound
            }
        }
        let others =
            dollars(bytes, in: run) + (isRead ? choices(bytes, in: run) : [])
            + (isShown ? comments(bytes, in: run) : [])
        for other in others where !overlaps(other.range) { add(other) }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The names of Braze's attributes after a dollar sign.
    private static func dollars(_ bytes: [UInt8], in run: Range<Int>) -> [ForeignText] {
        run.filter { bytes[$0] == UInt8(ascii: "$") }.compactMap { dollar in
            let word = bytes[(dollar + 1)..<run.upperBound].prefix(while: \.isWordByte)
            let name = String(decoding: word, as: UTF8.self)
            guard names.contains(name.lowercased()) else { return nil }
            return ForeignText(
                range: dollar..<word.endIndex, text: "$" + name, name: name.lowercased(), kind: .placeholder)
        }
    }

    /// Comments of other languages on lines of their own, which begin with `#` or `//`, a space and a letter.
    private static func comments(_ bytes: [UInt8], in run: Range<Int>) -> [ForeignText] {
        var found: [ForeignText] = []
        var start = run.lowerBound
        while start < run.upperBound {
            let end = bytes[start..<run.upperBound].firstIndex(of: 0x0A) ?? run.upperBound
            let line = bytes[start..<end].drop { $0 == 0x20 || $0 == 0x09 }
            let isWhole = start == 0 || bytes[start - 1] == 0x0A
            start = end + 1
            let marks = ["# ", "// "].filter { line.starts(with: $0.utf8) }
            guard isWhole, let mark = marks.first, let letter = line.dropFirst(mark.utf8.count).first,
                letter.isLetter
            else { continue }
            let range = line.startIndex..<line.startIndex + mark.utf8.count - 1
            found.append(ForeignText(range: range, text: String(mark.dropLast()), name: nil, kind: .comment))
        }
        return found
    }

    /// The starts of choices of ICU messages: a brace, a name, and a kind of choice between commas.
    private static func choices(_ bytes: [UInt8], in run: Range<Int>) -> [ForeignText] {
        run.filter { bytes[$0] == UInt8(ascii: "{") }.compactMap { brace in
            // Names are short, so that a text of many braces is read once.
            let start = bytes[(brace + 1)..<min(brace + 1 + longestName, run.upperBound)]
            let parts = start.split(
                separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            let words = parts.prefix(2).map { part in
                String(decoding: part.filter { $0 > 0x20 }, as: UTF8.self)
            }
            guard !words[0].isEmpty, words[0].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
                ["plural", "select", "selectordinal"].contains(words[1])
            else { return nil }
            let range = brace..<parts[2].startIndex
            return ForeignText(
                range: range, text: String(decoding: bytes[range], as: UTF8.self), name: nil, kind: .choice)
        }
    }

    private init(range: Range<Int>, text: String, name: String?, kind: Kind) {
        (self.range, self.text, self.name, self.kind) = (range, text, name, kind)
    }

    /// The placeholder between two marks; nil where they enclose other text.
    private init?(
        _ bytes: [UInt8],
        _ mark: (open: String, close: String),
        _ open: Range<Int>,
        _ close: Range<Int>,
        isShown: Bool
    ) {
        let inner = String(decoding: bytes[open.upperBound..<close.lowerBound], as: UTF8.self)
        let word = String(inner.filter { $0 != " " && $0 != "=" })
        let isComment = mark.open == "/*"
        let isName =
            !word.isEmpty
            && word.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
        let known =
            ForeignNames.attributes[word.lowercased()]
            ?? (Self.names.contains(word.lowercased()) ? word.lowercased() : nil)
            ?? (word.first?.isUppercase ?? false
                ? ForeignNames.attribute(word).flatMap { Self.usual.contains($0) ? $0 : nil } : nil)
        // Addresses have names in brackets, such as 'user[name]=x'.
        let isParameter =
            mark.open == "[" && bytes[..<open.lowerBound].last.map { $0 > 0x20 && $0 != UInt8(ascii: "(") } ?? false
        // Indices count from 0; other numbers in braces are text.
        let isIndex =
            mark.open == "{" && isShown && Int(inner).map { 0..<10 ~= $0 } ?? false
            && bytes[...].firstRange(ofBytes: "{0}".utf8) != nil
        // Text in single braces, in brackets or between percent signs is normal, unless it is a name of Braze.
        guard isComment || isName, !isParameter,
            !["{", "%", "[", "<", "«"].contains(mark.open) || known != nil || isIndex,
            mark.open != "%" || inner == word,
            // In many languages quoted words are between such marks; Word writes fields with underscores.
            mark.open != "«" || inner.contains("_")
        else { return nil }
        range = open.lowerBound..<close.upperBound
        text = String(decoding: bytes[range], as: UTF8.self)
        name = known ?? ["FNAME": "first_name", "LNAME": "last_name", "EMAIL": "email_address"][word]
        kind = isComment ? .comment : .placeholder
    }

    func finding(_ linted: LintedText) -> Finding {
        let place = linted.place(of: SourceRange(range))
        return switch kind {
        case .placeholder: Finding(.placeholder(text, name), at: place)
        case .comment: Finding(.comment(text), at: place)
        case .choice: Finding(.choice(text), at: place)
        }
    }
}

extension LintedText {
    /// Whether users read the text as it is.
    var isShown: Bool {
        ["title", "subtitle", "body"].contains(source.field) || source.field.hasPrefix("translations.")
    }

    /// Whether people may read the text: as a part of the notification, or as the value of a key-value pair.
    var isRead: Bool {
        isShown || source.field.hasPrefix("content_blocks.")
            || source.field.hasPrefix("extras.") && !source.field.hasSuffix(" (key)")
    }

    /// The findings about escapes of other languages that users read.
    fileprivate func literalEscapes(_ bytes: [UInt8]) -> [Finding] {
        var found: [Finding] = []
        for markup in markups {
            for filter in markup.filters where filter.name == "split" {
                guard let value = filter.arguments.first?.value, case .string("\\n")? = value.literal else { continue }
                found.append(Finding(.splitByEscape, at: place(of: value.range)))
            }
        }
        guard isShown else { return found }
        for run in literalText { found += Self.escapes(in: bytes, run).map { escapeFinding($0, bytes) } }
        for markup in markups {
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
            switch text {
            case "\\n": "a line break, in YAML a text below '|-' or in double quotes"
            case "\\t": "a space"
            case "\\\"", "\\'": "\(text.dropFirst()) without a backslash"
            default: "the character itself"
            }
        return Finding(.escape(text, meant), at: place(of: SourceRange(range)))
    }

    /// Whether a backslash follows the letter of a drive, as in 'C:\new'.
    private static func isPath(_ bytes: [UInt8], at index: Int, from start: Int) -> Bool {
        guard index >= start + 2, bytes[index - 1] == UInt8(ascii: ":"), bytes[index - 2].isLetter else { return false }
        return index < start + 3 || !bytes[index - 3].isLetter
    }

    /// The ranges of `\n`, `\t`, `\"`, `\'` and `\u` with four digits, the backslash of which is not escaped.
    private static func escapes(in bytes: [UInt8], _ run: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = run.lowerBound
        while index + 1 < run.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            if isPath(bytes, at: index, from: run.lowerBound) { return found }
            switch bytes[index + 1] {
            case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "\""), UInt8(ascii: "'"):
                found.append(index..<index + 2)
            case UInt8(ascii: "u")
            where index + 6 <= run.upperBound && bytes[(index + 2)..<(index + 6)].allSatisfy(\.isHexadecimal):
                found.append(index..<index + 6)
            default: break
            }
            index += 2
        }
        return found
    }
}
