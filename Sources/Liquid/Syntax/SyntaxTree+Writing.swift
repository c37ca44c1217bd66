// SPDX-License-Identifier: MIT

import SourceText

/// How the parser writes a tree.
extension SyntaxTree {
    /// The index of the next part.
    var end: Int { parts.count }

    /// Makes room for what a tag-dense source comes to; most take less.
    init(sourceCount: Int) {
        parts.reserveCapacity(sourceCount / 4 + 4)
    }

    /// Adds a part.
    @discardableResult
    mutating func add(_ kind: Kind, _ start: Int, _ end: Int, detail: Int = 0, flags: Flags = []) -> Int {
        parts.append(
            Part(
                kind: kind,
                flags: flags,
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                detail: UInt32(truncatingIfNeeded: detail)
            )
        )
        return parts.count - 1
    }

    @discardableResult
    mutating func add(_ kind: Kind, _ range: SourceRange, detail: Int = 0) -> Int {
        add(kind, Int(range.start), Int(range.end), detail: detail)
    }

    /// Adds a value.
    @discardableResult
    mutating func add(_ value: Value, _ start: Int, _ end: Int) -> Int {
        if case .integer(let integer) = value, let detail = UInt32(exactly: integer) {
            return add(.integer, start, end, detail: Int(detail))
        }
        values.append(value)
        return add(.constant, start, end, detail: values.count - 1)
    }

    /// Takes all that was added behind a part for the parts inside it.
    mutating func close(_ part: Int) { parts[part].size = UInt32(parts.count - part) }

    /// The same for a part whose end was not known when it was added.
    mutating func close(_ part: Int, end: Int) {
        parts[part].end = UInt32(truncatingIfNeeded: end)
        close(part)
    }

    /// Takes back what was added from an index on.
    mutating func truncate(to index: Int) { parts.removeLast(parts.count - index) }

    /// Takes away parts of which each holds nothing but the next; what the innermost holds stays.
    mutating func unwrap(_ wrappers: Range<Int>) { parts.removeSubrange(wrappers) }
}
