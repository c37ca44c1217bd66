// SPDX-License-Identifier: MIT

import Files
package import SwiftSources

/// The code of a bundle, which is read when it is first needed.
package final class BundleCode: Sendable {
    private enum State: Sendable {
        case unread(@Sendable () -> TargetCode?)
        case read(TargetCode?)
    }

    private let state: Locked<State>

    /// Code that is known.
    package init(_ code: TargetCode?) { state = Locked(.read(code)) }

    /// Code that is read by a function, once.
    package init(reading code: @escaping @Sendable () -> TargetCode?) { state = Locked(.unread(code)) }

    /// The code; nil where it is not known.
    package var code: TargetCode? {
        state.withLock { state in
            switch state {
            case .read(let code): return code
            case .unread(let read):
                let code = read()
                state = .read(code)
                return code
            }
        }
    }
}
