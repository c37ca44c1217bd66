// SPDX-License-Identifier: MIT

import SourceText

/// Live bytes; see ``Budget``.
extension Renderer {
    /// Charges storage of a value that was made.
    @inline(__always)
    mutating func hold(_ value: Value, bytes: Int) throws(LiquidError) {
        context.budget.allocate(bytes)
        if context.budget.needsCount() { try recount(holding: value) }
    }

    /// Counts what is held: variables, values in progress, loops, captures, and `value`.
    ///
    /// What partials and tags in progress keep for themselves is out of sight; for these ``Budget/pinned`` is added, which
    /// is at least all that was held when they began.
    ///
    /// - Throws: `memory` where that passes a limit.
    @inline(never)
    mutating func recount(holding value: Value = .null) throws(LiquidError) {
        var count = StorageCount(most: context.budget.workLeft / 16)
        count.add(value)
        for slot in frame.slots where slot.isUsed {
            count.add(slot.inner)
            count.add(slot.outer)
            count.add(slot.counter)
        }
        for cycle in frame.cycles { count.add(cycle.key) }
        count.add(frame.lastChanged.map { .string($0) })
        for value in stack.last(stack.count) { count.add(value) }
        for loop in loops.last(loops.count) {
            if case .elements(let elements) = loop.source { count.add(elements) }
            count.add(loop.hiddenVariable)
            count.add(loop.hiddenLoop)
        }
        try charge(work: 1_000 + Budget.product(frame.slots.count + count.elements, 16))
        let own = frame.slots.count * Storage.variable + frame.cycles.count * Storage.cycle
        try context.budget.setLive(count.bytes + own + output.count)
    }

    /// Runs something that keeps values where the count does not see them.
    mutating func pinning<Result>(
        _ body: (inout Renderer) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        if context.budget.paysToCount { try recount() }
        let outer = context.budget.pinned
        context.budget.pinned = context.budget.live
        defer { context.budget.pinned = outer }
        return try body(&self)
    }
}
