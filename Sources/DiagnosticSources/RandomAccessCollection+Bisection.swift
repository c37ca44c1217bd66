// SPDX-License-Identifier: MIT

extension RandomAccessCollection where Index == Int {
    /// Finds by bisection the index of the first element that meets a condition; `endIndex` if none does.
    ///
    /// Every element after the first that meets the condition has to meet it too.
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
