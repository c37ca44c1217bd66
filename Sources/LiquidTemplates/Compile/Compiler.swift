// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Compiles the syntax tree of a template to a program.
struct Compiler: ~Copyable {
    /// A construct that an interrupt reaches on its way out: a loop, a capture, or a branch of a `case`.
    struct Barrier {
        /// Whether it is a loop, which takes the interrupt.
        ///
        /// A capture or a branch of a `case` is first completed; the interrupt then goes on.
        let isLoop: Bool
        /// The jumps of interrupts, which are patched when the target in the barrier is known.
        var jumps = JumpList()
    }

    /// Jumps to one target that is not known yet.
    ///
    /// Until it is known, the target of each is the jump before it in the list, so that a list needs no memory.
    struct JumpList {
        fileprivate var last: Int32 = -1

        mutating func append(_ jump: Int, in instructions: inout TableBuilder<Instruction>) {
            instructions[jump] = instructions[jump].jumping(to: last)
            last = Int32(jump)
        }
    }

    let parsed: ParsedTemplate
    /// The bytes of the template as written.
    let bytes: Bytes
    var instructions: TableBuilder<Instruction>
    var text: TableBuilder<UInt8>
    var constants: TableBuilder<Value>
    var names = NameTable()
    var paths: TableBuilder<Program.Path>
    var steps: TableBuilder<Program.Step>
    var tests: TableBuilder<Program.Test>
    var calls: TableBuilder<Program.FilterCall>
    var loops: TableBuilder<Program.LoopInfo>
    var keys = NameTable()
    var lists = Program.Lists()
    lazy var suggestions = Suggestions()
    var spans: TableBuilder<Program.Span>
    /// The place of the template that each instruction comes from.
    var places: TableBuilder<SourceRange>

    /// The units of work of the block being compiled, without the blocks inside it.
    ///
    /// They are charged each time that the block begins: only loops jump back, and only to the start of their body.
    var work = 0
    static let workOfBlock = 1
    static let workOfInstruction = 1
    /// The units of work for beginning and ending a loop, in addition to its instructions.
    static let workOfLoop = 8

    /// The place of the node or expression that is being compiled.
    var place: SourceRange
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
    var branchState = BranchState()

    /// Compiles a template.
    ///
    /// - Parameters:
    ///   - parsed: the template as it was read.
    ///   - checksInterrupts: whether a `break` or `continue` may be pending when the program begins, as in a partial
    ///     that a loop renders.
    ///   - recording: what the program records.
    /// - Returns: the program.
    static func program(
        of parsed: ParsedTemplate,
        checksInterrupts: Bool = false,
        recording: Recording = .nothing
    ) -> Program {
        parsed.source.bytes.withBytes { bytes in
            var compiler = Compiler(
                parsed: parsed,
                bytes: bytes,
                checksInterrupts: checksInterrupts,
                recording: recording
            )
            compiler.compileBranch(.template, of: compiler.beginDecision()) { $0.compileBlock(parsed.root) }
            compiler.emit(.end)
            return Program(compiler)
        }
    }

    private init(parsed: ParsedTemplate, bytes: Bytes, checksInterrupts: Bool, recording: Recording) {
        self.parsed = parsed
        self.bytes = bytes
        self.checksInterrupts = checksInterrupts
        self.recording = recording
        place = SourceRange(0, 0)
        traits = parsed.root.traits
        // As much as small templates need, so that the tables do not grow.
        let some = bytes.count / 16 + 4
        instructions = TableBuilder(capacity: some * 2)
        places = TableBuilder(capacity: some * 2)
        text = TableBuilder(capacity: bytes.count + ByteBuffer.padding)
        spans = TableBuilder(capacity: some)
        paths = TableBuilder(capacity: some)
        steps = TableBuilder(capacity: some)
        constants = TableBuilder(capacity: some)
        calls = TableBuilder(capacity: some)
        tests = TableBuilder(capacity: some / 4)
        loops = TableBuilder(capacity: some / 8)
    }

    @inline(__always)
    var environment: Environment { parsed.environment }

    // MARK: - instructions

    @discardableResult
    mutating func emit(_ instruction: Instruction) -> Int {
        instructions.append(instruction)
        places.append(place)
        work &+= Self.workOfInstruction
        return instructions.count &- 1
    }

    /// Writes an instruction whose place is not that of the node or expression that is being compiled.
    @discardableResult
    mutating func emit(_ instruction: Instruction, at range: SourceRange) -> Int {
        let index = emit(instruction)
        places[index] = range
        return index
    }

    var here: Int { instructions.count }

    /// Sets the target of jumps to the next instruction.
    mutating func patch(_ jumps: JumpList) {
        let here = Int32(here)
        change(jumps) { $0.jumping(to: here) }
    }

    /// Sets the target of an instruction to the next instruction.
    mutating func patch(_ jump: Int) { instructions[jump] = instructions[jump].jumping(to: Int32(here)) }

    /// In the interrupt jumps of a loop, sets the target of `continue` to the next instruction.
    mutating func patchContinue(_ jumps: JumpList) {
        let here = Int32(here)
        change(jumps) { instruction in
            guard case .takeInterrupt(let target, _) = instruction else { return instruction }
            return .takeInterrupt(breakTo: target, continueTo: here)
        }
    }

    /// Replaces each jump of a list.
    @inline(__always)
    private mutating func change(_ jumps: JumpList, _ changed: (Instruction) -> Instruction) {
        var jump = jumps.last
        while jump >= 0 {
            let instruction = instructions[Int(jump)]
            instructions[Int(jump)] = changed(instruction)
            jump = instruction.target
        }
    }

    // MARK: - tables

    /// The number by which instructions refer to a variable; a new name gets the next number.
    mutating func name(_ name: NameSyntax) -> Int32 {
        Int32(names.number(of: Bytes(rebasing: bytes[name.range.offsets])))
    }

    /// Writes code that pushes a constant.
    mutating func pushConstant(_ value: Value) { emit(.pushConstant(addConstant(value))) }

    /// Adds a constant, and returns its index.
    mutating func addConstant(_ value: Value) -> Int32 {
        constants.append(value)
        return Int32(constants.count - 1)
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
        for index in block.nodes.indices {
            if withoutText, case .text = block.nodes[index].kind { continue }
            compileNode(block.nodes[index])
            count += 1
        }
        instructions[score] = .score(nodes: Int32(truncatingIfNeeded: count), work: Int32(clamping: work))
        work = outerWork
    }

    private mutating func compileNode(_ node: NodeSyntax) {
        let outer = place
        place = node.range
        defer { place = outer }
        if records, !(node.tag?.isComment ?? false) {
            lists.branchNodes.append(BranchNode(range: node.range, branch: branchState.branch ?? 0))
        }
        switch node.kind {
        case .text:
            compileText(node.range.offsets)
            recordSpan(of: node)
        case .output(let markup):
            let span = openSpan(node, isBlank: false)
            compileOutput(markup)
            close(span)
            recordSpan(of: node)
            if checksInterrupts { propagateInterrupt() }
        case .tag(let tag):
            if !tag.isComment {
                let span = openSpan(node, isBlank: tag.isBlank)
                tag.node.compile(&self, tag)
                close(span)
                recordSpan(of: node)
            }
            guard checksInterrupts || !traits.isDisjoint(with: [.mayInterrupt, .mayLeaveInterrupts]) else { return }
            if checksInterrupts || tag.node.contents.mayLeaveInterrupts { propagateInterrupt() }
        }
    }

    @inline(__always)
    private mutating func openSpan(_ node: NodeSyntax, isBlank: Bool) -> Int {
        spans.append(
            Program.Span(
                start: Int32(truncatingIfNeeded: here),
                node: node.range,
                line: node.line,
                isBlank: isBlank,
                loops: UInt8(truncatingIfNeeded: loopDepth),
                captures: UInt8(truncatingIfNeeded: captureDepth),
                cases: UInt8(truncatingIfNeeded: caseDepth)
            )
        )
        return spans.count - 1
    }

    @inline(__always)
    private mutating func close(_ span: Int) { spans[span].end = Int32(truncatingIfNeeded: here) }

    /// Appends text as written, without the comments that the dialect drops.
    mutating func compileText(_ range: Range<Int>) {
        let begin = text.count
        if parsed.source.hasComments {
            for part in parsed.source.printed(in: range) { text.append(contentsOf: Bytes(rebasing: bytes[part])) }
        } else {
            text.append(contentsOf: Bytes(rebasing: bytes[range]))
        }
        if text.count > begin { emit(.text(start: Int32(begin), count: Int32(text.count - begin))) }
        work += (text.count - begin) / 16
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
        let jump = emit(barriers[last].isLoop ? .takeInterrupt(breakTo: 0, continueTo: 0) : .passInterrupt(to: 0))
        barriers[last].jumps.append(jump, in: &instructions)
    }
}

extension TagContents {
    /// Whether a `break` or `continue` may be pending after the tag, for tags that write no jump for it themselves.
    fileprivate var mayLeaveInterrupts: Bool {
        switch self {
        case .partial, .custom: true
        case .loop(_, let body, _): body.traits.contains(.mayLeaveInterrupts)
        // An error in the comparison of a later `when` ends the tag before it has passed on the interrupt of a branch.
        case .selection(_, let clauses): clauses.contains { $0.body.traits.contains(.mayInterrupt) }
        case .nothing, .ownText, .text, .value, .captured, .block, .branches, .interrupt: false
        }
    }
}

/// Code that records what a rendering does.
///
/// It exists only in the programs of a ``Recorder``, and takes no units of work, so that a recorded rendering exceeds
/// its limits at the same point as any other rendering.
extension Compiler {
    /// What a program records.
    enum Recording: Sendable {
        case nothing
        case branches
        case branchesAndSpans
    }

    /// A place at which a rendering takes one of several ways.
    struct Decision {
        /// The tag whose branches are the alternatives; nil for a filter, and for the template itself.
        let tag: TagSyntax?
        let number: Int
    }

    /// The branch whose code is being compiled, and the number of the next decision.
    struct BranchState {
        var branch: Int?
        var decisions = 0
    }

    /// Whether the program records anything.
    @inline(__always)
    var records: Bool { recording != .nothing }

    /// Begins a decision: of a tag between its branches, or of a `default` filter.
    ///
    /// - Parameter tag: the tag; nil for a filter, and for the template itself.
    /// - Returns: the decision.
    mutating func beginDecision(of tag: TagSyntax? = nil) -> Decision {
        defer { branchState.decisions += 1 }
        return Decision(tag: tag, number: branchState.decisions)
    }

    /// Writes the instruction that counts a branch, then the code of the branch; decisions in `body` are inside the branch.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - clause: the clause of the branch; nil if it has none.
    ///   - decision: the decision.
    ///   - body: writes the code; nothing for a branch without code.
    mutating func compileBranch(
        _ kind: TemplateBranch.Kind,
        at clause: @autoclosure () -> ClauseSyntax? = nil,
        of decision: Decision,
        _ body: (inout Compiler) -> Void = { _ in }
    ) {
        guard records else { return body(&self) }
        let outer = branchState.branch
        let clause = clause()
        let range = clause?.range ?? decision.tag?.range ?? SourceRange(0, parsed.source.bytes.count)
        let branch = addBranch(kind, range, of: decision, clause: clause)
        branchState.branch = branch
        emitRecord(.recordBranch(Int32(branch)))
        body(&self)
        branchState.branch = outer
    }

    /// Writes code that counts whether the `default` filter that comes next replaces its input.
    ///
    /// - Parameters:
    ///   - filter: the filter.
    ///   - markup: the value with all its filters, including `filter`.
    ///   - count: the number of arguments on the stack.
    mutating func countDefault(_ filter: FilterSyntax, of markup: MarkupSyntax, arguments count: Int) {
        guard records else { return }
        let decision = beginDecision()
        let first = addBranch(.value, filter.nameRange, of: decision, filter: (filter, markup))
        addBranch(.replacement, filter.nameRange, of: decision, filter: (filter, markup))
        emitRecord(.recordDefault(Int32(first), arguments: Int32(count)))
    }

    /// Writes code that counts a `case` without `else` if none of its branches is taken.
    mutating func countNoBranch(of decision: Decision) {
        guard records else { return }
        emitRecord(.caseElse(to: 0))
        let skip = here - 1
        compileBranch(.noBranch, of: decision)
        patch(skip)
    }

    /// Writes the instruction that assigns the output since the last such instruction to a place.
    ///
    /// - Parameters:
    ///   - range: the place; nil for the place of the node that is being compiled.
    ///   - mayBePartial: whether the output may be the text of a partial.
    mutating func recordSpan(of range: SourceRange? = nil, mayBePartial: Bool = false) {
        guard recording == .branchesAndSpans else { return }
        emitRecord(.recordSpan(mayBePartial: mayBePartial))
        if let range { places[places.count - 1] = range }
    }

    /// Writes code that records a node as the source of its output.
    mutating func recordSpan(of node: NodeSyntax) {
        guard recording == .branchesAndSpans else { return }
        if let tag = node.tag, !tag.node.contents.printsOutsideBlocks { return }
        var mayBePartial = false
        if case .name(let name)? = node.printedMarkup?.expression?.lookup?.root {
            mayBePartial = isPartialsMember(name)
        }
        recordSpan(of: node.range, mayBePartial: mayBePartial)
    }

    @discardableResult
    private mutating func addBranch(
        _ kind: TemplateBranch.Kind,
        _ range: SourceRange,
        of decision: Decision,
        clause: ClauseSyntax? = nil,
        filter: (call: FilterSyntax, markup: MarkupSyntax)? = nil
    ) -> Int {
        lists.branches.append(
            TemplateBranch(
                kind: kind,
                decision: decision.number,
                parent: branchState.branch,
                range: range,
                tag: decision.tag,
                clause: clause,
                filter: filter
            )
        )
        return lists.branches.count - 1
    }

    private mutating func emitRecord(_ instruction: Instruction) {
        let before = work
        emit(instruction)
        work = before
    }
}

extension TagContents {
    /// Whether the tag may print anything that the blocks inside it do not print.
    fileprivate var printsOutsideBlocks: Bool {
        switch self {
        case .nothing, .captured, .branches, .selection, .interrupt: false
        case .ownText, .text, .value, .block, .loop, .partial, .custom: true
        }
    }
}
