// SPDX-License-Identifier: MIT

package import DiagnosticSources

extension DocumentNode {
    /// Reads a YAML file, which must hold exactly one document.
    ///
    /// - Parameters:
    ///   - file: the file; UTF-8, with or without a byte order mark.
    ///   - rule: the rule under which a syntax error is reported.
    /// - Returns: the outermost node; nil if the file is empty.
    /// - Throws: the first syntax error, or findings about all values with Liquid that need quotes.
    package static func yaml(_ file: SourceFile, rule: RuleID) throws(InputError) -> DocumentNode? {
        if let finding = YAMLRefusal.finding(in: file, rule: rule) { throw InputError(.invalid, [finding]) }
        var scalars: [Range<Int>] = []
        let root: DocumentNode?
        do throws(YAMLFailure) {
            root = try file.bytes.withUnsafeBufferPointer { bytes throws(YAMLFailure) in
                var composer = YAMLComposer(file, UnsafeBufferPointer(rebasing: bytes[file.textStart...]))
                let root = try composer.document()
                if composer.mayLackQuotes { scalars = composer.scalarRanges }
                return root
            }
        } catch {
            if let finding = YAMLRefusal.characterFinding(in: file, rule: rule) {
                throw InputError(.invalid, [finding])
            }
            // Quotes do not help where lines of a merge conflict are in the way.
            let suspects = file.mergeConflict == nil ? YAMLQuoteScanner.suspects(in: file.bytes) : []
            let findings = YAMLQuoteScanner.findings(suspects, in: file, rule)
            throw InputError(.invalid, findings.isEmpty ? [error.finding(in: file, rule: rule)] : findings)
        }
        guard !scalars.isEmpty else { return root }
        // Liquid inside a scalar that the parser read as one text, such as a block, needs no quotes.
        let confirmed = YAMLQuoteScanner.suspects(in: file.bytes).filter { suspect in
            let start = Int(suspect.range.start)
            let next = scalars.partitioningIndex { $0.lowerBound > start }
            return next == 0 || scalars[next - 1].upperBound < suspect.end
        }
        if !confirmed.isEmpty { throw InputError(.invalid, YAMLQuoteScanner.findings(confirmed, in: file, rule)) }
        return root
    }
}

/// The reason why a YAML file cannot be read.
enum YAMLFailure: Error {
    case syntax(YAMLParser.Fault)
    case limit(String, SourceRange)
    case duplicateKey(String, SourceRange, first: SourceRange)

    fileprivate func finding(in file: SourceFile, rule: RuleID) -> Diagnostic {
        switch self {
        case .syntax(let fault): YAMLMessages.finding(for: fault, in: file, rule: rule)
        case .limit(let message, let range): Diagnostic(rule, message, at: SourcePlace(file, range), severity: .error)
        case .duplicateKey(let key, let range, let first):
            DocumentMessages.duplicateKey(key, at: range, first: first, in: file)
        }
    }
}

/// Builds the tree of nodes of a YAML file, with their ranges in bytes, from the parser's events.
private struct YAMLComposer: ~Copyable {
    /// A node with an anchor, and the counts that each alias of it adds toward the limits.
    private struct Anchored {
        let node: DocumentNode
        let nodeCount: Int
        let textBytes: Int

        /// The number of levels of collections that are nested in the node.
        let height: Int
    }

    private let outline: YAMLOutline
    private var bytes: [UInt8] { outline.bytes }
    private var parser: YAMLParser
    private var offsets: YAMLOffsets
    private var nodeCount = 0
    private var textBytes = 0

    /// The greatest depth of the nodes that were read since this value was last reset.
    private var deepest = 0
    private var scalars: [Range<Int>] = []
    private var anchors: [String: Anchored] = [:]

    init(_ file: SourceFile, _ text: UnsafeBufferPointer<UInt8>) {
        outline = YAMLOutline(file.bytes)
        parser = YAMLParser(text)
        offsets = YAMLOffsets(file)
    }

    /// Whether the parser may have read Liquid as YAML syntax: `{{` as two mappings, or a part of a text as a key or
    /// comment.
    private(set) var mayLackQuotes = false

    /// The ranges of all scalars in the file, in ascending order.
    var scalarRanges: [Range<Int>] { scalars.sorted { $0.lowerBound < $1.lowerBound } }

    /// Reads the document; nil if the file has none.
    mutating func document() throws(YAMLFailure) -> DocumentNode? {
        guard try parser.begin() else { return nil }
        let root = try node(try parser.next(), parentIndent: -1, depth: 0)
        try parser.finish()
        return root
    }

    private mutating func node(
        _ event: YAMLParser.Event?,
        parentIndent: Int,
        depth: Int
    ) throws(YAMLFailure) -> DocumentNode {
        guard let event else { throw .syntax(YAMLParser.Fault(problem: "the document ends too early")) }
        let start = offsets.offset(of: event.mark)
        let (countBefore, bytesBefore, deepestBefore) = (nodeCount, textBytes, deepest)
        deepest = depth
        defer { deepest = max(deepest, deepestBefore) }
        try count(nodes: 1, bytes: 0, at: start)
        let node: DocumentNode
        switch event.kind {
        case .alias(let name):
            guard let anchored = anchors[name] else {
                throw .syntax(YAMLParser.Fault(problem: "found undefined alias", mark: event.mark))
            }
            try count(nodes: anchored.nodeCount - 1, bytes: anchored.textBytes, at: start)
            deepest += anchored.height
            try checkDepth(deepest - 1, at: start)
            return anchored.node
        case .scalar(let text, let style):
            try count(nodes: 0, bytes: text.utf8.count, at: start)
            node = scalar(text, style, at: start, parentIndent: parentIndent)
            let isOutermost = depth == 0 && outline.holdsLiquid(node.range.offsets)
            if style == .plain, isOutermost || losesLiquid(node.range.offsets) { mayLackQuotes = true }
        case .sequence:
            try checkDepth(depth, at: start)
            var elements: [DocumentNode] = []
            while let element = try parser.next() {
                elements.append(try self.node(element, parentIndent: event.mark.column, depth: depth + 1))
            }
            node = DocumentNode(.sequence(elements), range: span(from: start, to: elements.last?.range))
        case .mapping:
            try checkDepth(depth, at: start)
            if start > 0, bytes[(start - 1)...].starts(with: "{{".utf8) { mayLackQuotes = true }
            let members = try members(depth: depth + 1)
            node = DocumentNode(.mapping(members), range: span(from: start, to: members.last?.value.range))
        }
        if let anchor = event.anchor {
            anchors[anchor] = Anchored(
                node: node,
                nodeCount: nodeCount - countBefore,
                textBytes: textBytes - bytesBefore,
                height: deepest - depth
            )
        }
        return node
    }

    private mutating func members(depth: Int) throws(YAMLFailure) -> [DocumentMember] {
        var members: [DocumentMember] = []
        var seen: [String: SourceRange] = [:]
        var event = try parser.next()
        let indent = event?.mark.column ?? 0
        while event != nil {
            let key = try node(event, parentIndent: indent, depth: depth)
            if let text = key.scalar?.text, let first = seen.updateValue(key.range, forKey: text) {
                throw .duplicateKey(text, key.range, first: first)
            }
            if key.scalar?.style == .plain, outline.holdsLiquid(key.range.offsets) { mayLackQuotes = true }
            let value = try node(try parser.next(), parentIndent: indent, depth: depth)
            // A key that is a collection has no text. It gets the name `?`, which is reported as unknown wherever keys
            // are checked.
            let name = key.scalar ?? DocumentScalar("?", style: .quoted, map: .identity(count: 0))
            members.append(DocumentMember(key: name, keyRange: key.range, value: value))
            event = try parser.next()
        }
        return members
    }

    // MARK: - Limits

    /// Counts the nodes and bytes that are read, including those that aliases repeat, and checks the limits.
    private mutating func count(nodes: Int, bytes: Int, at start: Int) throws(YAMLFailure) {
        nodeCount += nodes
        textBytes += bytes
        let (nodeLimit, textLimit) = (DocumentNode.valueLimit, YAMLRefusal.sizeLimit * 2)
        let hint = "the limit; an alias counts as all that it repeats"
        if nodeCount > nodeLimit { throw limit("more than \(nodeLimit) values, \(hint)", start) }
        if textBytes > textLimit { throw limit("more than \(textLimit) bytes of text, \(hint)", start) }
    }

    private func checkDepth(_ depth: Int, at start: Int) throws(YAMLFailure) {
        if depth >= DocumentNode.depthLimit { throw limit(YAMLMessages.tooDeep, start) }
    }

    private func limit(_ message: String, _ start: Int) -> YAMLFailure {
        .limit(message, SourceRange(start, min(start + 1, bytes.count)))
    }

    // MARK: - Places

    private mutating func scalar(
        _ text: String,
        _ style: DocumentScalar.Style,
        at mark: Int,
        parentIndent: Int
    ) -> DocumentNode {
        // An empty scalar starts at the parser's mark: what follows its tag or anchor is not part of it.
        let start = text.isEmpty && style == .plain ? mark : skipProperties(from: mark)
        var source = YAMLScalarSource(bytes, at: start)
        var read =
            switch style {
            case .quoted: source.readQuoted()
            case .block: source.readBlock(parentIndent: parentIndent)
            case .plain, .json: source.readPlain(count: text.utf8.count)
            }
        if !read.text.elementsEqual(text.utf8) {
            // If this text is not the same as the parser's, the parser's is used, and all of its bytes are mapped to
            // the scalar's first byte.
            read.map = SourceMap(runs: [(0, start)], textCount: 0, fileEnd: start)
        }
        let range = SourceRange(start, max(start, read.end))
        scalars.append(range.offsets)
        return DocumentNode(.scalar(DocumentScalar(text, style: style, map: read.map)), range: range)
    }

    /// Whether a comment follows a scalar on its line and one of them has Liquid, so that quotes may be missing.
    private func losesLiquid(_ scalar: Range<Int>) -> Bool {
        let next = outline.skippingBlanks(from: scalar.upperBound)
        return outline.at(next) == UInt8(ascii: "#")
            && outline.holdsLiquid(scalar.lowerBound..<outline.endOfLine(from: next))
    }

    /// Skips the tag and the anchor of a scalar, which come after the parser's mark of the scalar.
    private func skipProperties(from mark: Int) -> Int {
        var position = mark
        while let sign = outline.at(position), sign == UInt8(ascii: "!") || sign == UInt8(ascii: "&") {
            let end = outline.skipping(from: position) { !YAMLOutline.isSpace($0) }
            position = outline.skipping(from: end, while: YAMLOutline.isSpace)
        }
        return position
    }

    private func span(from start: Int, to last: SourceRange?) -> SourceRange {
        // If the last element is an alias, its range is that of its anchor, which may be earlier in the file.
        var end = max(last.map { Int($0.end) } ?? start + 1, start)
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") else {
            return SourceRange(start, end)
        }
        end = outline.skipping(from: end) { YAMLOutline.isSpace($0) || $0 == UInt8(ascii: ",") }
        if let close = outline.at(end), close == UInt8(ascii: "}") || close == UInt8(ascii: "]") { end += 1 }
        return SourceRange(start, end)
    }
}
