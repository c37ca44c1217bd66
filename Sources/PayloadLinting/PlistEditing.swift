// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PlistDocuments

/// Creates edits of a property list that follow its indentation and line breaks and keep all other bytes.
struct PlistEditing {
    let document: PlistDocument

    private let lineBreak: String

    init(document: PlistDocument) {
        self.document = document
        lineBreak = document.file.bytes.contains(0x0D) ? "\r\n" : "\n"
    }

    /// Creates a fix; none without edits, or if the file cannot be edited at the ranges of its nodes.
    func fix(_ message: String, _ edits: [FixIt.Edit]) -> [FixIt] {
        guard document.isEditable, !edits.isEmpty else { return [] }
        return [FixIt(message, edits: edits.sorted { $0.range.start < $1.range.start })]
    }

    /// Renames a key.
    func rename(_ key: PlistNode.Key, to name: String) -> FixIt.Edit {
        key.contentRange.isEmpty
            ? FixIt.Edit(key.range, replacement: "<key>\(name)</key>") : FixIt.Edit(key.contentRange, replacement: name)
    }

    /// Removes a key and its value, with the white space before them.
    func remove(_ node: PlistNode, _ key: PlistNode.Key) -> FixIt.Edit {
        let bytes = document.file.bytes
        var start = Int(key.range.start)
        while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
        if start > 0, bytes[start - 1] == 0x0A { start -= 1 }
        if start > 0, bytes[start - 1] == 0x0D { start -= 1 }
        return FixIt.Edit(SourceRange(start, Int(node.range.end)), replacement: "")
    }

    /// Appends a key and its value to a dictionary.
    func append(_ node: PlistNode, _ key: PlistNode.Key, to dictionary: PlistNode) -> FixIt.Edit {
        let newline = lineBreak
        let first = document.children(of: dictionary, upTo: 1).first
        let outer = indentation(before: dictionary.range.start)
        let inner = first?.key.map { indentation(before: $0.range.start) } ?? outer + "\t"
        let pair = [key.range, node.range].map { newline + inner + document.file.text(in: $0) }.joined()
        if let last = document.lastChild(of: dictionary) {
            return FixIt.Edit(SourceRange(start: last.range.end, end: last.range.end), replacement: pair)
        }
        if dictionary.contentRange.start >= dictionary.range.end {
            return FixIt.Edit(dictionary.range, replacement: "<dict>" + pair + newline + outer + "</dict>")
        }
        return FixIt.Edit(
            dictionary.contentRange,
            replacement: pair + newline + outer
        )
    }

    /// The spaces and tabs between the start of the line and an offset.
    private func indentation(before offset: UInt32) -> String {
        let bytes = document.file.bytes
        var start = Int(offset)
        while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
        return document.file.text(in: SourceRange(start, Int(offset)))
    }
}
