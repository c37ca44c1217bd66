// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

extension PullPlan {
    /// Writes the changes to the files; each file is replaced completely or not at all.
    ///
    /// - Parameters:
    ///   - isInterrupted: returns whether the user or the system has interrupted the command.
    ///   - wrote: is called with each change that was made.
    /// - Throws: an error if a file cannot be written; the changes before it were made.
    package func write(
        isInterrupted: () -> Bool,
        wrote: (Change) -> Void
    ) throws(PullFailure) {
        // The folder has to exist before the root of its project can be determined.
        if !changes.isEmpty {
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let root = root
        for change in changes {
            if isInterrupted() { throw .interrupted }
            do throws(FileError) {
                try change.write(in: root)
            } catch {
                throw PullFailure(.unwritable, error.description)
            }
            wrote(change)
        }
    }

    /// The changes as a unified diff.
    ///
    /// - Parameter isForPeople: whether the text is escaped for a terminal.
    /// - Returns: the diff; empty if there are no changes.
    package func diff(isForPeople: Bool) -> String {
        var buffer = ByteBuffer()
        let diff = UnifiedDiff(isForPeople: isForPeople)
        for change in changes {
            let old = change.old ?? SourceFile(path: change.path, bytes: [])
            let file = SourceFile(path: change.path, bytes: old.bytes)
            diff.write(file, edits: change.edits, into: &buffer)
        }
        return buffer.string()
    }
}

extension PullPlan.Change {
    fileprivate func write(in root: ProjectRoot) throws(FileError) {
        guard let new else {
            guard unlink(path) == 0 || errno == ENOENT else { throw FileError(.write, path, number: errno) }
            // `rmdir` removes the folder only if this was its last file.
            if !path.folder.isEmpty { rmdir(path.folder) }
            return
        }
        let expected: FileReplacement.Contents = old.map { .bytes($0.bytes) } ?? .nothing
        try FileReplacement.write(new, to: path, over: expected, in: root, makesFolders: true)
    }

    /// The difference between the old and new contents, as edits of the old file.
    fileprivate var edits: [FixIt.Edit] {
        let before = Self.lines(old?.bytes ?? [])
        let starts = before.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        return LineHunk.hunks(from: before, to: Self.lines(new ?? [])).map { hunk in
            let place = SourceRange(starts[hunk.range.lowerBound], starts[hunk.range.upperBound])
            return FixIt.Edit(place, replacement: String(decoding: hunk.lines.joined(), as: UTF8.self))
        }
    }

    /// The lines of a text, each with its line break.
    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Array(rest[...end]))
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [Array(rest)]
    }
}
