// SPDX-License-Identifier: MIT

/// The parts of a `for` or `tablerow` after its collection: its options, of which the last of each kind counts, and its
/// blocks.
struct LoopSyntax {
    /// An option; the raw value is the `detail` of its part.
    enum Option: Int {
        case limit
        case offset
        /// `offset: continue`
        case resume
        case columns
        case reversed
    }

    /// The most elements to loop over.
    private(set) var limit: ExpressionSyntax?
    /// The number of elements to skip.
    private(set) var offset: ExpressionSyntax?
    /// Whether the loop starts where the last loop with the same name ended.
    private(set) var resumes = false
    /// The number of cells in a row.
    private(set) var columns: ExpressionSyntax?
    private(set) var isReversed = false
    /// The block that is rendered for each element.
    let body: BlockSyntax
    /// The block that is rendered where there are no elements.
    private(set) var otherwise: BlockSyntax?

    @inline(__always)
    init(after collection: ExpressionSyntax, in tag: TagSyntax) {
        var part = collection.cursor.next
        while part.kind == .option {
            let value = part.isEmpty ? nil : ExpressionSyntax(part.first)
            switch Option(rawValue: Int(part.part.detail)) {
            case .limit: limit = value
            case .offset: (offset, resumes) = (value, false)
            case .resume: (offset, resumes) = (nil, true)
            case .columns: columns = value
            case .reversed: isReversed = true
            case nil: break
            }
            part = part.next
        }
        body = BlockSyntax(part)
        let next = part.next
        if next.id != tag.cursor.end { otherwise = BlockSyntax(next) }
    }
}

/// The parts that `for` and `tablerow` share.
extension TemplateParser {
    mutating func addOption(_ option: LoopSyntax.Option, _ offsets: Range<Int>) {
        tree.add(.option, offsets, detail: option.rawValue)
    }

    mutating func addLaxOption(_ option: LoopSyntax.Option, _ value: Range<Int>) throws(LiquidError) {
        let part = tree.add(.option, value, detail: option.rawValue)
        try laxValue(value)
        tree.close(part)
    }

    mutating func addStrictOption(_ option: LoopSyntax.Option) throws(LiquidError) {
        let part = tree.add(.option, token.start, token.end, detail: option.rawValue)
        try strictValue()
        tree.close(part, end: endOfLastToken)
    }

    /// The end of one or more adjacent fragments; nil where there are none.
    mutating func fragmentsEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while let stop = fragmentEnd(position, end) { position = stop }
        return position > start ? position : nil
    }

    /// Reads the variable, the word `in` and the collection.
    mutating func strictLoopStart(_ tag: TagToken, keepsCollection: Bool) throws(LiquidError) {
        try addWord()
        guard try take(word: "in") else {
            throw syntaxError(tag, "found \(describe(token)), expected 'in'", "For loops require an 'in' clause")
        }
        let start = token.start
        guard keepsCollection else { return _ = try strictValue() }
        let collection = tree.add(.name, start, start)
        try strictValue()
        tree[collection].end = UInt32(truncatingIfNeeded: endOfLastToken)
    }
}

extension Compiler {
    /// Writes code that pushes the value of an option; false, and no code, where the loop does not have it.
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
        // Of several interrupts an iteration takes one; the next iteration begins while the others are pending.
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
