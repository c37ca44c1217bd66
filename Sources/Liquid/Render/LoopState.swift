// SPDX-License-Identifier: MIT

/// A `for` or `tablerow` that is running.
struct LoopState {
    enum Source {
        case elements([Value])
        case integers(LiquidRange)
    }

    var source: Source
    /// The first element of the segment, and how many it has.
    var start: Int
    var count: Int
    var isReversed: Bool
    var index = 0
    var isTable = false
    var columns = 0
    var column = 1
    var row = 1

    /// The slots of the variable and of `forloop`, and what they held.
    var variable: Int
    var hiddenVariable: Value?
    var loopName: Int?
    var hiddenLoop: Value?
    /// The loop as a value, once one was asked for.
    var drop: LoopDrop?
    var name: String
    /// How many of the renderer's cases and captures were open around the loop.
    var cases: Int
    var captures: Int

    /// The element of the current iteration.
    @inline(__always)
    var element: Value {
        let position = isReversed ? start + count - 1 - index : start + index
        switch source {
        case .elements(let elements): return elements[position]
        case .integers(let range): return .integer(range.lower + position)
        }
    }

    @inline(__always)
    func field(_ field: LoopField) -> Value {
        switch field {
        case .index: .integer(index + 1)
        case .index0: .integer(index)
        case .rindex: .integer(count - index)
        case .rindex0: .integer(count - index - 1)
        case .first: .bool(index == 0)
        case .last: .bool(index == count - 1)
        case .length: .integer(count)
        case .name: .string(name)
        case .parentloop: drop?.parent.map { .drop($0) } ?? .null
        }
    }

    func tableField(_ name: String) -> Value? {
        switch name {
        case "col": .integer(column)
        case "col0": .integer(column - 1)
        case "col_first": .bool(column == 1)
        case "col_last": .bool(column == columns)
        case "row": .integer(row)
        case "name", "parentloop": nil
        default: LoopField(name).map(field)
        }
    }
}

/// `forloop` or `tablerowloop` as a value: it follows the loop, also from a variable that it was assigned to.
///
/// Only the renderer that made it writes to it, between two reads of its own; it never leaves that renderer, as
/// rendered text is all that does.
final class LoopDrop: Drop, @unchecked Sendable {
    fileprivate(set) var state: LoopState
    let parent: LoopDrop?

    init(_ state: LoopState, parent: LoopDrop?) {
        self.state = state
        // A variable may keep this longer than the loop, and what the loop goes through may hold that of an earlier one:
        // kept elements would make a chain of any length.
        self.state.source = .integers(LiquidRange(1, 0))
        self.state.hiddenVariable = nil
        self.state.hiddenLoop = nil
        self.state.drop = nil
        self.parent = parent
    }

    func update(_ state: LoopState) {
        self.state.index = state.index
        self.state.column = state.column
        self.state.row = state.row
    }

    /// Shows the last state of a loop that ends: after a `break` a `for` has counted the element that it left at, and a
    /// `tablerow` has not.
    func end(_ state: LoopState) {
        update(state)
        if !state.isTable, state.index < state.count { self.state.index += 1 }
    }

    var text: String { state.isTable ? "Liquid::TablerowloopDrop" : "Liquid::ForloopDrop" }

    func property(_ name: String) -> Value? {
        if state.isTable { return state.tableField(name) }
        if name == "parentloop" { return parent.map { .drop($0) } }
        return LoopField(name).map(state.field)
    }
}
