// SPDX-License-Identifier: MIT

import SourceText

/// Branches and loops.
extension Analyzer {
    mutating func walk(_ conditional: Conditional) {
        let mark = known.mark
        let wasReachable = known.isReachable
        var exits: [KnownNames.Exit] = []
        for branch in conditional.branches {
            var truth: Bool? = true
            if let condition = branch.condition {
                for expression in condition.expressions { read(expression, for: .condition) }
                truth = condition.constantTruth.map { $0 != branch.isNegated }
            }
            let inner = known.mark
            let reachesBranch = known.isReachable
            known.addPresent(branch.condition?.presentPaths(holding: !branch.isNegated) ?? [])
            if truth == false { known.isReachable = false }
            walk(branch.body)
            exits.append(known.exit(to: inner, isReachable: reachesBranch && truth != true))
            known.addPresent(branch.condition?.presentPaths(holding: branch.isNegated) ?? [])
        }
        exits.append(known.exit(to: mark, isReachable: wasReachable))
        known.merge(exits)
    }

    mutating func walk(_ selection: Selection) {
        read(selection.subject, for: .condition)
        for value in selection.branches.compactMap(\.value) { read(value, for: .condition) }
        // Several branches may run, one after the other.
        for body in selection.bodies { forgetNames(in: body) }
        let wasReachable = known.isReachable
        var exits: [KnownNames.Exit] = []
        for (index, body) in selection.bodies.enumerated() {
            let mark = known.mark
            let values = selection.branches.filter { $0.body == index }
            if values.allSatisfy({ $0.value?.isPresentLiteral ?? false }), let path = selection.subject.staticPath {
                known.addPresent([path])
            }
            walk(body)
            exits.append(known.exit(to: mark, isReachable: wasReachable))
        }
        if selection.branches.last.map({ $0.value != nil }) ?? true {
            exits.append(KnownNames.Exit(facts: [:], isReachable: wasReachable))
        }
        known.merge(exits)
    }

    mutating func walk(_ loop: Loop, _ node: Node) {
        for expression in loop.expressions { read(expression, for: .loop) }
        walk(loop: loop.variable, loop.collection, loop.body, otherwise: loop.otherwise, node)
    }

    mutating func walk(_ table: Table, _ node: Node) {
        for expression in node.expressions { read(expression, for: .loop) }
        walk(loop: table.variable, table.collection, table.body, otherwise: nil, node)
    }

    private mutating func walk(
        loop variable: String,
        _ collection: Expression,
        _ body: Block,
        otherwise: Block?,
        _ node: Node
    ) {
        let binding = bind(variable, .loop, node, surely: true)
        // The second turn sees what the first has set.
        forgetNames(in: body)
        let mark = known.mark
        let wasReachable = known.isReachable
        if let path = collection.staticPath { known.addPresent([path]) }
        loops.append(binding)
        loopDepth += 1
        order.beginLoop()
        walk(body)
        order.endLoop()
        loopDepth -= 1
        loops.removeLast()
        _ = known.exit(to: mark, isReachable: wasReachable)
        guard let otherwise else { return }
        forgetNames(in: otherwise)
        walk(otherwise)
        _ = known.exit(to: mark, isReachable: wasReachable)
    }

    private mutating func forgetNames(in block: Block) {
        for node in block.nodes {
            switch node.kind {
            case .assign(let name, _): known.forget(name)
            case .capture(let name, _): known.forget(name)
            case .partial(let partial) where partial.kind == .include: known.forgetAll()
            case .custom: known.forgetAll()
            default: break
            }
            for inner in node.blocks { forgetNames(in: inner) }
        }
    }

    /// What can be told only at the end.
    mutating func finish() {
        order.mark(&result.bindings)
        if order.readsAll { return }
        // A variable whose every use is guarded guards what is assigned to it, and so on through several.
        for _ in 0..<4 {
            var unguarded: Set<VariablePath.Root> = []
            for read in result.reads where read.guarded == nil && read.loopBinding == nil {
                unguarded.insert(read.path.root)
            }
            var hasChanged = false
            for index in result.reads.indices {
                guard result.reads[index].guarded == nil, case .assign(let binding) = result.reads[index].use,
                    !unguarded.contains(.name(result.bindings[binding].name))
                else { continue }
                result.reads[index].guarded = .variable
                hasChanged = true
            }
            if !hasChanged { return }
        }
    }
}

extension Expression {
    /// The path of a lookup that needs no rendering to be known.
    var staticPath: VariablePath? {
        guard case .lookup(let lookup) = kind, let path = VariablePath(lookup), path.isStatic else { return nil }
        return path
    }

    /// Whether the expression is a value that a missing one does not equal.
    var isPresentLiteral: Bool {
        if case .literal(let value) = kind { !value.isNull } else { false }
    }

    private var isMissingWord: Bool {
        switch kind {
        case .literal(.null), .blank, .empty: true
        default: false
        }
    }

    /// What equality of two sides tells of a path: the path, and whether it is present where they are equal.
    fileprivate static func presence(_ left: Expression, _ right: Expression) -> (VariablePath, whenEqual: Bool)? {
        for (side, other) in [(left, right), (right, left)] {
            guard let path = side.staticPath else { continue }
            if other.isMissingWord { return (path, false) }
            if other.isPresentLiteral { return (path, true) }
        }
        return nil
    }
}

extension Condition {
    /// How many paths of a condition are followed.
    private static let pathLimit = 16

    /// The paths that are present where the condition holds, or where it does not.
    func presentPaths(holding: Bool) -> [VariablePath] {
        var paths: [VariablePath] = []
        for (index, term) in terms.enumerated().reversed() {
            let own = term.presentPaths(holding: holding)
            if index == terms.count - 1 {
                paths = own
            } else if term.orNext == holding {
                // One of the sides is enough, and it is not known which.
                paths = own.filter(paths.contains)
            } else {
                paths = Array((own + paths).prefix(Self.pathLimit))
            }
        }
        return paths
    }

    /// Whether the condition holds, where its literals alone tell.
    var constantTruth: Bool? {
        var truth: Bool?
        for (index, term) in terms.enumerated().reversed() {
            let own = term.constantTruth
            if index == terms.count - 1 {
                truth = own
            } else if term.orNext {
                truth = own == true || truth == true ? true : own == false ? truth : nil
            } else {
                truth = own == false || truth == false ? false : own == true ? truth : nil
            }
        }
        return truth
    }
}

extension Condition.Term {
    fileprivate func presentPaths(holding: Bool) -> [VariablePath] {
        guard let comparison else { return holding ? [left.staticPath].compactMap { $0 } : [] }
        let right = right ?? Expression(.literal(.null), left.range)
        switch comparison {
        case .equal, .notEqual:
            guard let (path, whenEqual) = Expression.presence(left, right) else { return [] }
            return whenEqual == (holding == (comparison == .equal)) ? [path] : []
        case .less, .greater, .lessOrEqual, .greaterOrEqual:
            return holding ? [left.staticPath, right.staticPath].compactMap { $0 } : []
        case .contains: return holding ? [left.staticPath].compactMap { $0 } : []
        case .unknown: return []
        }
    }

    fileprivate var constantTruth: Bool? {
        guard case .literal(let value) = left.kind else { return nil }
        guard let comparison else { return value.isTruthy }
        guard case .literal(let other)? = right?.kind else { return nil }
        switch comparison {
        case .equal: return value.equals(other)
        case .notEqual: return !value.equals(other)
        default: return nil
        }
    }
}
