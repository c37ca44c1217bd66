// SPDX-License-Identifier: MIT

import Files
import SourceText

/// Applies the fixes of findings to their files.
enum Fixing {
    /// The most rounds: after a round, fixes that conflicted before may be possible.
    private static let roundLimit = 8

    /// Fixes files until nothing can be fixed any more, and reports the changes.
    ///
    /// - Parameters:
    ///   - findings: the findings.
    ///   - console: reports the changes.
    ///   - lint: checks the files again.
    /// - Returns: the findings that remain.
    /// - Throws: why a file cannot be written.
    static func fix(
        _ findings: [Diagnostic],
        on console: Console,
        lint: () throws(CommandFailure) -> [Diagnostic]
    ) throws(CommandFailure) -> [Diagnostic] {
        var findings = findings
        var fixCount = 0
        var paths: Set<String> = []
        for _ in 0..<roundLimit {
            let changes = changes(findings)
            if changes.isEmpty { break }
            for (file, applied) in changes {
                guard try write(applied.bytes, over: file) else { continue }
                fixCount += applied.applied.count
                paths.insert(file.path)
            }
            findings = try lint()
        }
        if fixCount > 0 {
            console.log("made \(counted(fixCount, "fix", "fixes")) in \(counted(paths.count, "file"))")
        }
        return findings
    }

    /// The changes that fixing would make, as a unified diff.
    static func diff(_ findings: [Diagnostic], isForPeople: Bool) -> String {
        var buffer = ByteBuffer()
        let diff = UnifiedDiff(isForPeople: isForPeople)
        for (file, applied) in changes(findings) { diff.write(file, edits: applied.edits, into: &buffer) }
        return buffer.string()
    }

    /// The files that change, by their paths, with the fixes that do not conflict.
    private static func changes(_ findings: [Diagnostic]) -> [(file: SourceFile, applied: AppliedFixes)] {
        var order: [SourceFile] = []
        var fixes: [String: [FixIt]] = [:]
        for finding in findings {
            guard let file = finding.place?.file, let fix = finding.fixes.first else { continue }
            if fixes[file.path] == nil { order.append(file) }
            fixes[file.path, default: []].append(fix)
        }
        return order.compactMap { file in
            let applied = FixIt.apply(fixes[file.path] ?? [], to: file)
            return applied.applied.isEmpty ? nil : (file, applied)
        }
    }

    /// Writes a file unless another program has changed it; what that wrote is checked in the next round.
    private static func write(_ bytes: [UInt8], over file: SourceFile) throws(CommandFailure) -> Bool {
        do throws(FileError) { try FileReplacement.write(bytes, to: file.path, over: .bytes(file.bytes)) } catch {
            guard error.reason == .changed else { throw CommandFailure(error) }
            return false
        }
        return true
    }
}
