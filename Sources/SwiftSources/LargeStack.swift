// SPDX-License-Identifier: MIT

import Foundation

/// Runs a function on a thread with a stack that is large enough for deeply nested code.
///
/// - Parameter body: the function.
/// - Returns: its result.
func onLargeStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    let outcome = Outcome<Result>()
    let thread = Thread {
        outcome.set(body())
    }
    thread.stackSize = 64 << 20
    thread.start()
    return outcome.wait()
}

/// The result of a thread.
///
/// The conformance is unchecked: the lock of the condition guards the value.
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
