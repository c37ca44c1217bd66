// SPDX-License-Identifier: MIT

import SourceText

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
    let environment: Environment
    /// The bytes of the template as written.
    let bytes: Bytes
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
    var customTags: [Program.CustomTag] = []
    var errors: [LiquidError] = []
    /// The uses of unknown filters.
    var unknownFilters: [PartID] = []
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
    var arms: [Program.Arm] = []
    var armNodes: [Program.ArmNode] = []
    var armState = ArmState()

    static func program(
        of tree: SyntaxTree,
        checksInterrupts: Bool = false,
        recording: Recording = .nothing
    ) -> Program {
        tree.source.bytes.withUnsafeBufferPointer { bytes in
            var compiler = Compiler(tree: tree, bytes: bytes, checksInterrupts: checksInterrupts, recording: recording)
            let root = BlockSyntax(SyntaxCursor(borrowing: tree, .root))
            compiler.traits = root.traits
            let decision = compiler.beginDecision()
            let outer = compiler.beginArm(.template, .root, of: .root, decision)
            compiler.compileBlock(root)
            compiler.endArm(outer)
            compiler.emit(.end)
            return Program(compiler)
        }
    }

    /// Reserves memory according to the number of parts.
    private init(tree: SyntaxTree, bytes: Bytes, checksInterrupts: Bool, recording: Recording) {
        self.tree = tree
        environment = tree.environment
        self.bytes = bytes
        self.checksInterrupts = checksInterrupts
        self.recording = recording
        let count = tree.parts.count
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
    mutating func emit(_ instruction: Instruction) -> Int {
        instructions.append(instruction)
        parts.append(part)
        work += Self.workOfInstruction
        return instructions.count - 1
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

    // MARK: tables

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
        errors.append(error)
        emit(.fail(Int32(errors.count - 1)))
    }
}
