// SPDX-License-Identifier: MIT

/// One instruction of a program.
///
/// Operands without a label are indices into the program's tables; `to` and similar labels are indices of instructions.
/// An instruction contains only integers, twelve bytes in total, which a test checks.
enum Instruction {
    /// Appends bytes of the program's text.
    case text(start: Int32, count: Int32)
    /// Prints the value of a path.
    case emitPath(Int32)
    /// Pops a value and prints it.
    case emit
    /// Pops a value, prints it, and moves its cycle to the next position.
    case emitTurn

    case pushConstant(Int32)
    /// Pushes the value of a path; with `mayMiss`, a variable that does not exist is not an error.
    case pushPath(Int32, mayMiss: Bool)
    /// Pushes a property of the innermost `for`.
    case pushLoopField(LoopField)
    /// Replaces a name by the value of the variable with that name.
    case findVariable
    /// Replaces two bounds by their range.
    case makeRange
    /// Replaces a value and an index by the element.
    case index(mayMiss: Bool)
    /// Replaces a value by the result of one step of a path.
    case step(Int32, mayMiss: Bool)
    /// Replaces values by an object whose keys are in a list of the program.
    case makeObject(keys: Int32)
    /// Pushes a copy of the value below `below` others.
    case copy(below: Int32)
    /// Drops `count` values.
    case drop(count: Int32)

    /// Calls a filter.
    case filter(Int32, arguments: Int32)
    /// Calls a filter and prints its result.
    case filterAndEmit(Int32, arguments: Int32)
    /// Replaces two values by the result of comparing them.
    case compare(Comparison)
    /// Replaces a value by whether it is blank; negated, by whether it is not.
    case testBlank(isNegated: Bool)
    /// Replaces a value by whether it is empty; negated, by whether it is not.
    case testEmpty(isNegated: Bool)
    /// Fails with an error.
    case fail(Int32)

    case jump(to: Int32)
    /// Pops a value and jumps when it is false or nil.
    case jumpIfFalse(to: Int32)
    /// Pops a value and jumps when it is neither false nor nil.
    case jumpIfTrue(to: Int32)

    /// Pops a value and assigns it to a name.
    case assign(Int32)
    case captureBegin
    /// Ends the capture and assigns its text to a name.
    case captureEnd(Int32)
    /// Ends the capture and prints it if it differs from the last one.
    case captureChanged
    /// Changes the counter of a name by `by` and prints it.
    case counter(Int32, by: Int32)

    /// Starts a loop, or jumps if there are no elements.
    case loopBegin(Int32, elseTo: Int32)
    /// Moves the loop to its next element and jumps; at the end of the loop, falls through.
    case loopNext(to: Int32)
    case loopEnd
    /// Starts a table; if there are no elements, prints an empty row and jumps.
    case tableBegin(Int32, elseTo: Int32)
    /// Ends a cell, begins that of the next element and jumps; in the last cell, only falls through.
    case tableNext(to: Int32)
    /// Ends a cell and the table.
    case tableEnd

    case caseBegin
    /// Calls the code at an instruction, which pushes the subject of the `case` and returns to the instruction after
    /// this one.
    case caseSubject(at: Int32)
    /// Pops whether a value matched; if so, jumps to the branch, which returns to the instruction after this one.
    case caseMatch(to: Int32)
    /// Returns from a branch or from the code of the subject.
    case caseReturn
    /// Jumps when a branch has matched.
    case caseElse(to: Int32)
    case caseEnd
    /// Pops a cycle's key and runs the jump for its position, one of `count` after this instruction; jumps if there is
    /// none.
    case cycle(count: Int32, elseTo: Int32)

    /// Adds a pending interrupt.
    case interrupt(Interrupt)
    /// Removes the last pending interrupt, and jumps to the target for its kind.
    case takeInterrupt(breakTo: Int32, continueTo: Int32)
    /// Jumps if an interrupt is pending; a negative target ends the program.
    case passInterrupt(to: Int32)

    /// Loads the partial whose name is on the stack, before the arguments of the tag are evaluated.
    case loadPartial(Int32)
    /// Renders the partial of a partial tag.
    case partial(Int32)
    /// Pops a name and pushes the text of the partial with that name.
    case partialValue
    /// Runs a tag of a dialect; jumps if its body is skipped.
    case custom(Int32, elseTo: Int32)

    /// Counts an arm; see ``Recorder``.
    case recordArm(Int32)
    /// Counts the arm if the `default` filter that comes next keeps its input, and the arm after it if not.
    case recordDefault(Int32, arguments: Int32)
    /// Assigns the output since the last such instruction to the part of the tree that this instruction comes from.
    case recordSpan(mayBePartial: Bool)

    /// Counts the nodes of a block and charges their units of work.
    case score(nodes: Int32, work: Int32)
    case end

    /// The target of the instruction; nil for an instruction that never jumps.
    ///
    /// For `takeInterrupt`, it is the target of `break`.
    var target: Int32? {
        get {
            switch self {
            case .jump(let target), .jumpIfFalse(let target), .jumpIfTrue(let target), .caseMatch(let target),
                .caseElse(let target), .passInterrupt(let target), .loopNext(let target), .tableNext(let target),
                .loopBegin(_, let target), .tableBegin(_, let target), .custom(_, let target), .cycle(_, let target),
                .takeInterrupt(let target, _):
                target
            default: nil
            }
        }
        set {
            guard let target = newValue else { return }
            switch self {
            case .jump: self = .jump(to: target)
            case .jumpIfFalse: self = .jumpIfFalse(to: target)
            case .jumpIfTrue: self = .jumpIfTrue(to: target)
            case .caseMatch: self = .caseMatch(to: target)
            case .caseElse: self = .caseElse(to: target)
            case .passInterrupt: self = .passInterrupt(to: target)
            case .loopNext: self = .loopNext(to: target)
            case .tableNext: self = .tableNext(to: target)
            case .loopBegin(let loop, _): self = .loopBegin(loop, elseTo: target)
            case .tableBegin(let loop, _): self = .tableBegin(loop, elseTo: target)
            case .custom(let tag, _): self = .custom(tag, elseTo: target)
            case .cycle(let count, _): self = .cycle(count: count, elseTo: target)
            case .takeInterrupt(_, let next): self = .takeInterrupt(breakTo: target, continueTo: next)
            default: break
            }
        }
    }
}

/// The kind of interrupt that ends an iteration of a loop early.
enum Interrupt: UInt8 {
    case `break`
    case `continue`
}

/// The properties of `forloop`.
enum LoopField: UInt8, CaseIterable {
    case index
    case index0
    case rindex
    case rindex0
    case first
    case last
    case length
    case name
    case parentloop

    init?(_ name: String) {
        switch name {
        case "index": self = .index
        case "index0": self = .index0
        case "rindex": self = .rindex
        case "rindex0": self = .rindex0
        case "first": self = .first
        case "last": self = .last
        case "length": self = .length
        case "name": self = .name
        case "parentloop": self = .parentloop
        default: return nil
        }
    }
}
