// SPDX-License-Identifier: MIT

extension RandomAccessCollection where Index == Int {
    /// Finds by bisection the first index at which a condition holds; `endIndex` where it holds nowhere.
    ///
    /// The condition has to hold for all elements after the first for which it holds.
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
