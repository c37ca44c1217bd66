// SPDX-License-Identifier: MIT

package import DiagnosticSources
import JSONTexts

/// The report as text and as JSON.
extension BatchReport {
    /// The report as text.
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

    /// Writes the report as JSON.
    ///
    /// - Parameter findings: the findings about the campaign, the inputs and the messages.
    /// - Returns: the report as one JSON object.
    package func json(findings: [Diagnostic]) -> String {
        var json = JSONWriter()
        json.escapesForDisplay = true
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
        json.array("findings", findings) { json, finding in
            json.object { json in
                json.member("rule", finding.rule.name)
                json.member("severity", finding.severity.rawValue)
                json.member("message", finding.message)
                if let place = finding.place {
                    json.member("file", place.file.path)
                    json.ends(of: place)
                }
            }
        }
        json.endObject()
        return json.buffer.string()
    }

    private func write(_ worst: Message, into json: inout JSONWriter) {
        json.object("bytes") { json in
            json.member("least", least)
            json.member("most", worst.size.bytes)
            json.member("mean", mean)
            for hundredths in [50, 95, 99] { json.member("p\(hundredths)", percentile(hundredths)) }
        }
        json.object("largest") { json in
            json.member("example", worst.example)
            json.member("bytes", worst.size.bytes)
            json.object("fields") { json in
                for field in worst.fields { json.member(field.name, field.cost) }
            }
            json.member("structure", worst.size.structure)
        }
    }
}

extension JSONWriter {
    /// Writes a list of kinds, each with the members that `body` writes, its count and its example; then the numbers of
    /// the kinds that are left out.
    fileprivate mutating func list<Kind>(
        _ key: String,
        _ counts: KindCounts<Kind>,
        _ body: (Kind, inout JSONWriter) -> Void
    ) {
        let listing = counts.listing
        array(key, listing.entries) { json, entry in
            json.object { json in
                body(entry.kind, &json)
                json.member("count", entry.count)
                json.member("example", entry.example)
            }
        }
        guard listing.moreCount > 0 else { return }
        object(key + "_more") { json in
            json.member("count", listing.moreCount)
            json.member("kinds", listing.moreKinds)
            if listing.isCut { json.member("kinds_cut", true) }
        }
    }
}
