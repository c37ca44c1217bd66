// SPDX-License-Identifier: MIT

/// Writes the changes that edits make to a file as a unified diff for `patch` and `git apply`.
///
/// A file that is not in UTF-8 is converted to it for the diff, which is then only for reading.
public struct UnifiedDiff: Sendable {
    /// The number of unchanged lines around a change.
    public var contextCount = 3

    /// Whether lines are escaped for a terminal or the log of a CI service; an escaped diff is only for reading.
    public var isForPeople = false

    /// Creates a writer.
    public init(isForPeople: Bool = false) {
        self.isForPeople = isForPeople
    }

    /// Writes the diff of a file and its edits, or nothing if the edits change nothing.
    ///
    /// Only the lines that the edits touch are compared, not the whole file.
    ///
    /// - Parameters:
    ///   - file: the file before the edits.
    ///   - edits: edits in ascending order and without overlap, as ``FixIt/apply(_:to:encoding:)`` returns them.
    ///   - buffer: where the diff is appended.
    public func write(_ file: SourceFile, edits: [FixIt.Edit], into buffer: inout ByteBuffer) {
        let lines = Lines(file.utf8)
        let edits = edits.map { edit in
            let start = file.utf8Offset(ofStored: Int(edit.range.start))
            let end = file.utf8Offset(ofStored: Int(edit.range.end))
            return FixIt.Edit(SourceRange(start, end), replacement: edit.replacement)
        }
        let changes = Self.changes(edits, in: lines)
        guard !changes.isEmpty else { return }
        writeName("--- ", "a/", file.path, into: &buffer)
        writeName("+++ ", "b/", file.path, into: &buffer)
        var shift = 0
        var start = 0
        while start < changes.count {
            var end = start + 1
            while end < changes.count, changes[end].lower - changes[end - 1].upper <= 2 * contextCount { end += 1 }
            shift += writeHunk(changes[start..<end], of: lines, shift: shift, into: &buffer)
            start = end
        }
    }

    /// Writes one hunk: neighbouring changes with the unchanged lines around them.
    ///
    /// - Returns: the number of lines that the changes add to the file; negative if they remove lines.
    private func writeHunk(
        _ changes: ArraySlice<Change>,
        of lines: Lines,
        shift: Int,
        into buffer: inout ByteBuffer
    ) -> Int {
        guard let first = changes.first, let last = changes.last else { return 0 }
        let lower = Swift.max(0, first.lower - contextCount)
        let upper = Swift.min(lines.count, last.upper + contextCount)
        let added = changes.reduce(0) { $0 + $1.added.count - ($1.upper - $1.lower) }
        buffer.append("@@ -")
        writeLineRange(from: lower, count: upper - lower, into: &buffer)
        buffer.append(" +")
        writeLineRange(from: lower + shift, count: upper - lower + added, into: &buffer)
        buffer.append(" @@\n")
        var line = lower
        for change in changes {
            for index in line..<change.lower { write(" ", lines[index], into: &buffer) }
            for index in change.lower..<change.upper { write("-", lines[index], into: &buffer) }
            for index in 0..<change.added.count { write("+", change.added[index], into: &buffer) }
            line = change.upper
        }
        for index in line..<upper { write(" ", lines[index], into: &buffer) }
        return added
    }

    /// Writes the first line and the number of lines of one side of a hunk; if the side has no lines, the first number
    /// is the line before.
    private func writeLineRange(from line: Int, count: Int, into buffer: inout ByteBuffer) {
        buffer.append(decimal: count == 0 ? line : line + 1)
        guard count != 1 else { return }
        buffer.append(",")
        buffer.append(decimal: count)
    }

    private func write(_ mark: String, _ line: ArraySlice<UInt8>, into buffer: inout ByteBuffer) {
        let hasBreak = line.last == UInt8(ascii: "\n")
        let text = hasBreak ? line.dropLast() : line
        buffer.append(mark)
        if isForPeople {
            let parts = text.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 { buffer.append("\t") }
                buffer.appendShown(String(decoding: part, as: UTF8.self))
            }
        } else {
            text.withUnsafeBufferPointer { buffer.append($0) }
        }
        buffer.append(hasBreak ? "\n" : "\n\\ No newline at end of file\n")
    }

    /// Writes a file name, in quotes if it contains characters that need an escape.
    private func writeName(_ mark: String, _ prefix: String, _ path: String, into buffer: inout ByteBuffer) {
        buffer.append(mark)
        let isPlain = path.unicodeScalars.allSatisfy { $0.isShownAsItself && $0 != "\"" && $0 != "\\" }
        guard !isPlain else { return buffer.append("\(prefix)\(path)\n") }
        buffer.append("\"\(prefix)")
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                buffer.append(UInt8(ascii: "\\"))
                buffer.append(byte)
            case 0x20...0x7E:
                buffer.append(byte)
            default:
                buffer.append(UInt8(ascii: "\\"))
                for place in [6, 3, 0] { buffer.append(UInt8(ascii: "0") + (byte >> place) & 7) }
            }
        }
        buffer.append("\"\n")
    }
}

extension UnifiedDiff {
    /// A run of lines of the file and the lines that replace them.
    private struct Change {
        var lower: Int
        var upper: Int
        var added: Lines
    }

    /// A text split into lines, each with its line feed.
    private struct Lines {
        let bytes: [UInt8]
        private var starts: [Int] = []

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            var isAtStart = true
            for (index, byte) in bytes.enumerated() {
                if isAtStart { starts.append(index) }
                isAtStart = byte == UInt8(ascii: "\n")
            }
        }

        var count: Int { starts.count }

        subscript(_ index: Int) -> ArraySlice<UInt8> { bytes[start(of: index)..<start(of: index + 1)] }

        func start(of line: Int) -> Int { line < starts.count ? starts[line] : bytes.count }

        /// The index of the line that contains an offset; ``count`` for an offset after a final line break.
        func line(at offset: Int) -> Int {
            let next = starts.partitioningIndex { $0 > offset }
            guard next > 0 else { return 0 }
            return offset >= bytes.count && bytes.last == UInt8(ascii: "\n") ? starts.count : next - 1
        }
    }

    /// The runs of lines that edits change: adjacent changes are joined, and equal lines at both ends of a change are
    /// left out.
    private static func changes(_ edits: [FixIt.Edit], in lines: Lines) -> [Change] {
        var changes: [Change] = []
        var start = 0
        while start < edits.count {
            let lower = lines.line(at: Int(edits[start].range.start))
            var upper = Swift.min(lines.count, lines.line(at: Int(edits[start].range.end)) + 1)
            var end = start + 1
            while end < edits.count, Int(edits[end].range.start) <= lines.start(of: upper) {
                upper = Swift.min(lines.count, lines.line(at: Int(edits[end].range.end)) + 1)
                end += 1
            }
            let old = lines.bytes[lines.start(of: lower)..<lines.start(of: upper)]
            let added = Lines(FixIt.replacing(edits[start..<end], in: old))
            if let change = trimmed(Change(lower: lower, upper: upper, added: added), in: lines) {
                changes.append(change)
            }
            start = end
        }
        return changes
    }

    private static func trimmed(_ change: Change, in lines: Lines) -> Change? {
        let removedCount = change.upper - change.lower
        let shorter = Swift.min(removedCount, change.added.count)
        var head = 0
        while head < shorter, lines[change.lower + head] == change.added[head] { head += 1 }
        var tail = 0
        while tail < shorter - head,
            lines[change.upper - 1 - tail] == change.added[change.added.count - 1 - tail]
        { tail += 1 }
        guard head + tail < Swift.max(removedCount, change.added.count) else { return nil }
        let kept = change.added.bytes[
            change.added.start(of: head)..<change.added.start(of: change.added.count - tail)
        ]
        return Change(lower: change.lower + head, upper: change.upper - tail, added: Lines(Array(kept)))
    }
}
