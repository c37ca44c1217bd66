// SPDX-License-Identifier: MIT

import SourceText

/// Branches, loops and partials.
extension Compiler {
    mutating func compileConditional(_ conditional: Int, withoutText: Bool) {
        var toEnd = JumpList()
        var branch = conditional + 1
        let end = tree.endOfPart(conditional)
        while branch < end {
            let flags = tree[branch].flags
            if flags.contains(.otherwise) {
                // The reference never looks behind an `else`.
                compileBlock(branch + 1, withoutText: withoutText)
                break
            }
            let (skips, body) = testCondition(of: branch, negated: flags.contains(.negated))
            compileBlock(body, withoutText: withoutText)
            emit(.jump, to: &toEnd)
            land(skips)
            branch = tree.endOfPart(branch)
        }
        land(toEnd)
    }

    /// Every `when` that matches is rendered, once for each of its values that does; an `else` where none before it did.
    mutating func compileSelection(_ selection: Int, withoutText: Bool) {
        let outerChecks = checksInterrupts
        checksInterrupts = outerChecks || branchesMayInterrupt(of: selection)
        emit(.caseBegin)
        caseDepth += 1
        let begin = work
        let subject = compileSubject(selection + 1)
        // The value is asked for again for each `when`.
        let subjectWork = work - begin
        for branch in tree.parts(in: selection).dropFirst() {
            var part = branch + 1
            if tree[branch].kind == .otherwise {
                let skip = emit(.caseElse)
                compileCaseBody(part, withoutText: withoutText)
                land(skip)
                continue
            }
            var matches = JumpList()
            while tree[part].kind != .block {
                work += subjectWork
                compareSubject(subject, with: part)
                emit(.caseMatch, to: &matches)
                part = tree.endOfPart(part)
            }
            let skip = emit(.jump)
            land(matches)
            compileCaseBody(part, withoutText: withoutText)
            emit(.caseReturn)
            land(skip)
        }
        caseDepth -= 1
        emit(.caseEnd)
        checksInterrupts = outerChecks
    }

    /// Writes what yields the instruction that pushes the value of a `case`, which a branch may change: a call of code
    /// that stands once, unless one instruction does.
    private mutating func compileSubject(_ subject: Int) -> Instruction {
        asksForExistence = true
        let outer = part
        part = subject
        defer {
            asksForExistence = false
            part = outer
        }
        if tree[subject].kind == .lookup, let path = staticPath(subject) {
            return Instruction(operation: .pushPath, a: Int32(path), b: 1)
        }
        if let literal = tree.literal(subject, in: source) {
            return Instruction(operation: .pushConstant, a: Int32(constant(literal)))
        }
        let skip = emit(.jump)
        let code = Int32(here)
        push(subject)
        emit(.caseReturn)
        land(skip)
        return Instruction(operation: .caseSubject, a: code)
    }

    private mutating func compareSubject(_ subject: Instruction, with value: Int) {
        asksForExistence = true
        defer { asksForExistence = false }
        emit(subject.operation, Int(subject.a), Int(subject.b))
        if let test = wordTest(value) {
            emit(test)
        } else {
            push(value)
            emit(.compare, SyntaxTree.Comparison.equal.code)
        }
    }

    /// Writes a branch of a `case`.
    ///
    /// An interrupt leaves the branch alone, and reaches the code around behind the `case`: the branches that follow
    /// and match are still begun.
    private mutating func compileCaseBody(_ body: Int, withoutText: Bool) {
        guard checksInterrupts || tree[body].traits.contains(.mayInterrupt) else {
            return compileBlock(body, withoutText: withoutText)
        }
        barriers.append(Barrier(isLoop: false))
        compileBlock(body, withoutText: withoutText)
        land(barriers.removeLast().jumps)
    }

    mutating func compileCycle(_ cycle: Int) {
        let name = cycle + 1
        let values = Array(tree.parts(in: cycle).dropFirst())
        if tree[name].size > 1 {
            push(name + 1)
        } else {
            emit(.pushConstant, constant(.string(key(of: values, at: Int(tree[name].start)))))
        }
        let select = emit(.cycle, 0, values.count)
        let table = here
        for _ in values { emit(.jump) }
        var toEnd = JumpList()
        for (index, value) in values.enumerated() {
            land(table + index)
            push(value)
            emit(.jump, to: &toEnd)
        }
        // A turn that this cycle has no value for.
        instructions[select].a = Int32(here)
        emit(.pushConstant, constant(.null))
        land(toEnd)
        emit(.emitTurn)
    }

    /// What the values of a cycle call it.
    ///
    /// Cycles over equal literals share their place; one that holds a variable is alone.
    private func key(of values: [Int], at start: Int) -> String {
        var literals: [Value] = []
        for value in values {
            guard let literal = tree.literal(value, in: source) else { return "cycle at \(start)" }
            literals.append(literal)
        }
        return Value.array(literals).text
    }

    mutating func compilePartial(_ partial: Int, _ kind: Partial.Kind) {
        var value: Int?
        var alias: Int?
        var arguments: [(name: Int, value: Int)] = []
        var positions: [Int: Int] = [:]
        for part in tree.parts(in: partial).dropFirst() {
            switch tree[part].kind {
            case .value: value = part + 1
            case .name: alias = part
            default:
                // A name that comes again keeps its place and takes the last value.
                let name = name(part)
                if let known = positions[name] {
                    arguments[known].value = part + 1
                } else {
                    positions[name] = arguments.count
                    arguments.append((name, part + 1))
                }
            }
        }
        let index = partials.count
        partials.append(
            Program.PartialInfo(
                kind: kind,
                hasValue: value != nil,
                isLoop: tree[partial].flags.contains(.each),
                alias: alias.map { text(of: $0) },
                arguments: arguments.map(\.name)
            )
        )
        push(partial + 1)
        emit(.loadPartial, index)
        if let value { push(value) }
        for (position, argument) in arguments.enumerated() {
            // The arguments of `include` come into being one after the other, and see those before them.
            if kind == .include, tree[argument.value].kind == .lookup, tree[argument.value + 1].kind == .variable,
                let earlier = positions[name(argument.value + 1)], earlier < position
            {
                emit(.copy, position - 1 - earlier)
                pushSteps(of: argument.value, from: argument.value + 2)
            } else {
                push(argument.value)
            }
        }
        emit(.partial, index)
    }

    mutating func compileCustomTag(_ tag: Int) {
        var count = 0
        var body: Int?
        for part in tree.parts(in: tag).dropFirst() {
            if tree[part].kind == .block {
                body = part
            } else {
                push(part)
                count += 1
            }
        }
        customTags.append((environment.customTags[Int(tree[tag + 1].detail)], count))
        let run = emit(.custom, customTags.count - 1)
        if let body { compileBlock(body) }
        instructions[run].b = Int32(here)
    }
}
