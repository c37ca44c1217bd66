// SPDX-License-Identifier: MIT

/// Determines which of the names that a template sets are read later.
///
/// A read inside a loop counts as a read at the end of the loop, as the next iteration may execute it after the
/// binding.
struct ReadingOrder {
    private var step = 0
    private var bindings: [(binding: Int, step: Int)] = []
    private var lastReads: [VariablePath.Root: Int] = [:]
    private var lastReadOfAll = 0
    /// The names read so far in the outermost open loop.
    private var readInLoop: Set<VariablePath.Root> = []
    private var readsAllInLoop = false
    private var depth = 0

    mutating func add(binding: Int) {
        step += 1
        bindings.append((binding, step))
    }

    mutating func addRead(of name: String) {
        step += 1
        lastReads[.name(name)] = step
        if depth > 0 { readInLoop.insert(.name(name)) }
    }

    /// Records a place that may read any name.
    mutating func addReadOfAll() {
        step += 1
        lastReadOfAll = step
        if depth > 0 { readsAllInLoop = true }
    }

    mutating func beginLoop() { depth += 1 }

    mutating func endLoop() {
        depth -= 1
        guard depth == 0 else { return }
        step += 1
        for root in readInLoop { lastReads[root] = step }
        if readsAllInLoop { lastReadOfAll = step }
        readInLoop.removeAll()
        readsAllInLoop = false
    }

    /// Marks the bindings that are read later.
    func mark(_ result: inout [Binding]) {
        for (binding, step) in bindings {
            let last = max(lastReadOfAll, lastReads[.name(result[binding].name)] ?? 0)
            if last > step { result[binding].isRead = true }
        }
    }

    /// Whether there is a place that may read any name.
    var readsAll: Bool { lastReadOfAll > 0 }
}
