// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadLinting

/// Applies the fixes of findings to their files.
enum Fixing {
    /// The maximum number of rounds.
    ///
    /// Of fixes that conflict, one is made in a round, and others may be possible in the next.
    private static let roundLimit = 8

    /// Fixes files in rounds, until nothing more can be fixed or the limit is reached, and reports the changes.
    ///
    /// - Parameters:
    ///   - findings: the findings.
    ///   - log: reports the changes, line by line.
    ///   - lint: checks the files again.
    /// - Returns: the findings that remain.
    /// - Throws: the reason that a file cannot be written, or the error of `lint`.
    static func fix(
        _ findings: [Diagnostic],
        log: (ShownText) -> Void,
        lint: () throws(CommandFailure) -> [Diagnostic]
    ) throws(CommandFailure) -> [Diagnostic] {
        var findings = findings
        var fixCount = 0
        var paths: Set<String> = []
        var refused: [Refusal] = []
        var changed: [String] = []
        for _ in 0..<roundLimit {
            let changes = changes(findings)
            refused = changes.refused
            changed = []
            if changes.files.isEmpty { break }
            for (file, applied) in changes.files {
                guard try write(applied.bytes, over: file) else {
                    changed.append(file.path)
                    continue
                }
                fixCount += applied.applied.count
                paths.insert(file.path)
            }
            findings = try lint()
        }
        report(refused, log)
        for path in changed {
            log("note: '\(path)' is not fixed: another program changed it in each round")
        }
        if fixCount > 0 {
            log("made \(counted(fixCount, "fix", "fixes")) in \(counted(paths.count, "file"))")
        }
        return findings
    }

    /// The changes that fixing would make, as a unified diff, without writing any file.
    ///
    /// - Returns: the diff, the texts of the fixed files by their paths, and the findings whose fixes are refused.
    static func diff(
        _ findings: [Diagnostic],
        isForPeople: Bool,
        on console: Console
    ) -> (text: String, texts: [String: String], refused: [Diagnostic]) {
        var texts: [String: String] = [:]
        var buffer = ByteBuffer()
        let diff = UnifiedDiff(isForPeople: isForPeople)
        let changes = changes(findings)
        for (file, applied) in changes.files {
            diff.write(file, edits: applied.edits, into: &buffer)
            texts[file.path] = String(decoding: applied.bytes, as: UTF8.self)
        }
        report(changes.refused, console.log)
        return (buffer.string(), texts, changes.refused.map(\.finding))
    }

    /// A finding whose fix is not made.
    private struct Refusal {
        let finding: Diagnostic
        /// Another error that prevents the file from being read after the fix; nil if there is none.
        let obstacle: Diagnostic?
    }

    private static func report(_ refused: [Refusal], _ log: (ShownText) -> Void) {
        var counts: [String: Int] = [:]
        for refusal in refused { counts[refusal.finding.place?.file.path ?? "", default: 0] += 1 }
        for refusal in refused {
            guard let place = refusal.finding.place, let fix = refusal.finding.fixes.first,
                let count = counts.removeValue(forKey: place.file.path)
            else { continue }
            let others = count > 1 ? " and \(counted(count - 1, "other fix", "other fixes")) of the file" : ""
            let reason =
                refusal.obstacle.map { fault in
                    "the file has another error\(fault.place.map { ", in line \($0.start.line)" } ?? ""), to be fixed first: \(fault.message)"
                } ?? "the file could not be read afterwards, or something else would be sent than the fix says"
            log(
                "note: \(place.file.path):\(place.start.line):\(place.start.column): '\(fix.message)'\(others) not done: \(reason)"
            )
        }
    }

    /// The files that fixing changes, with the fixes that do not conflict, and the findings whose fixes are refused.
    private static func changes(
        _ findings: [Diagnostic]
    ) -> (files: [(file: SourceFile, applied: AppliedFixes)], refused: [Refusal]) {
        var order: [SourceFile] = []
        var fixable: [String: [Diagnostic]] = [:]
        for finding in findings where !finding.fixes.isEmpty {
            guard let file = finding.place?.file else { continue }
            if fixable[file.path] == nil { order.append(file) }
            fixable[file.path, default: []].append(finding)
        }
        var files: [(file: SourceFile, applied: AppliedFixes)] = []
        var refused: [Refusal] = []
        for file in order {
            let fileFindings = fixable[file.path] ?? []
            let checked = CheckedFixes(fileFindings.compactMap(\.fixes.first), to: file)
            if !checked.applied.applied.isEmpty { files.append((file, checked.applied)) }
            let refusedFixes = Set(checked.refused)
            refused += fileFindings.filter { $0.fixes.first.map(refusedFixes.contains) ?? false }.map {
                Refusal(finding: $0, obstacle: checked.obstacle)
            }
        }
        return (files, refused)
    }

    /// Writes a fixed file; returns false if another program has changed the file, which the next round then checks
    /// again.
    private static func write(_ bytes: [UInt8], over file: SourceFile) throws(CommandFailure) -> Bool {
        do throws(FileError) { try FileReplacement.write(bytes, to: file.path, over: .bytes(file.bytes)) } catch {
            guard error.reason == .changed else { throw CommandFailure(error) }
            return false
        }
        return true
    }
}
