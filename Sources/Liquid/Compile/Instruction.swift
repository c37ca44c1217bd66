// SPDX-License-Identifier: MIT

/// One step of a program.
///
/// The operands are indices into the program's tables, offsets into its text or instructions.
struct Instruction {
    enum Operation: UInt8 {
        /// Appends the text bytes `a..<a + b`.
        case text
        /// Prints the value of path `a`.
        case emitPath
        /// Prints and drops the top of the stack.
        case emit
        /// Prints the top of the stack as the turn of a cycle.
        case emitTurn

        /// Pushes constant `a`.
        case pushConstant
        /// Pushes the value of path `a`; `b` is 1 where a variable that does not exist is not an error.
        case pushPath
        /// Pushes property `b` of the innermost loop.
        case pushLoopField
        /// Replaces a name by the variable of that name.
        case findVariable
        /// Replaces two bounds by their range.
        case makeRange
        /// Replaces a value and an index by the element; `a` is 1 where one that does not exist is not an error.
        case index
        /// Replaces a value by what step `a` of a path leads to; `b` is 1 where one that does not exist is not an error.
        case step
        /// Replaces `b` values by an object with the keys of list `a`.
        case makeObject
        /// Pushes a copy of the value below `a` others.
        case copy
        /// Drops `a` values.
        case drop

        /// Calls filter `a` with `b` arguments.
        case filter
        /// Calls filter `a` with `b` arguments and prints what it returns.
        case filterAndEmit
        /// Replaces two values by the outcome of comparison `a`.
        case compare
        /// Replaces a value by whether it is blank, or not where `a` is 1.
        case testBlank
        /// Replaces a value by whether it is empty, or not where `a` is 1.
        case testEmpty
        /// Fails with error `a`.
        case fail

        case jump
        /// Pops a value and goes to `a` when it is false or nil.
        case jumpIfFalse
        /// Pops a value and goes to `a` when it is neither.
        case jumpIfTrue

        /// Pops a value into name `a`.
        case assign
        case captureBegin
        /// Ends the capture into name `a`.
        case captureEnd
        /// Ends the capture and prints it if it differs from the last one.
        case captureChanged
        /// Adds `b` to counter `a` and prints it.
        case counter

        /// Starts loop `a`, or goes to `b` when there is nothing to loop over.
        case loopBegin
        /// Takes the next element of the loop and goes to `a`.
        case loopNext
        case loopEnd
        /// Starts table `a`, or goes to `b` when there is no collection.
        case tableBegin
        /// Ends a cell, takes the next element and goes to `a`.
        case tableNext
        /// Ends a cell and the table.
        case tableEnd

        case caseBegin
        /// Runs the code at `a`, which pushes the value of the `case` and comes back after this instruction.
        case caseSubject
        /// Pops whether a value matched; if so, goes to the branch at `a`, which comes back after this instruction.
        case caseMatch
        /// Goes back to where the branch was begun from.
        case caseReturn
        /// Goes to `a` when a branch has matched.
        case caseElse
        case caseEnd
        /// Pops a cycle's key and goes to the instruction of its turn among `a`.
        case cycle

        /// Remembers a `break` (`a` is 1) or `continue` (2) for the code around.
        case interrupt
        /// Goes to `a` on a remembered `break` and to `b` on `continue`, and forgets it.
        case takeInterrupt
        /// Goes to `a` when an interrupt is remembered.
        case passInterrupt

        /// Loads the partial whose name is on top of the stack, for partial tag `a`, before its arguments are read.
        case loadPartial
        /// Renders partial `a`.
        case partial
        /// Pops a name and pushes what the partial of that name renders.
        case partialValue
        /// Runs custom tag `a`; goes to `b` when its body is skipped.
        case custom

        /// Charges `a` nodes of a block, which take `b` units of work.
        case score
        case end
    }

    var operation: Operation
    var a: Int32 = 0
    var b: Int32 = 0
}

/// The properties of `forloop`.
enum LoopField: Int32, CaseIterable {
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
