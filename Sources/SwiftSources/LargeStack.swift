// SPDX-License-Identifier: MIT

import Foundation

/// Runs a function on a thread with a stack that is large enough for deeply nested code.
///
/// - Parameter body: the function.
/// - Returns: its result.
func onLargeStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    let outcome = Outcome<Result>()
    LargeStacks.shared.run { outcome.set(body()) }
    return outcome.wait()
}

/// The threads with large stacks: as many as functions have run at the same time.
///
/// A thread waits for the next function, as to start one takes longer than to read a short file.
private final class LargeStacks: @unchecked Sendable {
    static let shared = LargeStacks()

    private let condition = NSCondition()
    private var waiting: [@Sendable () -> Void] = []
    private var idleThreads = 0

    func run(_ body: @escaping @Sendable () -> Void) {
        condition.lock()
        defer { condition.unlock() }
        waiting.append(body)
        guard idleThreads < waiting.count else { return condition.signal() }
        let thread = Thread { self.work() }
        thread.stackSize = 64 << 20
        thread.start()
    }

    private func work() {
        while true { next()() }
    }

    private func next() -> @Sendable () -> Void {
        condition.lock()
        defer { condition.unlock() }
        while waiting.isEmpty {
            idleThreads += 1
            condition.wait()
            idleThreads -= 1
        }
        return waiting.removeFirst()
    }
}

/// The result of a thread.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value?

    func set(_ value: Value) {
        condition.lock()
        self.value = value
        condition.signal()
        condition.unlock()
    }

    func wait() -> Value {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let value { return value }
            condition.wait()
        }
    }
}
