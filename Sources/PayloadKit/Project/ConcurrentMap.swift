// SPDX-License-Identifier: MIT

import POSIXFiles

extension Array where Element: Sendable {
    /// Transforms the elements concurrently; the results are in the order of the elements.
    ///
    /// A single element is transformed by the caller's thread.
    package func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        guard count > 1 else { return map(transform) }
        let results = Locked([Result?](repeating: nil, count: count))
        LargeStack.concurrently(count) { index in
            let result = transform(self[index])
            results.withLock { $0[index] = result }
        }
        return results.withLock { $0.compactMap { $0 } }
    }
}
