// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// The file of a content block in the format of the tool braze-sync: a YAML front matter, then the block's text byte
/// for byte.
struct BlockFile {
    let block: WorkspaceExport.Block

    /// The new contents of the file.
    ///
    /// - Parameter old: the existing file; nil if there is none.
    /// - Returns: the new bytes, or those of the existing file if its values from Braze have not changed.
    func bytes(over old: SourceFile?) -> [UInt8] {
        guard let old else { return Array((frontMatter(beside: nil) + block.content).utf8) }
        let start = ContentBlock.endOfFrontMatter(in: old.bytes)
        let head = old.bytes[..<start]
        let text = String(decoding: old.bytes[start...], as: UTF8.self)
        let node = start == 0 ? nil : try? DocumentNode.yaml(Self.yaml(head), rule: .campaignSyntax)
        let isSameHead = start == 0 || node.map { isDescribed(by: $0) } ?? false
        let isSameText = isText(text, withFrontMatter: start > 0)
        if isSameHead, isSameText { return old.bytes }
        let newHead = isSameHead ? Array(head) : Array(frontMatter(beside: node).utf8)
        let hasPlaceholders = text.holds(Placeholder.prefix)
        let content = hasPlaceholders ? Placeholder.inserted(in: block.content) : block.content
        return newHead + (isSameText ? Array(text.utf8) : Array(content.utf8))
    }

    /// The YAML between the two lines `---` of a front matter, as a file of its own.
    private static func yaml(_ head: ArraySlice<UInt8>) -> SourceFile {
        let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return SourceFile(path: "front-matter.yml", bytes: Array(lines.dropFirst().dropLast(2).joined(separator: [10])))
    }

    private func isDescribed(by node: DocumentNode) -> Bool {
        let tags = node["tags"]?.elements?.compactMap { $0.scalar?.text } ?? []
        return node.text("name") == block.name && (node.text("description") ?? "") == (block.description ?? "")
            && tags == block.tags
    }

    /// Whether the text of an existing file is the text of the block.
    ///
    /// In a file without front matter, a final newline comes from an editor and is ignored.
    private func isText(_ text: String, withFrontMatter hasFrontMatter: Bool) -> Bool {
        let found = Placeholder.inserted(in: text)
        let expected = Placeholder.inserted(in: block.content)
        let isPlaceheld = text.holds(Placeholder.prefix)
        let (one, other) = isPlaceheld ? (found, expected) : (text, block.content)
        return one.utf8.elementsEqual(other.utf8) || !hasFrontMatter && one.utf8.elementsEqual((other + "\n").utf8)
    }

    private func frontMatter(beside old: DocumentNode?) -> String {
        var lines = ["---", "name: \(DocumentEdit.plainOrQuoted(value: block.name))"]
        if let description = block.description, !description.isEmpty {
            lines.append("description: \(DocumentEdit.plainOrQuoted(value: description))")
        }
        if !block.tags.isEmpty {
            lines += ["tags:"] + block.tags.map { "- \(DocumentEdit.plainOrQuoted(value: $0))" }
        }
        // Braze's API does not return the block's state. People write it into the file, so it is kept.
        if let state = old?.text("state") { lines.append("state: \(DocumentEdit.plainOrQuoted(value: state))") }
        return (lines + ["---"]).joined(separator: "\n") + "\n"
    }
}

/// The text that braze-sync writes instead of ids that Braze generates: `{{ … | lid: '__BRAZESYNC__' }}`.
enum Placeholder {
    static let prefix = "__BRAZESYNC"

    /// The template with the placeholder in place of each id that Braze generates.
    static func inserted(in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let quote = openingQuote(in: bytes, at: index),
                let end = bytes[(quote + 1)...].firstIndex(of: bytes[quote])
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += bytes[index...quote] + Array("\(prefix)__".utf8) + [bytes[end]]
            index = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The offset of the quote after `| id:` or `| lid:` if such a filter is at an offset; otherwise nil.
    private static func openingQuote(in bytes: [UInt8], at start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "|") else { return nil }
        var index = start + 1
        func skipBlanks() { while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 } }
        skipBlanks()
        guard let name = ["id:", "lid:"].first(where: { bytes[index...].starts(with: $0.utf8) }) else { return nil }
        index += name.utf8.count
        skipBlanks()
        return index < bytes.count && (bytes[index] == UInt8(ascii: "'") || bytes[index] == UInt8(ascii: "\""))
            ? index : nil
    }
}
