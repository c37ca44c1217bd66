// SPDX-License-Identifier: MIT

import SourceText

/// Branches and loops.
extension Analyzer {
    mutating func walk(branches tag: TagSyntax) {
        let mark = known.mark
        let wasReachable = known.isReachable
        var exits: [KnownNames.Exit] = []
        for clause in tag.clauses {
            var truth: Bool? = true
            if !clause.isOtherwise {
                for expression in clause.expressions { read(expression, for: .condition) }
                truth = clause.constantTruth.map { $0 != clause.isNegated }
            }
            let inner = known.mark
            let reachesBranch = known.isReachable
            known.addPresent(clause.presentPaths(holding: !clause.isNegated))
            if truth == false { known.isReachable = false }
            walk(clause.body)
            exits.append(known.exit(to: inner, isReachable: reachesBranch && truth != true))
            known.addPresent(clause.presentPaths(holding: clause.isNegated))
        }
        exits.append(known.exit(to: mark, isReachable: wasReachable))
        known.merge(exits)
    }

    mutating func walk(cases tag: TagSyntax) {
        let subject = CaseSyntax(tag).subject
        let clauses = tag.clauses
        for expression in NodeSyntax(tag.cursor).expressions { read(expression, for: .condition) }
        // More than one branch may run.
        for clause in clauses { forgetNames(in: clause.body) }
        let wasReachable = known.isReachable
        var exits: [KnownNames.Exit] = []
        for clause in clauses {
            let mark = known.mark
            if !clause.isOtherwise, clause.values.allSatisfy(\.isPresentLiteral), let path = subject.staticPath {
                known.addPresent([path])
            }
            walk(clause.body)
            exits.append(known.exit(to: mark, isReachable: wasReachable))
        }
        if !tag.alwaysTakesClause { exits.append(KnownNames.Exit(facts: [:], isReachable: wasReachable)) }
        known.merge(exits)
    }

    mutating func walk(loop tag: TagSyntax) {
        let expressions = NodeSyntax(tag.cursor).expressions
        for expression in expressions { read(expression, for: .loop) }
        let blocks = tag.blocks
        guard let name = tag.boundName, let body = blocks.first else { return }
        let binding = bind(name, in: tag, surely: true)
        // From the second iteration on, names have the values that the body has set.
        forgetNames(in: body)
        let mark = known.mark
        let wasReachable = known.isReachable
        if let path = expressions.first?.staticPath { known.addPresent([path]) }
        loops.append(binding)
        loopDepth += 1
        order.beginLoop()
        walk(body)
        order.endLoop()
        loopDepth -= 1
        loops.removeLast()
        _ = known.exit(to: mark, isReachable: wasReachable)
        for otherwise in blocks.dropFirst() {
            forgetNames(in: otherwise)
            walk(otherwise)
            _ = known.exit(to: mark, isReachable: wasReachable)
        }
    }

    private mutating func forgetNames(in block: BlockSyntax) {
        for node in block.nodes {
            guard let tag = node.tag else { continue }
            switch tag.definition.role {
            case .assigns, .captures: if let name = tag.boundName { known.forget(name.text) }
            case .includes, .runs: known.forgetAll()
            case .plain, .comment, .prints, .counts, .branches, .cases, .loops, .leaves, .renders: break
            }
            for inner in tag.blocks { forgetNames(in: inner) }
        }
    }

    /// Completes the results that depend on the whole template.
    mutating func finish() {
        order.mark(&result.bindings)
        if order.readsAll { return }
        // If every use of a variable is guarded, the values assigned to it are guarded too; four rounds follow chains
        // of variables.
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

extension ExpressionSyntax {
    /// The path, for a lookup that is known without rendering; nil for any other expression.
    var staticPath: VariablePath? {
        guard let lookup, let path = VariablePath(lookup), path.isStatic else { return nil }
        return path
    }

    /// Whether the expression is a literal other than nil.
    var isPresentLiteral: Bool {
        literal.map { !$0.isNull } ?? false
    }

    private var isMissingWord: Bool {
        switch kind {
        case .literal(.null), .blank, .empty: true
        default: false
        }
    }

    /// A path whose presence follows from a comparison for equality, and whether the path is present where both sides
    /// are equal.
    fileprivate static func presence(
        _ left: ExpressionSyntax,
        _ right: ExpressionSyntax?
    ) -> (VariablePath, whenEqual: Bool)? {
        for (side, other) in [(left, right), (right, left)] {
            guard let path = side?.staticPath else { continue }
            // A missing right side is nil.
            guard let other, !other.isMissingWord else { return (path, false) }
            if other.isPresentLiteral { return (path, true) }
        }
        return nil
    }
}

extension ClauseSyntax {
    /// The most paths of one condition that are followed.
    private static let pathLimit = 16

    /// The paths that must be present if the condition holds, or if it does not.
    fileprivate func presentPaths(holding: Bool) -> [VariablePath] {
        var paths: [VariablePath] = []
        let terms = Array(terms)
        for (index, term) in terms.enumerated().reversed() {
            let own = term.presentPaths(holding: holding)
            if index == terms.count - 1 {
                paths = own
            } else if term.hasOr == holding {
                // Only one of the two sides is certain to hold, so a path must be present for both.
                paths = own.filter(paths.contains)
            } else {
                paths = Array((own + paths).prefix(Self.pathLimit))
            }
        }
        return paths
    }

    /// Whether the condition always holds or never does; nil where its literals do not decide that.
    fileprivate var constantTruth: Bool? {
        var truth: Bool?
        let terms = Array(terms)
        for (index, term) in terms.enumerated().reversed() {
            let own = term.constantTruth
            if index == terms.count - 1 {
                truth = own
            } else if term.hasOr {
                truth = own == true || truth == true ? true : own == false ? truth : nil
            } else {
                truth = own == false || truth == false ? false : own == true ? truth : nil
            }
        }
        return truth
    }
}

extension TermSyntax {
    fileprivate func presentPaths(holding: Bool) -> [VariablePath] {
        guard let comparison else { return holding ? [left.staticPath].compactMap { $0 } : [] }
        switch comparison {
        case .equal, .notEqual:
            guard let (path, whenEqual) = ExpressionSyntax.presence(left, right) else { return [] }
            return whenEqual == (holding == (comparison == .equal)) ? [path] : []
        case .less, .greater, .lessOrEqual, .greaterOrEqual:
            return holding ? [left.staticPath, right?.staticPath].compactMap { $0 } : []
        case .contains: return holding ? [left.staticPath].compactMap { $0 } : []
        case .unknown: return []
        }
    }

    fileprivate var constantTruth: Bool? {
        guard let value = left.literal else { return nil }
        guard let comparison else { return value.isTruthy }
        guard let other = right?.literal else { return nil }
        switch comparison {
        case .equal: return value.equals(other)
        case .notEqual: return !value.equals(other)
        default: return nil
        }
    }
}
