// SPDX-License-Identifier: MIT

import SourceText

/// Counting of live bytes; see ``Budget``.
extension Renderer {
    /// Charges the storage of a new value.
    @inline(__always)
    mutating func hold(_ value: Value, bytes: Int) throws(LiquidError) {
        context.budget.allocate(bytes)
        if context.budget.needsCount() { try recount(holding: value) }
    }

    /// Counts the bytes that are held: by variables, values in progress, loops, captures, and `value`.
    ///
    /// Values of partials and tags in progress cannot be reached here; ``Budget/pinned`` is added for them, an upper
    /// bound of all that was held when they began.
    ///
    /// - Throws: `memory` if that passes a limit.
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

    /// Runs code that keeps values that the count cannot reach.
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
