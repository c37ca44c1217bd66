// SPDX-License-Identifier: MIT

import SourceText

/// The nodes of a template, made from its parts.
extension Template {
    /// The nodes of the template, made anew each time that they are asked for.
    public var root: Block { SyntaxView(program).block(0) }
}

/// Shows the parts of a template as nodes and expressions.
struct SyntaxView {
    let tree: SyntaxTree
    let source: MaskedSource
    private let mode: ErrorMode
    private let environment: Environment

    init(_ program: Program) {
        tree = program.tree
        source = program.source
        mode = program.mode
        environment = program.environment
    }

    func text(of part: Int) -> String { String(decoding: source.original[tree[part].offsets], as: UTF8.self) }

    func parts(_ kind: SyntaxTree.Kind, in part: Int) -> [Int] { tree.parts(in: part).filter { tree[$0].kind == kind } }

    /// The nodes of a block, with its text or without.
    func block(_ part: Int, withoutText: Bool = false) -> Block {
        let nodes = tree.parts(in: part).filter { !withoutText || tree[$0].kind != .text }
        return Block(nodes: nodes.map(node), traits: tree[part].traits)
    }

    private func blocks(in part: Int, withoutText: Bool) -> [Block] {
        parts(.block, in: part).map { block($0, withoutText: withoutText) }
    }

    private func node(_ part: Int) -> Node { Node(kind: kind(of: part), range: tree[part].range) }

    private func kind(of part: Int) -> Node.Kind {
        let first = part + 1
        let isBlank = tree[part].flags.contains(.blank)
        return switch tree[part].kind {
        case .text: .text
        case .raw: .raw(tree[first].range)
        case .output: .output(output(first))
        case .assign: .assign(name: text(of: first), output(first + 1))
        case .capture: .capture(name: text(of: first), block(first + 1))
        case .ifChanged: .ifChanged(block(first))
        case .conditional: .conditional(conditional(part, withoutText: isBlank))
        case .selection: .selection(selection(part, withoutText: isBlank))
        case .loop: .loop(loop(part, withoutText: isBlank))
        case .table: .table(table(part))
        case .leave: .interrupt(.leave)
        case .next: .interrupt(.next)
        case .cycle: .cycle(cycle(part))
        case .increment: .counter(name: text(of: first), step: 1)
        case .decrement: .counter(name: text(of: first), step: -1)
        case .include: .partial(partial(part, .include))
        case .render: .partial(partial(part, .render))
        case .custom: .custom(customTag(part))
        default: .comment
        }
    }

    private func conditional(_ part: Int, withoutText: Bool) -> Conditional {
        Conditional(
            branches: tree.parts(in: part).map { branch in
                let terms = parts(.term, in: branch).map(term)
                return Conditional.Branch(
                    condition: tree[branch].flags.contains(.otherwise) ? nil : Condition(terms: terms),
                    isNegated: tree[branch].flags.contains(.negated),
                    body: blocks(in: branch, withoutText: withoutText).last ?? Block()
                )
            }
        )
    }

    private func selection(_ part: Int, withoutText: Bool) -> Selection {
        var selection = Selection(subject: expression(part + 1), branches: [], bodies: [])
        for branch in tree.parts(in: part).dropFirst() {
            let body = selection.bodies.count
            if tree[branch].kind == .otherwise { selection.branches.append(Selection.Branch(value: nil, body: body)) }
            for inner in tree.parts(in: branch) {
                if tree[inner].kind == .block {
                    selection.bodies.append(block(inner, withoutText: withoutText))
                } else {
                    selection.branches.append(Selection.Branch(value: expression(inner), body: body))
                }
            }
        }
        return selection
    }

    private func loop(_ part: Int, withoutText: Bool) -> Loop {
        let blocks = blocks(in: part, withoutText: withoutText)
        let collection = part + 3
        var loop = Loop(
            variable: text(of: part + 1),
            collection: expression(collection),
            name: tree.loopName(part, in: source, mode),
            isReversed: tree[part].flags.contains(.reversed),
            body: blocks.first ?? Block(),
            otherwise: blocks.dropFirst().first
        )
        for option in tree.parts(in: part) {
            switch tree[option].kind {
            case .limit: loop.limit = expression(option + 1)
            case .offset: loop.offset = .index(expression(option + 1))
            case .resume: loop.offset = .resume
            default: break
            }
        }
        return loop
    }

    private func table(_ part: Int) -> Table {
        var table = Table(variable: text(of: part + 1), collection: expression(part + 2), body: Block())
        for option in tree.parts(in: part) {
            switch tree[option].kind {
            case .columns: table.columns = expression(option + 1)
            case .limit: table.limit = expression(option + 1)
            case .offset: table.offset = expression(option + 1)
            case .block: table.body = block(option)
            default: break
            }
        }
        return table
    }

    private func cycle(_ part: Int) -> Cycle {
        let name = part + 1
        return Cycle(
            name: tree[name].size > 1 ? expression(name + 1) : nil,
            values: tree.parts(in: part).dropFirst().map(expression)
        )
    }

    private func partial(_ part: Int, _ kind: Partial.Kind) -> Partial {
        Partial(
            kind: kind,
            name: expression(part + 1),
            value: parts(.value, in: part).last.map { expression($0 + 1) },
            isLoop: tree[part].flags.contains(.each),
            alias: parts(.name, in: part).last.map(text),
            arguments: namedArguments(of: part)
        )
    }

    private func customTag(_ part: Int) -> CustomTag {
        CustomTag(
            definition: environment.customTags[Int(tree[part + 1].detail)],
            arguments: tree.parts(in: part).dropFirst().filter { tree[$0].kind != .block }.map(expression),
            body: parts(.block, in: part).last.map { block($0) }
        )
    }
}
