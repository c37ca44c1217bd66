// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Changes, adds and removes values of a YAML or JSON file, in the style of the surrounding text.
///
/// Each edit returns the bytes of the whole file with one value changed. The caller reads them again to check the
/// result. If the style of the file cannot hold a text, the caller can try another kind of edit.
package struct DocumentEdit {
    private let file: SourceFile

    /// Prepares edits of a file, each of which starts from the same contents.
    package init(_ file: SourceFile) { self.file = file }

    /// A text value of the file, with the places of its bytes.
    package struct Text {
        private let text: String
        fileprivate let range: SourceRange
        private let fileRange: (SourceRange) -> SourceRange

        /// - Parameters:
        ///   - text: the text, after escapes are resolved.
        ///   - range: the range of the whole value in the file, with its quotes.
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

    /// Replaces the text of a value, and changes only the bytes that differ.
    ///
    /// - Returns: the bytes of the file; nil if the style of the value cannot hold the text.
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
        // The changed range is extended so that it does not begin or end inside a character.
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

    /// Writes a part of a value in the style of the value, which the value's first byte shows; nil if the style cannot
    /// hold it.
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

    /// Replaces the text of a value and puts it in double quotes, which can hold any text.
    package func quoting(_ old: Text, as text: String) -> [UInt8] {
        let start = Int(old.range.start)
        let first = old.place(0, 0).start
        let isPrefixed = file.text(in: SourceRange(start: old.range.start, end: first)).holds("$json:")
        return replacing(
            old.range, by: "\"" + (isPrefixed ? "$json:" : "") + Self.doubleQuoted(text) + "\"", from: start)
    }

    /// Replaces the value in a range by another one, which is given as YAML or JSON.
    package func replacing(_ range: SourceRange, by value: String) -> [UInt8] {
        replacing(range, by: value, from: Int(range.start))
    }

    private func replacing(_ range: SourceRange, by value: String, from start: Int) -> [UInt8] {
        var end = Int(range.end)
        // The range of a block ends with a line break that does not belong to the value.
        while end > start, Self.lineBreaks.contains(file.bytes[end - 1]) { end -= 1 }
        return replacing(start..<end, by: value)
    }

    private func replacing(_ range: Range<Int>, by text: String) -> [UInt8] {
        Array(file.bytes[..<range.lowerBound]) + Array(text.utf8) + Array(file.bytes[range.upperBound...])
    }

    // MARK: - Members

    /// Adds a member to a mapping.
    ///
    /// - Parameters:
    ///   - keys: the key of the member; several keys are nested, and the last one has the value.
    ///   - value: the value of the last key, written as YAML or JSON.
    ///   - mapping: the mapping.
    ///   - name: the name of the member after which the new one is added; nil for the last member.
    ///   - next: the member before which the new one is added; if given, `name` is not used.
    /// - Returns: the bytes of the file; nil if the node is not a mapping, or is a mapping without braces whose first
    ///   key does not begin a line.
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

    /// Removes a member from a mapping that has at least two members.
    ///
    /// - Returns: the bytes of the file; nil if the mapping lacks the member or has no other, or if it has no braces
    ///   and the member does not begin a line.
    package func removing(_ name: String, from mapping: DocumentNode) -> [UInt8]? {
        guard let members = mapping.members, members.count > 1,
            let index = members.lastIndex(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { return nil }
        let member = members[index]
        let start = Int(mapping.range.start)
        if start < file.bytes.count, file.bytes[start] == UInt8(ascii: "{") {
            // The comma before the member is removed too, or for the first member the comma after it.
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

    /// The spaces before the key of a member; nil if anything else precedes the key on its line.
    private func indent(of member: DocumentMember) -> String? {
        let key = Int(member.keyRange.start)
        let spaces = file.bytes[startOfLine(key)..<key]
        return spaces.allSatisfy { $0 == UInt8(ascii: " ") } ? String(decoding: spaces, as: UTF8.self) : nil
    }

    private func startOfLine(_ place: Int) -> Int {
        (file.bytes[..<place].lastIndex { Self.lineBreaks.contains($0) } ?? -1) + 1
    }

    /// The end of the line with the last visible byte before a place.
    ///
    /// The range of a block ends with line breaks, which are skipped.
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

/// Functions that write texts as YAML.
extension DocumentEdit {
    /// Escapes a text for use inside double quotes, in a form that both YAML and JSON read.
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

    /// Whether a character must be escaped, because files cannot contain it or some parsers read it as a line break.
    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}": true
        default: false
        }
    }

    /// Whether some YAML parsers read a word, such as `yes`, as a boolean or null instead of a text.
    private static func isWord(_ text: String) -> Bool {
        ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased())
    }

    /// A key as YAML: unchanged if it is a plain name, otherwise in double quotes.
    package static func plainOrQuoted(_ key: String) -> String {
        let isName = key.utf8.allSatisfy(\.isWordByte)
        let isNumber = key.utf8.first.map(\.isDigit) ?? true
        return isName && !isWord(key) && !isNumber ? key : "\"\(doubleQuoted(key))\""
    }

    /// A value as YAML: unchanged if it consists of a few plain words, otherwise in double quotes.
    package static func plainOrQuoted(value: String) -> String {
        let isPlain = value.utf8.allSatisfy { $0.isWordByte || " -./()".utf8.contains($0) }
        let isText = isPlain && !isWord(value) && value.utf8.first.map(\.isLetter) ?? false
        return isText && value.utf8.last != UInt8(ascii: " ") ? value : "\"\(doubleQuoted(value))\""
    }

    /// Writes a text as the value of a member: as a block if it has several plain lines, otherwise in double quotes.
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
