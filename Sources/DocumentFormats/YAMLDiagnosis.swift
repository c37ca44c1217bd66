// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Finds the mistake in a YAML file that the parser rejects.
///
/// The parser reports where it cannot continue, which is often a line further down, and describes its own state. People
/// make only a few kinds of mistake: each is searched for line by line, from the top, and reported where it is.
struct YAMLDiagnosis {
    /// A mistake in the file, with a fix if one is known.
    struct Mistake {
        var message: String
        var range: SourceRange
        var fix: FixIt?
    }

    private let text: YAMLOutline
    private var bytes: [UInt8] { text.bytes }
    private var position: Int

    /// The open mappings and lists with their indentations, outermost first.
    private var levels: [Level] = []

    private struct Level {
        var indent: Int
        var isList: Bool
    }

    /// The value on the line of the last key or list item, which decides what the next line may be.
    private enum LastValue {
        case nothing
        case plain
        case other
    }

    private var lastValue = LastValue.nothing
    /// The first mistake that was found; nil if there is none yet.
    private var mistake: Mistake?

    /// The first mistake at or before the offset where the parser stopped; nil if no mistake of a known kind is found.
    static func mistake(in file: SourceFile, before end: Int) -> Mistake? {
        var diagnosis = YAMLDiagnosis(file)
        while diagnosis.mistake == nil, diagnosis.position < min(end + 1, file.bytes.count) { diagnosis.checkLine() }
        return diagnosis.mistake.flatMap { Int($0.range.start) <= end ? $0 : nil }
    }

    private init(_ file: SourceFile) {
        text = YAMLOutline(file.bytes)
        position = file.textStart
    }

    // MARK: - Lines

    private mutating func checkLine() {
        let line = text.line(at: position)
        let (start, first, end) = (line.start, line.first, line.end)
        defer { if position <= end { position = min(end + 1, bytes.count) } }
        if line.isEmpty || bytes[first] == UInt8(ascii: "#") { return }
        if reportIndentation(first, end) { return }
        if first == start, let mark = ConflictMark(startOf: bytes[start..<end]) {
            return report(
                "found '\(mark.rawValue)' of a merge conflict, expected one of the two versions without the marks",
                at: start..<start + 7)
        }
        if isMark("---", first, end), !levels.isEmpty {
            return report(
                "found '---', which begins another document, expected one document in the file", at: first..<first + 3)
        }
        if isMark("---", first, end) || isMark("...", first, end) || bytes[first] == UInt8(ascii: "%") {
            levels = []
            lastValue = .nothing
            return
        }
        checkContent(first, indent: first - start, end)
    }

    /// Reports a tab or an invisible character in the indentation of a line.
    ///
    /// - Returns: whether the line needs no other checks.
    private mutating func reportIndentation(_ first: Int, _ end: Int) -> Bool {
        if bytes[first] == UInt8(ascii: "\t") {
            guard !bytes[first..<end].allSatisfy({ $0 <= 0x20 }) else { return true }
            report("found a tab in the indentation, expected spaces: YAML does not allow tabs there", at: first)
            return true
        }
        for (space, name) in Self.spaces where bytes[first..<end].starts(with: space) {
            report(
                "found the invisible character \(name) in the indentation, expected a space",
                at: first..<first + space.count)
            return true
        }
        return false
    }

    private static let spaces: [([UInt8], String)] = [
        ([0xC2, 0xA0], "U+00A0 (no-break space)"), ([0xE2, 0x80, 0x8B], "U+200B (zero width space)"),
        ([0xE2, 0x80, 0xAF], "U+202F (narrow no-break space)"), ([0xE3, 0x80, 0x80], "U+3000 (ideographic space)"),
        ([0xEF, 0xBB, 0xBF], "U+FEFF (byte order mark)"),
    ]

    /// Checks the content of a line: list items, then a key with its value, or a value.
    private mutating func checkContent(_ start: Int, indent: Int, _ end: Int) {
        var (first, column, item) = (start, indent, indent)
        while bytes[first] == UInt8(ascii: "-"), text.isSpaceOrEnd(first + 1) {
            guard checkIndentation(first, column, isItem: true) else { return }
            guard let next = nextValue(first + 1, end) else { return }
            (item, column, first) = (column, column + next - first, next)
        }
        guard let key = text.endOfKey(first) else {
            if first > start { return checkValue(first, item, end) }
            return continues(indent) ? () : reportOther(first, end)
        }
        guard checkIndentation(first, column, isItem: false), let next = nextValue(key, end) else { return }
        checkValue(next, column, end)
    }

    /// The offset of the value after a dash or a colon; nil if the line has no value.
    private mutating func nextValue(_ start: Int, _ end: Int) -> Int? {
        let next = text.skippingBlanks(from: start)
        lastValue = .nothing
        return next == end || bytes[next] == UInt8(ascii: "#") || bytes[next] == UInt8(ascii: "\r") ? nil : next
    }

    /// Whether a line with this indentation continues the unquoted value above it.
    private func continues(_ indent: Int) -> Bool {
        guard case .plain = lastValue, let level = levels.last else { return false }
        return indent > level.indent
    }

    /// Reports a line that is neither a list item nor a key with its value.
    private mutating func reportOther(_ first: Int, _ end: Int) {
        if text.at(first) == UInt8(ascii: "-"), text.at(first + 1) != UInt8(ascii: "-"), levels.last?.isList == true {
            return report("found '-' without a space after it, expected '- '", at: first)
        }
        // A colon without a space after it, as in `title:"Hi"`.
        let nameEnd = text.endOfName(first)
        let word = text.string(first, nameEnd)
        if nameEnd > first, nameEnd + 1 < end, text.at(nameEnd) == UInt8(ascii: ":"),
            text.at(nameEnd + 1) != UInt8(ascii: "/")
        {
            return report(DocumentMessages.noSpaceAfterColon(word), at: nameEnd)
        }
        guard levels.last?.isList != true, nameEnd > first else { return }
        if text.at(text.skipping(from: nameEnd) { $0 == UInt8(ascii: " ") }) == UInt8(ascii: "=") {
            return report(DocumentMessages.equalsSign(after: word), at: first..<nameEnd)
        }
        report(
            "found no colon after '\(word)', expected a key such as '\(word): …', or quotes around text above it",
            at: first..<nameEnd)
    }

    // MARK: - Indentation

    /// Checks the indentation of a key or list item, and reports it if it is wrong; returns whether it is right.
    private mutating func checkIndentation(_ first: Int, _ indent: Int, isItem: Bool) -> Bool {
        guard let last = levels.last else {
            levels = [Level(indent: indent, isList: isItem)]
            return true
        }
        if indent > last.indent {
            if case .nothing = lastValue {
                levels.append(Level(indent: indent, isList: isItem))
                return true
            }
            let found = "indented by \(counted(indent, "space"))"
            report(
                "the \(isItem ? "item" : "key") is \(found), and the line above by \(counted(last.indent, "space")): expected the same column",
                at: first)
            return false
        }
        // A list may be indented as little as the key that it belongs to.
        if indent == last.indent, isItem, !last.isList, case .nothing = lastValue {
            levels.append(Level(indent: indent, isList: true))
            return true
        }
        let closed = levels.reversed().prefix {
            $0.indent > indent || $0.indent == indent && $0.isList && !isItem
        }.count
        let open = levels.count - closed
        guard open > 0, levels[open - 1].indent == indent else {
            let known = levels.map(\.indent).reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } }
            let columns = known.map(String.init).joined(separator: " or ")
            report("indented by \(counted(indent, "space")), expected \(columns), as the lines above are", at: first)
            return false
        }
        guard levels[open - 1].isList == isItem else {
            report(
                isItem
                    ? "found a list item among keys, expected 'key: value', or a list alone"
                    : "found a key among the items of a list, expected '- ' before it", at: first)
            return false
        }
        levels.removeLast(closed)
        return true
    }

    // MARK: - Values

    private mutating func checkValue(_ first: Int, _ indent: Int, _ end: Int) {
        lastValue = .other
        switch bytes[first] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): checkQuoted(first, end)
        case UInt8(ascii: "|"), UInt8(ascii: ">"): checkBlock(first, indent, end)
        case UInt8(ascii: "?"), UInt8(ascii: "-"):
            guard text.isSpaceOrEnd(first + 1) else { return checkPlain(first, end) }
            reportReserved(first, end)
        case UInt8(ascii: "%"): reportReserved(first, end)
        case UInt8(ascii: "{"), UInt8(ascii: "["): checkFlow(first, indent)
        case UInt8(ascii: "&"), UInt8(ascii: "*"):
            if text.isSpaceOrEnd(first + 1) { return reportReserved(first, end) }
            if bytes[first] == UInt8(ascii: "&") { checkProperty(first, indent, end) }
        case UInt8(ascii: "!"): checkProperty(first, indent, end)
        case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: ","): reportReserved(first, end)
        default: checkPlain(first, end)
        }
    }

    /// Checks the value that follows an anchor or a tag, perhaps on the lines below.
    private mutating func checkProperty(_ first: Int, _ indent: Int, _ end: Int) {
        var next = first
        var isTagged = false
        while next < end, bytes[next] == UInt8(ascii: "&") || bytes[next] == UInt8(ascii: "!"),
            !text.isSpaceOrEnd(next + 1) || bytes[next] == UInt8(ascii: "!")
        {
            isTagged = isTagged || bytes[next] == UInt8(ascii: "!")
            while next < end, !text.isSpaceOrEnd(next) { next += 1 }
            while next < end, text.isSpaceOrEnd(next) { next += 1 }
        }
        if next == end || bytes[next] == UInt8(ascii: "#") {
            lastValue = .nothing
        } else if !isTagged {
            checkValue(next, indent, end)
        }
    }

    /// Reports a value that begins with a character that YAML reserves, such as `@`.
    private mutating func reportReserved(_ first: Int, _ end: Int) {
        let character = text.string(first, first + 1)
        report("a plain YAML value cannot begin with '\(character)'; put it in quotes", at: first)
        addQuotes(first, end)
    }

    /// Adds the fix that puts the rest of a value in quotes, unless it has several lines, which may contain keys.
    private mutating func addQuotes(_ first: Int, _ end: Int) {
        let last = text.trimmed(end, notBefore: first)
        guard !bytes[first..<last].contains(UInt8(ascii: "\n")), !text.mayBeTextOfBlock(first) else { return }
        let fix = YAMLQuoteScanner.Suspect.quotes(around: text.string(first, last), at: SourceRange(first, last))
        mistake?.fix = fix
    }

    /// Checks a block scalar: the sign `|` or `>` with its indicators, and the lines below.
    private mutating func checkBlock(_ first: Int, _ indent: Int, _ end: Int) {
        let next = text.skipping(from: first + 1) { "-+123456789".utf8.contains($0) }
        let sign = text.string(first, first + 1)
        let rest = text.skipping(from: next) { $0 == UInt8(ascii: " ") }
        if rest < end, bytes[rest] != UInt8(ascii: "\r"), bytes[rest] != UInt8(ascii: "#") || rest == next {
            // The message also suggests quotes, because the sign may have been meant as part of the text.
            return report(
                "found text after '\(sign)', expected it on the lines below, or quotes around the value", at: rest)
        }
        let below = text.skipping(from: end + 1) { $0 <= 0x20 }
        guard let byte = text.at(below) else { return skipBlock(indent, end) }
        let column = below - ((bytes[..<below].lastIndex(of: UInt8(ascii: "\n")) ?? below - 1) + 1)
        if column <= indent, byte != UInt8(ascii: "#"), byte != UInt8(ascii: "-"), text.endOfKey(below) == nil {
            return report(
                "the text below '\(sign)' is indented by \(counted(column, "space")), expected more than the key above, \(counted(indent + 2, "space"))",
                at: below)
        }
        skipBlock(indent, end)
    }

    /// The offset of a backslash between double quotes that begins no YAML escape; nil if there is none.
    private func strayBackslash(_ first: Int, _ close: Int) -> Int? {
        var index = first + 1
        while index < close {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            if index + 1 < close {
                if !Self.escapes.contains(bytes[index + 1]) { return index }
                let count = YAMLScalarSource.escapeDigits[bytes[index + 1]] ?? 0
                let digits = bytes[(index + 2)..<close].prefix(count)
                if digits.count < count || !digits.allSatisfy(\.isHexadecimal) { return index }
            }
            index += 2
        }
        return nil
    }

    private static let escapes = Set("0abtnvfre \"/\\N_LPxuU\t\n\r".utf8)

    /// Checks a text in quotes, after which the line may only have a comment.
    private mutating func checkQuoted(_ first: Int, _ end: Int) {
        let quote = bytes[first]
        if quote == UInt8(ascii: "\""), let close = text.closingQuote(first), close <= end,
            let stray = strayBackslash(first, close)
        {
            let found = text.string(stray, min(stray + 2, close))
            let letter = stray + 1 < close ? bytes[stray + 1] : 0
            if let digits = YAMLScalarSource.escapeDigits[letter] {
                let sign = text.string(stray, stray + 2)
                let hint = letter == UInt8(ascii: "u") ? ", or '\\U' and eight" : ""
                return report("the escape '\(sign)' of YAML needs \(digits) hexadecimal digits\(hint)", at: stray)
            }
            return report(
                "the backslash in '\(found)' does not begin an escape of YAML, expected '\\\\', or single quotes around the text",
                at: stray)
        }
        guard let close = text.closingQuote(first) else { return reportUnclosed(first) }
        let last = text.endOfLine(from: close)
        let next = text.skipping(from: close + 1) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
        if next == last || bytes[next] == UInt8(ascii: "#") && next > close + 1 {
            // A quoted text over several lines that contains a key was probably meant to end on its first line.
            if close > end, text.holdsKey((end + 1)..<close) { return reportUnclosed(first) }
            position = last + 1
            return
        }
        if close > end { return reportUnclosed(first) }
        if bytes[next] == UInt8(ascii: ","), bytes[(next + 1)..<last].allSatisfy({ $0 <= 0x20 }) {
            return report(
                "found ',' after the text in quotes, expected the end of the line: keys of YAML on lines of their own have no commas between them",
                at: next)
        }
        if quote == UInt8(ascii: "'") {
            report(
                "the apostrophe ends the text in single quotes; expected '' for an apostrophe in it, or double quotes around it",
                at: close)
        } else {
            report(
                "the quote \" ends the text in double quotes; expected single quotes ' inside of it, or around it, or \\\"",
                at: close)
        }
    }

    private mutating func reportUnclosed(_ first: Int) {
        let quote = text.string(first, first + 1)
        report("the quote \(quote) is never closed, expected \(quote) at the end of the text", at: first)
    }

    private mutating func skipBlock(_ indent: Int, _ end: Int) {
        position = end + 1
        var column: Int?
        while position < bytes.count {
            let line = text.line(at: position)
            if !line.isEmpty {
                if line.indent <= indent { return }
                if let column, line.indent < column {
                    return report(
                        "the text is indented by \(counted(line.indent, "space")), and the lines above by \(counted(column, "space")): expected the same column",
                        at: line.first)
                }
                column = column ?? line.indent
            }
            position = line.end + 1
        }
    }

    /// A collection in brackets that is still open, and its current item.
    private struct OpenBracket {
        var start: Int
        /// The offset at which the item begins; nil before its first character.
        var item: Int?
        /// The offset at which the item's value begins; nil before the value's first character.
        var value: Int?
        var hasColon = false

        mutating func endItem() {
            self = OpenBracket(start: start)
        }

        mutating func noteContent(_ index: Int) {
            item = item ?? index
            if hasColon { value = value ?? index }
        }
    }

    /// Checks a collection in brackets, such as `[a, b]`, which may span several lines.
    private mutating func checkFlow(_ first: Int, _ indent: Int) {
        var open: [OpenBracket] = []
        var index = first
        while index < bytes.count, mistake == nil {
            let byte = bytes[index]
            let before = bytes[max(index - 1, first)]
            let begins = before <= 0x20 || Self.beginsItem(before) || index == first
            switch byte {
            case UInt8(ascii: "#") where before <= 0x20:
                index = text.endOfLine(from: index)
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                // A quote begins a text only at the start of an item or value; elsewhere it is an apostrophe.
                let lastText = bytes[first..<index].last { $0 > 0x20 } ?? 0
                guard begins, Self.beginsItem(lastText) || lastText == UInt8(ascii: ":") else { break }
                open.indices.last.map { open[$0].noteContent(index) }
                guard let close = text.closingQuote(index) else { return reportUnclosed(index) }
                checkAfterQuotes(index, close)
                index = close
            case UInt8(ascii: ","):
                if let last = open.indices.last {
                    if open[last].item == nil { return report("found ',' without a value before it", at: index) }
                    open[last].endItem()
                }
            case UInt8(ascii: ":") where text.isSpaceOrEnd(index + 1) || bytes[index + 1] == 0x0A:
                guard let last = open.indices.last else { break }
                if open[last].hasColon {
                    checkSecondColon(index, open[last])
                } else {
                    open[last].noteContent(index)
                    open[last].hasColon = true
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.indices.last.map { open[$0].noteContent(index) }
                open.append(OpenBracket(start: index))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let start = open.popLast()?.start else { break }
                let expected = bytes[start] == UInt8(ascii: "{") ? "}" : "]"
                if text.string(index, index + 1) != expected {
                    return report(
                        "found '\(text.string(index, index + 1))', expected '\(expected)' to close the open bracket",
                        at: index)
                }
                if open.isEmpty { return checkAfterFlow(first, index) }
                checkComma(index + 1)
            case UInt8(ascii: "\n"):
                let next = text.skipping(from: index + 1) { $0 == UInt8(ascii: " ") }
                // A key that is indented no more than the key of the collection cannot be inside the collection, so a
                // bracket is missing.
                if next < bytes.count, next - index - 1 <= indent, bytes[next].isNameByte,
                    text.endOfKey(next) != nil
                {
                    return reportOpen(open.last?.start ?? first)
                }
            case 0...0x20: break
            default: open.indices.last.map { open[$0].noteContent(index) }
            }
            index += 1
        }
        if mistake == nil { reportOpen(open.last?.start ?? first) }
    }

    /// Checks what follows the last bracket of a collection on its line.
    private mutating func checkAfterFlow(_ first: Int, _ close: Int) {
        let last = text.endOfLine(from: close)
        let next = text.skipping(from: close + 1) { $0 <= 0x20 && $0 != UInt8(ascii: "\n") }
        if next < last, bytes[next] != UInt8(ascii: "#") || next == close + 1 {
            let sign = text.string(first, first + 1)
            let kind = sign == "{" ? "mapping" : "list"
            report(
                "a value that begins with '\(sign)' is a \(kind) in YAML, which no text can follow; put the value in quotes",
                at: first)
            return addQuotes(first, last)
        }
        position = last + 1
    }

    /// Checks what follows a text in quotes inside a collection.
    private mutating func checkAfterQuotes(_ first: Int, _ close: Int) {
        let next = skipSpaces(close + 1)
        let after = next < bytes.count ? bytes[next] : 0
        if Self.endsItem(after) || after == UInt8(ascii: ":") || after == UInt8(ascii: "#") { return }
        let isItem = next > close + 1 && ("\"'{[".utf8.contains(after) || wordBeforeColon(next) != nil)
        if isItem { return reportComma(next) }
        let quote = text.string(first, first + 1)
        report(
            "the quote \(quote) ends the text here; expected another kind of quotes inside of it\(quote == "'" ? ", or '' for an apostrophe" : "")",
            at: close)
    }

    /// Reports a missing comma after a collection inside another one.
    private mutating func checkComma(_ end: Int) {
        let next = skipSpaces(end)
        guard next < bytes.count, !Self.endsItem(bytes[next]), !":#".utf8.contains(bytes[next]) else { return }
        reportComma(next)
    }

    /// Reports a second colon in one item of a collection.
    private mutating func checkSecondColon(_ colon: Int, _ item: OpenBracket) {
        var word = colon
        while word > item.start + 1, bytes[word - 1].isNameByte { word -= 1 }
        let value = item.value ?? colon
        let isOnNextLine = bytes[value..<max(value, word)].contains(UInt8(ascii: "\n"))
        if word < colon, isOnNextLine { return reportComma(word) }
        if word > value, word < colon {
            return report(
                "found a second ': ' in this value, expected ',' before '\(text.string(word, colon))', or quotes around the text",
                at: word..<colon)
        }
        let end = bytes[colon...].firstIndex { Self.endsItem($0) || $0 == UInt8(ascii: "\n") } ?? bytes.count
        reportColon(value, end)
    }

    private mutating func reportComma(_ next: Int) {
        let end = wordBeforeColon(next) ?? next + 1
        let found = "\"'".utf8.contains(bytes[next]) ? "another text" : "'\(text.string(next, end))'"
        report("found \(found) without a comma before it, expected ','", at: next..<end)
    }

    /// The end of the word at an offset if a colon follows it; otherwise nil.
    private func wordBeforeColon(_ first: Int) -> Int? {
        let end = text.endOfName(first)
        return end > first && text.at(end) == UInt8(ascii: ":") ? end : nil
    }

    private func skipSpaces(_ start: Int) -> Int { text.skipping(from: start) { $0 <= 0x20 } }

    private static func beginsItem(_ byte: UInt8) -> Bool { "{[,".utf8.contains(byte) }

    private static func endsItem(_ byte: UInt8) -> Bool { ",}]".utf8.contains(byte) }

    private mutating func reportOpen(_ bracket: Int) {
        let close = bytes[bracket] == UInt8(ascii: "{") ? "}" : "]"
        report("the bracket '\(text.string(bracket, bracket + 1))' is never closed, expected '\(close)'", at: bracket)
    }

    /// Checks a value without quotes.
    private mutating func checkPlain(_ first: Int, _ end: Int) {
        lastValue = .plain
        var index = first
        while index < end {
            if bytes[index] == UInt8(ascii: "#"), index > first, bytes[index - 1] == UInt8(ascii: " ") { return }
            if bytes[index] == UInt8(ascii: ":"), text.isSpaceOrEnd(index + 1) { return reportColon(first, end) }
            index += 1
        }
    }

    /// Reports an unquoted value that contains `: `, with the fix that puts it in quotes.
    private mutating func reportColon(_ first: Int, _ end: Int) {
        let last = text.trimmed(end, notBefore: first)
        report(
            YAMLQuoteScanner.Suspect.curlyQuotesMessage(around: text.string(first, last))
                ?? "the value contains ': ', which YAML reads as the end of a key; expected quotes around it",
            at: first..<last)
        addQuotes(first, last)
    }

    // MARK: - Bytes

    private mutating func report(_ message: String, at offset: Int) { report(message, at: offset..<offset + 1) }

    private mutating func report(_ message: String, at range: Range<Int>) {
        mistake = mistake ?? Mistake(message: message, range: SourceRange(range))
    }

    private func isMark(_ mark: StaticString, _ first: Int, _ end: Int) -> Bool {
        let count = mark.utf8CodeUnitCount
        return first + count <= end && text.string(first, first + count) == mark.description
            && text.isSpaceOrEnd(first + count)
    }
}
