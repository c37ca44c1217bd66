// SPDX-License-Identifier: MIT

/// One step of a program.
///
/// Numbers without a label are indices into the program's tables; `to` and the like are those of instructions. It holds
/// integers alone, twelve bytes in all, which a test pins.
enum Instruction {
    /// Appends bytes of the program's text.
    case text(start: Int32, count: Int32)
    /// Prints the value of a path.
    case emitPath(Int32)
    /// Prints and drops the top of the stack.
    case emit
    /// Prints the top of the stack as the turn of a cycle.
    case emitTurn

    case pushConstant(Int32)
    /// Pushes the value of a path; where it may be missing, a variable that does not exist is not an error.
    case pushPath(Int32, mayMiss: Bool)
    /// Pushes a property of the innermost loop.
    case pushLoopField(LoopField)
    /// Replaces a name by the variable of that name.
    case findVariable
    /// Replaces two bounds by their range.
    case makeRange
    /// Replaces a value and an index by the element.
    case index(mayMiss: Bool)
    /// Replaces a value by what a step of a path leads to.
    case step(Int32, mayMiss: Bool)
    /// Replaces values by an object with the keys of a list.
    case makeObject(keys: Int32)
    /// Pushes a copy of the value below so many others.
    case copy(below: Int32)
    /// Drops so many values.
    case drop(count: Int32)

    /// Calls a filter.
    case filter(Int32, arguments: Int32)
    /// Calls a filter and prints what it returns.
    case filterAndEmit(Int32, arguments: Int32)
    /// Replaces two values by the outcome of their comparison.
    case compare(Comparison)
    /// Replaces a value by whether it is blank, or not where negated.
    case testBlank(isNegated: Bool)
    /// Replaces a value by whether it is empty, or not where negated.
    case testEmpty(isNegated: Bool)
    /// Fails with an error.
    case fail(Int32)

    case jump(to: Int32)
    /// Pops a value and jumps when it is false or nil.
    case jumpIfFalse(to: Int32)
    /// Pops a value and jumps when it is neither.
    case jumpIfTrue(to: Int32)

    /// Pops a value into a name.
    case assign(Int32)
    case captureBegin
    /// Ends the capture into a name.
    case captureEnd(Int32)
    /// Ends the capture and prints it if it differs from the last one.
    case captureChanged
    /// Adds a step to the counter of a name and prints it.
    case counter(Int32, by: Int32)

    /// Starts a loop, or jumps when there is nothing to loop over.
    case loopBegin(Int32, elseTo: Int32)
    /// Takes the next element of the loop and jumps.
    case loopNext(to: Int32)
    case loopEnd
    /// Starts a table, or jumps when there is no collection.
    case tableBegin(Int32, elseTo: Int32)
    /// Ends a cell, takes the next element and jumps.
    case tableNext(to: Int32)
    /// Ends a cell and the table.
    case tableEnd

    case caseBegin
    /// Runs the code at an instruction, which pushes the value of the `case` and comes back after this one.
    case caseSubject(at: Int32)
    /// Pops whether a value matched; if so, jumps to the branch, which comes back after this instruction.
    case caseMatch(to: Int32)
    /// Goes back to where the branch was begun from.
    case caseReturn
    /// Jumps when a branch has matched.
    case caseElse(to: Int32)
    case caseEnd
    /// Pops a cycle's key and goes to the jump of its turn among those after this one, or elsewhere where it has none.
    case cycle(count: Int32, elseTo: Int32)

    /// Remembers an interrupt for the code around.
    case interrupt(Interrupt)
    /// Takes the last interrupt that is remembered, and jumps.
    case takeInterrupt(breakTo: Int32, continueTo: Int32)
    /// Jumps when an interrupt is remembered; below 0 out of the program.
    case passInterrupt(to: Int32)

    /// Loads the partial whose name is on top of the stack, for a partial tag, before its arguments are read.
    case loadPartial(Int32)
    /// Renders the partial of a partial tag.
    case partial(Int32)
    /// Pops a name and pushes what the partial of that name renders.
    case partialValue
    /// Runs a custom tag; jumps when its body is skipped.
    case custom(Int32, elseTo: Int32)

    /// Charges the nodes of a block and the units of work that they take.
    case score(nodes: Int32, work: Int32)
    case end

    /// Where the instruction leads; nil for one that always goes on with the next.
    ///
    /// Of a taken interrupt it is where `break` leads.
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

/// What ends an iteration of a loop early.
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
