// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

extension PullPlan {
    /// Makes the changes: each file is written as a whole or stays as it was.
    ///
    /// - Parameters:
    ///   - isInterrupted: whether the user or the system ended the command.
    ///   - wrote: is told of each change that was made.
    /// - Throws: why a file cannot be written; the changes before it were made.
    package func write(
        isInterrupted: () -> Bool,
        wrote: (Change) -> Void
    ) throws(PullFailure) {
        // A folder that is not there has no project.
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
    /// - Parameter isForPeople: whether it is escaped for a terminal.
    /// - Returns: the diff; empty without changes.
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
            // The folder goes with its last file.
            if !path.folder.isEmpty { rmdir(path.folder) }
            return
        }
        let expected: FileReplacement.Contents = old.map { .bytes($0.bytes) } ?? .nothing
        try FileReplacement.write(new, to: path, over: expected, in: root, makesFolders: true)
    }

    /// The lines that differ, as edits.
    fileprivate var edits: [FixIt.Edit] {
        let before = Self.lines(old?.bytes ?? [])
        let after = Self.lines(new ?? [])
        let difference = after.difference(from: before)
        let removed = Set(difference.removals.map { if case .remove(let offset, _, _) = $0 { offset } else { -1 } })
        let inserted = Set(difference.insertions.map { if case .insert(let offset, _, _) = $0 { offset } else { -1 } })
        var edits: [FixIt.Edit] = []
        var (line, newLine, place) = (0, 0, 0)
        while line < before.count || newLine < after.count {
            let start = place
            var text: [UInt8] = []
            while removed.contains(line) {
                place += before[line].count
                line += 1
            }
            while inserted.contains(newLine) {
                text += after[newLine]
                newLine += 1
            }
            if place > start || !text.isEmpty {
                edits.append(
                    FixIt.Edit(SourceRange(start, place), replacement: String(decoding: text, as: UTF8.self)))
            }
            guard line < before.count else { break }
            place += before[line].count
            line += 1
            newLine += 1
        }
        return edits
    }

    /// The lines with their line breaks.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [rest]
    }
}
