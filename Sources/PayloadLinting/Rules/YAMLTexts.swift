// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func comment(_ text: String) -> RuleMessage {
        "'\(text)' is a comment in YAML, so it is not sent; expected quotes around the whole text"
    }
    fileprivate static func note(_ text: String) -> RuleMessage {
        "'\(text)' is a comment in YAML, so it is not sent; if it is part of the text, put quotes around the whole text"
    }
    fileprivate static func noValue(_ text: String) -> RuleMessage {
        "users get the text '\(text)', as texts are sent as they are written; expected no such key, or quotes around the text"
    }
    fileprivate static func property(_ text: String) -> RuleMessage {
        "'\(text)' is a tag or anchor in YAML, so it is not sent; expected quotes around the whole text"
    }
}

extension Rule {
    static let eatenText = Rule(
        RuleID("yaml-eaten-text", .warning, "a part of a text that YAML reads as its own syntax"),
        source: .yaml,
        rationale: """
            A number sign after a space begins a comment, and a word with '!' or '&' at the start of a value is a tag \
            or an anchor. A text 'null' does not mean "no value": users read the word. A comment such as '# today' \
            after a title, a subtitle or a body is an info if only one space is before it. The rule is silent for \
            other such comments, which are meant as such, and for anchors that an alias uses.
            """,
        fix: "puts quotes around the whole text",
        failing: [
            .campaign(
                "push:\n  title: You are ⟦#1 in Oslo⟧\n  body: Hi",
                fixed: "push:\n  title: \"You are #1 in Oslo\"\n  body: Hi"
            ),
            .campaign("push:\n  title: ⟦!!!⟧ Sale\n  body: Hi", fixed: "push:\n  title: \"!!! Sale\"\n  body: Hi"),
            .campaign("push:\n  title: Big sale ⟦# today⟧\n  body: Hi"),
            .campaign("push:\n  title: ⟦null⟧\n  body: Hi", fixed: "push:\n  title: \"null\"\n  body: Hi"),
        ],
        passing: [
            .campaign("push:\n  title: \"You are #1\" # the winner\n  body: Hi  # the rest\n  sound: a.caf # loud"),
            .campaign("push:\n  title: &t Hi\n  body: *t"),
        ],
        .campaign { campaign in
            campaign.texts.compactMap { $0.source.eatenTextFinding ?? ($0.isOfAlert ? $0.source.noteFinding : nil) }
        }
    )

    static let foldedText = Rule(
        RuleID("folded-text", .warning, "a text over several lines whose line breaks are sent as spaces"),
        source: "https://yaml.org/spec/1.2.2/#65-line-folding",
        rationale: """
            YAML reads a line break in a text as a space, with or without quotes. So a text that was copied with its \
            lines loses them. To keep the lines, write '|-' and indent the text below it, or write '\\n' in double \
            quotes. The rule is silent for blocks ('|' and '>'), inside Liquid's braces, for '$json:' values, and \
            after '\\' at the end of a line.
            """,
        failing: [
            .campaign("push:\n  title: Hi\n  body: \"Two lines⟦.⟧\n    Or one?\""),
            .campaign("push:\n  title: Hi\n  body: Two lines⟦.⟧\n    Or one?"),
        ],
        passing: [
            .campaign("push:\n  title: Hi\n  body: |-\n    Two lines.\n    And the second."),
            .campaign("push:\n  title: Hi\n  body: \"Two lines.\\nAnd {{ ${first_name} |\n    default: 'you' }}.\""),
        ],
        .campaign { campaign in
            campaign.texts.compactMap { text in
                guard text.isOfAlert || text.source.field.hasPrefix("extras."), let range = text.foldedBreak else {
                    return nil
                }
                return Finding(
                    "the line break after this is sent as a space; write '|-' with the text below it, or '\\n'",
                    at: SourcePlace(text.source.file, range))
            }
        }
    )
}

extension TemplateText {
    /// The finding about a part of an unquoted value that YAML reads as its own syntax.
    fileprivate var eatenTextFinding: Finding? {
        let bytes = file.bytes
        let (start, end) = (Int(range.start), Int(range.end))
        guard !file.path.hasSuffix(".json"), start < end, end <= bytes.count, start > 0,
            ![UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "|"), UInt8(ascii: ">")].contains(bytes[start])
        else { return nil }
        let written = text(in: start..<end)
        if ["null", "Null", "NULL"].contains(written) {
            return Finding(.noValue(written), at: SourcePlace(file, range), fixes: [quoting(start..<end)])
        }
        let lineEnd = bytes[end...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
        if let comment = comment(from: end, to: lineEnd) {
            return Finding(
                .comment(text(in: comment)),
                at: SourcePlace(file, SourceRange(comment)),
                fixes: [quoting(start..<comment.upperBound)]
            )
        }
        var first = start
        while first > 0, bytes[first - 1] != UInt8(ascii: "\n"), bytes[first - 1] != UInt8(ascii: ":") { first -= 1 }
        while first < start, bytes[first] <= 0x20 { first += 1 }
        guard first < start, bytes[first] == UInt8(ascii: "!") || bytes[first] == UInt8(ascii: "&") else { return nil }
        var last = start
        while last > first, bytes[last - 1] <= 0x20 { last -= 1 }
        if bytes[first] == UInt8(ascii: "&"), isAnchorInUse(bytes[(first + 1)..<last].prefix { $0 > 0x20 }) {
            return nil
        }
        return Finding(
            .property(text(in: first..<last)),
            at: SourcePlace(file, SourceRange(first, last)),
            severity: .error,
            fixes: [quoting(first..<end)]
        )
    }

    /// Whether the file has an alias of an anchor.
    private func isAnchorInUse(_ name: ArraySlice<UInt8>) -> Bool {
        let bytes = file.bytes
        return bytes.indices.contains { index in
            guard bytes[index] == UInt8(ascii: "*"), bytes[(index + 1)...].starts(with: name) else { return false }
            let end = index + 1 + name.count
            return end == bytes.count || bytes[end] <= 0x20 || ",]}".utf8.contains(bytes[end])
        }
    }

    /// The range of a comment without a space after its `#`, which looks like text.
    private func comment(from end: Int, to lineEnd: Int) -> Range<Int>? {
        let bytes = file.bytes
        var sign = end
        while sign < lineEnd, bytes[sign] == UInt8(ascii: " ") { sign += 1 }
        guard sign > end, sign + 1 < lineEnd, bytes[sign] == UInt8(ascii: "#"), bytes[sign + 1] > 0x20,
            bytes[sign + 1] != UInt8(ascii: "#")
        else { return nil }
        var last = lineEnd
        while last > sign, bytes[last - 1] <= 0x20 { last -= 1 }
        return sign..<last
    }

    /// The note about a comment after a value without quotes, with a single space before the comment.
    ///
    /// Editors and linters of YAML ask for two spaces before a comment. There is no fix, because the comment may be
    /// intended.
    fileprivate var noteFinding: Finding? {
        let bytes = file.bytes
        let (start, end) = (Int(range.start), Int(range.end))
        guard !file.path.hasSuffix(".json"), start < end, end <= bytes.count, !"\"'|>".utf8.contains(bytes[start]),
            bytes[end...].starts(with: " # ".utf8)
        else { return nil }
        let line = bytes[(end + 1)...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard let last = line.lastIndex(where: { $0 > 0x20 }), last > end + 1,
            !line.starts(with: "# payloadgen:".utf8)
        else { return nil }
        let comment = (end + 1)..<last + 1
        return Finding(.note(text(in: comment)), at: SourcePlace(file, SourceRange(comment)), severity: .info)
    }

    private func text(in range: Range<Int>) -> String { String(decoding: file.bytes[range], as: UTF8.self) }

    private func quoting(_ range: Range<Int>) -> FixIt {
        let value = text(in: range)
        let quoted =
            value.contains("\"") || value.contains("\\")
            ? "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
            : "\"" + value + "\""
        return FixIt(
            "put the text in quotes", edits: [FixIt.Edit(SourceRange(range), replacement: quoted)],
            value: value.contains("\n") ? nil : value)
    }
}

extension LintedText {
    /// The character before the first line break that YAML folds to a space; nil if there is none.
    fileprivate var foldedBreak: SourceRange? {
        let bytes = source.file.bytes[source.range.offsets]
        let json = Array("$json:".utf8)
        guard let first = bytes.first, first != UInt8(ascii: "|"), first != UInt8(ascii: ">"),
            !bytes.starts(with: json), !bytes.dropFirst().starts(with: json)
        else { return nil }
        var isInMarkup = false
        var breaks = 0
        var last = bytes.startIndex
        for (index, byte) in zip(bytes.indices, bytes) {
            switch byte {
            case UInt8(ascii: "\n"): breaks += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default:
                let isEscaped = first == UInt8(ascii: "\"") && bytes[last] == UInt8(ascii: "\\")
                // A blank line is kept as a line break, so only a single line break is folded.
                if breaks == 1, !isInMarkup, !isEscaped {
                    let start = bytes[...last].lastIndex { $0 & 0xC0 != 0x80 } ?? last
                    return SourceRange(start, last + 1)
                }
                breaks = 0
                if last == index - 1 {
                    switch (bytes[last], byte) {
                    case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "{"), UInt8(ascii: "%")):
                        isInMarkup = true
                    case (UInt8(ascii: "}"), UInt8(ascii: "}")), (UInt8(ascii: "%"), UInt8(ascii: "}")):
                        isInMarkup = false
                    default: break
                    }
                }
                last = index
            }
        }
        return nil
    }
}
