// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Finds YAML values with Liquid that need quotes, because YAML reads them differently from what was meant.
///
/// To YAML, `title: {{ ${first_name} }}` is a mapping, `body: {% if x %}…` is a mapping with a reserved character in
/// it, and ` #` or `: ` ends a plain value. The scanner works on lines, because such a file often does not parse. The
/// caller drops candidates that the parser reads as one whole scalar.
struct YAMLQuoteScanner {
    /// A value that probably needs quotes.
    struct Suspect {
        enum Reason {
            case beginsWithOutput
            case beginsWithTag
            case colon
            case comment
            /// The line is a key, not a value: it lacks its colon or the space after the colon.
            case keyWithoutColon
        }

        /// The range to put in quotes, or the range of the key without a colon.
        var range: SourceRange
        /// The end of the value if what looks like a comment is part of it.
        var end: Int
        var reason: Reason
    }

    /// The column of a key or dash from which on the lines of its value are not searched for keys, to limit the time.
    private static let lastItemColumn = 100

    private let text: YAMLOutline
    private var bytes: [UInt8] { text.bytes }
    private var position = 0
    private var suspects: [Suspect] = []

    /// The column of a key or dash whose value may begin on the next line; nil if the value is on the same line.
    private var openParent: Int?

    static func suspects(in bytes: [UInt8]) -> [Suspect] {
        var scanner = YAMLQuoteScanner(bytes: bytes)
        scanner.position = TextEncoding.utf8.lengthOfByteOrderMark(in: bytes)
        while scanner.position < bytes.count { scanner.scanLine() }
        return scanner.suspects
    }

    private init(bytes: [UInt8]) { text = YAMLOutline(bytes) }

    /// The findings about values that need quotes.
    ///
    /// Findings that a report would leave out have no fix.
    static func findings(_ suspects: [Suspect], in file: SourceFile, _ rule: RuleID) -> [Diagnostic] {
        suspects.enumerated().map { index, suspect in
            suspect.finding(in: file, rule: rule, isShown: index < mostShownFindings)
        }
    }

    // MARK: - Lines

    /// Scans one line, and the lines below on which its value continues.
    private mutating func scanLine() {
        let lineStart = position
        skipBlanks()
        var parent = position - lineStart
        var isElement = false
        while text.at(position) == UInt8(ascii: "-") || text.at(position) == UInt8(ascii: "?"),
            text.isSpaceOrEnd(position + 1)
        {
            parent = position - lineStart
            isElement = true
            position += 1
            skipBlanks()
        }
        guard let byte = text.at(position), !text.isBreak(position), byte != UInt8(ascii: "#") else {
            if isElement { openParent = parent }
            return skipLine()
        }
        let outer = openParent
        openParent = nil
        if text.beginsLiquid(position) {
            let start = position
            let end = text.liquidEnd(from: start)
            if text.at(end) == UInt8(ascii: ":"), text.isSpaceOrEnd(end + 1) {
                add(start, end, upTo: end)
                parent = start - lineStart
                position = end + 1
                scanValue(parent: parent)
            } else {
                scanPlain(parent: isElement ? parent : parent - 1)
            }
            return
        }
        let start = position
        if let afterKey = text.endOfKey(position, mayHoldSign: true) {
            parent = start - lineStart
            position = afterKey
            return scanValue(parent: parent)
        }
        guard !isElement else { return scanValue(parent: parent, isItem: true) }
        if let outer, outer < parent, !beginsLikeKey(start) { return scanValue(parent: outer, isItem: true) }
        // A name is a key where no text is possible, and in a line such as `title "Hi"`.
        if byte.isNameByte, byte != UInt8(ascii: "-") { return scanKeyWithoutColon(start) }
        scanValue(parent: parent)
    }

    /// Scans a line that begins with a key without a colon.
    private mutating func scanKeyWithoutColon(_ start: Int) {
        let end = endOfLine()
        if readsDifferently(start, end) != nil {
            suspects.append(
                Suspect(range: SourceRange(start, text.endOfName(start)), end: end, reason: .keyWithoutColon))
        }
        skipLine()
    }

    /// Whether the current line is a word and a text in quotes, perhaps with a colon between them.
    private func beginsLikeKey(_ start: Int) -> Bool {
        let word = text.endOfName(start)
        guard word > start else { return false }
        let colon = text.at(word) == UInt8(ascii: ":") ? word + 1 : word
        let next = text.skipping(from: colon) { $0 == UInt8(ascii: " ") }
        guard let quote = text.at(next), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        let end = endOfLine()
        return end - 1 > next && text.at(end - 1) == quote
    }

    /// Scans what follows a key or a dash; the value continues on the lines below that are indented more than `parent`.
    ///
    /// - Parameters:
    ///   - parent: the column of the key or the dash.
    ///   - isItem: whether the value is on a line without a key.
    private mutating func scanValue(parent: Int, isItem: Bool = false) {
        skipBlanks()
        while let byte = text.at(position), byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") {
            while !text.isSpaceOrEnd(position) { position += 1 }
            skipBlanks()
        }
        guard let byte = text.at(position), !text.isBreak(position), byte != UInt8(ascii: "#") else {
            openParent = parent
            return skipLine()
        }
        switch byte {
        case UInt8(ascii: "*"): skipLine()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            skipQuoted()
            skipLine()
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            skipLine()
            while position < bytes.count, isBlankLine() || text.line(at: position).indent > parent { skipLine() }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if text.beginsLiquid(position) { scanPlain(parent: parent) } else { scanFlow() }
        default: scanPlain(parent: parent, isItem: isItem)
        }
    }

    /// Scans a value without quotes to its end, which may be several lines below.
    private mutating func scanPlain(parent: Int, isItem: Bool = false) {
        let start = position
        var end = endOfLine()
        skipLine()
        let next = position
        while position < bytes.count {
            let next = position
            while position < bytes.count, isBlankLine() { skipLine() }
            let line = text.line(at: position)
            guard parent >= 0, line.indent > parent, text.at(line.first) ?? UInt8(ascii: "#") != UInt8(ascii: "#")
            else {
                position = next
                break
            }
            end = endOfLine()
            skipLine()
        }
        // If a key is on a line below, this line can only be a key without a colon. The lines after it are scanned
        // again, at most once for each column in which an item can be.
        if isItem, parent < Self.lastItemColumn, next < end, text.holdsKey(next..<end) {
            position = start
            return scanKeyWithoutColon(start)
        }
        addIfSuspect(start, end)
    }

    /// Scans a collection in brackets for Liquid that is not in quotes.
    private mutating func scanFlow() {
        var depth = 0
        var itemStart = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipQuoted()
                continue
            case UInt8(ascii: "{") where text.beginsLiquid(position):
                let end = endOfFlowItem(from: text.liquidEnd(from: position))
                add(itemStart, end, upTo: end)
                position = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                itemStart = position + 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                itemStart = position + 1
                if depth == 0 { return skipLine() }
            case UInt8(ascii: ","): itemStart = position + 1
            case UInt8(ascii: ":") where text.isSpaceOrEnd(position + 1): itemStart = position + 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if itemStart == position { itemStart += 1 }
            default: break
            }
            position += 1
        }
    }

    // MARK: - Findings

    private mutating func addIfSuspect(_ start: Int, _ end: Int) {
        let end = beforeDirective(start, end)
        guard end > start else { return }
        if text.beginsLiquid(start) { return add(start, beforeComment(start, end), upTo: end) }
        guard let reason = readsDifferently(start, end) else { return }
        suspects.append(Suspect(range: SourceRange(start, beforeComment(start, end)), end: end, reason: reason))
    }

    /// Why YAML does not read a range with Liquid as one text; nil if it does, or if the range has no Liquid.
    private func readsDifferently(_ start: Int, _ end: Int) -> Suspect.Reason? {
        guard text.holdsLiquid(start..<end) else { return nil }
        for index in start..<end {
            if bytes[index] == UInt8(ascii: ":"), text.isSpaceOrEnd(index + 1) { return .colon }
            if bytes[index] == UInt8(ascii: "#"), index > start, text.isSpaceOrEnd(index - 1) { return .comment }
        }
        return nil
    }

    private mutating func add(_ start: Int, _ end: Int, upTo last: Int) {
        // An item over several lines is found again for each piece of Liquid in it, always with the same start, so only
        // the last is kept.
        if let known = suspects.last, Int(known.range.start) == start { suspects.removeLast() }
        let isTag = text.at(start + 1) == UInt8(ascii: "%")
        suspects.append(
            Suspect(range: SourceRange(start, end), end: last, reason: isTag ? .beginsWithTag : .beginsWithOutput)
        )
    }

    /// The end of a value before a comment that begins with `# payloadgen:`; `end` if there is none.
    private func beforeDirective(_ start: Int, _ end: Int) -> Int {
        let mark = "# payloadgen:".utf8
        guard let found = bytes[start..<end].firstRange(ofBytes: mark), text.isSpaceOrEnd(found.lowerBound - 1) else {
            return end
        }
        return text.trimmed(found.lowerBound, notBefore: start)
    }

    /// The end of a value before what is probably a comment: `# ` outside Liquid, on the last line; `end` if there is
    /// none.
    private func beforeComment(_ start: Int, _ end: Int) -> Int {
        let lastLine = bytes[start..<end].lastIndex(of: UInt8(ascii: "\n")) ?? start
        let sign = text.firstOutsideLiquid(from: start, to: end) { index in
            bytes[index] == UInt8(ascii: "#") && index > start && index >= lastLine && text.isSpaceOrEnd(index - 1)
                && text.isSpaceOrEnd(index + 1)
        }
        return sign.map { text.trimmed($0, notBefore: start) } ?? end
    }

    // MARK: - Bytes

    private func endOfFlowItem(from start: Int) -> Int {
        let end = text.firstOutsideLiquid(from: start, to: bytes.count) { index in
            text.isBreak(index) || ",}]".utf8.contains(bytes[index])
        }
        return text.trimmed(end ?? bytes.count, notBefore: start)
    }

    private func isBlankLine() -> Bool {
        let end = text.skippingBlanks(from: position)
        return end == bytes.count || text.isBreak(end)
    }

    /// The end of the text on the line, without trailing spaces and tabs.
    private func endOfLine() -> Int {
        let end = text.skipping(from: position) { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return text.trimmed(end, notBefore: position)
    }

    private mutating func skipBlanks() { position = text.skippingBlanks(from: position) }

    private mutating func skipLine() { position = min(text.endOfLine(from: position) + 1, bytes.count) }

    /// Skips a text in quotes, which may have several lines.
    private mutating func skipQuoted() {
        position = text.closingQuote(position).map { $0 + 1 } ?? bytes.count
    }
}

extension RuleID {
    package static let yamlNeedsQuotes = RuleID(
        "yaml-needs-quotes", .error, "Liquid that YAML reads as its own syntax", isAboutUnread: true
    )
}

extension YAMLQuoteScanner.Suspect {
    /// The finding about the value, with a fix that puts the value in quotes if that certainly keeps its text.
    ///
    /// Only the author knows whether ` # ` begins a comment or is part of the text, so such a value gets no fix. The
    /// lines below a value may be misplaced keys, so a value of several lines gets no fix either.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - rule: the rule for a key without a colon.
    ///   - isShown: whether a report may have room for the finding; if not, the finding has no fix.
    /// - Returns: the finding.
    fileprivate func finding(in file: SourceFile, rule: RuleID, isShown: Bool) -> Diagnostic {
        let value = file.text(in: range)
        var message =
            switch reason {
            case .keyWithoutColon: DocumentMessages.keyWithoutColon(file.text(in: SourceRange(Int(range.start), end)))
            case .beginsWithOutput: "a value that begins with '{{' needs quotes: YAML reads it as a mapping"
            case .beginsWithTag: "a value that begins with '{%' needs quotes: YAML reads it as a mapping"
            case .colon: "a value with Liquid and ': ' needs quotes: YAML reads ': ' as the end of a key"
            case .comment: "a value with Liquid and ' #' needs quotes: YAML reads ' #' as the start of a comment"
            }
        if range.end == end, reason != .keyWithoutColon, let curly = Self.curlyQuotesMessage(around: value) {
            message = curly
        }
        if reason == .keyWithoutColon {
            return Diagnostic(rule, message, at: SourcePlace(file, range), severity: .error)
        }
        var fixes: [FixIt] = []
        if range.end != end {
            message +=
                "; expected quotes around all of it, or only around what is before '#' where a comment begins there"
        } else if isShown, YAMLOutline(file.bytes).mayBeTextOfBlock(Int(range.start)) {
            message += "; or more spaces before the line, where it is text of the block above"
        } else if isShown, !value.utf8.contains(UInt8(ascii: "\n")) {
            fixes = [Self.quotes(around: value, at: range)]
        }
        return Diagnostic(.yamlNeedsQuotes, message, at: SourcePlace(file, range), fixes: fixes)
    }

    /// The message about a value in curly quotes; nil for every other value.
    static func curlyQuotesMessage(around value: String) -> String? {
        guard value.insideCurlyQuotes != nil, let first = value.first, let last = value.last else { return nil }
        return
            "YAML does not know the quotes \(first) and \(last), so the value ends early; expected straight ones, \" or '"
    }

    /// The fix that puts a value in quotes, in place of curly ones around it.
    static func quotes(around value: String, at range: SourceRange) -> FixIt {
        if let text = value.insideCurlyQuotes.map(String.init) {
            return FixIt("write straight quotes", edits: [FixIt.Edit(range, replacement: quoted(text))], value: text)
        }
        return FixIt("put the value in quotes", edits: [FixIt.Edit(range, replacement: quoted(value))], value: value)
    }

    /// A value in double quotes if nothing in it needs an escape there, otherwise in single quotes.
    static func quoted(_ value: String) -> String {
        if value.utf8.contains(UInt8(ascii: "\"")) || value.utf8.contains(UInt8(ascii: "\\")) {
            return "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        }
        return "\"" + value + "\""
    }
}
