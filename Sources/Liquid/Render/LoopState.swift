// SPDX-License-Identifier: MIT

/// The state of a running `for` or `tablerow`.
struct LoopState {
    enum Source {
        case elements([Value])
        case integers(LiquidRange)
    }

    var source: Source
    /// The index of the first element to loop over, and the number of elements.
    var start: Int
    var count: Int
    var isReversed: Bool
    var index = 0
    var isTable = false
    var columns = 0
    var column = 1
    var row = 1

    /// The slots of the variable and of `forloop`, and the values that these hide.
    var variable: Int
    var hiddenVariable: Value?
    var loopName: Int?
    var hiddenLoop: Value?
    /// The loop as a value, created when the template first reads it.
    var drop: LoopDrop?
    var name: String
    /// The number of open cases and captures of the renderer when the loop began.
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

/// `forloop` or `tablerowloop` as a value; it follows the state of the loop even if it is assigned to another variable.
///
/// Only the renderer that created it writes to it, between its own reads. It never leaves the renderer, which returns
/// only text.
final class LoopDrop: Drop, @unchecked Sendable {
    fileprivate(set) var state: LoopState
    let parent: LoopDrop?

    init(_ state: LoopState, parent: LoopDrop?) {
        self.state = state
        // A variable may outlive the loop, and its collection may contain the drop of an earlier loop: keeping the
        // elements could build a chain of any length.
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

    /// Takes the final state of a loop: after a `break`, a `for` has counted the element at which it ended, a
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
