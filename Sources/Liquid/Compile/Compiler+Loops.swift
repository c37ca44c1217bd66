// SPDX-License-Identifier: MIT

extension Compiler {
    /// Writes the code after the start of a loop: its body, the step to the next iteration (the target of `continue`),
    /// and its end (the target of `break`).
    mutating func compileIterations(
        of body: BlockSyntax,
        knowsLoop: Bool,
        withoutText: Bool,
        next: (_ start: Int32) -> Instruction,
        end: Instruction
    ) {
        let start = here
        // A table prints tags before each of its cells.
        if case .tableEnd = end { recordSpan() }
        loopDepth += 1
        self.knowsLoop.append(knowsLoop)
        barriers.append(Barrier(isLoop: true))
        compileBlock(body, withoutText: withoutText)
        // An iteration ends with a test for pending interrupts even if no node of it was rendered.
        if checksInterrupts { propagateInterrupt() }
        self.knowsLoop.removeLast()
        let jumps = barriers.removeLast().jumps
        patchContinue(jumps)
        emit(next(Int32(start)))
        patch(jumps)
        loopDepth -= 1
        emit(end)
    }
}
