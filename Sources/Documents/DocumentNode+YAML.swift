// SPDX-License-Identifier: MIT

package import SourceText
import Yams

extension DocumentNode {
    /// Reads a YAML file, which has to hold one document.
    ///
    /// - Parameters:
    ///   - file: the file; UTF-8, with or without a byte order mark.
    ///   - rule: the rule that a fault of syntax is reported under.
    /// - Returns: the outermost node; nil if the file is empty.
    /// - Throws: the first fault of syntax, or every value with Liquid that needs quotes.
    package static func yaml(_ file: SourceFile, rule: RuleID) throws(InputError) -> DocumentNode? {
        if let finding = YAMLRefusal.finding(in: file, rule: rule) {
            throw InputError(.invalid, [finding])
        }
        let suspects = YAMLQuoteScanner.suspects(in: file.bytes)
        var converter = YAMLConverter(file: file)
        let root: DocumentNode?
        do {
            // The encoding is given because the default depends on the environment of the process.
            let text = String(decoding: file.bytes[file.textStart...], as: UTF8.self)
            // The types of scalars are not determined by Yams but by `DocumentScalar.value`: Yams' resolver compiles
            // regular expressions, which takes a seventh of the time of a run of the command.
            root = try Yams.compose(yaml: text, .basic, .default, .utf8).map { converter.node($0, parentIndent: -1) }
        } catch {
            if !suspects.isEmpty { throw InputError(.invalid, suspects.map { $0.finding(in: file, rule: rule) }) }
            throw InputError(.invalid, [YAMLMessages.finding(for: error, in: file, rule: rule).explained(in: file)])
        }
        // A suspect inside a scalar, such as a block scalar, needs no quotes.
        let scalars = suspects.isEmpty ? [] : converter.scalarRanges
        let confirmed = suspects.filter { suspect in
            let start = Int(suspect.range.start)
            let next = scalars.partitioningIndex { $0.lowerBound > start }
            return next == 0 || scalars[next - 1].upperBound < suspect.end
        }
        if !confirmed.isEmpty { throw InputError(.invalid, confirmed.map { $0.finding(in: file, rule: rule) }) }
        if converter.isTooLarge {
            throw InputError(
                .invalid,
                [
                    Diagnostic(
                        rule,
                        "the file has more than \(YAMLConverter.nodeLimit) nodes once its aliases are expanded",
                        at: SourcePlace(wholeFile: file),
                        severity: .error
                    )
                ])
        }
        return root
    }
}

/// Converts the parser's nodes to nodes with byte ranges.
private struct YAMLConverter {
    static let nodeLimit = DocumentNode.valueLimit

    private let file: SourceFile
    private var lines: YAMLLines
    private var nodeCount = 0
    private var scalars: [Range<Int>] = []

    init(file: SourceFile) {
        self.file = file
        lines = YAMLLines(file)
    }

    var isTooLarge: Bool { nodeCount > Self.nodeLimit }

    /// The places of all scalars, ascending.
    var scalarRanges: [Range<Int>] { scalars.sorted { $0.lowerBound < $1.lowerBound } }

    mutating func node(_ node: Yams.Node, parentIndent: Int) -> DocumentNode {
        nodeCount += 1
        guard !isTooLarge else {
            return DocumentNode(.sequence([]), range: .wholeFile)
        }
        let start = offset(of: node.mark)
        switch node {
        case .scalar(let scalar):
            let (converted, range) = self.scalar(scalar, at: start, parentIndent: parentIndent)
            return DocumentNode(.scalar(converted), range: range)
        case .sequence(let sequence):
            let indent = (sequence.mark?.column ?? 1) - 1
            let elements = sequence.map { self.node($0, parentIndent: indent) }
            return DocumentNode(.sequence(elements), range: span(from: start, to: elements.last?.range))
        case .mapping(let mapping):
            let indent = (mapping.first?.key.mark?.column ?? 1) - 1
            let members = mapping.map { key, value in member(key, value, indent: indent) }
            return DocumentNode(.mapping(members), range: span(from: start, to: members.last?.value.range))
        case .alias:
            return DocumentNode(.sequence([]), range: SourceRange(start, start))
        }
    }

    private mutating func member(_ key: Yams.Node, _ value: Yams.Node, indent: Int) -> DocumentMember {
        let key = node(key, parentIndent: indent)
        let value = node(value, parentIndent: indent)
        // A key that is a collection has no text; the name `?` is reported as unknown wherever keys are checked.
        let name = key.scalar ?? DocumentScalar("?", style: .quoted, map: .identity(count: 0))
        return DocumentMember(key: name, keyRange: key.range, value: value)
    }

    private mutating func scalar(
        _ scalar: Yams.Node.Scalar,
        at mark: Int,
        parentIndent: Int
    ) -> (DocumentScalar, SourceRange) {
        let count = scalar.string.utf8.count
        // After the tag of an empty scalar comes what is not part of it.
        let isEmpty = count == 0 && ![.singleQuoted, .doubleQuoted, .literal, .folded].contains(scalar.style)
        let start = isEmpty ? mark : skipProperties(from: mark)
        var source = YAMLScalarSource(file.bytes, at: start)
        let style: DocumentScalar.Style
        var read: YAMLScalarSource.Result
        switch scalar.style {
        case .singleQuoted, .doubleQuoted:
            style = .quoted
            read = source.quoted()
        case .literal, .folded:
            style = .block
            read = source.block(parentIndent: parentIndent)
        default:
            style = .plain
            read = source.plain(count: count)
        }
        if !read.text.elementsEqual(scalar.string.utf8) {
            // Where this text differs from the parser's, the parser's is used, and all of it gets the place of the
            // first byte.
            read.map = SourceMap(runs: [(0, start)], textCount: 0, fileEnd: start)
        }
        let range = SourceRange(start, Swift.max(start, read.end))
        scalars.append(range.offsets)
        return (DocumentScalar(scalar.string, style: style, map: read.map), range)
    }

    /// Skips the tag and anchor of a scalar, at which the parser's mark of the scalar is.
    private func skipProperties(from mark: Int) -> Int {
        let bytes = file.bytes
        var position = mark
        while position < bytes.count, bytes[position] == UInt8(ascii: "!") || bytes[position] == UInt8(ascii: "&") {
            while position < bytes.count, !Self.isSpace(bytes[position]) { position += 1 }
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        }
        return position
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    private mutating func offset(of mark: Mark?) -> Int {
        guard let mark else { return 0 }
        return lines.offset(line: mark.line, column: mark.column)
    }

    private func span(from start: Int, to last: SourceRange?) -> SourceRange {
        let bytes = file.bytes
        // The parts of an alias may be before it in the file.
        var end = Swift.max(last.map { Int($0.end) } ?? start + 1, start)
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") else {
            return SourceRange(start, end)
        }
        while end < bytes.count, Self.isSpace(bytes[end]) || bytes[end] == UInt8(ascii: ",") { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: "}") || bytes[end] == UInt8(ascii: "]") { end += 1 }
        return SourceRange(start, end)
    }
}
