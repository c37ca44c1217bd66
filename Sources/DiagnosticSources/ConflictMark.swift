// SPDX-License-Identifier: MIT

/// A mark of a merge conflict, with which Git begins a line before, between or after the conflicting versions.
package enum ConflictMark: String, CaseIterable {
    /// The mark before the version of the current branch.
    case ours = "<<<<<<<"

    /// The mark before the common ancestor of both versions.
    case base = "|||||||"

    /// The mark between the versions.
    case separator = "======="

    /// The mark after the version of the merged branch.
    case theirs = ">>>>>>>"

    /// The mark with which a line begins, whatever follows the mark; nil for any other line.
    package init?(startOf line: ArraySlice<UInt8>) {
        guard let mark = Self.allCases.first(where: { line.starts(with: $0.rawValue.utf8) }) else { return nil }
        self = mark
    }

    /// The mark that is the whole line: the separator alone, or another mark followed by a space and the name of a
    /// version.
    package init?(line: ArraySlice<UInt8>) {
        let text = line.drop { $0 <= 0x20 }
        guard let mark = Self(startOf: text) else { return nil }
        let rest = text.dropFirst(mark.rawValue.utf8.count)
        let isMark =
            mark == .separator
            ? rest.allSatisfy { $0 <= 0x20 } : text.startIndex == line.startIndex && rest.first == UInt8(ascii: " ")
        guard isMark else { return nil }
        self = mark
    }
}

extension SourceFile {
    /// The place of the line that begins the first merge conflict in the file; nil if there is no conflict.
    package var mergeConflict: SourcePlace? {
        for number in 1...lineCount where ConflictMark(line: line(number)) == .ours {
            let start = offset(ofLine: number)
            return SourcePlace(self, SourceRange(start, start + line(number).count))
        }
        return nil
    }

    /// ``mergeConflict`` if the file has the separator and the closing mark too, otherwise nil: in code, one mark alone
    /// may be part of a string.
    package var completeMergeConflict: SourcePlace? {
        let isComplete =
            hasLine(startingWith: ConflictMark.ours.rawValue + " ")
            && hasLine(startingWith: ConflictMark.separator.rawValue)
            && hasLine(startingWith: ConflictMark.theirs.rawValue + " ")
        return isComplete ? mergeConflict : nil
    }
}
