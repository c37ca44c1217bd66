// SPDX-License-Identifier: MIT

import DiagnosticSources

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
    ///   - markup: the value and its filters, of which the filter is one.
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

    /// Adds a node to the list of nodes, with the branch that is being compiled.
    mutating func addNode(_ node: NodeSyntax) {
        lists.branchNodes.append(BranchNode(range: node.range, branch: branchState.branch ?? 0))
    }

    /// Writes the instruction that assigns the output since the last such instruction to a place.
    ///
    /// - Parameters:
    ///   - range: the place; nil for the place of the node that is being compiled.
    ///   - mayBePartial: whether the output may be the text of a partial.
    mutating func recordSpan(of range: SourceRange? = nil, mayBePartial: Bool = false) {
        guard recording == .branchesAndSpans else { return }
        let outer = place
        place = range ?? outer
        emitRecord(.recordSpan(mayBePartial: mayBePartial))
        place = outer
    }

    /// Writes code that records a node as the source of its output.
    @inline(__always)
    mutating func recordSpan(of node: NodeSyntax) {
        if recording == .branchesAndSpans { addSpan(of: node) }
    }

    private mutating func addSpan(of node: NodeSyntax) {
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
