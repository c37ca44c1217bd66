// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// Writes the text of one field into the file of a campaign, in the style that the file has there.
enum FieldEdit {
    /// The file with another text for a field.
    ///
    /// Only what differs is replaced. Where the style of the file cannot hold the text, such as a line break in a plain
    /// value, the value is written in double quotes. The result is read again, so that a text which YAML would read as
    /// something else is never written.
    ///
    /// - Parameters:
    ///   - campaign: the file.
    ///   - field: the name of the field, such as `title`.
    ///   - text: the text, with line feeds.
    /// - Returns: the file as it is then; nil where the field does not exist or cannot hold the text.
    static func edited(_ campaign: ReadCampaign, setting field: String, to text: String) -> ReadCampaign? {
        guard let old = campaign.text(of: field) else { return nil }
        if old.text.utf8.elementsEqual(text.utf8) { return campaign }
        for write in [inPlace, quoted] {
            guard let bytes = write(old, text, campaign.file) else { continue }
            let edited = campaign.replaced(by: bytes)
            guard let new = edited.text(of: field), new.text.utf8.elementsEqual(text.utf8) else { continue }
            // An alias is the same value at several places.
            if changes(from: campaign.file, to: edited.file) == 1 { return edited }
        }
        return nil
    }

    /// The number of values that differ between two versions of a file; nil where a version cannot be read, or where
    /// more than values differs.
    private static func changes(from old: SourceFile, to new: SourceFile) -> Int? {
        guard let old = try? DocumentNode.read(old, rule: .campaignSyntax),
            let new = try? DocumentNode.read(new, rule: .campaignSyntax)
        else { return nil }
        return changes(from: old, to: new)
    }

    private static func changes(from old: DocumentNode, to new: DocumentNode) -> Int? {
        func sum(_ parts: some Sequence<(DocumentNode, DocumentNode)>) -> Int? {
            parts.reduce(0) { sum, pair in sum.flatMap { sum in changes(from: pair.0, to: pair.1).map { sum + $0 } } }
        }
        switch (old.content, new.content) {
        case (.scalar(let one), .scalar(let other)): return one.text.utf8.elementsEqual(other.text.utf8) ? 0 : 1
        case (.sequence(let some), .sequence(let others)) where some.count == others.count:
            return sum(zip(some, others))
        case (.mapping(let some), .mapping(let others))
        where some.elementsEqual(others, by: { $0.name.utf8.elementsEqual($1.name.utf8) }):
            return sum(zip(some, others).map { ($0.value, $1.value) })
        default: return nil
        }
    }

    /// Replaces the bytes between the common start and the common end of both texts.
    private static func inPlace(_ old: TemplateText, _ text: String, _ file: SourceFile) -> [UInt8]? {
        let before = Array(old.text.utf8)
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
        let range = old.place(of: SourceRange(start, before.count - end)).range.offsets
        let new = String(decoding: after[start..<(after.count - end)], as: UTF8.self)
        guard range.lowerBound >= Int(old.range.start), range.upperBound <= Int(old.range.end) else { return nil }
        guard let written = escaped(new, like: file.bytes[Int(old.range.start)], old, file) else { return nil }
        return Array(file.bytes[..<range.lowerBound]) + Array(written.utf8) + Array(file.bytes[range.upperBound...])
    }

    /// A part of a value as it is written in a style: that of the first byte of the value.
    private static func escaped(_ text: String, like style: UInt8, _ old: TemplateText, _ file: SourceFile) -> String? {
        let hasBreak = text.utf8.contains(UInt8(ascii: "\n"))
        switch style {
        case UInt8(ascii: "\""):
            return doubleQuoted(text)
        case UInt8(ascii: "'"):
            return hasBreak ? nil : text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        case UInt8(ascii: "|"):
            guard hasBreak else { return text }
            let start = file.position(of: Int(old.place(of: SourceRange(0, 0)).range.start))
            let indent = String(repeating: " ", count: max(0, start.column - 1))
            let lineBreak = file.bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
            return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineBreak + indent)
        default: return hasBreak ? nil : text
        }
    }

    /// Replaces the whole value by one in double quotes, which can hold every text.
    private static func quoted(_ old: TemplateText, _ text: String, _ file: SourceFile) -> [UInt8]? {
        let start = Int(old.range.start)
        var end = Int(old.range.end)
        // A block ends with a line break that does not belong to the value.
        while end > start, file.bytes[end - 1] == UInt8(ascii: "\n") || file.bytes[end - 1] == UInt8(ascii: "\r") {
            end -= 1
        }
        let first = old.place(of: SourceRange(0, 0)).range.start
        let isPrefixed = file.text(in: SourceRange(start: old.range.start, end: first)).holds("$json:")
        let value = "\"" + (isPrefixed ? "$json:" : "") + doubleQuoted(text) + "\""
        return Array(file.bytes[..<start]) + Array(value.utf8) + Array(file.bytes[end...])
    }

    /// The contents of a string in double quotes, as YAML and JSON both read them.
    static func doubleQuoted(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
                result += "\\u" + scalar.value.hexadecimal(digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
