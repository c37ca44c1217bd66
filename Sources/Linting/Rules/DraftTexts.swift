// SPDX-License-Identifier: MIT

import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func note(_ text: String) -> RuleMessage {
        "'\(text)' is a note for those who write the text, and users read it; expected {% comment %}…{% endcomment %}"
    }
    fileprivate static func filler(_ text: String) -> RuleMessage {
        "'\(text)' is filler text, which users read; expected the final text"
    }
    fileprivate static func gap(_ text: String) -> RuleMessage {
        "'\(text)' is a placeholder of a draft, and users read it; expected the final text, or Liquid for a value"
    }
    fileprivate static func number(_ text: String) -> RuleMessage {
        "'\(text)' is in place of a number, and users read it; expected the number"
    }
}

extension Rule {
    static let draftText = Rule(
        RuleDescription(
            RuleID("draft-text", .warning, "a note, filler text or a gap of a draft that users read"),
            name: "Text of a draft",
            rationale: """
                'TODO:', 'FIXME' and '[TEST]' at the start of a line, 'lorem ipsum', '[INSERT NAME]' and 'XX €' are left \
                from a draft. Inside of a line 'TODO:' is reported as info, as it is also a word of Spanish. The letter \
                X is reported in amounts and percentages only: 'XXL', Roman numerals and masked card numbers pass. \
                Silent outside of the texts of the notification, key-value pairs and content blocks.
                """,
            failing: [
                .campaign("push: {title: Hi, body: '⟦TODO:⟧ ask marketing'}"),
                .campaign("push: {title: Hi, body: '⟦Lorem ipsum⟧ dolor sit amet'}"),
                .campaign("push: {title: '⟦[TEST]⟧ Hi'}"),
                .campaign("push: {title: 'Hi, ⟦TODO:⟧ offer'}"),
                .campaign("push: {title: 'Hi ⟦[INSERT NAME]⟧'}"),
                .campaign("push: {title: 'Save ⟦XX%⟧ today'}"),
            ],
            passing: [
                .campaign("push: {title: 'Volume XXX in size XXL', body: '¡TODO al 50%! Card XXXX 1234'}"),
                .campaign("push: {title: 'Hi{% comment %}TODO: ask marketing{% endcomment %}'}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.filter(\.isRead).flatMap { text in
                let bytes = Array(text.source.text.utf8)
                return text.literalText.flatMap { run in
                    DraftRemnant.all(bytes, in: run).map {
                        Finding($0.message, at: text.place(of: $0.range), severity: $0.severity)
                    }
                }
            }
        }
    )
}

/// A part of a text that is left from its draft.
private struct DraftRemnant {
    let range: SourceRange
    let message: RuleMessage
    /// The severity; nil for that of the rule.
    let severity: Severity?

    static func all(_ bytes: [UInt8], in run: Range<Int>) -> [DraftRemnant] {
        var found: [DraftRemnant] = []
        func add(_ range: Range<Int>, severity: Severity? = nil, _ message: (String) -> RuleMessage) {
            let text = String(decoding: bytes[range], as: UTF8.self)
            found.append(DraftRemnant(range: SourceRange(range), message: message(text), severity: severity))
        }
        for mark in ["TODO:", "FIXME", "[TEST]", "[Test]", "[DRAFT]", "[Draft]", "[WIP]"] {
            guard let note = bytes[run].firstRange(ofBytes: mark.utf8) else { continue }
            if isLineStart(bytes, note.lowerBound) {
                add(note, RuleMessage.note)
            } else if mark == "TODO:" || mark == "FIXME", bytes[note.lowerBound - 1] == 0x20 {
                add(note, severity: .info, RuleMessage.note)
            }
        }
        for mark in ["[INSERT", "[Insert", "[insert", "<INSERT", "<insert", "[YOUR ", "[PLACEHOLDER", "[NAME", "[TBD]"]
        {
            guard let open = bytes[run].firstRange(ofBytes: mark.utf8),
                let close = bytes[open.lowerBound..<run.upperBound].firstIndex(where: { "]>\n".utf8.contains($0) }),
                bytes[close] != UInt8(ascii: "\n")
            else { continue }
            add(open.lowerBound..<close + 1, RuleMessage.gap)
        }
        let lower = bytes[run].map(\.lowercased)
        if let filler = lower[...].firstRange(ofBytes: "lorem ipsum".utf8) {
            add(run.lowerBound + filler.lowerBound..<run.lowerBound + filler.upperBound, RuleMessage.filler)
        }
        var start = run.lowerBound
        while start < run.upperBound {
            guard bytes[start] == UInt8(ascii: "X") else {
                start += 1
                continue
            }
            let end = bytes[start..<run.upperBound].firstIndex { !Self.isOfGap($0) } ?? run.upperBound
            if let gap = gap(bytes, start..<end, in: run) { add(gap, RuleMessage.number) }
            start = end
        }
        return found
    }

    /// Whether only white space precedes a place in its line.
    private static func isLineStart(_ bytes: [UInt8], _ index: Int) -> Bool {
        (bytes[..<index].last { $0 != 0x20 && $0 != 0x09 }).map { $0 == 0x0A } ?? true
    }

    private static func isOfGap(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "X") || ",.".utf8.contains(byte) }

    /// The range of an amount or percentage whose digits are letters X; nil for other words.
    private static func gap(_ bytes: [UInt8], _ word: Range<Int>, in run: Range<Int>) -> Range<Int>? {
        guard bytes[word].count(where: { $0 == UInt8(ascii: "X") }) > 1 else { return nil }
        let before = String(decoding: bytes[run.lowerBound..<word.lowerBound], as: UTF8.self)
        let after = String(decoding: bytes[word.upperBound..<run.upperBound], as: UTF8.self)
        guard !(before.last.map { $0.isLetter || $0.isNumber } ?? false) else { return nil }
        let rest = after.drop { $0 == " " || $0 == "\u{A0}" }
        let name = rest.prefix { $0.isLetter }
        let unit = rest.first.map(signs.contains) ?? false ? rest.prefix(1) : name
        if unit != name || rest.startIndex != after.startIndex && currencies.contains(name.lowercased()) {
            return word.lowerBound..<(run.upperBound - rest.utf8.count + unit.utf8.count)
        }
        let sign = before.last { $0 != " " && $0 != "\u{A0}" }
        let isAmount = sign.map { $0 != "%" && signs.contains($0) } ?? false
        return isAmount && !(after.first.map { $0.isLetter || $0.isNumber } ?? false) ? word : nil
    }

    private static let signs = "%€$£¥"
    private static let currencies: Set<String> = [
        "euro", "euros", "eur", "usd", "gbp", "chf", "dollar", "dollars", "percent", "prozent", "points", "punkte",
    ]
}
