// SPDX-License-Identifier: MIT

import SourceText

/// The loops of `for` and `tablerow`.
extension Renderer {
    /// Starts a loop with the values on the stack; false if there are no elements.
    mutating func beginLoop(_ info: Program.LoopInfo, _ activation: Activation) throws(LiquidError) -> Bool {
        let limit = info.hasLimit ? machine.stack.pop() : .null
        let collection = machine.stack.pop()
        let offset = info.hasOffset ? machine.stack.pop() : .null
        let resume = activation.slot(info.resumeName)
        var from = info.resumes ? scope.frame.slots[resume].resume : 0
        try charge(work: (offset.textBytes + limit.textBytes) * 4)
        if case .null = offset {} else { from = try offset.wholeNumber() }
        var to: Int?
        if case .null = limit {
        } else {
            let (sum, overflow) = try limit.wholeNumber().addingReportingOverflow(from)
            to = overflow ? (from < 0 ? .min : .max) : sum
        }
        try chargeLoop(over: collection)
        let loop = makeLoop(info, over: collection, from: from, to: to, activation)
        let (end, overflow) = from.addingReportingOverflow(loop.count)
        scope.frame.slots[resume].resume = overflow ? .max : end
        guard loop.count > 0 else { return false }
        try scope.enter()
        start(consume loop)
        return true
    }

    /// Charges the storage for a loop over an object, whose members become arrays.
    mutating func chargeLoop(over collection: Value) throws(LiquidError) {
        guard case .object(let object) = collection else { return }
        try charge(work: Budget.product(object.count, 100))
        context.budget.allocate(object.count * (MemoryLayout<Value>.stride + Storage.array(capacity: 2)))
        if context.budget.needsCount() { try recount(holding: collection) }
    }

    /// A loop over a part of a collection, with the rules of the reference.
    private func makeLoop(
        _ info: Program.LoopInfo,
        over collection: Value,
        from: Int,
        to: Int?,
        _ activation: Activation
    ) -> LoopState {
        let source: LoopState.Source
        var length: Int
        switch collection {
        case .array(let elements): (source, length) = (.elements(elements), elements.count)
        case .range(let range): (source, length) = (.integers(range), range.count)
        case .object(let object):
            let pairs = object.pairs
            (source, length) = (.elements(pairs), pairs.count)
        default: (source, length) = (.elements([]), 0)
        }
        var start = min(max(from, 0), length)
        length = min(to.map { max($0, start) } ?? length, length)
        var loop = LoopState(
            source: source,
            start: start,
            count: length - start,
            isReversed: info.isReversed,
            variable: activation.slot(info.variable),
            loopName: info.loopName.map { activation.slot($0) },
            name: activation.program.names[info.resumeName].text,
            cases: machine.cases.count,
            captures: machine.captures.count
        )
        if case .string(let string) = collection, !string.isEmpty {
            // A text counts as one element, whatever limit and offset are.
            start = 0
            loop.source = .elements([collection])
            loop.count = 1
        }
        return loop
    }

    /// Sets the variables of a loop for its first element.
    private mutating func start(_ loop: consuming LoopState) {
        machine.loops.push(consume loop)
        guard let loop = machine.loops.top else { return }
        loop.pointee.hiddenVariable = scope.frame.slots[loop.pointee.variable].inner
        if let name = loop.pointee.loopName {
            loop.pointee.hiddenLoop = scope.frame.slots[name].inner
            let around = machine.loops.last(machine.loops.count - scope.frame.firstLoop).dropLast()
            let parent = loop.pointee.isTable ? nil : around.last { !$0.isTable }?.drop
            let drop = LoopDrop(loop.pointee, parent: parent)
            loop.pointee.drop = drop
            scope.frame.slots[name].inner = .drop(drop)
        }
        scope.frame.slots[loop.pointee.variable].inner = loop.pointee.element
    }

    /// Moves the innermost loop to its next element; false at its end.
    mutating func nextIteration() -> Bool {
        guard let loop = machine.loops.top else { return false }
        machine.endCases(after: loop.pointee.cases)
        loop.pointee.index += 1
        guard loop.pointee.index < loop.pointee.count else { return false }
        loop.pointee.drop?.update(loop.pointee)
        scope.frame.slots.address(of: loop.pointee.variable).setInner(loop.pointee.element)
        return true
    }

    /// Ends the innermost loop and restores the values that its variables hid.
    mutating func endLoop() {
        guard let loop = machine.loops.popLast() else { return }
        machine.endCases(after: loop.cases)
        if let drop = loop.drop { drop.end(loop) }
        scope.frame.slots[loop.variable].inner = loop.hiddenVariable
        if let name = loop.loopName { scope.frame.slots[name].inner = loop.hiddenLoop }
        scope.leave()
    }

    // MARK: tablerow

    mutating func beginTable(_ info: Program.LoopInfo, _ activation: Activation) throws(LiquidError) -> Bool {
        let columns = info.hasColumns ? machine.stack.pop() : .null
        let limit = info.hasLimit ? machine.stack.pop() : .null
        let offset = info.hasOffset ? machine.stack.pop() : .null
        let collection = machine.stack.pop()
        try charge(work: (offset.textBytes + limit.textBytes + columns.textBytes) * 4)
        let from = info.hasOffset ? try offset.tableNumber() : 0
        var to: Int?
        if info.hasLimit {
            let (sum, overflow) = try limit.tableNumber().addingReportingOverflow(from)
            to = overflow ? (from < 0 ? .min : .max) : sum
        }
        try chargeLoop(over: collection)
        var loop = makeLoop(info, over: collection, from: from, to: to, activation)
        loop.isTable = true
        loop.columns = info.hasColumns ? try columns.tableNumber() : loop.count
        output.append("<tr class=\"row1\">\n")
        try scope.enter()
        guard loop.count > 0 else {
            scope.leave()
            output.append("</tr>\n")
            return false
        }
        start(loop)
        output.append("<td class=\"col1\">")
        return true
    }

    /// Ends a cell and begins the next one, in a new row if the last one is full; false in the last cell.
    mutating func nextCell() -> Bool {
        guard let loop = machine.loops.top else { return false }
        machine.endCases(after: loop.pointee.cases)
        loop.pointee.index += 1
        let isRowFull = loop.pointee.column == loop.pointee.columns
        if isRowFull {
            loop.pointee.column = 1
            loop.pointee.row += 1
        } else {
            loop.pointee.column += 1
        }
        guard loop.pointee.index < loop.pointee.count else { return false }
        output.append("</td>")
        if isRowFull {
            output.append("</tr>\n<tr class=\"row")
            output.append(decimal: loop.pointee.row)
            output.append("\">")
        }
        loop.pointee.drop?.update(loop.pointee)
        scope.frame.slots[loop.pointee.variable].inner = loop.pointee.element
        output.append("<td class=\"col")
        output.append(decimal: loop.pointee.column)
        output.append("\">")
        return true
    }

    mutating func endTable() {
        output.append("</td></tr>\n")
        endLoop()
    }
}

extension Value {
    /// The integer value of an option of `tablerow`.
    fileprivate func tableNumber() throws(LiquidError) -> Int {
        if let integer = leadingInteger { return integer }
        throw LiquidError(.argument, "found \(kindName), expected an integer", referenceText: "invalid integer")
    }
}
