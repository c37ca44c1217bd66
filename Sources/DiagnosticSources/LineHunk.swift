// SPDX-License-Identifier: MIT

/// A run of lines in one text, and the lines that replace it in another text.
package struct LineHunk: Sendable {
    /// The indices of the lines that are replaced; empty for an insertion.
    package var range: Range<Int>

    /// The lines that replace them; empty for a removal.
    package var lines: [[UInt8]]

    /// The differences between two texts, in ascending order.
    package static func hunks(from old: [[UInt8]], to new: [[UInt8]]) -> [LineHunk] {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        if start == oldEnd, start == newEnd { return [] }
        // The comparison takes quadratic time in the worst case, so long runs of different lines are one difference.
        guard oldEnd - start <= 2_000, newEnd - start <= 2_000 else {
            return [LineHunk(range: start..<oldEnd, lines: Array(new[start..<newEnd]))]
        }
        let difference = Array(new[start..<newEnd]).difference(from: Array(old[start..<oldEnd]))
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset + start)
            case .insert(let offset, _, _): inserted.insert(offset + start)
            }
        }
        var hunks: [LineHunk] = []
        var (oldIndex, newIndex) = (start, start)
        while oldIndex < oldEnd || newIndex < newEnd {
            let first = oldIndex
            var lines: [[UInt8]] = []
            while removed.contains(oldIndex) || inserted.contains(newIndex) {
                if removed.contains(oldIndex) {
                    oldIndex += 1
                } else {
                    lines.append(new[newIndex])
                    newIndex += 1
                }
            }
            if first < oldIndex || !lines.isEmpty { hunks.append(LineHunk(range: first..<oldIndex, lines: lines)) }
            oldIndex += 1
            newIndex += 1
        }
        return hunks
    }

    /// Merges the changes that two texts make to a common base; nil if both change the same or neighbouring lines
    /// differently.
    ///
    /// - Parameters:
    ///   - base: the text that both started from.
    ///   - mine: one text.
    ///   - theirs: the other text.
    /// - Returns: the lines of the base with the changes of both texts.
    package static func merged(_ base: [[UInt8]], _ mine: [[UInt8]], _ theirs: [[UInt8]]) -> [[UInt8]]? {
        let left = hunks(from: base, to: mine)
        let right = hunks(from: base, to: theirs)
        for one in left {
            for other in right {
                let isSame = one.range == other.range && one.lines == other.lines
                // Changes to neighbouring lines are a conflict too: the order of the new lines would be a guess.
                let isApart =
                    one.range.upperBound < other.range.lowerBound || other.range.upperBound < one.range.lowerBound
                if !isSame, !isApart { return nil }
            }
        }
        let mineOnly = left.filter { hunk in !right.contains { $0.range == hunk.range && $0.lines == hunk.lines } }
        let all = (mineOnly + right).sorted { $0.range.lowerBound < $1.range.lowerBound }
        var result: [[UInt8]] = []
        var position = 0
        for hunk in all {
            result += base[position..<hunk.range.lowerBound]
            result += hunk.lines
            position = hunk.range.upperBound
        }
        return result + base[position...]
    }
}
