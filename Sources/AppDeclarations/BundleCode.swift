// SPDX-License-Identifier: MIT

import POSIXFiles

/// The code of a bundle; nil where it is not known.
///
/// Its files are found, and then read, when they are first needed.
package typealias BundleCode = OnDemand<OnDemand<TargetCode>?>

/// A value that is made only once, when it is first needed.
package final class OnDemand<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case open(@Sendable () -> Value)
        case made(Value)
    }

    private let state: Locked<State>

    /// A value that is known.
    package init(_ value: Value) { state = Locked(.made(value)) }

    /// A value that is made by a function.
    package init(making value: @escaping @Sendable () -> Value) { state = Locked(.open(value)) }

    /// The value.
    ///
    /// While one thread makes it, other threads wait.
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

    /// The values, in the given order; values that are not made yet are made concurrently.
    package static func values(_ all: [OnDemand]) -> [Value] {
        let open = all.filter { !$0.isMade }
        if open.count > 1 { LargeStack.concurrently(open.count) { _ = open[$0].value } }
        return all.map(\.value)
    }
}
