// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func curly(_ found: String) -> RuleMessage {
        "found \(found), whose quotes Liquid does not know; expected straight ones, ' or \""
    }
    fileprivate static func loneCurly(_ found: String) -> RuleMessage {
        "found the quote \(found), which Liquid does not know; expected a straight one, ' or \""
    }
    fileprivate static func dash(_ found: String) -> RuleMessage {
        "found the dash '\(found)' beside a delimiter, which Liquid does not know; expected the hyphen '-'"
    }
    fileprivate static func invisible(_ scalar: Unicode.Scalar) -> RuleMessage {
        let name = scalar.properties.name.map { " (\($0.lowercased()))" } ?? ""
        return "found the invisible character \(scalar.codePoint)\(name) inside of Liquid"
    }
}

extension Rule {
    static let smartQuote = Rule(
        RuleID(
            "smart-quote", .error,
            "quotes other than straight ones, invisible characters, or dashes at delimiters, inside of Liquid"),
        source: .usingLiquid,
        rationale: """
            Word processors and chat apps insert such characters. Liquid knows only straight quotes and ASCII white \
            space, so the value is nil without an error, or the template cannot be read. The rule is silent in plain \
            text, between straight quotes, inside of names (but not at their ends), in comments, and in tags whose \
            markup is text, such as connected_content.
            """,
        fix: """
            writes straight quotes, spaces and hyphens, and removes characters without a width. It chooses quotes that \
            need no escape in the file, if it can
            """,
        failing: [
            .campaign(
                "push: {title: \"Hi {{ ${first_name} | default: ⟦‘you’⟧ }}\"}",
                fixed: "push: {title: \"Hi {{ ${first_name} | default: 'you' }}\"}"
            ),
            .campaign(
                "push:\n  title: Hi {{⟦\u{A0}⟧${first_name⟦\u{200B}⟧}}}",
                fixed: "push:\n  title: Hi {{ ${first_name}}}"
            ),
            .title("Hi {{ ${first_name} | default: 'you⟦’⟧ }}"),
            .campaign(
                "push: {title: \"Hi {%⟦–⟧ if ${city} %}a{% endif %}\"}",
                fixed: "push: {title: \"Hi {%- if ${city} %}a{% endif %}\"}"
            ),
            .campaign(
                "push: {title: \"Hi {{ ${first_name} | default: ⟦« toi »⟧ }}\"}",
                fixed: "push: {title: \"Hi {{ ${first_name} | default: 'toi' }}\"}"
            ),
        ],
        passing: [.title("“Hi” {{ ${first_name} | default: 'my friend’s' }}")],
        .campaign { campaign in
            campaign.templates.map(\.source).filter(\.holdsLiquid).flatMap { text in
                LiquidMarks(text.text).marks.map { text.finding($0) }
            }
        }
    )
}

extension TemplateText {
    fileprivate func finding(_ mark: LiquidMarks.Mark) -> Finding {
        let place = place(of: mark.range)
        switch mark.kind {
        case .quoted(let content):
            let fixes = quoted(content).map { quoted in
                [FixIt("write \(quoted)", edits: [FixIt.Edit(place.range, replacement: quoted)])]
            }
            return Finding(.curly(mark.text), at: place, fixes: fixes ?? [])
        case .quote: return Finding(.loneCurly(mark.text), at: place)
        case .dash:
            let fix = FixIt("write '-'", edits: [FixIt.Edit(place.range, replacement: "-")])
            return Finding(.dash(mark.text), at: place, fixes: [fix])
        case .invisible(let scalar, let replacement):
            let fix = FixIt(
                replacement.isEmpty ? "remove it" : "write a space",
                edits: [FixIt.Edit(place.range, replacement: replacement)]
            )
            return Finding(.invisible(scalar), at: place, fixes: [fix])
        }
    }

    /// A text in straight quotes as it must be written in the file; nil if the text cannot be written in quotes.
    ///
    /// Quotes that need no escape in the file are preferred.
    private func quoted(_ content: String) -> String? {
        let outer = file.bytes.indices.contains(Int(range.start)) ? file.bytes[Int(range.start)] : nil
        let quotes = outer == UInt8(ascii: "\"") ? ["'", "\""] : ["\"", "'"]
        // The replacement can escape quotes, but no other characters that need an escape in the file.
        guard let quote = quotes.first(where: { !content.holds($0) }),
            !content.unicodeScalars.contains(where: { $0 == "\\" || $0.value < 0x20 })
        else { return nil }
        let literal = quote + content + quote
        return switch outer {
        case UInt8(ascii: "'"): literal.parts(between: "'").joined(separator: "''")
        case UInt8(ascii: "\""): literal.parts(between: "\"").joined(separator: "\\\"")
        default: literal
        }
    }
}

/// Finds quotes, dashes and invisible characters that Liquid does not recognize.
///
/// The template is not parsed, as templates with such characters often cannot be.
private struct LiquidMarks {
    /// A character or a quoted text that Liquid does not recognize.
    struct Mark {
        enum Kind {
            /// A text in curly quotes.
            case quoted(String)
            /// A curly quote without a matching one.
            case quote
            /// An invisible character, and its replacement.
            case invisible(Unicode.Scalar, replacement: String)
            /// A dash in place of the hyphen that removes white space.
            case dash
        }

        var kind: Kind
        var range: SourceRange
        var text: String
    }

    private(set) var marks: [Mark] = []
    private let scalars: [Unicode.Scalar]
    /// The offset in bytes of each scalar, and of the end.
    private var offsets: [Int] = [0]
    private var position = 0

    init(_ text: String) {
        guard text.utf8.contains(where: { $0 >= 0x7F || $0 < 0x20 }) else {
            scalars = []
            return
        }
        scalars = Array(text.unicodeScalars)
        for scalar in scalars { offsets.append(offsets[offsets.count - 1] + UTF8.width(scalar)) }
        while position < scalars.count {
            if has("{{", at: position) {
                readMarkup(to: first("}}", from: position + 2))
            } else if has("{%", at: position) {
                readTag()
            } else {
                position += 1
            }
        }
    }

    private func has(_ text: StaticString, at index: Int) -> Bool {
        text.withUTF8Buffer { bytes in
            index + bytes.count <= scalars.count
                && zip(bytes, scalars[index...]).allSatisfy { Unicode.Scalar($0) == $1 }
        }
    }

    /// The index of the first occurrence of a text; the end if there is none, since a closing delimiter may be missing.
    private func first(_ text: StaticString, from start: Int) -> Int {
        var index = start
        while index < scalars.count, !has(text, at: index) { index += 1 }
        return min(index, scalars.count)
    }

    /// Tags whose body or markup is text.
    private static let textTags: Set<String> = [
        "#", "catalog_items", "catalog_selection_items", "comment", "connected_content", "doc", "landing_page_url",
        "message_extras", "random", "raw", "shopping_cart", "translation",
    ]

    private mutating func readTag() {
        let end = first("%}", from: position + 2)
        let words = scalars[(position + 2)..<end].split { !($0.properties.isAlphabetic || $0 == "_" || $0 == "#") }
        let name = words.first.map { String(String.UnicodeScalarView($0)) } ?? ""
        guard Self.textTags.contains(name) else { return readMarkup(to: end) }
        position = end
        guard ["comment", "doc", "raw"].contains(name) else { return }
        while position < scalars.count, !has("{%", at: position) || !tag(at: position, isNamed: "end" + name) {
            position += 1
        }
    }

    private func tag(at start: Int, isNamed name: String) -> Bool {
        scalars[(start + 2)...].drop { $0 == "-" || $0 == " " }.starts(with: name.unicodeScalars)
    }

    /// Reads markup, beginning with its opening delimiter.
    private mutating func readMarkup(to end: Int) {
        position += 2
        for index in Set([position, end - 1])
        where position..<end ~= index && "–—".unicodeScalars.contains(scalars[index]) {
            add(.dash, index..<index + 1)
        }
        while position < end {
            let scalar = scalars[position]
            if has("${", at: position), let close = scalars[position..<end].firstIndex(of: "}") {
                readName(to: close)
            } else if scalar == "'" || scalar == "\"" {
                position = (scalars[(position + 1)..<end].firstIndex(of: scalar) ?? position) + 1
            } else if Self.isCurlyQuote(scalar) {
                readCurly(to: end)
            } else if let replacement = Self.replacement(of: scalar) {
                let start = position
                while position < end, Self.replacement(of: scalars[position]) == replacement { position += 1 }
                add(.invisible(scalar, replacement: replacement), start..<position)
            } else {
                position += 1
            }
        }
    }

    /// Reads the name of an attribute.
    ///
    /// Unusual spaces inside of a name may be intended, and zero-width characters join letters in some scripts. So both
    /// are marked at the ends of a name, and inside of it only zero-width characters between ASCII characters.
    private mutating func readName(to close: Int) {
        for index in (position + 2)..<max(close, position + 2) {
            guard let replacement = Self.replacement(of: scalars[index]) else { continue }
            let isAtEnd = index == position + 2 || index == close - 1
            let isBetweenASCII = scalars[index - 1].isASCII && scalars[index + 1].isASCII
            guard isAtEnd || replacement.isEmpty && isBetweenASCII else { continue }
            add(.invisible(scalars[index], replacement: ""), index..<index + 1)
        }
        position = close + 1
    }

    /// Reads a curly quote and the text up to its closing quote; a curly quote before a letter or digit is an
    /// apostrophe and does not close a text.
    private mutating func readCurly(to end: Int) {
        let start = position
        let isDouble = Self.isDouble(scalars[start])
        let close = ((start + 1)..<end).first { index in
            guard Self.isCurlyQuote(scalars[index]), Self.isDouble(scalars[index]) == isDouble else { return false }
            let next = scalars[index + 1..<end].first?.properties
            return next.map { !$0.isAlphabetic && $0.numericType == nil } ?? true
        }
        guard let close else {
            // The rest of the markup may belong to the quoted text, so it is not read.
            position = end
            return add(.quote, start..<start + 1)
        }
        position = close + 1
        var inner = scalars[start + 1..<close]
        // In French, spaces separate the text from such quotes.
        if scalars[start] == "«" || scalars[start] == "‹" {
            inner = inner.drop { $0.properties.isWhitespace }
            while inner.last?.properties.isWhitespace ?? false { inner.removeLast() }
        }
        add(.quoted(String(String.UnicodeScalarView(inner))), start..<position)
    }

    private mutating func add(_ kind: Mark.Kind, _ run: Range<Int>) {
        let range = SourceRange(offsets[run.lowerBound], offsets[run.upperBound])
        marks.append(Mark(kind: kind, range: range, text: String(String.UnicodeScalarView(scalars[run]))))
    }

    private static func isCurlyQuote(_ scalar: Unicode.Scalar) -> Bool {
        ("\u{2018}"..."\u{201F}").contains(scalar) || "«»‹›「」『』".unicodeScalars.contains(scalar)
    }

    private static func isDouble(_ scalar: Unicode.Scalar) -> Bool {
        ("\u{201C}"..."\u{201F}").contains(scalar) || "«»『』".unicodeScalars.contains(scalar)
    }

    /// The replacement of an invisible character; nil for other characters.
    private static func replacement(of scalar: Unicode.Scalar) -> String? {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: scalar == " " ? nil : " "
        case .format: ""
        case .control: ("\t"..."\r").contains(scalar) ? nil : ""
        default: nil
        }
    }
}
