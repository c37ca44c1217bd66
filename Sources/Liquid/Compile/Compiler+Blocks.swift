// SPDX-License-Identifier: MIT

import SourceText

/// Branches, loops and partials.
extension Compiler {
    mutating func compile(_ conditional: Conditional) {
        var toEnd: [Int] = []
        // By index, as an iterator would copy each branch.
        for index in conditional.branches.indices {
            guard let condition = conditional.branches[index].condition else {
                // The reference never looks behind an `else`.
                compile(conditional.branches[index].body)
                break
            }
            let skips = test(condition, negated: conditional.branches[index].isNegated)
            compile(conditional.branches[index].body)
            toEnd.append(emit(.jump))
            land(skips)
        }
        land(toEnd)
    }

    /// Every `when` that matches is rendered, once for each of its values that does; an `else` where none before it did.
    mutating func compile(_ selection: Selection) {
        let mayInterrupt = checksInterrupts || selection.bodies.contains { $0.traits.contains(.mayInterrupt) }
        let outerChecks = checksInterrupts
        checksInterrupts = mayInterrupt
        emit(.caseBegin)
        caseDepth += 1
        var index = 0
        while index < selection.branches.count {
            let body = selection.branches[index].body
            guard selection.branches[index].value != nil else {
                let skip = emit(.caseElse)
                compileCaseBody(selection.bodies[body])
                land(skip)
                index += 1
                continue
            }
            var matches: [Int] = []
            while index < selection.branches.count, selection.branches[index].body == body,
                let value = selection.branches[index].value
            {
                asksForExistence = true
                compare(selection.subject, .equal, value)
                asksForExistence = false
                matches.append(emit(.caseMatch))
                index += 1
            }
            let skip = emit(.jump)
            land(matches)
            compileCaseBody(selection.bodies[body])
            emit(.caseReturn)
            land(skip)
        }
        caseDepth -= 1
        emit(.caseEnd)
        checksInterrupts = outerChecks
    }

    /// Writes a branch of a `case`.
    ///
    /// An interrupt leaves the branch alone, and reaches the code around behind the `case`: the branches that follow
    /// and match are still begun.
    private mutating func compileCaseBody(_ body: Block) {
        guard body.traits.contains(.mayInterrupt) || checksInterrupts else { return compile(body) }
        barriers.append(.capture(exits: []))
        compile(body)
        if case .capture(let exits)? = barriers.popLast() { land(exits) }
    }

    mutating func compile(_ loop: Loop) {
        var info = Program.LoopInfo(variable: name(loop.variable), resumeName: name(loop.name))
        switch loop.offset {
        case .index(let expression):
            push(expression)
            info.hasOffset = true
        case .resume: info.resumes = true
        case nil: break
        }
        push(loop.collection)
        if let limit = loop.limit {
            push(limit)
            info.hasLimit = true
        }
        info.isReversed = loop.isReversed
        if traits.contains(.readsAnyName) || loop.body.traits.contains(.usesLoop) { info.loopName = name("forloop") }
        loops.append(info)
        let begin = emit(.loopBegin, loops.count - 1)
        let start = here
        loopDepth += 1
        loopVariables.append(loop.variable)
        barriers.append(.loop(leave: [], next: []))
        compileTurn(loop.body)
        let (leave, next) = closeLoop()
        land(next: next)
        emit(.loopNext, start)
        land(leave)
        loopDepth -= 1
        emit(.loopEnd)
        let toEnd = emit(.jump)
        instructions[begin].b = Int32(here)
        if let otherwise = loop.otherwise { compile(otherwise) }
        land(toEnd)
    }

    /// Writes the body of a loop, whose turn ends with a look at what is remembered even where no node was rendered.
    private mutating func compileTurn(_ body: Block) {
        compile(body)
        if checksInterrupts { propagateInterrupt() }
    }

    private mutating func closeLoop() -> (leave: [Int], next: [Int]) {
        loopVariables.removeLast()
        guard case .loop(let leave, let next)? = barriers.popLast() else { return ([], []) }
        return (leave, next)
    }

    private mutating func land(next jumps: [Int]) {
        for jump in jumps { instructions[jump].b = Int32(here) }
    }

    mutating func compile(_ table: Table) {
        var info = Program.LoopInfo(
            variable: name(table.variable),
            loopName: name("tablerowloop"),
            resumeName: name(table.variable)
        )
        push(table.collection)
        // Without a collection the reference does not look at the rest, which may fail.
        emit(.copy, 0)
        let skip = emit(.jumpIfFalse)
        if let offset = table.offset {
            push(offset)
            info.hasOffset = true
        }
        if let limit = table.limit {
            push(limit)
            info.hasLimit = true
        }
        if let columns = table.columns {
            push(columns)
            info.hasColumns = true
        }
        loops.append(info)
        let begin = emit(.tableBegin, loops.count - 1)
        let start = here
        loopDepth += 1
        loopVariables.append(loopVariables.last ?? nil)
        barriers.append(.loop(leave: [], next: []))
        compileTurn(table.body)
        let (leave, next) = closeLoop()
        land(next: next)
        emit(.tableNext, start)
        land(leave)
        loopDepth -= 1
        emit(.tableEnd)
        let toEnd = emit(.jump)
        land(skip)
        emit(.drop, 1)
        land(toEnd)
        instructions[begin].b = Int32(here)
    }

    mutating func compile(_ cycle: Cycle) {
        if let name = cycle.name { push(name) } else { emit(.pushConstant, constant(.string(cycle.key))) }
        let select = emit(.cycle, 0, cycle.values.count)
        let table = here
        for _ in cycle.values { emit(.jump) }
        var toEnd: [Int] = []
        for (index, value) in cycle.values.enumerated() {
            land(table + index)
            push(value)
            toEnd.append(emit(.jump))
        }
        // A turn that this cycle has no value for.
        instructions[select].a = Int32(here)
        emit(.pushConstant, constant(.null))
        land(toEnd)
        emit(.emitTurn)
    }

    mutating func compile(_ partial: Partial) {
        let index = partials.count
        partials.append(
            Program.PartialInfo(
                kind: partial.kind,
                hasValue: partial.value != nil,
                isLoop: partial.isLoop,
                alias: partial.alias,
                arguments: partial.arguments.map { name($0.name) }
            )
        )
        push(partial.name)
        emit(.loadPartial, index)
        if let value = partial.value { push(value) }
        var known: [Int: Int] = [:]
        for (position, argument) in partial.arguments.enumerated() {
            // The arguments of `include` come into being one after the other, and see those before them.
            if partial.kind == .include, case .lookup(let lookup) = argument.value.kind,
                case .name(let name) = lookup.root, let earlier = known[self.name(name)]
            {
                emit(.copy, position - 1 - earlier)
                push(lookup.segments[...])
            } else {
                push(argument.value)
            }
            known[name(argument.name)] = position
        }
        emit(.partial, index)
    }

    mutating func compile(_ tag: CustomTag) {
        for argument in tag.arguments { push(argument) }
        customTags.append((tag.definition, tag.arguments.count))
        let run = emit(.custom, customTags.count - 1)
        if let body = tag.body { compile(body) }
        instructions[run].b = Int32(here)
    }
}
