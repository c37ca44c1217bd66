// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit
import PlistDocuments

/// A comment that suppresses findings: `payloadgen:disable`, rule IDs separated by commas or spaces, and optionally
/// `--` and the reason.
struct Suppression {
    /// A rule named in the comment.
    struct Name {
        var text: String
        var place: SourcePlace
    }

    /// The contents of the comment.
    enum Content {
        case rules([Name])
        /// Unknown words after `payloadgen:`.
        case unknown(Name)
    }

    var content: Content

    /// The ranges of the file in which findings are suppressed.
    ///
    /// A finding is suppressed if it begins in one of them.
    var scopes: [Range<Int>]

    /// Reads a comment; nil for comments that are not for this program.
    ///
    /// - Parameters:
    ///   - comment: the text between the delimiters of the comment.
    ///   - scopes: the ranges in which findings are suppressed if they begin there.
    ///   - place: returns the place in the file of a range of the text.
    init?(_ comment: String, scopes: [Range<Int>], place: (SourceRange) -> SourcePlace) {
        let bytes = Array(comment.utf8)
        var words: [Name] = []
        var position = 0
        while position < bytes.count {
            let start = position
            while position < bytes.count, !Self.isSeparator(bytes[position]) { position += 1 }
            if position > start {
                let text = String(decoding: bytes[start..<position], as: UTF8.self)
                if text == Self.reasonMark { break }
                words.append(Name(text: text, place: place(SourceRange(start, position))))
            }
            position += 1
        }
        guard let first = words.first, first.text.hasPrefix(Self.prefix) else { return nil }
        content = first.text == Self.disable && words.count > 1 ? .rules(Array(words.dropFirst())) : .unknown(first)
        self.scopes = scopes
    }

    /// The start of every such comment.
    static let prefix = "payloadgen:"
    static let disable = prefix + "disable"

    /// What is between the rules and the reason.
    static let reasonMark = "--"

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    /// Whether a file may contain a comment that suppresses findings.
    static func mayOccur(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { text in
            Array(prefix.utf8).withUnsafeBufferPointer { ByteSearch.first($0, in: text, from: 0) != nil }
        }
    }
}

/// The ranges of the elements of a file, which determine where a comment applies.
///
/// A comment alone on its line applies to the next element with everything in it: a key with its value, or an item of a
/// list. Before the first content, it applies to the whole file. A comment after an element applies to the elements
/// that begin on its line.
struct CommentScopes {
    private let file: SourceFile
    private let contentStart: Int
    private let elements: [Range<Int>]

    /// The end of the last element that begins on a line, by the line number.
    private var lineEnds: [Int: Int] = [:]

    /// - Parameters:
    ///   - file: the file.
    ///   - contentStart: the offset at which its content begins.
    ///   - elements: all elements.
    init(_ file: SourceFile, contentStart: Int, elements: [Range<Int>]) {
        self.file = file
        self.contentStart = contentStart
        // If elements begin at the same offset, the outer one is first.
        self.elements = elements.sorted { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
        for element in elements {
            let line = file.position(of: element.lowerBound).line
            lineEnds[line] = max(lineEnds[line] ?? 0, element.upperBound)
        }
    }

    /// The ranges to which a comment applies: findings that begin in one of them are suppressed.
    func scopes(of comment: Range<Int>) -> [Range<Int>] {
        if comment.lowerBound < contentStart { return [0..<file.bytes.count + 1] }
        let number = file.position(of: comment.lowerBound).line
        guard isAlone(comment, inLine: number) else {
            let isLast = number == file.position(of: file.bytes.count).line
            let end = isLast ? file.bytes.count + 1 : file.offset(ofLine: number + 1)
            return [file.offset(ofLine: number)..<max(end, lineEnds[number] ?? 0)]
        }
        return Array(elements[elements.index(from: comment.upperBound)...].prefix(1))
    }

    /// Reads a comment that begins with a mark of `count` bytes; nil for comments that are not for this program.
    func suppression(_ comment: Range<Int>, afterMark count: Int) -> Suppression? {
        let start = comment.lowerBound + count
        let text = file.text(in: SourceRange(start, comment.upperBound))
        return Suppression(text, scopes: scopes(of: comment)) { range in
            SourcePlace(file, SourceRange(start + Int(range.start), start + Int(range.end)))
        }
    }

    private func isAlone(_ comment: Range<Int>, inLine number: Int) -> Bool {
        let start = file.utf8Offset(ofStored: comment.lowerBound)
        return file.line(number).prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }.endIndex >= start
    }
}

extension [Range<Int>] {
    /// The index of the first range that begins at or after an offset; the ranges must be in ascending order.
    func index(from offset: Int) -> Int { partitioningIndex { $0.lowerBound >= offset } }
}

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
    /// The comments of YAML and Liquid that suppress findings: in the campaign or scenario, its fixtures and its
    /// content blocks, by the paths of the files.
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
        return root.comments(in: file).compactMap { scopes.suppression($0, afterMark: 1) }
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

/// Finds the suppressing comments of a file in Swift or Objective-C: those that begin with `//`.
enum CodeComments {
    /// The suffixes of files of code.
    static let suffixes = [".swift", ".m", ".mm", ".h"]

    static func suppressions(in file: SourceFile) -> [Suppression] {
        guard file.encoding == .utf8 else { return [] }
        var lines: [Range<Int>] = []
        var comments: [Range<Int>] = []
        for number in 1...file.lineCount {
            let line = file.line(number)
            let start = file.offset(ofLine: number)
            let content = line.drop { $0 <= 0x20 }
            guard !content.isEmpty else { continue }
            if let comment = comment(in: line) { comments.append(start + comment..<start + line.count) }
            if !content.starts(with: "//".utf8) { lines.append(start..<start + line.count) }
        }
        let scopes = CommentScopes(
            file, contentStart: lines.first?.lowerBound ?? file.bytes.count, elements: lines)
        return comments.compactMap { scopes.suppression($0, afterMark: 2) }
    }

    /// The offset in a line of the `//` directly before `payloadgen:`.
    private static func comment(in line: ArraySlice<UInt8>) -> Int? {
        guard let mark = line.firstRange(ofBytes: Suppression.prefix.utf8)?.lowerBound else { return nil }
        let before = line[..<mark]
        guard let slash = before.lastIndex(where: { $0 > 0x20 }), slash > line.startIndex,
            line[slash] == UInt8(ascii: "/"), line[slash - 1] == UInt8(ascii: "/")
        else { return nil }
        return slash - 1 - line.startIndex
    }
}
