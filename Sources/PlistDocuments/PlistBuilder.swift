// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources

/// Builds the nodes of a property list from the events of an XML parser, and checks the grammar of property lists.
///
/// A fault of the grammar is reported, and reading continues. An element that must not be at its position is left out
/// of the tree together with its key, so each mistake is reported once.
final class PlistBuilder {
    /// Limits for one property list, in bytes, levels, nodes and findings.
    ///
    /// The limit of depth is the same as Foundation's.
    enum Limit {
        static let bytes = 64 << 20
        static let depth = 512
        static let tag = 1 << 14
        static let nodes = 1_000_000
        static let diagnostics = 2_000

        /// The limits for a binary property list of `bytes` bytes.
        ///
        /// A reference takes at least one byte, and valid files do not share containers, so they have fewer objects
        /// than bytes.
        static func binary(bytes: Int) -> PlistValue.BinaryLimits {
            PlistValue.BinaryLimits(depth: depth, objects: Swift.min(nodes, Swift.max(bytes, 1 << 14)))
        }
    }

    struct Frame {
        enum Role {
            case document, plist, dictionary, array, text, ignored
        }

        var role: Role
        var name: String
        /// The range of the element's start tag in the text.
        var tag: Range<Int>
        /// The index of the element's node; nil for an element that is not a dictionary or array.
        var node: Int?
        /// The last key of the dictionary, while its value has not been read yet.
        var key: PlistNode.Key?
        /// Whether a `<plist>` already has its object, or an element for text already has other content, which was
        /// reported.
        var isSettled = false
    }

    private let file: SourceFile
    private let source: [UInt8]
    private(set) var nodes: [PlistNode] = []
    private(set) var comments: [PlistComment] = []
    private(set) var diagnostics: [Diagnostic] = []
    private var stack: [Frame] = []

    /// The offset after the last tag, comment or processing instruction that was read.
    private var markupEnd: Int
    private var characters: [UInt8] = []
    /// The number of open dictionaries and arrays.
    private var depth = 0
    private(set) var isRootComplete = false

    init(_ file: SourceFile, from start: Int) {
        self.file = file
        source = file.utf8
        markupEnd = start
        stack = [Frame(role: .document, name: "", tag: start..<start)]
    }

    private var top: Frame {
        get { stack[stack.count - 1] }
        set { stack[stack.count - 1] = newValue }
    }

    /// Handles a start tag whose `>` or `/` is at `offset`; returns false to end parsing.
    func startElement(_ name: String, at offset: Int) -> Bool {
        // The tag is not closed. libxml2 reports this itself after this call.
        guard offset < source.count, source[offset] == UInt8(ascii: ">") || source[offset] == UInt8(ascii: "/") else {
            return true
        }
        let start = startOfTag(before: offset)
        checkText(upTo: start)
        let isEmpty = source[offset] == UInt8(ascii: "/")
        let tag = start..<Swift.min(offset + (isEmpty ? 2 : 1), source.count)
        markupEnd = tag.upperBound
        let isContainer = name == "dict" || name == "array"
        guard depth < Limit.depth || !isContainer, stack.count < 2 * Limit.depth else {
            report(.tooDeep(limit: Limit.depth), tag)
            return false
        }
        guard nodes.count < Limit.nodes else {
            report(.tooMany(limit: Limit.nodes), tag)
            return false
        }
        guard diagnostics.count < Limit.diagnostics else {
            report(.tooManyFaults(limit: Limit.diagnostics), tag)
            return false
        }
        let role = role(of: name, tag)
        var frame = Frame(role: role, name: name, tag: tag)
        switch role {
        case .dictionary: frame.node = addNode(.dictionary, tag, content: tag.upperBound..<tag.upperBound)
        case .array: frame.node = addNode(.array, tag, content: tag.upperBound..<tag.upperBound)
        case .text: characters.removeAll(keepingCapacity: true)
        case .document, .plist, .ignored: break
        }
        stack.append(frame)
        if frame.node != nil { depth += 1 }
        return true
    }

    /// Handles an end tag, or the end of an empty-element tag; `offset` is after its `>`.
    func endElement(at offset: Int) {
        guard stack.count > 1 else { return }
        let start = startOfTag(before: offset)
        let isEmpty = start == top.tag.lowerBound
        if !isEmpty { checkText(upTo: start) }
        markupEnd = offset
        let content = isEmpty ? offset..<offset : top.tag.upperBound..<Swift.max(start, top.tag.upperBound)
        let frame = stack.removeLast()
        if frame.node != nil { depth -= 1 }
        let element = frame.tag.lowerBound..<offset
        switch frame.role {
        case .document, .ignored:
            break
        case .plist:
            if !frame.isSettled { report(.emptyPlist, frame.tag) }
        case .dictionary, .array:
            if let key = frame.key {
                reportMissingValue(of: key, found: isEmpty ? "the end" : "</\(frame.name)>", start..<offset)
            }
            if let node = frame.node {
                nodes[node].range = file.storedRange(ofUTF8: element)
                nodes[node].contentRange = file.storedRange(ofUTF8: content)
            }
        case .text:
            endText(frame, element, content)
        }
        if stack.count == 1 { isRootComplete = true }
    }

    /// Handles a run of text with its references resolved, or the text of a CDATA section.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        if top.role == .text { characters.append(contentsOf: bytes) }
    }

    /// Handles a comment that ends before `offset`.
    func comment(at offset: Int) {
        let start = lastIndex(of: "<!--", in: unread(upTo: offset)) ?? Swift.min(markupEnd, offset)
        checkText(upTo: start)
        markupEnd = offset
        if top.role == .text, !top.isSettled {
            top.isSettled = true
            report(.commentInText(inside: top.name), start..<offset)
        }
        let inner = Swift.min(start + 4, offset)..<Swift.max(start + 4, offset - 3)
        let text = String(decoding: source[inner.clamped(to: 0..<source.count)], as: UTF8.self)
        comments.append(PlistComment(range: file.storedRange(ofUTF8: start..<offset), text: text))
    }

    /// Handles a processing instruction that ends before `offset`.
    func instruction(at offset: Int) {
        let start = unread(upTo: offset).firstRange(ofBytes: "<?".utf8)?.lowerBound ?? Swift.min(markupEnd, offset)
        checkText(upTo: start)
        markupEnd = offset
        guard top.role == .text, !top.isSettled else { return }
        top.isSettled = true
        report(.instructionInText(inside: top.name), start..<offset)
    }

    /// Handles an error of XML syntax, which ends parsing.
    func fault(code: Int, message: String, at offset: Int) {
        let finding = XMLFault(
            code: code,
            message: message,
            offset: offset,
            markupEnd: markupEnd,
            text: source,
            element: stack.dropFirst().last
        ).finding
        let related = finding.opening.map { [Diagnostic.Related("opened here", at: place($0))] } ?? []
        report(PlistMessage(text: finding.message), finding.range, related: related)
    }

    /// The offset of the last `<` before an offset, which begins the tag that ends there.
    ///
    /// It is searched for because libxml2 knows only the offset that it has reached, which is the end of the tag.
    private func startOfTag(before offset: Int) -> Int {
        source[..<offset].lastIndex(of: UInt8(ascii: "<")) ?? offset
    }

    /// The source text between the last tag, comment or processing instruction and an offset.
    private func unread(upTo offset: Int) -> ArraySlice<UInt8> { source[Swift.min(markupEnd, offset)..<offset] }

    /// Reports text where only elements are allowed.
    private func checkText(upTo end: Int) {
        guard top.role == .plist || top.role == .dictionary || top.role == .array, markupEnd < end else { return }
        let gap = source[markupEnd..<end]
        guard let first = gap.firstIndex(where: { !PlistScalars.isBlank($0) }),
            let last = gap.lastIndex(where: { !PlistScalars.isBlank($0) })
        else { return }
        let text = String(decoding: gap[first...last], as: UTF8.self)
        report(.strayText(text.shortened, inside: top.name), first..<(last + 1))
        if top.role == .plist { top.isSettled = true }
    }
}

extension PlistBuilder {
    private func place(_ range: Range<Int>) -> SourcePlace {
        SourcePlace(file, file.storedRange(ofUTF8: range))
    }

    private func report(
        _ message: PlistMessage,
        _ range: Range<Int>,
        related: [Diagnostic.Related] = [],
        fixes: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(message, at: place(range), related: related, fixes: fixes))
    }

    private func reportMissingValue(of key: PlistNode.Key, found: String, _ range: Range<Int>) {
        let related = Diagnostic.Related("the key without a value", at: SourcePlace(file, key.range))
        report(.valueMissing(key.text.shortened, found: found), range, related: [related])
    }

    /// The text of the element that has just ended, with references resolved.
    private var collectedText: String { String(decoding: characters, as: UTF8.self) }
}

extension Diagnostic {
    init(_ message: PlistMessage, at place: SourcePlace, related: [Related] = [], fixes: [FixIt] = []) {
        self.init(
            message.rule, message.text, at: place, severity: message.severity, related: related, fixes: fixes
        )
    }
}

extension PlistBuilder {
    /// The role of an element at the current position: a container, a text, or one that is ignored.
    ///
    /// An element that must not be at its position is reported and ignored.
    private func role(of name: String, _ tag: Range<Int>) -> Frame.Role {
        let parent = stack[stack.count - 1]
        switch parent.role {
        case .ignored:
            return .ignored
        case .text:
            if !parent.isSettled { report(.elementInText(name, inside: parent.name), tag) }
            stack[stack.count - 1].isSettled = true
            return .ignored
        case .document:
            if name == "plist" { return .plist }
        case .plist:
            let isSecond = !nodes.isEmpty
            stack[stack.count - 1].isSettled = true
            if isSecond {
                report(.secondObject(name), tag)
                return .ignored
            }
        case .dictionary:
            if name == "key" {
                if let key = parent.key { reportMissingValue(of: key, found: "<key>", tag) }
                stack[stack.count - 1].key = nil
                return .text
            }
        case .array:
            break
        }
        switch name {
        case "dict", "array", "string", "integer", "real", "true", "false", "date", "data", "boolean":
            guard parent.role != .dictionary || parent.key != nil else {
                report(.keyMissing(name), tag)
                return .ignored
            }
            return name == "dict" ? .dictionary : name == "array" ? .array : .text
        case "key":
            report(.keyOutsideDictionary(inside: parent.name.isEmpty ? "plist" : parent.name), tag)
        default:
            report(parent.role == .document ? .notAPlist(name.shortened) : .unknownElement(name.shortened), tag)
        }
        stack[stack.count - 1].key = nil
        return .ignored
    }

    /// Adds an object to the container that is being read, and returns its index.
    private func addNode(_ kind: PlistNode.Kind, _ range: Range<Int>, content: Range<Int>) -> Int {
        let index = nodes.count
        let parent = stack[stack.count - 1]
        var node = PlistNode(
            index: index,
            parent: parent.node,
            key: nil,
            kind: kind,
            range: file.storedRange(ofUTF8: range),
            contentRange: file.storedRange(ofUTF8: content)
        )
        if let container = parent.node {
            nodes[container].children.append(index)
            node.key = parent.key
            stack[stack.count - 1].key = nil
        }
        nodes.append(node)
        return index
    }

    /// Ends an element that may contain only text, such as `<string>`, and reads its value.
    private func endText(_ frame: Frame, _ element: Range<Int>, _ content: Range<Int>) {
        let text = collectedText
        if frame.name == "key" {
            endKey(text, element, content)
            return
        }
        guard let kind = Self.kinds[frame.name] else { return }
        let index = addNode(kind, element, content: content)
        nodes[index].text = text
        if frame.isSettled { return }
        let written = content.isEmpty ? element : content
        switch frame.name {
        case "true", "false":
            nodes[index].boolean = frame.name == "true"
            if !content.isEmpty { report(.textInBoolean(frame.name, text.shortened), content) }
        case "boolean":
            let value = booleanMeaning(of: text)
            nodes[index].boolean = value
            report(.boolean(text.shortened, value), element, fixes: booleanFixes(value, element))
        case "integer":
            // Foundation does not resolve XML references in integers, so this reads the text as it is in the file.
            switch PlistScalars.integer(String(decoding: source[content], as: UTF8.self)) {
            case .value(let magnitude, let isNegative):
                nodes[index].number = isNegative ? -Double(magnitude) : Double(magnitude)
                let integer = Int(exactly: magnitude)
                // Of the negative integers, only `Int.min` has a magnitude that does not fit into `Int`.
                nodes[index].integer = isNegative ? integer.map { -$0 } ?? .min : integer
            case .overflow: report(.integerOverflow(text.shortened), written)
            case .malformed: report(.notANumber(frame.name, text.shortened), written)
            }
        case "real":
            if let number = PlistScalars.real(text) {
                nodes[index].number = number
            } else {
                report(.notANumber(frame.name, text.shortened), written)
            }
        case "date":
            if PlistScalars.date(text) == nil { report(.notADate(text.shortened), written) }
        case "data":
            checkData(element, content)
        default:
            break
        }
    }

    private static let kinds: [String: PlistNode.Kind] = [
        "string": .string, "integer": .integer, "real": .real, "true": .boolean, "false": .boolean,
        "boolean": .boolean, "date": .date, "data": .data,
    ]

    private func endKey(_ text: String, _ element: Range<Int>, _ content: Range<Int>) {
        let key = PlistNode.Key(
            text: text, range: file.storedRange(ofUTF8: element), contentRange: file.storedRange(ofUTF8: content))
        let written = content.isEmpty ? element : content
        if text.trimmed.isEmpty {
            report(.emptyKey, element)
        } else if text.trimmed.utf8.count != text.utf8.count {
            report(.keyWhitespace(text.shortened), written)
        }
        stack[stack.count - 1].key = key
    }

    private func checkData(_ element: Range<Int>, _ content: Range<Int>) {
        if content.lowerBound == element.upperBound {
            report(.emptyData, element)
        } else if let first = PlistScalars.firstOutsideBase64(characters) {
            let character = String(decoding: characters[first...], as: UTF8.self).unicodeScalars.first
            report(.notBase64(character.map { String($0) } ?? ""), content)
        }
    }

    private func booleanFixes(_ value: Bool?, _ element: Range<Int>) -> [FixIt] {
        guard let value, file.encoding == .utf8 else { return [] }
        let element = file.storedRange(ofUTF8: element)
        let replacement = value ? "<true/>" : "<false/>"
        return [FixIt("write '\(replacement)'", edits: [FixIt.Edit(element, replacement: replacement)])]
    }
}
