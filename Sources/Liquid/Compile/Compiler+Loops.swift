// SPDX-License-Identifier: MIT

/// `for` and `tablerow`.
extension Compiler {
    mutating func compileLoop(_ loop: Int, withoutText: Bool) {
        let options = options(of: loop, behind: loop + 3)
        let resumeName = names.number(of: Name(tree.loopName(loop, in: source, mode)))
        var info = Program.LoopInfo(variable: name(loop + 1), resumeName: resumeName)
        if let offset = options.offset {
            if tree[offset].kind == .resume {
                info.resumes = true
            } else {
                push(offset + 1)
                info.hasOffset = true
            }
        }
        push(loop + 3)
        if let limit = options.limit {
            push(limit + 1)
            info.hasLimit = true
        }
        info.isReversed = tree[loop].flags.contains(.reversed)
        if traits.contains(.readsAnyName) || tree[options.body].traits.contains(.usesLoop) {
            info.loopName = names.number(of: Bytes("forloop"))
        }
        loops.append(info)
        work += Self.workOfLoop
        let begin = emit(.loopBegin, loops.count - 1)
        compileTurns(
            of: options.body,
            knowsLoop: !isSpelled("forloop", loop + 1),
            withoutText: withoutText,
            next: .loopNext,
            end: .loopEnd
        )
        let toEnd = emit(.jump)
        instructions[begin].b = Int32(here)
        if let otherwise = options.otherwise { compileBlock(otherwise, withoutText: withoutText) }
        land(toEnd)
    }

    /// The last of each option of a `for` or `tablerow`, and what the loop runs.
    private struct LoopOptions {
        var offset: Int?
        var limit: Int?
        var columns: Int?
        var body = 0
        var otherwise: Int?
    }

    private func options(of loop: Int, behind collection: Int) -> LoopOptions {
        var options = LoopOptions()
        var part = tree.endOfPart(collection)
        while tree[part].kind != .block {
            switch tree[part].kind {
            case .limit: options.limit = part
            case .columns: options.columns = part
            default: options.offset = part
            }
            part = tree.endOfPart(part)
        }
        options.body = part
        let next = tree.endOfPart(part)
        if next < tree.endOfPart(loop) { options.otherwise = next }
        return options
    }

    /// Writes what follows on the start of a loop: its body, the step to the next turn, where `continue` leads, and its end,
    /// where `break` leads.
    private mutating func compileTurns(
        of body: Int,
        knowsLoop: Bool,
        withoutText: Bool,
        next: Instruction.Operation,
        end: Instruction.Operation
    ) {
        let start = here
        loopDepth += 1
        self.knowsLoop.append(knowsLoop)
        barriers.append(Barrier(isLoop: true))
        compileBlock(body, withoutText: withoutText)
        // A turn ends with a look at what is remembered even where no node was rendered.
        if checksInterrupts { propagateInterrupt() }
        self.knowsLoop.removeLast()
        let jumps = barriers.removeLast().jumps
        landNext(jumps)
        emit(next, start)
        land(jumps)
        loopDepth -= 1
        emit(end)
    }

    mutating func compileTable(_ table: Int) {
        let options = options(of: table, behind: table + 2)
        var info = Program.LoopInfo(
            variable: name(table + 1),
            loopName: names.number(of: Bytes("tablerowloop")),
            resumeName: name(table + 1)
        )
        push(table + 2)
        // Without a collection the reference does not look at the rest, which may fail.
        emit(.copy, 0)
        let skip = emit(.jumpIfFalse)
        if let offset = options.offset {
            push(offset + 1)
            info.hasOffset = true
        }
        if let limit = options.limit {
            push(limit + 1)
            info.hasLimit = true
        }
        if let columns = options.columns {
            push(columns + 1)
            info.hasColumns = true
        }
        loops.append(info)
        work += Self.workOfLoop
        let begin = emit(.tableBegin, loops.count - 1)
        compileTurns(
            of: options.body,
            knowsLoop: knowsLoop.last ?? false,
            withoutText: false,
            next: .tableNext,
            end: .tableEnd
        )
        let toEnd = emit(.jump)
        land(skip)
        emit(.drop, 1)
        land(toEnd)
        instructions[begin].b = Int32(here)
    }
}
