// SPDX-License-Identifier: MIT

/// The state of a running `for` or `tablerow`.
struct LoopState: ~Copyable {
    let elements: LoopElements
    var progress: LoopProgress

    /// The slots of the variable and of `forloop`, and the values that these hide.
    let variable: Int
    var hiddenVariable: Value?
    let loopName: Int?
    var hiddenLoop: Value?
    /// The loop as a value; nil if the template does not use it as a value.
    var drop: LoopDrop?
    /// The number of open cases and captures of the renderer when the loop began.
    let cases: Int
    let captures: Int

    /// The element of the current iteration.
    @inline(__always)
    var element: Value { elements[progress.index] }
}

/// The part of a collection over which a loop iterates.
struct LoopElements {
    enum Source {
        case elements([Value])
        case integers(LiquidRange)
    }

    let source: Source
    /// The index of the first element of the loop.
    var start = 0
    /// The number of elements.
    let count: Int
    var isReversed = false

    /// The element for an iteration.
    @inline(__always)
    subscript(iteration: Int) -> Value {
        let position = isReversed ? start + count - 1 - iteration : start + iteration
        switch source {
        case .elements(let elements): return elements[position]
        case .integers(let range): return .integer(range.lower + position)
        }
    }
}

/// The progress of a loop, as `forloop` and `tablerowloop` report it.
struct LoopProgress {
    /// The name of the loop, made of its variable and its collection, as in `item-items`.
    let name: String
    /// The number of elements.
    let count: Int
    /// The number of elements before the current one.
    var index = 0
    /// The number of columns of a `tablerow`; nil for a `for`.
    var columns: Int?
    var column = 1
    var row = 1

    var isTable: Bool { columns != nil }

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
        }
    }

    fileprivate func tableField(_ name: String) -> Value? {
        switch name {
        case "col": .integer(column)
        case "col0": .integer(column - 1)
        case "col_first": .bool(column == 1)
        case "col_last": .bool(column == columns)
        case "row": .integer(row)
        case "name": nil
        default: LoopField(name).map(field)
        }
    }
}

/// The properties of `forloop` except `parentloop`, which is a loop itself.
enum LoopField: UInt8 {
    case index
    case index0
    case rindex
    case rindex0
    case first
    case last
    case length
    case name

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
        default: return nil
        }
    }
}

/// `forloop` or `tablerowloop` as a value; it follows the loop even if it is assigned to another variable.
///
/// It holds none of the elements: a variable may outlive the loop, and its collection may contain the drop of an
/// earlier loop, so holding them could build a chain of any length.
///
/// Only the renderer that created it writes to it, between its own reads. It never leaves the renderer, which returns
/// nothing but text.
final class LoopDrop: Drop, @unchecked Sendable {
    var progress: LoopProgress
    let parent: LoopDrop?

    init(_ progress: LoopProgress, parent: LoopDrop?) {
        self.progress = progress
        self.parent = parent
    }

    /// Follows the loop to its next element.
    @inline(__always)
    func update(_ progress: borrowing LoopProgress) {
        self.progress.index = progress.index
        self.progress.column = progress.column
        self.progress.row = progress.row
    }

    /// Stores the final progress of a loop.
    ///
    /// If a `break` ended it, a `for` counts the element at which it ended, a `tablerow` does not.
    func end(_ progress: borrowing LoopProgress) {
        update(progress)
        if !progress.isTable, progress.index < progress.count { self.progress.index += 1 }
    }

    var text: String { progress.isTable ? "Liquid::TablerowloopDrop" : "Liquid::ForloopDrop" }

    func property(_ name: String) -> Value? {
        if progress.isTable, let field = progress.tableField(name) { return field }
        if !progress.isTable, let field = LoopField(name) { return progress.field(field) }
        switch name {
        case "parentloop": return progress.isTable ? nil : parent.map { .drop($0) }
        case "to_liquid": return .drop(self)
        default: return nil
        }
    }
}
