// SPDX-License-Identifier: MIT

package import SourceText

/// What became of all profiles of a batch.
package struct BatchReport: Sendable {
    /// How many messages are sent.
    package private(set) var rendered = 0

    /// How many messages ended themselves.
    package private(set) var aborted = 0

    /// How many messages cannot be sent.
    package private(set) var failed = 0

    /// Whether a template asked for the time.
    package private(set) var readsClock = false

    /// How many payloads there are of each size in bytes.
    package private(set) var sizes = [Int](repeating: 0, count: SizeBudget.limit + 1)

    /// How many of the payloads take more than the campaign's share.
    package private(set) var overBudget = 0

    /// The largest payloads, the largest first.
    package private(set) var largest: [BatchTally.Large] = []

    /// How many records have no id.
    package private(set) var withoutID = 0

    /// The titles, bodies and pairs that messages leave blank.
    package private(set) var blanks = KindCounts<TextKind>()

    /// Why messages ended themselves.
    package private(set) var reasons = KindCounts<TextKind>()

    /// Why messages cannot be sent.
    package private(set) var errors = KindCounts<FindingKind>()

    private var findings = KindCounts<FindingKind>()

    /// Creates a report of nothing.
    package init() {}

    /// Adds what became of the next profiles.
    package mutating func add(_ tally: BatchTally) {
        rendered += tally.sizes.count
        for size in tally.sizes { sizes[min(Int(size), SizeBudget.limit)] += 1 }
        aborted += tally.aborted
        failed += tally.failed
        overBudget += tally.overBudget
        for large in tally.largest { largest.insert(large) }
        withoutID += tally.withoutID
        blanks.add(tally.blanks)
        reasons.add(tally.reasons)
        errors.add(tally.errors)
        for entry in tally.findings.entries {
            findings.note(
                findings.isFull ? entry.kind.withoutInput : entry.kind,
                entry.example,
                count: entry.count
            )
        }
        readsClock = readsClock || tally.readsClock
    }

    /// The number of profiles.
    package var profiles: Int { rendered + aborted + failed }

    /// The findings, each with the number of profiles and the first of them.
    package var diagnostics: [Diagnostic] {
        findings.listing.entries.map { finding in
            var diagnostic = finding.kind.diagnostic
            diagnostic.message +=
                finding.count == 1
                ? "; in \(finding.example)" : "; in \(finding.count) profiles, first in \(finding.example)"
            return diagnostic
        }
    }

    /// The findings that ``diagnostics`` leaves out, for people; nil where it has all of them.
    package var furtherDiagnostics: String? { findings.listing.rest }

    // MARK: - Sizes

    /// The size that this many hundredths of the payloads do not pass.
    package func percentile(_ hundredths: Int) -> Int {
        var rest = max(1, (rendered * hundredths + 99) / 100)
        for (size, count) in sizes.enumerated() {
            rest -= count
            if rest <= 0 { return size }
        }
        return 0
    }

    /// The size of the smallest payload.
    package var least: Int { sizes.firstIndex { $0 > 0 } ?? 0 }

    /// The size of a payload on average.
    package var mean: Int {
        var sum = 0
        for (size, count) in sizes.enumerated() { sum += size * count }
        return rendered > 0 ? sum / rendered : 0
    }

    // MARK: - For people

    /// The report for people.
    package var text: ShownText {
        var lines: [ShownText] = ["\(profiles) profiles: \(rendered) rendered, \(aborted) aborted, \(failed) failed"]
        if let worst = largest.first {
            lines[0] += "; \(least) to \(worst.size.bytes) bytes, \(mean) on average"
            lines.append("bytes: p50 \(percentile(50)), p95 \(percentile(95)), p99 \(percentile(99))")
            let costs = worst.fields.sorted { $0.cost > $1.cost }.map { "\($0.name) \($0.cost)" }
            let all = (costs + ["structure \(worst.size.structure)"]).joined(separator: ", ")
            lines.append("most: \(worst.size.bytes) bytes in \(worst.example): \(all)")
        }
        if overBudget > 0 { lines.append("over budget: \(overBudget)") }
        if withoutID > 0 { lines.append("without id: \(withoutID)") }
        lines += Self.lines("aborted", reasons) { "'\($0.text)'" }
        lines += Self.lines("failed", errors) { "\($0.diagnostic.message) (\($0.diagnostic.rule.name))" }
        lines += Self.lines("blank", blanks) { "\($0.text)" }
        return lines.joined(separator: "\n")
    }

    private static func lines<Kind>(
        _ title: String,
        _ counts: KindCounts<Kind>,
        _ text: (Kind) -> ShownText
    ) -> [ShownText] {
        let listing = counts.listing
        var lines: [ShownText] = listing.entries.map { entry in
            "\(title): \(entry.count) \(text(entry.kind)), first in \(entry.example)"
        }
        if let rest = listing.rest { lines.append("\(title): \(rest)") }
        return lines
    }

    // MARK: - For programs

    /// The report as one JSON object.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.member("profiles", profiles)
        json.member("rendered", rendered)
        json.member("aborted", aborted)
        json.member("failed", failed)
        json.member("without_id", withoutID)
        json.member("over_budget", overBudget)
        if let worst = largest.first { write(worst, into: &json) }
        json.list("aborted_by_reason", reasons) { $1.member("reason", $0.text) }
        json.list("failed_by_error", errors) { error, json in
            json.member("rule", error.diagnostic.rule.name)
            json.member("message", error.diagnostic.message)
        }
        json.list("blank", blanks) { $1.member("field", $0.text) }
        json.endObject()
        return json.buffer.string()
    }

    private func write(_ worst: BatchTally.Large, into json: inout JSONWriter) {
        json.key("bytes")
        json.beginObject()
        json.member("least", least)
        json.member("most", worst.size.bytes)
        json.member("mean", mean)
        for hundredths in [50, 95, 99] { json.member("p\(hundredths)", percentile(hundredths)) }
        json.endObject()
        json.key("largest")
        json.beginObject()
        json.member("example", worst.example)
        json.member("bytes", worst.size.bytes)
        json.key("fields")
        json.beginObject()
        for field in worst.fields { json.member(field.name, field.cost) }
        json.endObject()
        json.member("structure", worst.size.structure)
        json.endObject()
    }
}

extension JSONWriter {
    /// Writes a list of kinds, each with what `body` writes, its count and its example, and what the list leaves out.
    fileprivate mutating func list<Kind>(
        _ key: String,
        _ counts: KindCounts<Kind>,
        _ body: (Kind, inout JSONWriter) -> Void
    ) {
        let listing = counts.listing
        self.key(key)
        beginArray()
        for entry in listing.entries {
            beginObject()
            body(entry.kind, &self)
            member("count", entry.count)
            member("example", entry.example)
            endObject()
        }
        endArray()
        guard listing.moreCount > 0 else { return }
        self.key(key + "_more")
        beginObject()
        member("count", listing.moreCount)
        member("kinds", listing.moreKinds)
        if listing.isCut { member("kinds_cut", true) }
        endObject()
    }
}
