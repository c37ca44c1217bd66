// SPDX-License-Identifier: MIT

import SourceText

/// Code that records what a rendering does.
///
/// It exists only in the programs of a ``Recorder``, and takes no units of work, so that a recorded rendering passes its
/// limits where any other does.
extension Compiler {
    /// What a program records.
    enum Recording: Sendable {
        case nothing
        case arms
        case armsAndSpans
    }

    /// The arm whose code is being compiled, and the number of the next decision.
    struct ArmState {
        var arm: Int32 = -1
        var decisions: Int32 = 0
    }

    /// Whether the program records anything.
    @inline(__always)
    var records: Bool { recording != .nothing }

    /// Begins a decision and returns its number.
    mutating func beginDecision() -> Int32 {
        defer { armState.decisions += 1 }
        return armState.decisions
    }

    /// Begins the code of an arm; until ``endArm(_:)``, decisions belong to this arm.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - part: the place: a clause, tag or filter.
    ///   - owner: the tag of the decision.
    ///   - decision: the number of the decision.
    /// - Returns: the arm around it, for ``endArm(_:)``.
    mutating func beginArm(_ kind: TemplateArm.Kind, _ part: PartID, of owner: PartID, _ decision: Int32) -> Int32 {
        guard records else { return -1 }
        let outer = armState.arm
        let arm = addArm(kind, part, of: owner, decision)
        armState.arm = arm
        emitRecord(.recordArm(arm))
        return outer
    }

    /// Ends the code of an arm.
    mutating func endArm(_ outer: Int32) { if records { armState.arm = outer } }

    /// Writes code that counts an arm without code of its own.
    mutating func countArm(_ kind: TemplateArm.Kind, _ part: PartID, of owner: PartID, _ decision: Int32) {
        endArm(beginArm(kind, part, of: owner, decision))
    }

    /// Writes code that counts whether the `default` filter that comes next replaces its input.
    ///
    /// - Parameters:
    ///   - filter: the filter.
    ///   - markup: the value with filters that it belongs to.
    ///   - count: the number of arguments on the stack.
    mutating func countDefault(_ filter: FilterSyntax, of markup: MarkupSyntax, arguments count: Int) {
        guard records else { return }
        let decision = beginDecision()
        let first = addArm(.value, filter.cursor.id, of: markup.cursor.id, decision)
        addArm(.replacement, filter.cursor.id, of: markup.cursor.id, decision)
        emitRecord(.recordDefault(first, arguments: Int32(count)))
    }

    /// Writes code that counts the arm of a `case` without `else` of which no branch is taken.
    mutating func countNoBranch(of tag: TagSyntax, _ decision: Int32) {
        guard records else { return }
        emitRecord(.caseElse(to: 0))
        let skip = here - 1
        countArm(.noBranch, tag.cursor.id, of: tag.cursor.id, decision)
        patch(skip)
    }

    /// Adds a node to the list of nodes.
    mutating func addNode(_ node: NodeSyntax) {
        armNodes.append(Program.ArmNode(part: node.cursor.id, arm: armState.arm))
    }

    /// Writes code that assigns the output since the last such place to a part of the tree.
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
    mutating func recordSpan(of node: NodeSyntax) {
        guard recording == .armsAndSpans else { return }
        switch node.tag?.definition.role {
        // What is printed inside of these has spans of its own.
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
    private mutating func addArm(
        _ kind: TemplateArm.Kind,
        _ part: PartID,
        of owner: PartID,
        _ decision: Int32
    ) -> Int32 {
        arms.append(Program.Arm(kind: kind, part: part, owner: owner, decision: decision, parent: armState.arm))
        return Int32(arms.count - 1)
    }

    private mutating func emitRecord(_ instruction: Instruction) {
        let before = work
        emit(instruction)
        work = before
    }
}
