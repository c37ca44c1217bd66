// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// A possible output of a template: one path through its branches, with a placeholder for each value.
struct TemplateDraft {
    /// The bytes of the output.
    fileprivate(set) var bytes: [UInt8] = []

    /// For each byte, its offset in the template; for the bytes of a placeholder, the offset of the `{{` or `{% echo`
    /// it replaces.
    fileprivate(set) var places: [Int] = []

    /// The ranges of placeholders in ``bytes``.
    fileprivate(set) var values: [Range<Int>] = []

    private var state = JSONStringState()

    /// Whether a JSON string is open at the end.
    var isInString: Bool { state.isInString }

    /// The output as a string.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the text is empty or white space.
    var isBlank: Bool { bytes.allSatisfy { $0 <= 0x20 } }

    fileprivate mutating func append(_ byte: UInt8, at place: Int) {
        bytes.append(byte)
        places.append(place)
        state.read(byte)
    }
}

/// The possible outputs of a template: all branches of each condition, and two iterations of each loop.
struct TemplateDrafts {
    /// Returns the placeholder for a value; nil if nothing is known about the value.
    typealias Fill = (MarkupSyntax, SourceRange, TemplateDraft) -> [UInt8]?

    /// The maximum number of paths that are followed.
    private static let pathLimit = 64
    private static let sizeLimit = 100_000
    /// The maximum number of nodes that are visited: each level of nested loops doubles their number.
    private static let nodeLimit = 20_000

    /// The possible outputs.
    private(set) var drafts: [TemplateDraft] = []

    private let template: Template
    private let fill: Fill
    /// Whether the template prints something about which nothing is known.
    private var isOpen = false
    private var nodeCount = 0

    /// Follows the paths; nil if there are too many, or if nothing is known about a printed value.
    ///
    /// - Parameters:
    ///   - text: the text of the template.
    ///   - fill: returns the placeholder for a value; nil if nothing is known about it.
    init?(_ text: LintedText, fill: @escaping Fill) {
        guard let template = text.template, text.analysis.partials.isEmpty else { return nil }
        self.template = template
        self.fill = fill
        drafts = follow(template.root, [TemplateDraft()], loop: nil)
        if isOpen || drafts.count > Self.pathLimit { return nil }
    }

    // MARK: - Paths

    /// The position in the innermost loop, if it is known.
    private struct Iteration {
        var isFirst: Bool
        var isLast: Bool
    }

    private mutating func follow(_ block: BlockSyntax, _ start: [TemplateDraft], loop: Iteration?) -> [TemplateDraft] {
        var drafts = start
        for node in block.nodes {
            if isOpen || drafts.isEmpty { return drafts }
            nodeCount += 1
            if nodeCount > Self.nodeLimit {
                isOpen = true
                return drafts
            }
            if let range = node.verbatimRange {
                for index in drafts.indices { append(range, to: &drafts[index]) }
            } else if let markup = node.printedMarkup {
                for index in drafts.indices { append(markup, node.range, to: &drafts[index]) }
            } else if let tag = node.tag {
                drafts = follow(tag, drafts, loop)
            }
            if drafts.count > Self.pathLimit || drafts.reduce(0, { $0 + $1.bytes.count }) > Self.sizeLimit {
                isOpen = true
            }
        }
        return drafts
    }

    private mutating func follow(_ tag: TagSyntax, _ drafts: [TemplateDraft], _ loop: Iteration?) -> [TemplateDraft] {
        switch tag.name.text {
        case "assign", "capture", "comment", "#", "message_extras", "catalog_items", "catalog_selection_items", "doc":
            return drafts
        case "abort_message": return []
        case "if", "unless":
            var open = drafts
            var ended: [TemplateDraft] = []
            for clause in tag.clauses {
                let truth = clause.isOtherwise ? true : Self.truth(of: clause, loop).map { $0 != clause.isNegated }
                if truth == false { continue }
                ended += follow(clause.body, open, loop: loop)
                if truth == true {
                    open = []
                    break
                }
            }
            return ended + open
        case "case":
            var ended = tag.clauses.flatMap { follow($0.body, drafts, loop: loop) }
            if !tag.alwaysTakesClause { ended += drafts }
            return ended
        case "for":
            guard let body = tag.blocks.first else { return drafts }
            let once = follow(body, drafts, loop: Iteration(isFirst: true, isLast: false))
            return follow(body, once, loop: Iteration(isFirst: false, isLast: true))
        default:
            isOpen = true
            return drafts
        }
    }

    /// The result of a condition about the position in a loop; nil for any other condition.
    private static func truth(of clause: ClauseSyntax, _ loop: Iteration?) -> Bool? {
        let terms = clause.terms
        guard let loop, terms.count == 1, let lookup = terms[0].left.lookup, case .name("forloop") = lookup.root,
            case .key(let key)? = lookup.steps.first?.kind
        else { return nil }
        let value: Bool
        switch key {
        case "first": value = loop.isFirst
        case "last": value = loop.isLast
        case "index", "index0":
            guard case .integer(let number)? = terms[0].right?.literal else { return nil }
            let index = (loop.isFirst ? 0 : 1) + (key == "index" ? 1 : 0)
            return terms[0].comparison?.holds(index, number)
        default: return nil
        }
        switch (terms[0].comparison, terms[0].right?.literal) {
        case (nil, _): return value
        case (.equal?, .bool(let other)?): return value == other
        case (.notEqual?, .bool(let other)?): return value != other
        default: return nil
        }
    }

    // MARK: - Text

    private func append(_ range: SourceRange, to draft: inout TemplateDraft) {
        for offset in template.source.printed(in: range.offsets).joined() {
            draft.append(template.source.bytes[offset], at: offset)
        }
    }

    private mutating func append(_ markup: MarkupSyntax, _ range: SourceRange, to draft: inout TemplateDraft) {
        guard let value = fill(markup, range, draft) else {
            isOpen = true
            return
        }
        let start = draft.bytes.count
        for byte in value { draft.append(byte, at: Int(range.start)) }
        draft.values.append(start..<draft.bytes.count)
    }
}

/// Tracks whether a JSON string is open while the bytes of a text are read.
struct JSONStringState {
    /// Whether a string is open after the bytes that were read.
    private(set) var isInString: Bool
    private var isEscaped = false

    init(isInString: Bool = false) { self.isInString = isInString }

    /// Reads the next byte.
    mutating func read(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isInString.toggle()
        } else if byte == UInt8(ascii: "\\"), isInString {
            isEscaped = true
        }
    }
}
