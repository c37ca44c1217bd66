// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Changes, adds and removes values of a YAML or JSON file in the style that the file has there.
///
/// Each edit gives the bytes of the whole file with one value changed. The caller reads them again: where the style of the
/// file cannot hold a text, another edit may.
package struct DocumentEdit {
    private let file: SourceFile

    /// Edits a file.
    package init(_ file: SourceFile) { self.file = file }

    /// A text of the file with its places.
    package struct Text {
        private let text: String
        fileprivate let range: SourceRange
        private let fileRange: (SourceRange) -> SourceRange

        /// - Parameters:
        ///   - text: the text, after escapes are resolved.
        ///   - range: the bytes of the whole value in the file, with its quotes.
        ///   - fileRange: converts a range of the text to a range of the file.
        package init(_ text: String, at range: SourceRange, fileRange: @escaping (SourceRange) -> SourceRange) {
            self.text = text
            self.range = range
            self.fileRange = fileRange
        }

        fileprivate var bytes: [UInt8] { Array(text.utf8) }

        fileprivate func place(_ start: Int, _ end: Int) -> SourceRange { fileRange(SourceRange(start, end)) }
    }

    // MARK: - Values

    /// The file with another text for a value: only what differs is replaced.
    ///
    /// - Returns: the bytes of the file; nil where the style of the value cannot hold the text.
    package func replacing(_ old: Text, by text: String) -> [UInt8]? {
        let before = old.bytes
        let after = Array(text.utf8)
        var start = 0
        while start < before.count, start < after.count, before[start] == after[start] { start += 1 }
        var end = 0
        while end < before.count - start, end < after.count - start,
            before[before.count - 1 - end] == after[after.count - 1 - end]
        {
            end += 1
        }
        // A range never begins or ends inside a character.
        while start > 0, start < before.count, before[start] & 0xC0 == 0x80 { start -= 1 }
        while end > 0, before[before.count - end] & 0xC0 == 0x80 { end -= 1 }
        let range = old.place(start, before.count - end).offsets
        let new = String(decoding: after[start..<(after.count - end)], as: UTF8.self)
        guard range.lowerBound >= Int(old.range.start), range.upperBound <= Int(old.range.end),
            Int(old.range.start) < file.bytes.count,
            let written = escaped(new, like: file.bytes[Int(old.range.start)], old)
        else { return nil }
        return replacing(range, by: written)
    }

    /// A part of a value as it is written in a style: that of the first byte of the value.
    private func escaped(_ text: String, like style: UInt8, _ old: Text) -> String? {
        let hasBreak = text.utf8.contains(UInt8(ascii: "\n"))
        switch style {
        case UInt8(ascii: "\""):
            return Self.doubleQuoted(text)
        case UInt8(ascii: "'"):
            return hasBreak ? nil : text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        case UInt8(ascii: "|"):
            guard hasBreak else { return text }
            let start = file.position(of: Int(old.place(0, 0).start))
            let indent = String(repeating: " ", count: max(0, start.column - 1))
            return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineBreak + indent)
        default: return hasBreak ? nil : text
        }
    }

    /// The file with another text for a value, which is written anew in double quotes: they can hold every text.
    package func quoting(_ old: Text, as text: String) -> [UInt8] {
        let start = Int(old.range.start)
        let first = old.place(0, 0).start
        let isPrefixed = file.text(in: SourceRange(start: old.range.start, end: first)).holds("$json:")
        return replacing(
            old.range, by: "\"" + (isPrefixed ? "$json:" : "") + Self.doubleQuoted(text) + "\"", from: start)
    }

    /// The file with another value, which is given as YAML or JSON.
    package func replacing(_ range: SourceRange, by value: String) -> [UInt8] {
        replacing(range, by: value, from: Int(range.start))
    }

    private func replacing(_ range: SourceRange, by value: String, from start: Int) -> [UInt8] {
        var end = Int(range.end)
        // A block ends with a line break that does not belong to the value.
        while end > start, Self.lineBreaks.contains(file.bytes[end - 1]) { end -= 1 }
        return replacing(start..<end, by: value)
    }

    private func replacing(_ range: Range<Int>, by text: String) -> [UInt8] {
        Array(file.bytes[..<range.lowerBound]) + Array(text.utf8) + Array(file.bytes[range.upperBound...])
    }

    // MARK: - Members

    /// The file with one more member of a mapping.
    ///
    /// - Parameters:
    ///   - keys: the key of the member; of several, each but the last one has a mapping with the next one.
    ///   - value: the value of the last key in YAML or JSON.
    ///   - mapping: the mapping.
    ///   - name: the member that the new one comes after; nil for the last one.
    ///   - next: the member that the new one comes before, rather than after another.
    /// - Returns: the bytes of the file; nil where the mapping has no place for it.
    package func inserting(
        _ keys: [String],
        _ value: String,
        in mapping: DocumentNode,
        after name: String? = nil,
        before next: DocumentMember? = nil
    ) -> [UInt8]? {
        guard let members = mapping.members else { return nil }
        let member = members.last { $0.name == name } ?? members.last
        let start = Int(mapping.range.start)
        if start < file.bytes.count, file.bytes[start] == UInt8(ascii: "{") {
            let quoted = keys.map { "\"\(Self.doubleQuoted($0))\": " }
            let text = quoted.joined(separator: "{") + value + String(repeating: "}", count: keys.count - 1)
            if let next { return inserting(text + ", ", at: Int(next.keyRange.start)) }
            guard let member else { return inserting(text, at: start + 1) }
            return inserting(", " + text, at: Int(member.value.range.end))
        }
        guard let member, let first = members.first, let indent = indent(of: first) else { return nil }
        let lines = keys.enumerated().map { depth, key in
            let spaces = indent + String(repeating: " ", count: 2 * depth)
            return "\(spaces)\(Self.plainOrQuoted(key)):" + (depth < keys.count - 1 ? "" : " " + value)
        }
        let text = lines.joined(separator: lineBreak)
        if let next { return inserting(text + lineBreak, at: startOfLine(Int(next.keyRange.start))) }
        return inserting(lineBreak + text, at: endOfLine(Int(member.value.range.end)))
    }

    /// The file without a member of a mapping, which has others.
    ///
    /// - Returns: the bytes of the file; nil where the member shares its lines with something else.
    package func removing(_ name: String, from mapping: DocumentNode) -> [UInt8]? {
        guard let members = mapping.members, members.count > 1,
            let index = members.lastIndex(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { return nil }
        let member = members[index]
        let start = Int(mapping.range.start)
        if start < file.bytes.count, file.bytes[start] == UInt8(ascii: "{") {
            // The comma before the member goes with it, or that after the first one.
            let range =
                index > 0
                ? Int(members[index - 1].value.range.end)..<Int(member.value.range.end)
                : Int(member.keyRange.start)..<Int(members[1].keyRange.start)
            return replacing(range, by: "")
        }
        guard indent(of: member) != nil else { return nil }
        var end = endOfLine(max(Int(member.value.range.end), Int(member.keyRange.end)))
        if end < file.bytes.count, file.bytes[end] == UInt8(ascii: "\r") { end += 1 }
        if end < file.bytes.count, file.bytes[end] == UInt8(ascii: "\n") { end += 1 }
        return replacing(startOfLine(Int(member.keyRange.start))..<end, by: "")
    }

    private func inserting(_ text: String, at place: Int) -> [UInt8] { replacing(place..<place, by: text) }

    /// The spaces before the key of a member; nil where there is something else.
    private func indent(of member: DocumentMember) -> String? {
        let key = Int(member.keyRange.start)
        let spaces = file.bytes[startOfLine(key)..<key]
        return spaces.allSatisfy { $0 == UInt8(ascii: " ") } ? String(decoding: spaces, as: UTF8.self) : nil
    }

    private func startOfLine(_ place: Int) -> Int {
        (file.bytes[..<place].lastIndex { Self.lineBreaks.contains($0) } ?? -1) + 1
    }

    /// The end of the line with the last visible byte before a place: a block ends with line breaks.
    private func endOfLine(_ place: Int) -> Int {
        var end = place
        while end > 0, Self.lineBreaks.contains(file.bytes[end - 1]) || file.bytes[end - 1] == UInt8(ascii: " ") {
            end -= 1
        }
        return file.bytes[end...].firstIndex { Self.lineBreaks.contains($0) } ?? file.bytes.count
    }

    private var lineBreak: String { file.bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n" }

    private static let lineBreaks: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
}

/// Texts as YAML.
extension DocumentEdit {
    /// The contents of a string in double quotes, as YAML and JSON both read them.
    package static func doubleQuoted(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where needsEscape(scalar): result += "\\u" + scalar.value.hexadecimal(digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a character cannot be in a file as it is, or is a line break to some readers.
    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}": true
        default: false
        }
    }

    /// Whether a text is one of the words that some readers of YAML take as another value.
    private static func isWord(_ text: String) -> Bool {
        ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased())
    }

    /// A key as it is where it is a name, else in double quotes.
    package static func plainOrQuoted(_ key: String) -> String {
        let isName = key.utf8.allSatisfy(\.isWordByte)
        let isNumber = key.utf8.first.map(\.isDigit) ?? true
        return isName && !isWord(key) && !isNumber ? key : "\"\(doubleQuoted(key))\""
    }

    /// A text as a value: as it is where it is a few plain words, else in double quotes.
    package static func plainOrQuoted(value: String) -> String {
        let isPlain = value.utf8.allSatisfy { $0.isWordByte || " -./()".utf8.contains($0) }
        let isText = isPlain && !isWord(value) && value.utf8.first.map(\.isLetter) ?? false
        return isText && value.utf8.last != UInt8(ascii: " ") ? value : "\"\(doubleQuoted(value))\""
    }

    /// A text as the value of a member: in double quotes, or as a block where it has several plain lines.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - indent: the spaces before the lines of a block.
    /// - Returns: the value in YAML.
    package static func value(_ text: String, indent: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let isPlain = text.unicodeScalars.allSatisfy { $0 == "\n" || !needsEscape($0) }
        guard lines.count > 1, isPlain, let first = lines.first, let last = lines.last, !last.isEmpty, !first.isEmpty,
            lines.allSatisfy({ $0.utf8.first != UInt8(ascii: " ") && $0.utf8.last != UInt8(ascii: " ") })
        else { return "\"\(doubleQuoted(text))\"" }
        let spaces = String(repeating: " ", count: indent)
        return "|-\n" + lines.map { $0.isEmpty ? "" : spaces + $0 }.joined(separator: "\n")
    }
}
