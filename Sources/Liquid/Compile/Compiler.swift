// SPDX-License-Identifier: MIT

import SourceText

/// Turns the syntax tree of a template into a program.
struct Compiler {
    /// What an interrupt meets on its way out of the code around it.
    enum Barrier {
        /// A loop: it ends or goes on there. The jumps that leave it are patched when its code is known.
        case loop(leave: [Int], next: [Int])
        /// A capture or a branch of a `case`: it is brought to its end before the interrupt goes on. The jumps lead there.
        case capture(exits: [Int])
    }

    let source: MaskedSource
    let environment: Environment
    let mode: ErrorMode

    var instructions: [Instruction] = []
    var text: [UInt8] = []
    var constants: [Value] = []
    var names = NameTable()
    var paths: [Program.Path] = []
    var steps: [Program.Step] = []
    var spellings: [Program.Step] = []
    var keys = NameTable()
    var keyLists: [[String]] = []
    var loops: [Program.LoopInfo] = []
    var partials: [Program.PartialInfo] = []
    var customTags: [(definition: TagDefinition, count: Int)] = []
    var errors: [LiquidError] = []
    var spans: [Program.Span] = []
    var places: [SourceRange] = []

    /// The bytes that the instructions being written come from.
    var place = SourceRange(0, 0)
    /// The constructs around the code being written.
    var barriers: [Barrier] = []
    var loopDepth = 0
    var captureDepth = 0
    var caseDepth = 0
    /// The names of the loops around the code, innermost last: nil for a `tablerow`.
    var loopVariables: [String?] = []
    /// What stands anywhere in the template.
    var traits: Block.Traits = []
    /// Whether the code being written asks whether a variable exists, as conditions and `default` do.
    var asksForExistence = false
    /// Whether an interrupt may be remembered already when a node begins; it then ends the block behind that node.
    var checksInterrupts: Bool

    init(source: MaskedSource, environment: Environment, mode: ErrorMode, checksInterrupts: Bool = false) {
        self.checksInterrupts = checksInterrupts
        self.source = source
        self.environment = environment
        self.mode = mode
        // What a tag-dense template comes to; most take less.
        let count = source.bytes.count
        instructions.reserveCapacity(count / 4)
        places.reserveCapacity(count / 4)
        text.reserveCapacity(count / 4)
        paths.reserveCapacity(count / 32)
        steps.reserveCapacity(count / 32)
        spans.reserveCapacity(count / 32)
        constants.reserveCapacity(count / 64)
    }

    mutating func program(of root: Block) -> Program {
        traits = root.traits
        compile(root)
        emit(.end)
        return Program(self)
    }

    // MARK: instructions

    @discardableResult
    mutating func emit(_ operation: Instruction.Operation, _ a: Int = 0, _ b: Int = 0) -> Int {
        instructions.append(
            Instruction(operation: operation, a: Int32(truncatingIfNeeded: a), b: Int32(truncatingIfNeeded: b))
        )
        places.append(place)
        return instructions.count - 1
    }

    var here: Int { instructions.count }

    /// Lets jumps lead to the next instruction that is written.
    mutating func land(_ jumps: [Int]) {
        for jump in jumps { land(jump) }
    }

    mutating func land(_ jump: Int) { instructions[jump].a = Int32(here) }

    // MARK: tables

    mutating func name(_ name: String) -> Int { names.number(of: Name(name)) }

    mutating func constant(_ value: Value) -> Int {
        constants.append(value)
        return constants.count - 1
    }

    mutating func fail(_ error: LiquidError) {
        errors.append(error)
        emit(.fail, errors.count - 1)
    }

    // MARK: nodes

    mutating func compile(_ block: Block) {
        emit(.score, block.nodes.count)
        // By index, as an iterator would copy each node.
        for index in block.nodes.indices { compile(block.nodes[index]) }
    }

    private mutating func compile(_ node: Node) {
        place = node.range
        if case .text = node.kind { return compileText(node.range.offsets) }
        if case .comment = node.kind {
            if checksInterrupts { propagateInterrupt() }
            return
        }
        let span = spans.count
        spans.append(
            Program.Span(
                start: Int32(here),
                end: 0,
                line: node.line,
                range: node.range,
                isSilent: node.isBlank,
                loops: Int32(loopDepth),
                captures: Int32(captureDepth),
                cases: Int32(caseDepth)
            )
        )
        compileTag(node)
        spans[span].end = Int32(here)
        guard checksInterrupts || !traits.isDisjoint(with: [.mayInterrupt, .mayLeaveInterrupts]) else { return }
        switch node.kind {
        case .partial, .custom: propagateInterrupt()
        case .loop(let loop) where loop.body.traits.contains(.mayLeaveInterrupts): propagateInterrupt()
        case .table(let table) where table.body.traits.contains(.mayLeaveInterrupts): propagateInterrupt()
        // A branch may remember an interrupt, and a later `when` fail.
        case .selection(let selection) where selection.bodies.contains { $0.traits.contains(.mayInterrupt) }:
            propagateInterrupt()
        default: if checksInterrupts { propagateInterrupt() }
        }
    }

    private mutating func compileTag(_ node: Node) {
        switch node.kind {
        case .text, .comment: break
        case .raw(let range): compileText(range.offsets)
        case .output(let output): compileOutput(output)
        case .assign(let name, let output):
            push(output)
            emit(.assign, self.name(name))
        case .capture(let name, let body):
            compileCapture(body)
            emit(.captureEnd, self.name(name))
            propagateInterrupt(of: body)
        case .ifChanged(let body):
            compileCapture(body)
            emit(.captureChanged)
            propagateInterrupt(of: body)
        case .conditional(let conditional): compile(conditional)
        case .selection(let selection): compile(selection)
        case .loop(let loop): compile(loop)
        case .table(let table): compile(table)
        case .interrupt(let interrupt): compile(interrupt)
        case .cycle(let cycle): compile(cycle)
        case .counter(let name, let step): emit(.counter, self.name(name), step)
        case .partial(let partial): compile(partial)
        case .custom(let tag): compile(tag)
        }
    }

    /// Appends text as it was written, without what the dialect drops from it.
    private mutating func compileText(_ range: Range<Int>) {
        var start = range.lowerBound
        let begin = text.count
        for substitution in source.substitutions(in: range) where substitution.meaning == .nothing {
            text += source.original[start..<Int(substitution.range.start)]
            start = min(Int(substitution.range.end), range.upperBound)
        }
        text += source.original[start..<range.upperBound]
        if text.count > begin { emit(.text, begin, text.count - begin) }
    }

    private mutating func compileOutput(_ output: Output) {
        guard let expression = output.expression else { return }
        if output.filters.isEmpty, case .lookup(let lookup) = expression.kind {
            let outer = place
            place = expression.range
            if let path = staticPath(lookup) {
                emit(.emitPath, path)
                return
            }
            place = outer
        }
        push(output)
        if let last = instructions.last, last.operation == .filter {
            instructions[instructions.count - 1].operation = .filterAndEmit
        } else {
            emit(.emit)
        }
    }

    private mutating func compileCapture(_ body: Block) {
        emit(.captureBegin)
        captureDepth += 1
        barriers.append(.capture(exits: []))
        compile(body)
        captureDepth -= 1
        if case .capture(let exits)? = barriers.popLast() { land(exits) }
    }

    /// Behind a capture: an interrupt that was remembered in it goes on.
    private mutating func propagateInterrupt(of body: Block) {
        if body.traits.contains(.mayInterrupt) { propagateInterrupt() }
    }

    /// Writes the jumps that a remembered interrupt takes from here.
    mutating func propagateInterrupt() {
        guard let last = barriers.indices.last else {
            emit(.passInterrupt, -1)
            return
        }
        switch barriers[last] {
        case .loop(var leave, var next):
            let jump = emit(.takeInterrupt)
            leave.append(jump)
            next.append(jump)
            barriers[last] = .loop(leave: leave, next: next)
        case .capture(var exits):
            exits.append(emit(.passInterrupt))
            barriers[last] = .capture(exits: exits)
        }
    }

    private mutating func compile(_ interrupt: Interrupt) {
        emit(.interrupt, interrupt == .leave ? 1 : 2)
        propagateInterrupt()
    }
}
