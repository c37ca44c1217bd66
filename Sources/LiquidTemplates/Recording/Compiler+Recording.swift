// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Code that records what a rendering does.
///
/// It exists only in the programs of a ``Recorder``, and takes no units of work, so that a recorded rendering exceeds
/// its limits at the same point as any other.
extension Compiler {
    /// What a program records.
    enum Recording: Sendable {
        case nothing
        case arms
        case armsAndSpans
    }

    /// A place at which a rendering takes one of several ways.
    struct Decision {
        /// The tag, or the value with filters.
        let owner: PartID
        let number: Int32
    }

    /// The arm whose code is being compiled, and the number of the next decision.
    struct ArmState {
        var arm: Int32 = -1
        var decisions: Int32 = 0
    }

    /// Whether the program records anything.
    @inline(__always)
    var records: Bool { recording != .nothing }

    /// Begins a decision: of a tag between its branches, or of a `default` filter.
    ///
    /// - Parameter owner: the tag, or the value with all its filters.
    /// - Returns: the decision.
    mutating func beginDecision(of owner: PartID) -> Decision {
        defer { armState.decisions += 1 }
        return Decision(owner: owner, number: armState.decisions)
    }

    /// Writes the instruction that counts an arm, then the code of the arm; decisions in `body` are inside the arm.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - part: the clause of the arm; nil where it has none.
    ///   - decision: the decision.
    ///   - body: writes the code; nothing for an arm without code.
    mutating func compileArm(
        _ kind: TemplateArm.Kind,
        at part: PartID? = nil,
        of decision: Decision,
        _ body: (inout Compiler) -> Void = { _ in }
    ) {
        guard records else { return body(&self) }
        let outer = armState.arm
        let arm = addArm(kind, part ?? decision.owner, of: decision)
        armState.arm = arm
        emitRecord(.recordArm(arm))
        body(&self)
        armState.arm = outer
    }

    /// Writes code that counts whether the `default` filter that comes next replaces its input.
    ///
    /// - Parameters:
    ///   - filter: the filter.
    ///   - markup: the value with filters that it belongs to.
    ///   - count: the number of arguments on the stack.
    mutating func countDefault(_ filter: FilterSyntax, of markup: MarkupSyntax, arguments count: Int) {
        guard records else { return }
        let decision = beginDecision(of: markup.cursor.id)
        let first = addArm(.value, filter.cursor.id, of: decision)
        addArm(.replacement, filter.cursor.id, of: decision)
        emitRecord(.recordDefault(first, arguments: Int32(count)))
    }

    /// Writes code that counts the arm of a `case` without `else` of which no branch is taken.
    mutating func countNoBranch(of decision: Decision) {
        guard records else { return }
        emitRecord(.caseElse(to: 0))
        let skip = here - 1
        compileArm(.noBranch, of: decision)
        patch(skip)
    }

    /// Adds a node to the list of nodes.
    mutating func addNode(_ node: NodeSyntax) {
        lists.armNodes.append(Program.ArmNode(part: node.cursor.id, arm: armState.arm))
    }

    /// Writes the instruction that assigns the output since the last such instruction to this part of the tree.
    ///
    /// - Parameters:
    ///   - part: the part; nil for the part that is being compiled.
    ///   - mayBePartial: whether the output may be the text of a partial.
    mutating func recordSpan(of part: PartID? = nil, mayBePartial: Bool = false) {
        guard recording == .armsAndSpans else { return }
        let outer = self.part
        self.part = part ?? outer
        emitRecord(.recordSpan(mayBePartial: mayBePartial))
        self.part = outer
    }

    /// Writes code that assigns the output of a node to it.
    @inline(__always)
    mutating func recordSpan(of node: NodeSyntax) {
        if recording == .armsAndSpans { addSpan(of: node) }
    }

    @inline(never)
    private mutating func addSpan(of node: NodeSyntax) {
        switch node.tag?.definition.role {
        // What is printed inside these has spans of its own.
        case .branches, .cases, .assigns, .captures, .leaves, .comment: return
        case .plain, .prints, .counts, .loops, .includes, .renders, .runs, nil: break
        }
        var mayBePartial = false
        if let root = node.printedMarkup?.expression?.lookup?.rootPart, root.kind == .variable {
            mayBePartial = isPartialsMember(root)
        }
        recordSpan(of: node.cursor.id, mayBePartial: mayBePartial)
    }

    @discardableResult
    private mutating func addArm(_ kind: TemplateArm.Kind, _ part: PartID, of decision: Decision) -> Int32 {
        lists.arms.append(
            Program.Arm(
                kind: kind,
                part: part,
                owner: decision.owner,
                decision: decision.number,
                parent: armState.arm
            )
        )
        return Int32(lists.arms.count - 1)
    }

    private mutating func emitRecord(_ instruction: Instruction) {
        let before = work
        emit(instruction)
        work = before
    }
}
