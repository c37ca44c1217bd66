// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Compiles the syntax tree of a template to a program.
struct Compiler: ~Copyable {
    /// A construct that an interrupt reaches on its way out of the code around it.
    struct Barrier {
        /// Whether it is a loop, which takes the interrupt.
        ///
        /// A capture or a branch of a `case` is first completed; the interrupt then goes on.
        let isLoop: Bool
        /// The jumps of interrupts, which are patched when the target in the barrier is known.
        var jumps = JumpList()
    }

    /// Jumps to one target that is not known yet; until they are patched, the target of each is the jump before it in
    /// the list.
    struct JumpList {
        fileprivate var last: Int32 = -1
    }

    let tree: SyntaxTree
    /// The bytes of the template as written.
    let bytes: Bytes
    var instructions: TableBuilder<Instruction>
    var text: TableBuilder<UInt8>
    var constants: TableBuilder<Value>
    var names: NameBuilder
    var paths: TableBuilder<Program.Path>
    var steps: TableBuilder<Program.Step>
    var tests: TableBuilder<Program.Test>
    var calls: TableBuilder<Program.FilterCall>
    var loops: TableBuilder<Program.LoopInfo>
    var keys: NameBuilder
    /// At most one element; see ``Program/Lists``.
    private(set) var anyLists: TableBuilder<Program.Lists>
    var suggestions = Suggestions()
    var spans: TableBuilder<Program.Span>
    var parts: TableBuilder<PartID>

    /// The units of work of the block being compiled, without the blocks inside it.
    ///
    /// They are charged each time that the block begins: only loops jump back, and only to the start of their body.
    var work = 0
    static let workOfBlock = 16
    static let workOfInstruction = 16
    /// The units of work for beginning and ending a loop, in addition to its instructions.
    static let workOfLoop = 150

    /// The part of the tree that is being compiled.
    var part = PartID.root
    /// The barriers around the code being compiled, innermost last.
    var barriers: [Barrier] = []
    var loopDepth = 0
    var captureDepth = 0
    var caseDepth = 0
    /// For each loop around the code, whether `forloop` is certain to be the innermost `for`.
    var knowsLoop: [Bool] = []
    /// The traits of the whole template.
    var traits: BlockTraits = []
    /// Whether the code being compiled may read a variable that does not exist, as in conditions and before `default`.
    var asksForExistence = false
    /// Whether an interrupt may be pending when a node begins; the block then ends after that node.
    var checksInterrupts: Bool
    /// What the program records about its renderings.
    let recording: Recording
    var armState = ArmState()

    /// Compiles a tree.
    ///
    /// With `sharesMemory`, the tables are in the memory of the tree, which nothing else may use yet.
    static func program(
        of tree: SyntaxTree,
        sharesMemory: Bool = false,
        checksInterrupts: Bool = false,
        recording: Recording = .nothing
    ) -> Program {
        tree.source.bytes.withBytes { bytes in
            func program(_ memory: TableArena.Memory, _ arena: consuming TableArena?) -> Program {
                var compiler = Compiler(
                    tree: tree,
                    bytes: bytes,
                    memory: memory,
                    checksInterrupts: checksInterrupts,
                    recording: recording
                )
                let root = BlockSyntax(SyntaxCursor(borrowing: tree, .root))
                compiler.traits = root.traits
                compiler.compileArm(.template, of: compiler.beginDecision(of: .root)) { $0.compileBlock(root) }
                compiler.emit(.end)
                compiler.text.pad(ByteBuffer.padding)
                return Program(compiler, arena: arena)
            }
            if sharesMemory { return program(tree.arena.memory, nil) }
            let arena = TableArena(bytes: 0)
            return program(arena.memory, arena)
        }
    }

    /// Reserves memory according to the number of parts: as much as small templates need, so that their tables do not
    /// grow.
    ///
    /// Inlined, as a call would move the whole result in memory.
    @inline(__always)
    private init(
        tree: SyntaxTree,
        bytes: Bytes,
        memory: TableArena.Memory,
        checksInterrupts: Bool,
        recording: Recording
    ) {
        self.tree = tree
        self.bytes = bytes
        self.checksInterrupts = checksInterrupts
        self.recording = recording
        let count = tree.parts.count
        let code = count >> 1 + count >> 3 + 4
        let some = count >> 3 + 2
        let few = count >> 4 + 1
        let distinct = min(some, 60)
        memory.reserve(
            bytes: code * (stride(Instruction.self) + stride(PartID.self))
                + distinct * 2 * (stride(Name.self) + stride(WordKey.self))
                + some * (stride(Program.Span.self) + stride(Program.Path.self) + stride(Program.Step.self))
                + some * (stride(Value.self) + stride(Program.FilterCall.self))
                + few * (stride(Program.Test.self) + stride(Program.LoopInfo.self))
                + tree.textCount + ByteBuffer.padding + 14 * TableArena.Memory.alignment
        )
        instructions = TableBuilder(capacity: code, in: memory)
        parts = TableBuilder(capacity: code, in: memory)
        let seed = Name.seed
        names = NameBuilder(capacity: distinct, in: memory, seed: seed)
        keys = NameBuilder(capacity: distinct, in: memory, seed: seed)
        spans = TableBuilder(capacity: some, in: memory)
        paths = TableBuilder(capacity: some, in: memory)
        steps = TableBuilder(capacity: some, in: memory)
        constants = TableBuilder(capacity: some, in: memory)
        calls = TableBuilder(capacity: some, in: memory)
        tests = TableBuilder(capacity: few, in: memory)
        loops = TableBuilder(capacity: few, in: memory)
        text = TableBuilder(capacity: tree.textCount + ByteBuffer.padding, in: memory)
        anyLists = TableBuilder(capacity: 0, in: memory)
    }

    @inline(__always)
    var environment: Environment { tree.environment }

    /// The operands that most programs do not have.
    var lists: Program.Lists {
        _read { if anyLists.count > 0 { yield anyLists[0] } else { yield Program.Lists.empty } }
        _modify {
            if anyLists.count == 0 { anyLists.append(Program.Lists()) }
            yield &anyLists[0]
        }
    }

    // MARK: - instructions

    @discardableResult
    mutating func emit(_ instruction: Instruction) -> Int {
        // The common case calls no function, so that nothing is saved on the stack for it.
        if instructions.isFull || parts.isFull { return emitGrowing(instruction) }
        add(instruction)
        return instructions.count &- 1
    }

    @inline(never)
    private mutating func emitGrowing(_ instruction: Instruction) -> Int {
        add(instruction)
        return instructions.count &- 1
    }

    @inline(__always)
    private mutating func add(_ instruction: Instruction) {
        instructions.append(instruction)
        parts.append(part)
        work &+= Self.workOfInstruction
    }

    var here: Int { instructions.count }

    /// Writes a jump whose target is not known yet, and adds it to a list.
    @discardableResult
    mutating func emit(_ instruction: (_ target: Int32) -> Instruction, to jumps: inout JumpList) -> Int {
        let jump = emit(instruction(jumps.last))
        jumps.last = Int32(jump)
        return jump
    }

    /// Sets the target of jumps to the next instruction.
    mutating func patch(_ jumps: JumpList) {
        var jump = jumps.last
        while jump >= 0 {
            let before = instructions[Int(jump)].target ?? -1
            patch(Int(jump))
            jump = before
        }
    }

    /// Sets the target of an instruction to the next instruction.
    mutating func patch(_ jump: Int) { instructions[jump].target = Int32(here) }

    /// Sets the target that `continue` has in the interrupt jumps of a loop to the next instruction.
    mutating func patchContinue(_ jumps: JumpList) {
        var jump = jumps.last
        while jump >= 0 {
            let before = instructions[Int(jump)].target ?? -1
            if case .takeInterrupt = instructions[Int(jump)] {
                instructions[Int(jump)] = .takeInterrupt(breakTo: before, continueTo: Int32(here))
            }
            jump = before
        }
    }

    // MARK: - tables

    /// The bytes of a part.
    @inline(__always)
    func bytes(of part: some Syntax) -> Bytes { Bytes(rebasing: bytes[part.offsets]) }

    @inline(__always)
    func bytes(of part: SyntaxCursor) -> Bytes { Bytes(rebasing: bytes[part.part.offsets]) }

    /// The number of the name that a part spells.
    mutating func name(_ part: SyntaxCursor) -> Int { names.number(of: bytes(of: part)) }

    mutating func name(_ part: some Syntax) -> Int { name(part.cursor) }

    /// Writes code that pushes a constant.
    mutating func pushConstant(_ value: Value) { emit(constant(value)) }

    /// The instruction that pushes a constant.
    mutating func constant(_ value: Value) -> Instruction {
        constants.append(value)
        return .pushConstant(Int32(constants.count - 1))
    }

    mutating func fail(_ error: LiquidError) {
        lists.errors.append(error)
        emit(.fail(Int32(lists.errors.count - 1)))
    }
}

/// Code for blocks, their nodes, text and captures.
extension Compiler {
    mutating func compileBlock(_ block: BlockSyntax, withoutText: Bool = false) {
        let outerWork = work
        work = Self.workOfBlock
        let score = emit(.score(nodes: 0, work: 0))
        var count = 0
        var nodes = block.borrowed.nodes
        while let node = nodes.next() {
            if withoutText, node.cursor.kind == .text { continue }
            compileNode(node)
            count += 1
        }
        instructions[score] = .score(nodes: Int32(truncatingIfNeeded: count), work: Int32(clamping: work))
        work = outerWork
    }

    private mutating func compileNode(_ node: NodeSyntax) {
        let node = node.borrowed
        let outer = part
        part = node.cursor.id
        defer { part = outer }
        switch node.cursor.kind {
        case .output:
            if records { addNode(node) }
            let span = openSpan(node)
            compileOutput(MarkupSyntax(node.cursor.first))
            close(span)
            recordSpan(of: node)
            if checksInterrupts { propagateInterrupt() }
        case .tag:
            let tag = TagSyntax(node.cursor)
            let definition = environment.tags[tag.index]
            if definition.role != .comment {
                if records { addNode(node) }
                let span = openSpan(node)
                definition.compile(&self, tag)
                close(span)
                recordSpan(of: node)
                guard checksInterrupts || !traits.isDisjoint(with: [.mayInterrupt, .mayLeaveInterrupts]) else { return }
                if checksInterrupts || mayRemember(tag, definition.role) { propagateInterrupt() }
            } else if checksInterrupts {
                propagateInterrupt()
            }
        default:
            if records { addNode(node) }
            compileText(node.offsets)
            recordSpan(of: node)
        }
    }

    @inline(__always)
    private mutating func openSpan(_ node: NodeSyntax) -> Int {
        spans.append(
            Program.Span(
                start: Int32(truncatingIfNeeded: here),
                part: node.cursor.id,
                loops: UInt8(truncatingIfNeeded: loopDepth),
                captures: UInt8(truncatingIfNeeded: captureDepth),
                cases: UInt8(truncatingIfNeeded: caseDepth)
            )
        )
        return spans.count - 1
    }

    @inline(__always)
    private mutating func close(_ span: Int) { spans[span].end = Int32(truncatingIfNeeded: here) }

    /// Whether an interrupt may be pending after a tag, for tags that do not pass it on by themselves.
    private func mayRemember(_ tag: TagSyntax, _ role: TagDefinition.Role) -> Bool {
        switch role {
        case .includes, .renders, .runs: true
        case .loops: tag.body?.traits.contains(.mayLeaveInterrupts) ?? false
        // An error in the comparison of a later `when` ends the tag before it has passed on the interrupt of a branch.
        case .cases: CaseSyntax(tag).branchesMayInterrupt
        case .plain, .comment, .prints, .assigns, .captures, .counts, .branches, .leaves: false
        }
    }

    /// Appends text as written, without the comments that the dialect drops.
    mutating func compileText(_ range: Range<Int>) {
        let begin = text.count
        if tree.source.hasComments {
            for part in tree.source.printed(in: range) { text.append(contentsOf: Bytes(rebasing: bytes[part])) }
        } else {
            text.append(contentsOf: Bytes(rebasing: bytes[range]))
        }
        if text.count > begin { emit(.text(start: Int32(begin), count: Int32(text.count - begin))) }
        work += (text.count - begin) / 16
    }

    /// Writes code that prints a value with its filters.
    mutating func compileOutput(_ markup: MarkupSyntax) {
        let markup = markup.borrowed
        guard let expression = markup.expression else { return }
        if expression.cursor.end == markup.cursor.end, let lookup = expression.lookup {
            let outer = part
            part = expression.cursor.id
            if let path = staticPath(lookup) {
                emit(.emitPath(path))
                return
            }
            part = outer
        }
        pushMarkup(markup)
        switch instructions[here - 1] {
        case .pushLoopField(let field): instructions[here - 1] = .emitLoopField(field)
        case .filter(let filter, let count): instructions[here - 1] = .filterAndEmit(filter, arguments: count)
        case .apply(let call): instructions[here - 1] = .applyAndEmit(call)
        case .applyToPath(let call): instructions[here - 1] = .applyToPathAndEmit(call)
        // The spans of a partial are those of its value.
        case .partialValue where recording != .armsAndSpans: instructions[here - 1] = .emitPartial
        default: emit(.emit)
        }
    }

    /// Writes code that captures the output of a block.
    mutating func compileCapture(_ body: BlockSyntax) {
        emit(.captureBegin)
        captureDepth += 1
        barriers.append(Barrier(isLoop: false))
        compileBlock(body)
        captureDepth -= 1
        patch(barriers.removeLast().jumps)
    }

    /// Writes the jump for an interrupt that is pending after a capture.
    mutating func propagateInterrupt(of body: BlockSyntax) {
        if body.traits.contains(.mayInterrupt) { propagateInterrupt() }
    }

    /// Writes the jump that a pending interrupt takes from here.
    mutating func propagateInterrupt() {
        guard let last = barriers.indices.last else {
            emit(.passInterrupt(to: -1))
            return
        }
        var barrier = barriers[last]
        let isLoop = barrier.isLoop
        emit({ isLoop ? .takeInterrupt(breakTo: $0, continueTo: 0) : .passInterrupt(to: $0) }, to: &barrier.jumps)
        barriers[last] = barrier
    }
}

/// The number of bytes from one element of a table to the next.
@inline(__always)
private func stride<Element>(_ type: Element.Type) -> Int { MemoryLayout<Element>.stride }
