// SPDX-License-Identifier: MIT

extension Compiler {
    /// Writes what follows on the start of a loop: its body, the step to the next turn, where `continue` leads, and its end,
    /// where `break` leads.
    mutating func compileTurns(
        of body: BlockSyntax,
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
}
