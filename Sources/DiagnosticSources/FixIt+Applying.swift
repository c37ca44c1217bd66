// SPDX-License-Identifier: MIT

/// The result of applying fixes to one file.
public struct AppliedFixes: Sendable {
    /// The bytes of the file after the edits.
    public let bytes: [UInt8]

    /// The edits that were made, in ascending order and without overlap.
    public let edits: [FixIt.Edit]

    /// The fixes that were applied.
    public let applied: [FixIt]

    /// The fixes that were left out.
    ///
    /// Most of them overlap an earlier fix, and may apply when fixes are applied again.
    public let conflicting: [FixIt]
}

extension FixIt {
    /// Applies the fixes of one file; every byte that no edit names stays as it is.
    ///
    /// A fix is applied completely or not at all. Of two fixes that change the same bytes, or insert at the same place,
    /// only the earlier one in the list is applied; an edit that both contain is made once. A fix is left out if its
    /// edits overlap each other, if one is outside the file, or if the encoding of the file cannot represent the new
    /// text.
    public static func apply(_ fixes: [FixIt], to file: SourceFile) -> AppliedFixes {
        apply(fixes, to: file.bytes, encoding: file.encoding)
    }

    /// Applies the fixes of one file to its bytes, as ``apply(_:to:)`` does for a source file.
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

    /// Applies ascending edits to a part of a file and returns the new bytes of that part.
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

/// The edits of a file that were accepted so far, without conflicts and in ascending order.
private struct AcceptedEdits {
    /// The length of the file in bytes.
    let count: Int

    let encoding: TextEncoding

    var edits: [FixIt.Edit] = []

    /// The result of adding one edit.
    private enum AdditionResult {
        case inserted(at: Int)
        /// An earlier fix already makes the same edit.
        case known
        case refused
    }

    /// Adds all edits of a fix, or none if one of them cannot be made; returns whether they were added.
    mutating func add(_ additional: [FixIt.Edit]) -> Bool {
        var distinct: Set<FixIt.Edit> = []
        var added: [FixIt.Edit] = []
        for edit in additional {
            // A fix that contains the same edit twice is refused.
            switch distinct.insert(edit).inserted ? reception(of: edit) : .refused {
            case .inserted(let index):
                edits.insert(edit, at: index)
                added.append(edit)
            case .known:
                continue
            case .refused:
                for edit in added { edits.remove(at: index(of: edit)) }
                return false
            }
        }
        return true
    }

    private func reception(of edit: FixIt.Edit) -> AdditionResult {
        guard Int(edit.range.end) <= count, encoding.bytes(of: edit.replacement) != nil else { return .refused }
        let index = index(of: edit)
        if index < edits.count, edits[index] == edit { return .known }
        if index > 0, Self.conflict(edits[index - 1], edit) { return .refused }
        if index < edits.count, Self.conflict(edit, edits[index]) { return .refused }
        return .inserted(at: index)
    }

    /// The index at which an edit has to be inserted, so that the edits stay in ascending order.
    private func index(of edit: FixIt.Edit) -> Int {
        edits.partitioningIndex { ($0.range.start, $0.range.end) >= (edit.range.start, edit.range.end) }
    }

    /// Whether an edit overlaps the next one.
    ///
    /// Two insertions at the same place conflict too, because their order is undefined.
    private static func conflict(_ edit: FixIt.Edit, _ next: FixIt.Edit) -> Bool {
        edit.range == next.range || next.range.start < edit.range.end
    }
}
