// SPDX-License-Identifier: MIT

import PayloadKit
import SourceText

/// What became of the profiles of a batch.
struct BatchTally {
    /// What was found in some profiles, told once with the id of the first.
    private struct Finding {
        let diagnostic: Diagnostic
        var count: Int
        let example: String
    }

    private(set) var rendered = 0
    private(set) var aborted = 0
    private(set) var failed = 0
    private(set) var bytes = 0
    private(set) var leastBytes = Int.max
    private(set) var mostBytes = 0

    /// Whether a template asked for the time.
    private(set) var readsClock = false

    private var findings: [Finding] = []

    /// More different findings than anyone reads; further ones are counted in the records alone.
    private static let findingLimit = 50

    var profiles: Int { rendered + aborted + failed }

    mutating func count(_ record: Record) {
        switch record.outcome {
        case .rendered(let payload):
            rendered += 1
            bytes += payload.bytes.count
            leastBytes = min(leastBytes, payload.bytes.count)
            mostBytes = max(mostBytes, payload.bytes.count)
            if payload.readsClock { readsClock = true }
            for warning in payload.warnings { note(warning, 1, record.example) }
        case .aborted: aborted += 1
        case .failed(let error):
            failed += 1
            for diagnostic in error.diagnostics { note(diagnostic, 1, record.example) }
        }
    }

    /// Counts a warning about one profile.
    mutating func warn(_ diagnostic: Diagnostic, _ record: Record) { note(diagnostic, 1, record.example) }

    /// Adds what became of further profiles.
    mutating func add(_ other: BatchTally) {
        rendered += other.rendered
        aborted += other.aborted
        failed += other.failed
        bytes += other.bytes
        leastBytes = min(leastBytes, other.leastBytes)
        mostBytes = max(mostBytes, other.mostBytes)
        readsClock = readsClock || other.readsClock
        for finding in other.findings { note(finding.diagnostic, finding.count, finding.example) }
    }

    private mutating func note(_ diagnostic: Diagnostic, _ count: Int, _ example: String) {
        if let index = findings.firstIndex(where: { $0.diagnostic.isAlike(diagnostic) }) {
            findings[index].count += count
        } else if findings.count < Self.findingLimit {
            findings.append(Finding(diagnostic: diagnostic, count: count, example: example))
        }
    }

    /// The findings, each with the number of profiles and the first of them.
    var diagnostics: [Diagnostic] {
        findings.map { finding in
            var diagnostic = finding.diagnostic
            diagnostic.message +=
                finding.count == 1
                ? "; in \(finding.example)" : "; in \(finding.count) profiles, first in \(finding.example)"
            return diagnostic
        }
    }

    // MARK: - Summary

    /// The counts for people, on one line.
    var text: String {
        var text = "\(profiles) profiles: \(rendered) rendered, \(aborted) aborted, \(failed) failed"
        if rendered > 0 { text += "; \(leastBytes) to \(mostBytes) bytes, \(bytes / rendered) on average" }
        return text
    }

    /// The counts as one JSON object.
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.member("profiles", profiles)
        json.member("rendered", rendered)
        json.member("aborted", aborted)
        json.member("failed", failed)
        if rendered > 0 {
            json.key("bytes")
            json.beginObject()
            json.member("least", leastBytes)
            json.member("most", mostBytes)
            json.member("mean", bytes / rendered)
            json.endObject()
        }
        json.endObject()
        return json.buffer.string()
    }
}

extension Record {
    /// The record in the words of a finding.
    fileprivate var example: String {
        id.map { "'\($0)'" } ?? line.map { "line \($0)" } ?? "a profile without id"
    }
}

extension Diagnostic {
    /// Whether both tell of the same thing at the same place; the words may differ by a user's own values.
    fileprivate func isAlike(_ other: Diagnostic) -> Bool {
        guard rule == other.rule, severity == other.severity else { return false }
        guard let place, let others = other.place else { return message == other.message }
        return place.range == others.range && place.file.path == others.file.path
    }
}
