// SPDX-License-Identifier: MIT

import POSIXFiles

/// The code of a bundle, in two steps, each of which is done when its result is first needed.
///
/// The outer value finds the files, and is nil if they are not known; the inner value reads them.
package typealias BundleCode = OnDemand<OnDemand<TargetCode>?>

/// A value that a function makes when it is first needed, and that is then kept.
package final class OnDemand<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case open(@Sendable () -> Value)
        case made(Value)
    }

    private let state: Locked<State>

    /// Holds a value that already exists.
    package init(_ value: Value) { state = Locked(.made(value)) }

    /// Holds a function that makes the value when it is first needed.
    package init(making value: @escaping @Sendable () -> Value) { state = Locked(.open(value)) }

    /// The value, made by the first access.
    ///
    /// While one thread makes the value, other threads wait.
    package var value: Value {
        state.withLock { state in
            switch state {
            case .made(let value): return value
            case .open(let make):
                let value = make()
                state = .made(value)
                return value
            }
        }
    }

    package var isMade: Bool {
        state.withLock { if case .made = $0 { true } else { false } }
    }

    /// The values in the order of `all`; those that are not made yet are made concurrently.
    package static func values(_ all: [OnDemand]) -> [Value] {
        let open = all.filter { !$0.isMade }
        if open.count > 1 { LargeStack.concurrently(open.count) { _ = open[$0].value } }
        return all.map(\.value)
    }
}
