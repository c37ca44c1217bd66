// SPDX-License-Identifier: MIT

extension RandomAccessCollection where Index == Int {
    /// The first index from which on a condition holds, by bisection; the end where it holds for none.
    @inlinable package func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
