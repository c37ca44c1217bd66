// SPDX-License-Identifier: MIT

import SourceText

extension Template {
    /// What the template reads, sets, calls and prints.
    ///
    /// - Parameter environment: the dialect that the template was read in.
    /// - Returns: what was found, in the order of the source.
    public func analysis(environment: Environment = .standard) -> TemplateAnalysis {
        var analyzer = Analyzer(source: source, environment: environment)
        return analyzer.analysis(of: root)
    }
}

/// Walks through a template as rendering would, and notes what it meets.
struct Analyzer {
    let source: MaskedSource
    let environment: Environment

    var result = TemplateAnalysis()
    var known = KnownNames()
    /// The variables of the loops around, innermost last, by their bindings.
    var loops: [Int] = []
    /// How many loops are open.
    var loopDepth = 0
    /// Where each binding and read stands in the order of rendering.
    var order = ReadingOrder()
    /// Whether a `break` or the like may end the template before its end.
    private var endsEarly = false
    /// Whether the last node was unreachable.
    private var extendsUnreachable = false

    init(source: MaskedSource, environment: Environment) {
        self.source = source
        self.environment = environment
    }

    mutating func analysis(of root: Block) -> TemplateAnalysis {
        walk(root)
        if !endsEarly { result.requiredPaths = known.presentPaths }
        finish()
        return result
    }

    mutating func walk(_ block: Block) {
        for node in block.nodes { walk(node) }
    }

    private mutating func walk(_ node: Node) {
        noteReachability(of: node)
        noteTag(node)
        switch node.kind {
        case .text, .raw, .comment: break
        case .output(let output):
            result.outputs.append(OutputUse(output: output, range: node.range, isReachable: known.isReachable))
            read(output, for: .output)
        case .assign(let name, let output):
            // A filter or range that fails leaves the name as it was.
            let isSure = output.filters.isEmpty && output.expression?.isRange != true
            let binding = bind(name, .assign, node, surely: isSure)
            read(output, for: .assign(binding: binding))
            known.assign(name, surely: isSure)
            order.add(binding: binding)
        case .capture(let name, let body):
            let binding = bind(name, .capture, node, surely: true)
            walk(body)
            known.assign(name, surely: true)
            order.add(binding: binding)
        case .counter(let name, _):
            let path = VariablePath(.name(name))
            let binding = bind(name, .counter, node, surely: false)
            note(path, result.bindings[binding].nameRange, .counter, guarded: .default)
            order.add(binding: binding)
        case .conditional(let conditional): walk(conditional)
        case .selection(let selection): walk(selection)
        case .loop(let loop): walk(loop, node)
        case .table(let table): walk(table, node)
        case .ifChanged(let body): walk(body)
        case .interrupt:
            known.isReachable = false
            endsEarly = true
        case .cycle(let cycle):
            if let name = cycle.name { read(name, for: .tag) }
            for value in cycle.values { read(value, for: .tag) }
        case .partial(let partial): walk(partial, node)
        case .custom(let tag): walk(tag)
        }
    }

    // MARK: nodes

    private mutating func walk(_ partial: Partial, _ node: Node) {
        for expression in node.expressions { read(expression, for: .tag) }
        var name: String?
        if case .literal(.string(let text)) = partial.name.kind { name = text }
        let kind: PartialUse.Kind = partial.kind == .include ? .include : .render
        result.partials.append(
            PartialUse(kind: kind, name: name, range: node.range, isReachable: known.isReachable)
        )
        guard kind == .include else { return }
        known.forgetAll()
        order.addReadOfAll()
    }

    private mutating func walk(_ tag: CustomTag) {
        for argument in tag.arguments { read(argument, for: .tag) }
        let effects = tag.definition.effects
        if effects.contains(.usesVariables) {
            result.readsAnyVariable = true
            known.forgetAll()
            order.addReadOfAll()
        }
        if let body = tag.body {
            let mark = known.mark
            let wasReachable = known.isReachable
            walk(body)
            let exit = known.exit(to: mark, isReachable: wasReachable)
            known.merge([exit, KnownNames.Exit(facts: [:], isReachable: wasReachable)])
        }
        if effects.contains(.stops) { known.isReachable = false }
    }

    // MARK: notes

    /// Notes a new name.
    mutating func bind(_ name: String, _ kind: Binding.Kind, _ node: Node, surely: Bool) -> Int {
        result.bindings.append(
            Binding(
                kind: kind,
                name: name,
                nameRange: nameRange(of: name, in: node),
                range: node.range,
                isRead: false,
                isReachable: known.isReachable
            )
        )
        return result.bindings.count - 1
    }

    private mutating func noteTag(_ node: Node) {
        guard let nameRange = tagName(of: node) else { return }
        result.tags.append(
            TagUse(
                name: text(nameRange),
                nameRange: SourceRange(nameRange),
                range: node.range,
                arguments: node.expressions,
                isReachable: known.isReachable
            )
        )
    }

    private mutating func noteReachability(of node: Node) {
        guard !known.isReachable else {
            extendsUnreachable = false
            return
        }
        if extendsUnreachable, let last = result.unreachable.indices.last {
            result.unreachable[last].end = max(result.unreachable[last].end, node.range.end)
        } else {
            result.unreachable.append(node.range)
            extendsUnreachable = true
        }
    }

    // MARK: places

    /// The name of a node's tag; nil for text and outputs in braces.
    private func tagName(of node: Node) -> Range<Int>? {
        let bytes = source.bytes
        var start = Int(node.range.start)
        let end = Int(node.range.end)
        switch node.kind {
        case .text: return nil
        case .output where node.range == outputRange(node) || starts(with: "{{", at: start): return nil
        default: break
        }
        if starts(with: "{%", at: start) {
            start += 2
            if start < end, bytes[start] == UInt8(ascii: "-") { start += 1 }
        }
        while start < end, bytes[start].isRubySpace { start += 1 }
        guard start < end else { return nil }
        if bytes[start] == UInt8(ascii: "#") { return start..<start + 1 }
        var stop = start
        while stop < end, bytes[stop].isWordByte { stop += 1 }
        return start..<stop
    }

    /// The range of a bare attribute's output, which is that of the node.
    private func outputRange(_ node: Node) -> SourceRange? {
        if case .output(let output) = node.kind { output.range } else { nil }
    }

    /// Where the name that a tag sets stands.
    private func nameRange(of name: String, in node: Node) -> SourceRange {
        let name = Array(name.utf8)
        guard let tag = tagName(of: node), !name.isEmpty else { return node.range }
        var start = tag.upperBound
        while start + name.count <= Int(node.range.end) {
            if source.original[start..<start + name.count].elementsEqual(name) {
                return SourceRange(start, start + name.count)
            }
            start += 1
        }
        return node.range
    }

    private func starts(with text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { source.bytes[offset...].starts(with: $0) }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: source.original[range], as: UTF8.self) }
}

extension Expression {
    fileprivate var isRange: Bool { if case .range = kind { true } else { false } }
}
