// SPDX-License-Identifier: MIT

/// The options of a `for` or `tablerow`; of several options of one kind, the last counts.
struct LoopOptions {
    /// An option that takes a value.
    enum Option {
        case limit
        case offset
        case columns
    }

    /// The maximum number of elements to loop over.
    private(set) var limit: ExpressionSyntax?
    /// The number of elements to skip.
    private(set) var offset: ExpressionSyntax?
    /// Whether the loop starts where the last loop with the same name ended (`offset: continue`).
    private(set) var resumes = false
    /// The number of cells in a row.
    private(set) var columns: ExpressionSyntax?
    /// Whether the last element comes first.
    var isReversed = false
    /// The values of all options, including those that a later option replaces.
    private(set) var expressions: [ExpressionSyntax] = []

    mutating func set(_ option: Option, _ value: ExpressionSyntax) {
        expressions.append(value)
        switch option {
        case .limit: limit = value
        case .offset: (offset, resumes) = (value, false)
        case .columns: columns = value
        }
    }

    mutating func resume() { (offset, resumes) = (nil, true) }
}

/// The parts that `for` and `tablerow` share.
extension TemplateParser {
    /// The end of one or more adjacent fragments; nil if there are none.
    mutating func fragmentsEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while let stop = fragmentEnd(position, end) { position = stop }
        return position > start ? position : nil
    }

    /// Reads the variable, the word `in` and the collection.
    mutating func strictLoopStart(
        _ tag: TagToken
    ) throws(LiquidError) -> (variable: NameSyntax, collection: ExpressionSyntax, written: Range<Int>) {
        let variable = try expectName()
        guard take(word: "in") else {
            throw syntaxError(tag, "found \(describe(token)), expected 'in'", "For loops require an 'in' clause")
                .stopping(at: token.range, expected: .keyword)
        }
        let start = token.start
        let collection = try strictValue()
        return (variable, collection, start..<endOfLastToken)
    }
}

extension Compiler {
    /// Writes code that pushes the value of an option; returns false, and writes nothing, if the loop does not have it.
    mutating func push(option: ExpressionSyntax?) -> Bool {
        guard let option else { return false }
        push(option)
        return true
    }

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
        // An iteration takes one of several pending interrupts; the next iteration begins while the rest are pending.
        let outerChecks = checksInterrupts
        checksInterrupts = outerChecks || body.traits.contains(.mayLeaveInterrupts)
        compileBlock(body, withoutText: withoutText)
        // An iteration ends with a test for pending interrupts even if no node of it was rendered.
        if checksInterrupts { propagateInterrupt() }
        checksInterrupts = outerChecks
        self.knowsLoop.removeLast()
        let jumps = barriers.removeLast().jumps
        patchContinue(jumps)
        emit(next(Int32(start)))
        patch(jumps)
        loopDepth -= 1
        emit(end)
    }
}
