// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// Adds an empty field to the `push` of a campaign, in the style of the mapping that it becomes a member of.
struct FieldAddition {
    private let file: SourceFile

    /// The texts of the alert, in the order in which they are added to a file.
    static let texts = ["title", "subtitle", "body"]

    /// The file with one more field, whose text is empty.
    ///
    /// The result is read again: it has the new field, and every other field as before.
    ///
    /// - Parameters:
    ///   - campaign: the file.
    ///   - field: `title`, `subtitle`, `body` or `extras.KEY`.
    /// - Returns: the file as it is then; nil where the field exists, or has no place in the file.
    static func added(_ campaign: ReadCampaign, _ field: String) -> ReadCampaign? {
        guard campaign.text(of: field) == nil, field != "extras.", campaign.campaign?.push.request == nil,
            let root = try? DocumentNode.read(campaign.file, rule: .campaignSyntax), let push = root["push"],
            let bytes = Self(file: campaign.file).bytes(adding: field, to: push)
        else { return nil }
        let edited = campaign.replaced(by: bytes)
        guard edited.text(of: field)?.text == "" else { return nil }
        let others = campaign.campaign?.push.texts ?? []
        return others.allSatisfy { edited.text(of: $0.field)?.text == campaign.text(of: $0.field)?.text } ? edited : nil
    }

    private func bytes(adding field: String, to push: DocumentNode) -> [UInt8]? {
        guard field.hasPrefix("extras.") else {
            guard let place = Self.texts.firstIndex(of: field) else { return nil }
            let earlier = Self.texts[..<place].last { push[$0] != nil }
            let next = earlier == nil ? push.members?.first : nil
            return insert([(field, "\"\"")], in: push, after: earlier, before: next)
        }
        let pair = (String(field.dropFirst("extras.".count)), "\"\"")
        if let extras = push["extras"] { return insert([pair], in: extras) }
        return insert([("extras", ""), pair], in: push)
    }

    /// Inserts a member in a mapping.
    ///
    /// - Parameters:
    ///   - entries: the member: its key and its value; two for a mapping with a member of its own.
    ///   - mapping: the mapping.
    ///   - name: the member that the new one comes after; nil for the last one.
    ///   - next: the member that the new one comes before, rather than after another.
    /// - Returns: the bytes of the file; nil where the mapping has no place for it.
    private func insert(
        _ entries: [(key: String, value: String)],
        in mapping: DocumentNode,
        after name: String? = nil,
        before next: DocumentMember? = nil
    ) -> [UInt8]? {
        guard let members = mapping.members else { return nil }
        let member = members.last { $0.name == name } ?? members.last
        let start = Int(mapping.range.start)
        if start < file.bytes.count, file.bytes[start] == UInt8(ascii: "{") {
            let keys = entries.map { "\"\(FieldEdit.doubleQuoted($0.key))\": " }
            let value = keys.joined(separator: "{") + "\"\"" + String(repeating: "}", count: entries.count - 1)
            if let next { return inserting(value + ", ", at: Int(next.keyRange.start)) }
            guard let member else { return inserting(value, at: start + 1) }
            return inserting(", " + value, at: Int(member.value.range.end))
        }
        guard let member, let first = members.first, let indent = indent(of: first) else { return nil }
        let lineBreak = file.bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
        let lines = entries.enumerated().map { depth, entry in
            let spaces = indent + String(repeating: " ", count: 2 * depth)
            return "\(spaces)\(Self.plainOrQuoted(entry.key)):" + (entry.value.isEmpty ? "" : " " + entry.value)
        }
        let text = lines.joined(separator: lineBreak)
        if let next { return inserting(text + lineBreak, at: startOfLine(Int(next.keyRange.start))) }
        return inserting(lineBreak + text, at: endOfLine(Int(member.value.range.end)))
    }

    private func inserting(_ text: String, at place: Int) -> [UInt8] {
        Array(file.bytes[..<place]) + Array(text.utf8) + Array(file.bytes[place...])
    }

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

    private static let lineBreaks: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]

    /// A key as it is where it is a name, else in double quotes.
    private static func plainOrQuoted(_ key: String) -> String {
        let isName = key.utf8.allSatisfy(\.isWordByte)
        let isWord = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(key.lowercased())
        let isNumber = key.utf8.first.map(\.isDigit) ?? true
        return isName && !isWord && !isNumber ? key : "\"\(FieldEdit.doubleQuoted(key))\""
    }
}
