// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit
import PlistDocuments

extension LintedPlist {
    /// The comments in the list that suppress findings.
    var suppressions: [Suppression] {
        let file = document.file
        guard let root = document.root, document.comments.contains(where: { $0.text.holds(Suppression.prefix) })
        else { return [] }
        // A comment may also be between a key and its value.
        let elements = document.allNodes.dropFirst().flatMap { node in
            [node.key.map { SourceRange(start: $0.range.start, end: node.range.end).offsets }, node.range.offsets]
                .compactMap(\.self)
        }
        let scopes = CommentScopes(file, contentStart: Int(root.range.start), elements: elements)
        return document.comments.compactMap { comment in
            let open = 4
            let text = String(file.text(in: comment.range).dropFirst(open).dropLast(3))
            return Suppression(text, scopes: scopes.scopes(of: comment.range.offsets)) { range in
                // In encodings other than UTF-8, the offsets in the text differ from the offsets in the file.
                guard file.encoding == .utf8 else { return document.place(comment.range) }
                let start = Int(comment.range.start) + open
                return document.place(SourceRange(start + Int(range.start), start + Int(range.end)))
            }
        }
    }
}

extension LintedCampaign {
    /// The comments of YAML and Liquid that suppress findings: in the campaign, its fixtures and its content blocks, by
    /// the paths of the files.
    var suppressions: [(path: String, suppressions: [Suppression])] {
        var files: [SourceFile] = []
        if campaign != nil { files.append(file) }
        if case .scenario = kind { files.append(file) }
        if let fixtures = campaign?.fixturesDocument?.file { files.append(fixtures) }
        var found: [String: [Suppression]] = [:]
        for file in files where Suppression.mayOccur(in: file.bytes) {
            found[file.path, default: []] += YAMLComments.suppressions(in: file)
        }
        for text in templates where Suppression.mayOccur(in: text.bytes) {
            found[text.source.file.path, default: []] += text.suppressions
        }
        return found.sorted { $0.key < $1.key }.map { (path: $0.key, suppressions: $0.value) }
    }
}

extension LintedText {
    /// The suppressing comments of Liquid; each applies from the comment to the end of the text.
    fileprivate var suppressions: [Suppression] {
        guard let template else { return [] }
        let bytes = template.source.bytes
        return parts.tags.filter(\.isComment).map(\.range).compactMap { comment in
            let start = Int(comment.end)
            let end = bytes[start...].firstRange(ofBytes: "{%".utf8)?.lowerBound ?? bytes.count
            let scope = scope(from: Int(comment.start))
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            return Suppression(text, scopes: [scope]) { range in
                place(of: SourceRange(start + Int(range.start), start + Int(range.end)))
            }
        }
    }

    /// The range from an offset to the end of the value; the whole value, if only white space is before the offset.
    private func scope(from start: Int) -> Range<Int> {
        let isFirst = source.text.utf8.prefix(start).allSatisfy { $0 <= 0x20 }
        let end = Int(source.range.end)
        if isFirst { return Int(source.range.start)..<end }
        let offset = Int(place(of: SourceRange(start, start)).range.start)
        return offset..<max(offset, end)
    }
}

/// Finds the suppressing comments of a YAML file.
struct YAMLComments {
    private var elements: [Range<Int>] = []

    static func suppressions(in file: SourceFile) -> [Suppression] {
        guard !file.path.hasSuffix(".json"), let root = try? DocumentNode.yaml(file, rule: .campaignSyntax) else {
            return []
        }
        var comments = YAMLComments()
        comments.add(root)
        let scopes = CommentScopes(file, contentStart: Int(root.range.start), elements: comments.elements)
        return root.comments(in: file).compactMap { comment in
            let start = comment.lowerBound + 1
            let text = file.text(in: SourceRange(start, comment.upperBound))
            return Suppression(text, scopes: scopes.scopes(of: comment)) { range in
                SourcePlace(file, SourceRange(start + Int(range.start), start + Int(range.end)))
            }
        }
    }

    private mutating func add(_ node: DocumentNode) {
        for member in node.members ?? [] {
            let start = Int(member.keyRange.start)
            elements.append(start..<max(Int(member.keyRange.end), Int(member.value.range.end)))
            add(member.value)
        }
        for element in node.elements ?? [] {
            elements.append(element.range.offsets)
            add(element)
        }
    }
}
