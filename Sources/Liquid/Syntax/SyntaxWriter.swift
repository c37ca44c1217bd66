// SPDX-License-Identifier: MIT

import SourceText

/// Writes the parts of a ``SyntaxTree``.
struct SyntaxWriter: ~Copyable, SyntaxParts {
    private var parts: TableBuilder<SyntaxTree.Part>
    private(set) var values: [Value] = []
    private(set) var runs: [TagRun] = []

    /// Reserves memory for a source with many tags; most sources need less.
    init(sourceCount: Int) {
        parts = TableBuilder(capacity: sourceCount / 4 + 4)
    }

    subscript(id: PartID) -> SyntaxTree.Part {
        get { parts[Int(id.index)] }
        _modify { yield &parts[Int(id.index)] }
    }

    /// The ID of the part that will be added next.
    var end: PartID { PartID(parts.count) }

    /// Adds a part.
    @discardableResult
    mutating func add(
        _ kind: SyntaxTree.Kind,
        _ start: Int,
        _ end: Int,
        detail: Int = 0,
        flags: SyntaxTree.Flags = []
    ) -> PartID {
        parts.append(
            SyntaxTree.Part(
                kind: kind,
                flags: flags,
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                detail: UInt32(truncatingIfNeeded: detail)
            )
        )
        return PartID(parts.count - 1)
    }

    @discardableResult
    mutating func add(_ kind: SyntaxTree.Kind, _ offsets: Range<Int>, detail: Int = 0) -> PartID {
        add(kind, offsets.lowerBound, offsets.upperBound, detail: detail)
    }

    @discardableResult
    mutating func add(
        _ kind: SyntaxTree.Kind,
        _ range: SourceRange,
        detail: Int = 0,
        flags: SyntaxTree.Flags = []
    ) -> PartID {
        add(kind, Int(range.start), Int(range.end), detail: detail, flags: flags)
    }

    /// Adds a value.
    @discardableResult
    mutating func add(_ value: Value, _ start: Int, _ end: Int) -> PartID {
        if case .integer(let integer) = value, let detail = UInt32(exactly: integer) {
            return add(.integer, start, end, detail: Int(detail))
        }
        values.append(value)
        return add(.constant, start, end, detail: values.count - 1)
    }

    /// Adds what a tag of a dialect runs.
    mutating func add(_ run: TagRun, _ range: SourceRange) -> PartID {
        runs.append(run)
        return add(.payload, range, detail: runs.count - 1)
    }

    /// Makes all parts that were added after a part its contents.
    mutating func close(_ id: PartID) { self[id].size = end.index - id.index }

    /// Makes all parts that were added after a part its contents, and sets its end, which was not known before.
    mutating func close(_ id: PartID, end: Int) {
        self[id].end = UInt32(truncatingIfNeeded: end)
        close(id)
    }

    /// Removes a part and all parts after it.
    mutating func truncate(to id: PartID) { parts.truncate(to: Int(id.index)) }

    /// The parts from `id` on, which ``append(_:)`` can add again at any place, since no part holds an absolute
    /// position.
    func parts(from id: PartID) -> [SyntaxTree.Part] {
        var copy: [SyntaxTree.Part] = []
        for index in Int(id.index)..<parts.count { copy.append(parts[index]) }
        return copy
    }

    mutating func append(_ copy: [SyntaxTree.Part]) {
        for part in copy { parts.append(part) }
    }

    /// Removes the parts from `outer` up to `inner`, each of which has `inner` as its last part; `inner` takes their
    /// place.
    mutating func unwrap(_ outer: PartID, to inner: PartID) {
        parts.removeSubrange(Int(outer.index)..<Int(inner.index))
    }

    /// Whether a part, with its contents, is the last one so far.
    func isLast(_ id: PartID) -> Bool { next(after: id) == end }

    consuming func finish() -> FixedTable<SyntaxTree.Part> { parts.finish() }
}
