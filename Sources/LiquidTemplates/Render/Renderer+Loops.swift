// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The code for `for` and `tablerow` loops.
extension Renderer {
    /// Begins a loop with the values on the stack; returns false if there are no elements.
    mutating func beginLoop(_ info: Program.LoopInfo, _ activation: Activation) throws(LiquidError) -> Bool {
        let limit = info.hasLimit ? machine.stack.pop() : .null
        let collection = machine.stack.pop()
        let offset = info.hasOffset ? machine.stack.pop() : .null
        let resume = scope.slot(info.resumeName, activation)
        var from = info.resumes ? scope.frame[resume].resume : 0
        try context.budget.charge(bytes: offset.textBytes + limit.textBytes)
        if !offset.isNull { from = try offset.wholeNumber() }
        let to: Int? = try limit.isNull ? nil : sum(limit.wholeNumber(), from)
        try chargeLoop(over: collection)
        let elements = info.elements(of: collection, from: from, to: to)
        let (end, overflow) = from.addingReportingOverflow(elements.count)
        scope.frame[resume].resume = overflow ? .max : end
        guard elements.count > 0 else { return false }
        try scope.enter()
        start(info, elements, activation)
        return true
    }

    /// The sum of a limit and an offset, clamped to the range of `Int`.
    private func sum(_ limit: Int, _ offset: Int) -> Int {
        let (sum, overflow) = limit.addingReportingOverflow(offset)
        return overflow ? (offset < 0 ? .min : .max) : sum
    }

    /// Charges the work and memory for a loop over an object, which turns each member into an array of key and value.
    mutating func chargeLoop(over collection: Value) throws(LiquidError) {
        guard case .object(let object) = collection else { return }
        try charge(work: Budget.product(object.count, 2))
        context.budget.allocate(object.count * (MemoryLayout<Value>.stride + Storage.array(capacity: 2)))
        if context.budget.needsCount() { try recount(holding: collection) }
    }

    /// Begins a loop with its first element.
    private mutating func start(
        _ info: Program.LoopInfo,
        _ elements: LoopElements,
        columns: Int? = nil,
        _ activation: Activation
    ) {
        var progress = LoopProgress(name: activation.program.names[info.resumeName].text, count: elements.count)
        progress.columns = columns
        let variable = scope.slot(info.variable, activation)
        let loopName = info.loopName.map { scope.slot($0, activation) }
        var drop: LoopDrop?
        var hiddenLoop: Value?
        if let loopName {
            hiddenLoop = scope.frame[loopName].inner
            drop = LoopDrop(progress, parent: columns == nil ? parentLoop : nil)
            scope.frame[loopName].inner = drop.map { .drop($0) }
        }
        let hiddenVariable = scope.frame[variable].inner
        scope.frame[variable].inner = elements[0]
        machine.loops.push(
            LoopState(
                elements: elements,
                progress: progress,
                variable: variable,
                hiddenVariable: hiddenVariable,
                loopName: loopName,
                hiddenLoop: hiddenLoop,
                drop: drop,
                cases: machine.cases.count,
                captures: machine.captures.count
            )
        )
    }

    /// The innermost `for` of the frame as a value; nil if there is none or the template does not use it as a value.
    private var parentLoop: LoopDrop? {
        let around = scope.frame.firstLoop..<machine.loops.count
        return around.last { !machine.loops[$0].progress.isTable }.flatMap { machine.loops[$0].drop }
    }

    /// Moves the innermost loop to its next element; returns false at its end.
    mutating func nextIteration() -> Bool {
        guard let loop = machine.loops.top else { return false }
        machine.endCases(after: loop.pointee.cases)
        loop.pointee.progress.index += 1
        guard loop.pointee.progress.index < loop.pointee.progress.count else { return false }
        loop.pointee.drop?.update(loop.pointee.progress)
        scope.frame.setInner(loop.pointee.variable, loop.pointee.element)
        return true
    }

    /// Ends the innermost loop, and restores the values that its variables hid.
    mutating func endLoop() {
        guard let loop = machine.loops.popLast() else { return }
        machine.endCases(after: loop.cases)
        if let drop = loop.drop { drop.end(loop.progress) }
        scope.frame[loop.variable].inner = loop.hiddenVariable
        if let name = loop.loopName { scope.frame[name].inner = loop.hiddenLoop }
        scope.leave()
    }

    // MARK: - tablerow

    mutating func beginTable(_ info: Program.LoopInfo, _ activation: Activation) throws(LiquidError) -> Bool {
        let columns = info.hasColumns ? machine.stack.pop() : .null
        let limit = info.hasLimit ? machine.stack.pop() : .null
        let offset = info.hasOffset ? machine.stack.pop() : .null
        let collection = machine.stack.pop()
        try context.budget.charge(bytes: offset.textBytes + limit.textBytes + columns.textBytes)
        let from = info.hasOffset ? try offset.tableNumber() : 0
        let to: Int? = try info.hasLimit ? sum(limit.tableNumber(), from) : nil
        try chargeLoop(over: collection)
        let elements = info.elements(of: collection, from: from, to: to)
        let width = info.hasColumns ? try columns.tableNumber() : elements.count
        output.append("<tr class=\"row1\">\n")
        try scope.enter()
        guard elements.count > 0 else {
            scope.leave()
            output.append("</tr>\n")
            return false
        }
        start(info, elements, columns: width, activation)
        output.append("<td class=\"col1\">")
        return true
    }

    /// Ends a cell and begins the next one, in a new row if the current row is full; returns false after the last cell.
    mutating func nextCell() -> Bool {
        guard let loop = machine.loops.top else { return false }
        machine.endCases(after: loop.pointee.cases)
        loop.pointee.progress.index += 1
        let isRowFull = loop.pointee.progress.column == loop.pointee.progress.columns
        if isRowFull {
            loop.pointee.progress.column = 1
            loop.pointee.progress.row += 1
        } else {
            loop.pointee.progress.column += 1
        }
        guard loop.pointee.progress.index < loop.pointee.progress.count else { return false }
        output.append("</td>")
        if isRowFull {
            output.append("</tr>\n<tr class=\"row")
            output.append(decimal: loop.pointee.progress.row)
            output.append("\">")
        }
        loop.pointee.drop?.update(loop.pointee.progress)
        scope.frame[loop.pointee.variable].inner = loop.pointee.element
        output.append("<td class=\"col")
        output.append(decimal: loop.pointee.progress.column)
        output.append("\">")
        return true
    }

    mutating func endTable() {
        output.append("</td></tr>\n")
        endLoop()
    }
}

extension Program.LoopInfo {
    /// The elements in a part of a collection, by the rules of the reference implementation.
    fileprivate func elements(of collection: Value, from: Int, to: Int?) -> LoopElements {
        // A text counts as one element, whatever the limit and offset are.
        if case .string(let string) = collection, !string.isEmpty {
            return LoopElements(source: .elements([collection]), count: 1, isReversed: isReversed)
        }
        guard let all = LoopElements(collection) else { return LoopElements(source: .elements([]), count: 0) }
        let start = min(max(from, 0), all.count)
        let end = min(to.map { max($0, start) } ?? all.count, all.count)
        return LoopElements(source: all.source, start: start, count: end - start, isReversed: isReversed)
    }
}

extension Value {
    /// The integer value of an option of `tablerow`.
    fileprivate func tableNumber() throws(LiquidError) -> Int {
        if let integer = leadingInteger { return integer }
        throw LiquidError(.argument, "found \(kindName), expected an integer", referenceText: "invalid integer")
    }
}

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

extension LoopElements {
    /// All elements of a collection; nil for any other value.
    init?(_ collection: Value) {
        switch collection {
        case .array(let elements): self.init(source: .elements(elements), count: elements.count)
        case .range(let range): self.init(source: .integers(range), count: range.count)
        case .object(let object): self.init(source: .elements(object.pairs), count: object.count)
        default: return nil
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
        default: LoopField(rawValue: name).map(field)
        }
    }
}

/// The properties of `forloop` except `parentloop`, which is a loop itself.
enum LoopField: String {
    case index
    case index0
    case rindex
    case rindex0
    case first
    case last
    case length
    case name
}

/// `forloop` or `tablerowloop` as a value; it follows the loop even if it is assigned to another variable.
///
/// It holds none of the elements: a variable may outlive the loop, and its collection may contain the drop of an
/// earlier loop, so holding them could build a chain of any length.
///
/// Only the renderer that created the object writes to it, and never during one of its own reads. The object never
/// leaves the renderer, which returns nothing but text.
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
    /// After a `break`, a `for` counts the element at which it ended, and a `tablerow` does not.
    func end(_ progress: borrowing LoopProgress) {
        update(progress)
        if !progress.isTable, progress.index < progress.count { self.progress.index += 1 }
    }

    var text: String { progress.isTable ? "Liquid::TablerowloopDrop" : "Liquid::ForloopDrop" }

    func property(_ name: String) -> Value? {
        if progress.isTable, let field = progress.tableField(name) { return field }
        if !progress.isTable, let field = LoopField(rawValue: name) { return progress.field(field) }
        switch name {
        case "parentloop": return progress.isTable ? nil : parent.map { .drop($0) }
        case "to_liquid": return .drop(self)
        default: return nil
        }
    }
}
