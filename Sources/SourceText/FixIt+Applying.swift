// SPDX-License-Identifier: MIT

/// What became of the fixes of one file.
public struct AppliedFixes: Sendable {
    /// The bytes of the file with the fixes.
    public let bytes: [UInt8]

    /// The edits that were made, ascending and without overlap.
    public let edits: [FixIt.Edit]

    /// The fixes that were made.
    public let applied: [FixIt]

    /// The fixes that were left out, as they touch what an earlier one changes; after another run they may apply.
    public let conflicting: [FixIt]
}

extension FixIt {
    /// Applies the fixes of one file; every byte that no edit names stays as it is.
    ///
    /// A fix is made as a whole or not at all. Of two that touch the same bytes, or insert at the same place, the
    /// earlier in the list is made; the same edit twice counts once. A fix whose edits overlap each other or lie outside
    /// the file is left out, and so is one whose text the encoding of the file cannot hold.
    public static func apply(_ fixes: [FixIt], to file: SourceFile) -> AppliedFixes {
        apply(fixes, to: file.bytes, encoding: file.encoding)
    }

    /// Applies the fixes of one file to its bytes, as ``apply(_:to:)`` does.
    public static func apply(_ fixes: [FixIt], to bytes: [UInt8], encoding: TextEncoding = .utf8) -> AppliedFixes {
        var accepted = AcceptedEdits(count: bytes.count, encoding: encoding)
        var applied: [FixIt] = []
        var conflicting: [FixIt] = []
        for fix in fixes {
            if accepted.add(fix.edits) { applied.append(fix) } else { conflicting.append(fix) }
        }
        let edited = Self.replacing(accepted.edits, in: bytes[...], encoding: encoding)
        return AppliedFixes(bytes: edited, edits: accepted.edits, applied: applied, conflicting: conflicting)
    }

    /// The bytes of a part of a file with ascending edits that lie in it.
    static func replacing(
        _ edits: some Sequence<Edit>,
        in bytes: ArraySlice<UInt8>,
        encoding: TextEncoding = .utf8
    ) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = bytes.startIndex
        for edit in edits {
            result += bytes[position..<Int(edit.range.start)]
            result += encoding.bytes(of: edit.replacement) ?? []
            position = Int(edit.range.end)
        }
        result += bytes[position...]
        return result
    }
}

/// Edits that go together, ascending.
private struct AcceptedEdits {
    /// The length of the file.
    let count: Int

    let encoding: TextEncoding

    var edits: [FixIt.Edit] = []

    /// Takes the edits of one fix, or none of them when one cannot be made.
    mutating func add(_ additional: [FixIt.Edit]) -> Bool {
        var merged = edits
        var own: Set<FixIt.Edit> = []
        for edit in additional {
            guard Int(edit.range.end) <= count, encoding.bytes(of: edit.replacement) != nil else { return false }
            let index = Self.index(of: edit, in: merged)
            if index < merged.count, merged[index] == edit {
                // The same edit of an earlier fix does the job; one fix must not name an edit twice.
                guard own.insert(edit).inserted else { return false }
                continue
            }
            if index > 0, Self.conflict(merged[index - 1], edit) { return false }
            if index < merged.count, Self.conflict(edit, merged[index]) { return false }
            own.insert(edit)
            merged.insert(edit, at: index)
        }
        edits = merged
        return true
    }

    /// The place of an edit: before the first that does not precede it.
    private static func index(of edit: FixIt.Edit, in edits: [FixIt.Edit]) -> Int {
        var low = 0
        var high = edits.count
        while low < high {
            let middle = (low + high) / 2
            let other = edits[middle].range
            if (other.start, other.end) < (edit.range.start, edit.range.end) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether an edit reaches into the next one; two insertions at one place have no order, and so conflict.
    private static func conflict(_ edit: FixIt.Edit, _ next: FixIt.Edit) -> Bool {
        edit.range == next.range || next.range.start < edit.range.end
    }
}
