// SPDX-License-Identifier: MIT

import SourceText

extension Template {
    /// Collects what the template reads, sets, calls and prints, in the order of the source.
    public func analysis() -> TemplateAnalysis {
        var analyzer = Analyzer(environment: environment)
        return analyzer.analysis(of: root)
    }
}

/// Walks through a template in the order of rendering, and collects what it finds.
struct Analyzer {
    let environment: Environment

    var result = TemplateAnalysis()
    var known = KnownNames()
    /// The variables of the open loops, innermost last, by their indices in the bindings.
    var loops: [Int] = []
    /// How many loops are open.
    var loopDepth = 0
    /// The position of each binding and read in the order of rendering.
    var order = ReadingOrder()
    /// Whether a `break` or similar may end the template early.
    private var endsEarly = false
    /// Whether the last node was unreachable.
    private var extendsUnreachable = false

    init(environment: Environment) { self.environment = environment }

    mutating func analysis(of root: BlockSyntax) -> TemplateAnalysis {
        walk(root)
        if !endsEarly { result.requiredPaths = known.presentPaths }
        finish()
        return result
    }

    mutating func walk(_ block: BlockSyntax) {
        for node in block.nodes { walk(node) }
    }

    private mutating func walk(_ node: NodeSyntax) {
        noteReachability(of: node)
        switch node.kind {
        case .text: break
        case .output(let markup): walk(printed: markup, node.range)
        case .tag(let tag):
            noteTag(tag)
            walk(tag)
        }
    }

    private mutating func walk(printed markup: MarkupSyntax, _ range: SourceRange) {
        result.outputs.append(OutputUse(output: markup, range: range, isReachable: known.isReachable))
        read(markup, for: .output)
    }

    private mutating func walk(_ tag: TagSyntax) {
        let definition = tag.definition
        switch definition.role {
        case .comment: break
        case .plain:
            for expression in NodeSyntax(tag.cursor).expressions { read(expression, for: .tag) }
            for block in tag.blocks { walk(block) }
        case .prints: if let markup = tag.markup { walk(printed: markup, tag.range) }
        case .assigns:
            guard let name = tag.boundName, let markup = tag.markup else { break }
            // If a filter or range fails, the name keeps its old value.
            let isSure = markup.filters.isEmpty && markup.expression?.cursor.kind != .range
            let binding = bind(name, in: tag, surely: isSure)
            read(markup, for: .assign(binding: binding))
            known.assign(name.text, surely: isSure)
            order.add(binding: binding)
        case .captures:
            guard let name = tag.boundName, let body = tag.body else { break }
            let binding = bind(name, in: tag, surely: true)
            walk(body)
            known.assign(name.text, surely: true)
            order.add(binding: binding)
        case .counts:
            guard let name = tag.boundName else { break }
            let binding = bind(name, in: tag, surely: false)
            note(VariablePath(.name(name.text)), name.range, .counter, guarded: .default)
            order.add(binding: binding)
        case .branches: walk(branches: tag)
        case .cases: walk(cases: tag)
        case .loops: walk(loop: tag)
        case .leaves:
            known.isReachable = false
            endsEarly = true
        case .includes: walk(partial: tag, .include)
        case .renders: walk(partial: tag, .render)
        case .runs: walk(tag, definition.effects)
        }
    }

    // MARK: tags

    private mutating func walk(partial tag: TagSyntax, _ kind: PartialUse.Kind) {
        for expression in NodeSyntax(tag.cursor).expressions { read(expression, for: .tag) }
        var name: String?
        if case .string(let text)? = PartialSyntax(tag).name.literal { name = text }
        result.partials.append(PartialUse(kind: kind, name: name, range: tag.range, isReachable: known.isReachable))
        guard kind == .include else { return }
        known.forgetAll()
        order.addReadOfAll()
    }

    private mutating func walk(_ tag: TagSyntax, _ effects: TagDefinition.Effects) {
        for argument in NodeSyntax(tag.cursor).expressions { read(argument, for: .tag) }
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

    /// Records a binding.
    mutating func bind(_ name: NameSyntax, in tag: TagSyntax, surely: Bool) -> Int {
        result.bindings.append(
            Binding(
                kind: tag.definition.role.binds ?? .assign,
                name: name.text,
                nameRange: name.range,
                range: tag.range,
                isRead: false,
                isReachable: known.isReachable
            )
        )
        return result.bindings.count - 1
    }

    private mutating func noteTag(_ tag: TagSyntax) {
        result.tags.append(
            TagUse(
                name: tag.name.text,
                nameRange: tag.name.range,
                range: tag.range,
                arguments: NodeSyntax(tag.cursor).expressions,
                isReachable: known.isReachable
            )
        )
    }

    private mutating func noteReachability(of node: NodeSyntax) {
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
}
