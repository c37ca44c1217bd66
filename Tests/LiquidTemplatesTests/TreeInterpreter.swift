// SPDX-License-Identifier: MIT

import DiagnosticSources

@testable import LiquidTemplates

/// A second, slow renderer, which walks the syntax tree: it reports which branches are taken and what each node prints.
///
/// It shares no code with the compiler and the renderer beyond the tree, and knows the part of Liquid that
/// ``RandomTemplate`` writes: texts, whole numbers, booleans and lists of texts.
struct TreeInterpreter {
    /// A piece of the output with its origin.
    struct Piece: Equatable, CustomStringConvertible {
        var template: String
        var range: SourceRange
        var text: String

        var description: String { "\(template)@\(range.start)..<\(range.end) '\(text)'" }
    }

    /// A branch of a template.
    struct Branch: Hashable, CustomStringConvertible {
        var template: String
        var kind: TemplateBranch.Kind
        var range: SourceRange

        var description: String { "\(template) \(kind)@\(range.start)..<\(range.end)" }
    }

    /// A value of the tests.
    indirect enum Datum: Equatable {
        case none
        case flag(Bool)
        case number(Int)
        case text(String)
        case list([Datum])
    }

    /// Variables that a template and the partials that it includes share.
    private struct Scope {
        var assigned: [String: Datum] = [:]
        var loops: [(name: String, value: Datum)] = []
        var counters: [String: Int] = [:]
        var cycles: [String: Int] = [:]
        var lastChanged: String?
    }

    private enum Leaving { case nothing, breaking, continuing, stopped }

    private let data: [String: Datum]
    private let templates: [String: Template]
    private var scope = Scope()
    private var template = ""
    private var openBlocks = 0
    private var isStopped = false

    private(set) var pieces: [Piece] = []
    private(set) var branches: [Branch: Int] = [:]

    init(data: [String: Datum], templates: [String: Template]) {
        self.data = data
        self.templates = templates
    }

    /// Renders a template; false where a tag stops the message.
    mutating func render(_ name: String) -> Bool { run(name) != .stopped }

    private mutating func run(_ name: String) -> Leaving {
        guard let next = templates[name] else { return .nothing }
        let outer = template
        template = name
        defer { template = outer }
        take(.template, SourceRange(0, next.source.bytes.count))
        return walk(next.root)
    }

    private mutating func take(_ kind: TemplateBranch.Kind, _ range: SourceRange) {
        branches[Branch(template: template, kind: kind, range: range), default: 0] += 1
    }

    private mutating func print(_ text: String, _ range: SourceRange) {
        if !text.isEmpty { pieces.append(Piece(template: template, range: range, text: text)) }
    }

    // MARK: - Nodes

    private mutating func walk(_ block: BlockSyntax, withoutText: Bool = false) -> Leaving {
        for node in block.nodes {
            if withoutText, case .text = node.kind { continue }
            let leaving = walk(node)
            if isStopped { return .stopped }
            if leaving != .nothing { return leaving }
        }
        return .nothing
    }

    private mutating func walk(_ node: NodeSyntax) -> Leaving {
        switch node.kind {
        case .text: print(source(node.range), node.range)
        case .output(let markup): printValue(of: markup, node.range)
        case .tag(let tag): return walk(tag)
        }
        return .nothing
    }

    private func source(_ range: SourceRange) -> String {
        String(decoding: templates[template]?.source.bytes[range.offsets] ?? [], as: UTF8.self)
    }

    /// Prints a value; the text of a content block that no filter changes keeps its own pieces.
    private mutating func printValue(of markup: MarkupSyntax, _ range: SourceRange) {
        let mark = pieces.count
        let value = value(of: markup)
        let block = Array(pieces[mark...])
        pieces.removeSubrange(mark...)
        let text = text(value)
        if case .name("content_blocks")? = markup.expression?.lookup?.root, block.map(\.text).joined() == text {
            pieces += block
        } else {
            print(text, range)
        }
    }

    private mutating func walk(_ tag: TagSyntax) -> Leaving {
        switch tag.name.text {
        case "if", "unless": return walk(branches: tag)
        case "case": return walk(selection: tag)
        case "for": return walk(loop: tag)
        case "tablerow": walk(table: tag)
        case "assign":
            guard let (name, markup) = tag.assignment else { break }
            let mark = pieces.count
            scope.assigned[name.text] = value(of: markup)
            pieces.removeSubrange(mark...)
        case "capture":
            guard let name = tag.boundName, let body = tag.blocks.first else { break }
            let (text, leaving) = captured(body)
            scope.assigned[name.text] = .text(text)
            return leaving
        case "ifchanged":
            guard let body = tag.blocks.first else { break }
            let mark = pieces.count
            _ = walk(body)
            let text = pieces[mark...].map(\.text).joined()
            if text == scope.lastChanged { pieces.removeSubrange(mark...) } else { scope.lastChanged = text }
        case "echo": if let markup = tag.markup { printValue(of: markup, tag.range) }
        case "increment":
            let name = tag.boundName?.text ?? ""
            print("\(scope.counters[name] ?? 0)", tag.range)
            scope.counters[name, default: 0] += 1
        case "cycle":
            let values = tag.expressions
            let key = values.map(\.text).joined(separator: ",")
            let turn = scope.cycles[key] ?? 0
            print(text(value(of: values[turn])), tag.range)
            scope.cycles[key] = (turn + 1) % values.count
        case "raw": if case .text(let body) = tag.node.contents { print(source(body), body) }
        case "break": return .breaking
        case "continue": return .continuing
        case "include": _ = run(text(value(of: tag.expressions[0])))
        case "render":
            let outer = scope
            scope = Scope()
            _ = run(text(value(of: tag.expressions[0])))
            scope = outer
        case "halt":
            take(.stop, tag.range)
            isStopped = true
        default: break
        }
        return .nothing
    }

    private mutating func captured(_ body: BlockSyntax) -> (String, Leaving) {
        let mark = pieces.count
        let leaving = walk(body)
        let text = pieces[mark...].map(\.text).joined()
        pieces.removeSubrange(mark...)
        return (text, leaving)
    }

    private mutating func walk(branches tag: TagSyntax) -> Leaving {
        for clause in tag.clauses {
            if clause.isOtherwise {
                take(.otherwise, clause.range)
                return walk(clause.body, withoutText: tag.isBlank)
            }
            if holds(clause.terms[...]) != clause.isNegated {
                take(.branch, clause.range)
                return walk(clause.body, withoutText: tag.isBlank)
            }
        }
        take(.noBranch, tag.range)
        return .nothing
    }

    private mutating func walk(selection tag: TagSyntax) -> Leaving {
        guard let subject = tag.subject else { return .nothing }
        var hasMatched = false
        var leaving = Leaving.nothing
        for clause in tag.clauses {
            if clause.isOtherwise {
                guard !hasMatched else { continue }
                take(.otherwise, clause.range)
                leaving = walk(clause.body, withoutText: tag.isBlank)
                continue
            }
            for candidate in clause.values where !isStopped && value(of: subject) == value(of: candidate) {
                hasMatched = true
                take(.branch, clause.range)
                leaving = walk(clause.body, withoutText: tag.isBlank)
            }
            if leaving == .stopped { return leaving }
        }
        if !hasMatched, !tag.clauses.contains(where: \.isOtherwise) { take(.noBranch, tag.range) }
        return leaving
    }

    private mutating func elements(_ collection: Datum, _ options: LoopOptions) -> [Datum] {
        var elements: [Datum] =
            switch collection {
            case .list(let elements): elements
            case .text(let text): text.isEmpty ? [] : [collection]
            case .none, .flag, .number: []
            }
        if case .list = collection, let limit = options.limit, case .number(let most) = value(of: limit) {
            elements = Array(elements.prefix(most))
        }
        return options.isReversed ? elements.reversed() : elements
    }

    private mutating func walk(loop tag: TagSyntax) -> Leaving {
        guard let loop = tag.node as? ForNode else { return .nothing }
        let elements = elements(value(of: loop.collection), loop.options)
        guard !elements.isEmpty else {
            take(.noElements, tag.range)
            return loop.otherwise.map { walk($0, withoutText: tag.isBlank) } ?? .nothing
        }
        take(.elements, tag.range)
        for element in elements {
            scope.loops.append((loop.variable.text, element))
            let leaving = walk(loop.body, withoutText: tag.isBlank)
            scope.loops.removeLast()
            if leaving == .breaking { break }
            if leaving == .stopped { return leaving }
        }
        return .nothing
    }

    private mutating func walk(table tag: TagSyntax) {
        guard let table = tag.node as? TablerowNode else { return }
        let collection = value(of: table.collection)
        if collection == .none || collection == .flag(false) { return take(.noElements, tag.range) }
        let elements = elements(collection, table.options)
        guard !elements.isEmpty else {
            take(.noElements, tag.range)
            return print("<tr class=\"row1\">\n</tr>\n", tag.range)
        }
        take(.elements, tag.range)
        for (index, element) in elements.enumerated() {
            print((index == 0 ? "<tr class=\"row1\">\n" : "</td>") + "<td class=\"col\(index + 1)\">", tag.range)
            scope.loops.append((table.variable.text, element))
            let leaving = walk(table.body)
            scope.loops.removeLast()
            if leaving == .stopped { return }
        }
        print("</td></tr>\n", tag.range)
    }

    // MARK: - Values

    private mutating func holds(_ terms: ArraySlice<TermSyntax>) -> Bool {
        guard let term = terms.first else { return true }
        let holds = holds(term)
        if terms.count == 1 { return holds }
        return term.hasOr ? holds || self.holds(terms.dropFirst()) : holds && self.holds(terms.dropFirst())
    }

    private mutating func holds(_ term: TermSyntax) -> Bool {
        guard let comparison = term.comparison, let right = term.right else { return isTrue(value(of: term.left)) }
        let left = value(of: term.left)
        switch comparison {
        case .equal, .notEqual:
            let isEqual: Bool
            switch right.kind {
            case .blank: isEqual = isBlank(left)
            case .empty: isEqual = left == .text("") || left == .list([])
            default: isEqual = left == value(of: right)
            }
            return isEqual == (comparison == .equal)
        case .less:
            guard case .number(let low) = left, case .number(let high) = value(of: right) else { return false }
            return low < high
        case .contains:
            switch (left, value(of: right)) {
            case (.list(let elements), let element): return elements.contains(element)
            case (.text(let text), .text(let part)): return text.contains(part)
            default: return false
            }
        default: return false
        }
    }

    private func isTrue(_ value: Datum) -> Bool { value != .none && value != .flag(false) }

    private func isBlank(_ value: Datum) -> Bool {
        switch value {
        case .none, .flag(false): true
        case .text(let text): text.allSatisfy(\.isWhitespace)
        case .list(let elements): elements.isEmpty
        case .flag, .number: false
        }
    }

    private func text(_ value: Datum) -> String {
        switch value {
        case .none: ""
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .list(let elements): elements.map(text).joined()
        }
    }

    private mutating func value(of markup: MarkupSyntax) -> Datum {
        guard let expression = markup.expression else { return .none }
        var value = value(of: expression)
        for filter in markup.filters {
            let argument = filter.arguments.first { $0.name == nil }.map(\.value)
            switch filter.name {
            case "default":
                let isReplaced = !isTrue(value) || value == .text("") || value == .list([])
                let replacement = argument.map { self.value(of: $0) } ?? .text("")
                take(isReplaced ? .replacement : .value, filter.nameRange)
                if isReplaced { value = replacement }
            case "upcase": value = .text(text(value).uppercased())
            case "append": value = .text(text(value) + text(argument.map { self.value(of: $0) } ?? .none))
            default: break
            }
        }
        return value
    }

    private mutating func value(of expression: ExpressionSyntax) -> Datum {
        switch expression.kind {
        case .literal(let value): return datum(value)
        case .blank, .empty: return .text("")
        case .range: return .none
        case .output(let markup): return value(of: markup)
        case .lookup(let lookup):
            switch lookup.root {
            case .attribute(let name): return data[name] ?? .none
            case .name("content_blocks"):
                guard let step = lookup.steps.first, case .attribute(let name) = step.kind else { return .none }
                return block(name)
            case .name(let name):
                return scope.loops.last { $0.name == name }?.value ?? scope.assigned[name] ?? .none
            default: return .none
            }
        }
    }

    /// The text of a content block, whose pieces are left for the caller.
    private mutating func block(_ name: String) -> Datum {
        guard openBlocks < RandomTemplate.blockDepth else { return .text("") }
        openBlocks += 1
        let mark = pieces.count
        _ = run(name)
        openBlocks -= 1
        return .text(pieces[mark...].map(\.text).joined())
    }

    private func datum(_ value: Value) -> Datum {
        switch value {
        case .bool(let flag): .flag(flag)
        case .integer(let number): .number(number)
        case .string(let text): .text(text)
        case .range(let range): .list((range.lower...max(range.lower, range.upper)).map { .number($0) })
        default: .none
        }
    }
}
