// SPDX-License-Identifier: MIT

import SourceText

/// Turns the syntax tree of a template into a program.
struct Compiler: ~Copyable {
    /// What an interrupt meets on its way out of the code around it.
    struct Barrier {
        /// Whether it is a loop, which ends or goes on; a capture or a branch of a `case` is brought to its end before the
        /// interrupt goes on.
        let isLoop: Bool
        /// The jumps of interrupts, which land when the code of the barrier is known.
        var jumps = JumpList()
    }

    /// Jumps that lead to one place, which is not known yet; each holds the one before it in `a` until it lands.
    struct JumpList {
        fileprivate var last: Int32 = -1
    }

    let tree: SyntaxTree
    let source: MaskedSource
    /// The bytes of the template as written.
    let bytes: Bytes
    let environment: Environment
    let mode: ErrorMode

    var instructions: TableBuilder<Instruction>
    var text: TableBuilder<UInt8>
    var constants: TableBuilder<Value>
    var names = NameTable()
    var paths: TableBuilder<Program.Path>
    var steps: TableBuilder<Program.Step>
    var spellings = TableBuilder<Program.Step>(capacity: 0)
    var keys = NameTable()
    var keyLists: [[String]] = []
    var loops: [Program.LoopInfo] = []
    var partials: [Program.PartialInfo] = []
    var customTags: [(definition: TagDefinition, count: Int)] = []
    var errors: [LiquidError] = []
    var spans: TableBuilder<Program.Span>
    var parts: TableBuilder<UInt32>

    /// The part that the instructions being written come from.
    var part = 0
    /// The constructs around the code being written.
    var barriers: [Barrier] = []
    var loopDepth = 0
    var captureDepth = 0
    var caseDepth = 0
    /// Whether `forloop` can but mean the innermost `for`, for each loop around the code.
    var knowsLoop: [Bool] = []
    /// What stands anywhere in the template.
    var traits: Block.Traits = []
    /// Whether the code being written asks whether a variable exists, as conditions and `default` do.
    var asksForExistence = false
    /// Whether an interrupt may be remembered already when a node begins; it then ends the block behind that node.
    var checksInterrupts: Bool

    static func program(
        of tree: SyntaxTree,
        _ source: MaskedSource,
        _ environment: Environment,
        _ mode: ErrorMode,
        checksInterrupts: Bool = false
    ) -> Program {
        source.original.withUnsafeBufferPointer { bytes in
            var compiler = Compiler(
                tree: tree,
                source: source,
                bytes: bytes,
                environment: environment,
                mode: mode,
                checksInterrupts: checksInterrupts
            )
            compiler.traits = tree[0].traits
            compiler.compileBlock(0)
            compiler.emit(.end)
            return Program(compiler)
        }
    }

    /// Makes room for what the parts come to.
    private init(
        tree: SyntaxTree,
        source: MaskedSource,
        bytes: Bytes,
        environment: Environment,
        mode: ErrorMode,
        checksInterrupts: Bool
    ) {
        self.tree = tree
        self.source = source
        self.bytes = bytes
        self.environment = environment
        self.mode = mode
        self.checksInterrupts = checksInterrupts
        let count = tree.end
        instructions = TableBuilder(capacity: count * 3 / 4)
        text = TableBuilder(capacity: bytes.count / 4)
        constants = TableBuilder(capacity: count / 8)
        paths = TableBuilder(capacity: count / 6)
        steps = TableBuilder(capacity: count / 6)
        spans = TableBuilder(capacity: count / 5)
        parts = TableBuilder(capacity: count * 3 / 4)
    }

    // MARK: instructions

    @discardableResult
    mutating func emit(_ operation: Instruction.Operation, _ a: Int = 0, _ b: Int = 0) -> Int {
        instructions.append(
            Instruction(operation: operation, a: Int32(truncatingIfNeeded: a), b: Int32(truncatingIfNeeded: b))
        )
        parts.append(UInt32(truncatingIfNeeded: part))
        return instructions.count - 1
    }

    var here: Int { instructions.count }

    /// Writes a jump whose target is not known yet.
    @discardableResult
    mutating func emit(_ operation: Instruction.Operation, to jumps: inout JumpList) -> Int {
        let jump = emit(operation, Int(jumps.last))
        jumps.last = Int32(jump)
        return jump
    }

    /// Lets jumps lead to the next instruction that is written.
    mutating func land(_ jumps: JumpList) {
        var jump = jumps.last
        while jump >= 0 {
            let before = instructions[Int(jump)].a
            land(Int(jump))
            jump = before
        }
    }

    mutating func land(_ jump: Int) { instructions[jump].a = Int32(here) }

    /// Lets the `continue` of jumps out of a loop lead to the next instruction that is written.
    mutating func landNext(_ jumps: JumpList) {
        var jump = jumps.last
        while jump >= 0 {
            instructions[Int(jump)].b = Int32(here)
            jump = instructions[Int(jump)].a
        }
    }

    // MARK: tables

    /// The bytes of a part.
    func bytes(of part: Int) -> Bytes { Bytes(rebasing: bytes[tree[part].offsets]) }

    func text(of part: Int) -> String { String(decoding: bytes(of: part), as: UTF8.self) }

    /// The number of the name that a part is.
    mutating func name(_ part: Int) -> Int { names.number(of: bytes(of: part)) }

    mutating func constant(_ value: Value) -> Int {
        constants.append(value)
        return constants.count - 1
    }

    mutating func fail(_ error: LiquidError) {
        errors.append(error)
        emit(.fail, errors.count - 1)
    }

    // MARK: nodes

    mutating func compileBlock(_ block: Int, withoutText: Bool = false) {
        let score = emit(.score)
        var count = 0
        var node = block + 1
        let end = tree.endOfPart(block)
        while node < end {
            if !withoutText || tree[node].kind != .text {
                compileNode(node)
                count += 1
            }
            node = tree.endOfPart(node)
        }
        instructions[score].a = Int32(truncatingIfNeeded: count)
    }

    private mutating func compileNode(_ index: Int) {
        let node = tree[index]
        part = index
        if node.kind == .text { return compileText(node.offsets) }
        if node.kind == .comment {
            if checksInterrupts { propagateInterrupt() }
            return
        }
        let span = spans.count
        spans.append(
            Program.Span(
                start: Int32(here),
                part: UInt32(truncatingIfNeeded: index),
                loops: UInt8(truncatingIfNeeded: loopDepth),
                captures: UInt8(truncatingIfNeeded: captureDepth),
                cases: UInt8(truncatingIfNeeded: caseDepth)
            )
        )
        compileTag(index, node)
        spans[span].end = Int32(here)
        guard checksInterrupts || !traits.isDisjoint(with: [.mayInterrupt, .mayLeaveInterrupts]) else { return }
        if checksInterrupts || mayRemember(index, node.kind) { propagateInterrupt() }
    }

    /// Whether an interrupt may be remembered behind a node that does not pass it on by itself.
    private func mayRemember(_ node: Int, _ kind: SyntaxTree.Kind) -> Bool {
        switch kind {
        case .include, .render, .custom: true
        case .loop, .table: block(in: node).map { tree[$0].traits.contains(.mayLeaveInterrupts) } ?? false
        // A branch may remember an interrupt, and a later `when` fail.
        case .selection: branchesMayInterrupt(of: node)
        default: false
        }
    }

    /// The first block directly inside a part.
    func block(in part: Int) -> Int? { tree.parts(in: part).first { tree[$0].kind == .block } }

    func branchesMayInterrupt(of selection: Int) -> Bool {
        tree.parts(in: selection).dropFirst().contains { branch in
            block(in: branch).map { tree[$0].traits.contains(.mayInterrupt) } ?? false
        }
    }

    private mutating func compileTag(_ index: Int, _ node: SyntaxTree.Part) {
        let first = index + 1
        let isBlank = node.flags.contains(.blank)
        switch node.kind {
        case .raw: compileText(tree[first].offsets)
        case .output: compileOutput(first)
        case .assign:
            pushMarkup(first + 1)
            emit(.assign, name(first))
        case .capture:
            compileCapture(first + 1)
            emit(.captureEnd, name(first))
            propagateInterrupt(of: first + 1)
        case .ifChanged:
            compileCapture(first)
            emit(.captureChanged)
            propagateInterrupt(of: first)
        case .conditional: compileConditional(index, withoutText: isBlank)
        case .selection: compileSelection(index, withoutText: isBlank)
        case .loop: compileLoop(index, withoutText: isBlank)
        case .table: compileTable(index)
        case .leave: compileInterrupt(1)
        case .next: compileInterrupt(2)
        case .cycle: compileCycle(index)
        case .increment: emit(.counter, name(first), 1)
        case .decrement: emit(.counter, name(first), -1)
        case .include: compilePartial(index, .include)
        case .render: compilePartial(index, .render)
        case .custom: compileCustomTag(index)
        default: break
        }
    }

    /// Appends text as it was written, without what the dialect drops from it.
    private mutating func compileText(_ range: Range<Int>) {
        var start = range.lowerBound
        let begin = text.count
        for substitution in source.substitutions(in: range) where substitution.meaning == .nothing {
            text.append(contentsOf: Bytes(rebasing: bytes[start..<Int(substitution.range.start)]))
            start = min(Int(substitution.range.end), range.upperBound)
        }
        text.append(contentsOf: Bytes(rebasing: bytes[start..<range.upperBound]))
        if text.count > begin { emit(.text, begin, text.count - begin) }
    }

    private mutating func compileOutput(_ markup: Int) {
        let expression = markup + 1
        if tree[markup].size == 1 { return }
        if tree[expression].kind == .lookup, tree.endOfPart(expression) == tree.endOfPart(markup) {
            let outer = part
            part = expression
            if let path = staticPath(expression) {
                emit(.emitPath, path)
                return
            }
            part = outer
        }
        pushMarkup(markup)
        if instructions[here - 1].operation == .filter {
            instructions[here - 1].operation = .filterAndEmit
        } else {
            emit(.emit)
        }
    }

    private mutating func compileCapture(_ body: Int) {
        emit(.captureBegin)
        captureDepth += 1
        barriers.append(Barrier(isLoop: false))
        compileBlock(body)
        captureDepth -= 1
        land(barriers.removeLast().jumps)
    }

    /// Behind a capture: an interrupt that was remembered in it goes on.
    private mutating func propagateInterrupt(of body: Int) {
        if tree[body].traits.contains(.mayInterrupt) { propagateInterrupt() }
    }

    /// Writes the jumps that a remembered interrupt takes from here.
    mutating func propagateInterrupt() {
        guard let last = barriers.indices.last else {
            emit(.passInterrupt, -1)
            return
        }
        var barrier = barriers[last]
        emit(barrier.isLoop ? .takeInterrupt : .passInterrupt, to: &barrier.jumps)
        barriers[last] = barrier
    }

    private mutating func compileInterrupt(_ code: Int) {
        emit(.interrupt, code)
        propagateInterrupt()
    }
}
