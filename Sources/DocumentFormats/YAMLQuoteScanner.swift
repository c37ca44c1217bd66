// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Finds plain YAML values with Liquid that YAML reads differently from what was meant.
///
/// To YAML, `title: {{ ${first_name} }}` is a mapping, `body: {% if x %}…` is a mapping with a reserved character in
/// it, and ` #` or `: ` inside a plain value ends it. The scanner works on lines, because such a file often does not
/// parse. The caller drops candidates that the parser reads as one whole scalar.
struct YAMLQuoteScanner {
    /// A value that needs quotes.
    struct Suspect {
        enum Reason {
            case beginsWithOutput
            case beginsWithTag
            case colon
            case comment
            /// The line is not a value but a key, without its colon or without a space after the colon.
            case keyWithoutColon
        }

        /// The range that needs quotes, or the key without a colon.
        var range: SourceRange
        /// The end of the value if what looks like a comment is a part of it.
        var end: Int
        var reason: Reason
    }

    /// The last column in which a line of text is compared with the keys below it.
    private static let lastItemColumn = 100

    private let bytes: [UInt8]
    private var position = 0
    private var suspects: [Suspect] = []

    /// The column of the key or dash whose value may begin on the next line; nil if its value is on its own line.
    private var openParent: Int?

    static func suspects(in bytes: [UInt8]) -> [Suspect] {
        var scanner = YAMLQuoteScanner(bytes: bytes)
        scanner.position = TextEncoding.utf8.lengthOfByteOrderMark(in: bytes)
        while scanner.position < bytes.count { scanner.line() }
        return scanner.suspects
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The findings about suspects; those that a report leaves out have no fix.
    static func findings(_ suspects: [Suspect], in file: SourceFile, _ rule: RuleID) -> [Diagnostic] {
        suspects.enumerated().map { index, suspect in
            suspect.finding(in: file, rule: rule, isShown: index < mostShownFindings)
        }
    }

    // MARK: - Lines

    /// Scans one line, and the further lines of its value.
    private mutating func line() {
        let lineStart = position
        skipBlanks()
        var parent = position - lineStart
        var isElement = false
        while at(position) == UInt8(ascii: "-") || at(position) == UInt8(ascii: "?"), isSpaceOrEnd(position + 1) {
            parent = position - lineStart
            isElement = true
            position += 1
            skipBlanks()
        }
        guard let byte = at(position), !isBreak(position), byte != UInt8(ascii: "#") else {
            if isElement { openParent = parent }
            return skipLine()
        }
        let outer = openParent
        openParent = nil
        if beginsLiquid(position) {
            let start = position
            let end = liquidEnd(from: start)
            if at(end) == UInt8(ascii: ":"), isSpaceOrEnd(end + 1) {
                add(start, end, upTo: end)
                parent = start - lineStart
                position = end + 1
                value(parent: parent)
            } else {
                plain(parent: isElement ? parent : parent - 1)
            }
            return
        }
        let start = position
        if let afterKey = endOfKey() {
            parent = start - lineStart
            position = afterKey
            return value(parent: parent)
        }
        guard !isElement else { return value(parent: parent, isItem: true) }
        if let outer, outer < parent, !beginsLikeKey(start) { return value(parent: outer, isItem: true) }
        // Where no text may be, and in a line such as `title "Hi"`, it is a key.
        if byte.isNameByte, byte != UInt8(ascii: "-") { return keyWithoutColon(start) }
        value(parent: parent)
    }

    /// Scans a line that begins with a key without a colon.
    private mutating func keyWithoutColon(_ start: Int) {
        let end = endOfLine()
        if readsDifferently(start, end) != nil {
            let word = bytes[start..<end].firstIndex { !$0.isNameByte } ?? end
            suspects.append(Suspect(range: SourceRange(start, word), end: end, reason: .keyWithoutColon))
        }
        skipLine()
    }

    /// Whether the line at the scanner's position is a word, perhaps a colon, and a text in quotes.
    private func beginsLikeKey(_ start: Int) -> Bool {
        let word = bytes[start...].firstIndex { !$0.isNameByte } ?? bytes.count
        guard word > start else { return false }
        let colon = at(word) == UInt8(ascii: ":") ? word + 1 : word
        let next = bytes[colon...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.count
        guard let quote = at(next), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        let end = endOfLine()
        return end - 1 > next && at(end - 1) == quote
    }

    /// Whether a line between two offsets, the second of which ends a line, begins with a key and its colon.
    private func holdsKey(_ start: Int, _ end: Int) -> Bool {
        bytes[start..<end].split(separator: UInt8(ascii: "\n")).contains { line in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let rest = text.drop(while: \.isNameByte)
            return rest.startIndex > text.startIndex && rest.first == UInt8(ascii: ":")
                && isSpaceOrEnd(rest.startIndex + 1)
        }
    }

    /// Scans what follows a key or a dash; further lines of the value are indented more than the column `parent`.
    ///
    /// - Parameters:
    ///   - parent: the column of the key or the dash.
    ///   - isItem: whether the value is on a line without a key.
    private mutating func value(parent: Int, isItem: Bool = false) {
        skipBlanks()
        while let byte = at(position), byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") {
            while !isSpaceOrEnd(position) { position += 1 }
            skipBlanks()
        }
        guard let byte = at(position), !isBreak(position), byte != UInt8(ascii: "#") else {
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
            while position < bytes.count, isBlankLine() || indent() > parent { skipLine() }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if beginsLiquid(position) { plain(parent: parent) } else { flow() }
        default: plain(parent: parent, isItem: isItem)
        }
    }

    /// Scans a value without quotes to its end, which may be several lines below.
    private mutating func plain(parent: Int, isItem: Bool = false) {
        let start = position
        var end = endOfLine()
        skipLine()
        let next = position
        while position < bytes.count {
            let next = position
            while position < bytes.count, isBlankLine() { skipLine() }
            guard indent() > max(parent, 0) || parent < 0, position < bytes.count else {
                position = next
                break
            }
            let first = position + indent()
            guard at(first) != UInt8(ascii: "#"), parent >= 0 else {
                position = next
                break
            }
            end = endOfLine()
            skipLine()
        }
        // The line before a key can only be another key. The lines after it are read again, at most once for each column
        // in which an item can be.
        if isItem, parent < Self.lastItemColumn, next < end, holdsKey(next, end) {
            position = start
            return keyWithoutColon(start)
        }
        judge(start, end)
    }

    /// Scans a collection in brackets for Liquid outside quotes.
    private mutating func flow() {
        var depth = 0
        var itemStart = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipQuoted()
                continue
            case UInt8(ascii: "{") where beginsLiquid(position):
                let end = endOfFlowItem(from: liquidEnd(from: position))
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
            case UInt8(ascii: ":") where isSpaceOrEnd(position + 1): itemStart = position + 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if itemStart == position { itemStart += 1 }
            default: break
            }
            position += 1
        }
    }

    // MARK: - Findings

    private mutating func judge(_ start: Int, _ end: Int) {
        let end = beforeDirective(start, end)
        guard end > start else { return }
        if beginsLiquid(start) { return add(start, beforeComment(start, end), upTo: end) }
        guard let reason = readsDifferently(start, end) else { return }
        suspects.append(Suspect(range: SourceRange(start, beforeComment(start, end)), end: end, reason: reason))
    }

    /// Why YAML reads a text with Liquid differently; nil if it reads it as one text, and for a text without Liquid.
    private func readsDifferently(_ start: Int, _ end: Int) -> Suspect.Reason? {
        var holdsLiquid = false
        var reason: Suspect.Reason?
        for index in start..<end {
            switch bytes[index] {
            case UInt8(ascii: "{") where beginsLiquid(index): holdsLiquid = true
            case UInt8(ascii: "$") where at(index + 1) == UInt8(ascii: "{"): holdsLiquid = true
            case UInt8(ascii: ":") where isSpaceOrEnd(index + 1): reason = reason ?? .colon
            case UInt8(ascii: "#") where index > start && isSpaceOrEnd(index - 1): reason = reason ?? .comment
            default: break
            }
        }
        return holdsLiquid ? reason : nil
    }

    private mutating func add(_ start: Int, _ end: Int, upTo last: Int) {
        // An item over several lines is found once for each Liquid in it, each time with the same start: the last one
        // is kept.
        if let known = suspects.last, Int(known.range.start) == start { suspects.removeLast() }
        let isTag = at(start + 1) == UInt8(ascii: "%")
        suspects.append(
            Suspect(range: SourceRange(start, end), end: last, reason: isTag ? .beginsWithTag : .beginsWithOutput)
        )
    }

    /// The end of a value before a comment that begins with `# payloadgen:`, which is certainly a comment.
    private func beforeDirective(_ start: Int, _ end: Int) -> Int {
        let mark = "# payloadgen:".utf8
        guard let found = bytes[start..<end].firstRange(ofBytes: mark), isSpaceOrEnd(found.lowerBound - 1) else {
            return end
        }
        return trimmed(found.lowerBound, notBefore: start)
    }

    /// The end of a value before what is probably a comment: `# ` outside Liquid, on the last line.
    private func beforeComment(_ start: Int, _ end: Int) -> Int {
        let lastLine = bytes[start..<end].lastIndex(of: UInt8(ascii: "\n")) ?? start
        var index = start
        while index < end {
            if beginsLiquid(index) {
                index = max(liquidEnd(from: index), index + 1)
                continue
            }
            if bytes[index] == UInt8(ascii: "#"), index > start, index >= lastLine, isSpaceOrEnd(index - 1),
                isSpaceOrEnd(index + 1)
            {
                return trimmed(index, notBefore: start)
            }
            index += 1
        }
        return end
    }

    // MARK: - Bytes

    private func at(_ index: Int) -> UInt8? { index >= 0 && index < bytes.count ? bytes[index] : nil }

    private func isBreak(_ index: Int) -> Bool { at(index) == UInt8(ascii: "\n") || at(index) == UInt8(ascii: "\r") }

    private func isSpaceOrEnd(_ index: Int) -> Bool {
        guard let byte = at(index) else { return true }
        return byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || isBreak(index)
    }

    private func beginsLiquid(_ index: Int) -> Bool {
        at(index) == UInt8(ascii: "{") && (at(index + 1) == UInt8(ascii: "{") || at(index + 1) == UInt8(ascii: "%"))
    }

    /// The offset after the Liquid that begins at an offset; the end of the line where it is not closed on it.
    private func liquidEnd(from start: Int) -> Int {
        let isTag = at(start + 1) == UInt8(ascii: "%")
        var depth = 0
        var index = start
        while let byte = at(index), !isBreak(index) {
            if isTag {
                if byte == UInt8(ascii: "%"), at(index + 1) == UInt8(ascii: "}"), index > start + 1 { return index + 2 }
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return index + 1 }
            }
            index += 1
        }
        return index
    }

    private func endOfFlowItem(from start: Int) -> Int {
        var index = start
        while let byte = at(index), !isBreak(index) {
            if beginsLiquid(index) {
                index = max(liquidEnd(from: index), index + 1)
                continue
            }
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { break }
            index += 1
        }
        return trimmed(index, notBefore: start)
    }

    private func trimmed(_ end: Int, notBefore start: Int) -> Int {
        var end = end
        while end > start, isSpaceOrEnd(end - 1) { end -= 1 }
        return end
    }

    /// The offset after the colon of a key that begins here; nil when the line holds no key.
    private func endOfKey() -> Int? {
        var index = position
        if let quote = at(index), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            index += 1
            while let byte = at(index), byte != quote, !isBreak(index) {
                index += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
            }
            index += 1
            while at(index) == UInt8(ascii: " ") { index += 1 }
            return at(index) == UInt8(ascii: ":") && isSpaceOrEnd(index + 1) ? index + 1 : nil
        }
        guard at(index) != UInt8(ascii: "{"), at(index) != UInt8(ascii: "[") else { return nil }
        while let byte = at(index), !isBreak(index) {
            if beginsLiquid(index) {
                index = max(liquidEnd(from: index), index + 1)
            } else if byte == UInt8(ascii: ":"), isSpaceOrEnd(index + 1) {
                return index + 1
            } else {
                index += 1
            }
        }
        return nil
    }

    private func indent() -> Int {
        var index = position
        while at(index) == UInt8(ascii: " ") { index += 1 }
        return index - position
    }

    private func isBlankLine() -> Bool {
        var index = position
        while at(index) == UInt8(ascii: " ") || at(index) == UInt8(ascii: "\t") { index += 1 }
        return at(index) == nil || isBreak(index)
    }

    /// The end of the line's text, without trailing spaces and tabs.
    private func endOfLine() -> Int {
        var index = position
        while index < bytes.count, !isBreak(index) { index += 1 }
        return trimmed(index, notBefore: position)
    }

    private mutating func skipBlanks() {
        while at(position) == UInt8(ascii: " ") || at(position) == UInt8(ascii: "\t") { position += 1 }
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        position = min(position + 1, bytes.count)
    }

    /// Skips a text in quotes, over line breaks.
    private mutating func skipQuoted() {
        let quote = bytes[position]
        position += 1
        while let byte = at(position) {
            if byte == quote {
                guard quote == UInt8(ascii: "'"), at(position + 1) == quote else { break }
                position += 1
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                position += 1
            }
            position += 1
        }
        position = min(position + 1, bytes.count)
    }
}

extension RuleID {
    package static let yamlNeedsQuotes = RuleID(
        "yaml-needs-quotes", .error, "Liquid that YAML reads as its own syntax", isAboutUnread: true
    )
}

extension YAMLQuoteScanner.Suspect {
    /// The finding, with a fix that puts the value in quotes, if that certainly keeps the text.
    ///
    /// After ` # ` comes a comment or more of the text, which only its author knows. The lines below a value may be
    /// misplaced keys, so a value of several lines is not put in quotes either.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - rule: the rule for a key without a colon.
    ///   - isShown: whether a report may have room for the finding; another one has no fix.
    /// - Returns: the finding.
    fileprivate func finding(in file: SourceFile, rule: RuleID, isShown: Bool) -> Diagnostic {
        let value = file.text(in: range)
        let message =
            switch reason {
            case .keyWithoutColon: DocumentMessages.keyWithoutColon(file.text(in: SourceRange(Int(range.start), end)))
            case .beginsWithOutput: "a value that begins with '{{' needs quotes: YAML reads it as a mapping"
            case .beginsWithTag: "a value that begins with '{%' needs quotes: YAML reads it as a mapping"
            case .colon: "a value with Liquid and ': ' needs quotes: YAML reads ': ' as the end of a key"
            case .comment: "a value with Liquid and ' #' needs quotes: YAML reads ' #' as the start of a comment"
            }
        if reason == .keyWithoutColon {
            return Diagnostic(rule, message, at: SourcePlace(file, range), severity: .error)
        }
        guard range.end == end else {
            return Diagnostic(
                .yamlNeedsQuotes,
                message
                    + "; expected quotes around all of it, or only around what is before '#' where a comment begins there",
                at: SourcePlace(file, range)
            )
        }
        if isShown, YAMLBlockText(file.bytes).mayHold(Int(range.start)) {
            return Diagnostic(
                .yamlNeedsQuotes,
                message + "; or more spaces before the line, where it is text of the block above",
                at: SourcePlace(file, range)
            )
        }
        return Diagnostic(
            .yamlNeedsQuotes,
            message,
            at: SourcePlace(file, range),
            fixes: !isShown || value.utf8.contains(UInt8(ascii: "\n")) ? [] : [Self.quotes(around: value, at: range)]
        )
    }

    /// The fix that puts a value in quotes.
    static func quotes(around value: String, at range: SourceRange) -> FixIt {
        FixIt("put the value in quotes", edits: [FixIt.Edit(range, replacement: quoted(value))], value: value)
    }

    /// The value in double quotes if nothing in it needs an escape there, otherwise in single quotes.
    static func quoted(_ value: String) -> String {
        if value.utf8.contains(UInt8(ascii: "\"")) || value.utf8.contains(UInt8(ascii: "\\")) {
            return "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        }
        return "\"" + value + "\""
    }
}
