// SPDX-License-Identifier: MIT

import CampaignPreview
import DiagnosticSources
import FindingReports
import PayloadKit

/// The page that `render --report` writes about a batch, as one file.
struct BatchPage {
    /// The name of the campaign; if it has none, the name of its file.
    let campaign: String

    /// The path of the campaign.
    let path: String

    /// The names of the sources of profiles: the arguments of `--profiles`, or the files of merged parts.
    let profiles: [String]

    /// The maximum number of sources that the page names.
    private static let namedLimit = 10

    /// The shard of the profiles that was rendered; nil if all were.
    let shard: Shard?

    /// The number of records that earlier runs wrote, which are not in ``report``.
    let resumedAfter: Int

    /// The time that templates read as `now`; nil if none read it.
    let now: String?

    /// The name of the app that the pictures of phones show.
    let app: String

    /// The findings about the campaign itself.
    let findings: [Diagnostic]

    /// The counts of the batch.
    let report: BatchReport

    /// Which branches users take; nil if they were not counted.
    let coverage: CoverageReport?

    /// The values that the page's template shows.
    var model: PageModel {
        let others = profiles.count - Self.namedLimit
        let part = shard.map { "part \(grouped($0.index)) of \(grouped($0.count))" }
        let totals = numbers([
            ("profiles", report.profiles), ("rendered", report.rendered), ("aborted", report.aborted),
            ("failed", report.failed), ("without id", report.withoutID), ("over budget", report.overBudget),
        ])
        let count = report.largest.count
        return [
            "title": "\(campaign): \(grouped(report.profiles, "profile"))",
            "campaign": campaign,
            "path": path,
            "profiles": Array(profiles.prefix(Self.namedLimit)),
            "other_profiles": others > 0 ? grouped(others, "other") : nil,
            "shard": part,
            "now": now,
            "resumed": resumedAfter > 0 ? grouped(resumedAfter, "record") : nil,
            "totals": totals,
            "is_still": true,
            "device": "w402",
            "people": people,
            "sizes": sizes,
            "sections": [blanks, aborts, failures, warnings, calls].compactMap(\.self),
            "coverage": coverage.map(branches),
            "largest_title": count == 1 ? "The largest payload" : "The \(count) largest payloads",
            "most": report.largest.first?.size.bytes,
            "largest": report.largest.map(large),
        ]
    }

    private func numbers(_ numbers: [(name: String, count: Int)]) -> [PageModel] {
        numbers.map { ["name": $0.name, "count": grouped($0.count)] }
    }

    private func grouped(_ number: Int) -> String { RenderMessages.grouped(number) }

    private func grouped(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A count and its share of all, as text and as the width of a bar.
    private func share(_ count: Int, of all: Int) -> PageModel {
        let width = Double((count * 10_000 + all / 2) / max(1, all)) / 100
        return [
            "count": grouped(count), "share": CoverageReport.percentage(count, of: all), "width": Value.float(width),
        ]
    }

    // MARK: - On the phone

    /// The messages of up to three people: one of median size, the largest, and the first that cannot be sent.
    private var people: [PageModel] {
        var people: [PageModel] = []
        if let median = report.median, let largest = report.largest.first {
            let isLargest = median.size.bytes == largest.size.bytes
            let half = grouped(report.percentile(50))
            people.append(
                person(
                    isLargest ? "Median and largest" : "Median", median.example,
                    grouped(median.size.bytes, "byte")
                        + (isLargest ? "" : "; half of the messages have at most \(half)"),
                    ShownMessage(median.description, app: app)))
            if !isLargest {
                people.append(
                    person(
                        "Largest", largest.example, grouped(largest.size.bytes, "byte"),
                        ShownMessage(largest.description, app: app)))
            }
        }
        if let (error, example, message) = report.firstFailure {
            let shown = ShownMessage(message?.description, error: error.message, app: app)
            people.append(person("First failure", example, nil, shown))
        }
        return people
    }

    private func person(_ title: String, _ example: String, _ words: String?, _ shown: ShownMessage) -> PageModel {
        ["title": title, "example": example, "words": words, "phone": shown.lockScreen, "fault": shown.fault]
    }

    // MARK: - Sections

    private var blanks: PageModel {
        section(
            "blanks", "Blank fields", "field",
            "Titles, bodies and key-value pairs that are sent empty or as white space",
            none: "No message has a blank field.", report.blanks.listing.shown(grouped) { $0.text })
    }

    private var aborts: PageModel {
        section(
            "aborts", "Aborted", "reason", "Why messages were aborted", none: "No message was aborted.",
            report.reasons.listing.shown(grouped) { $0.text })
    }

    private var calls: PageModel? {
        let listing = report.calls.listing
        guard !listing.entries.isEmpty else { return nil }
        return section(
            "calls", "Connected content", "call", "The calls that messages made, answered by fixtures", none: "",
            listing.shown(grouped) { $0.text })
    }

    private var failures: PageModel {
        let listing = report.errors.listing
        return section(
            "failures", "Failed", "error", "Why messages cannot be sent, with the first error message of each kind",
            none: "No message failed.", (Self.rows(listing.entries), listing.shownRest(grouped)))
    }

    private var warnings: PageModel {
        let campaignWarnings = findings.filter { $0.severity == .warning }
        let none = campaignWarnings.isEmpty ? "No message has a warning." : "No message has a further warning."
        var section = section(
            "warnings", "Warnings", "warning", "What messages were warned about", none: none,
            (Self.rows(report.warnings), nil))
        if !campaignWarnings.isEmpty {
            section["findings"] = campaignWarnings.map { finding in
                ["text": Self.text(of: finding), "place": Self.place(of: finding)] as PageModel
            }
        }
        return section
    }

    private func section(
        _ id: String,
        _ title: String,
        _ column: String,
        _ caption: String,
        none: String,
        _ listing: (rows: [Row], rest: String?)
    ) -> PageModel {
        [
            "id": id, "title": title, "column": column, "caption": caption, "none": none, "findings": Value.null,
            "rows": listing.rows.map(model), "rest": listing.rest,
        ]
    }

    /// A row of a table: a text, and the places that it is about.
    fileprivate struct Row {
        /// A place that the text is about, with the number of profiles.
        struct Part {
            let place: String?
            let count: Int
            let example: String
        }

        let text: String
        var parts: [Part]
    }

    private func model(of row: Row) -> PageModel {
        let parts = row.parts.map { part in
            var model = share(part.count, of: report.profiles)
            model["place"] = part.place
            model["example"] = part.example
            return model
        }
        return ["text": row.text, "parts": parts]
    }

    /// The rows of a table: one for each message, with all places that it is about.
    private static func rows(_ entries: [KindCounts<FindingKind>.Entry]) -> [Row] {
        var rows: [Row] = []
        var indices: [String: Int] = [:]
        for entry in entries {
            let finding = entry.kind.diagnostic
            let text = text(of: finding)
            let part = Row.Part(place: place(of: finding), count: entry.count, example: entry.example)
            if let index = indices[text] {
                rows[index].parts.append(part)
            } else {
                indices[text] = rows.count
                rows.append(Row(text: text, parts: [part]))
            }
        }
        return rows
    }

    private static func text(of finding: Diagnostic) -> String { "\(finding.message) (\(finding.rule.name))" }

    private static func place(of finding: Diagnostic) -> String? {
        finding.place.map { "\($0.file.path):\($0.start.line):\($0.start.column)" }
    }

    private func branches(of coverage: CoverageReport) -> PageModel {
        let files = coverage.files.filter { !$0.branches.isEmpty }.map { file in
            let branches = file.branches.map { branch in
                let conditions = branch.conditions.isEmpty ? "any user" : branch.conditions.joined(separator: "; ")
                var model = share(branch.takers, of: file.messages)
                model["label"] = branch.words
                model["place"] = "\(file.source.path):\(branch.place.start.line):\(branch.place.start.column)"
                model["needs"] = branch.takers == 0 ? conditions : nil
                return model
            }
            return ["title": "\(file.source.path): \(file.share)", "arms": branches] as PageModel
        }
        return ["summary": "\(coverage.share) with \(grouped(coverage.messages, "user"))", "files": files]
    }

    // MARK: - Sizes

    /// The height of the tallest bar, in pixels.
    private static let height = 150

    /// The values for the distribution of payload sizes; nil if no message was rendered.
    private var sizes: PageModel? {
        guard let largest = report.largest.first else { return nil }
        let size = largest.size
        let values = [
            ("least", report.least), ("mean", report.mean), ("p50", report.percentile(50)),
            ("p95", report.percentile(95)), ("p99", report.percentile(99)), ("most", size.bytes),
        ]
        let described = values + size.limits.map { ("limit of \($0.name)", $0.most) }
        // Some bytes do not count towards Braze's budget, so its line is moved to the right by their number.
        let lines = size.limits.map { ($0, at: $0.most + size.bytes - $0.used) }.filter { $0.at <= SizeBudget.limit }
        let explanation = """
            APNs accepts \(grouped(SizeBudget.limit)) bytes: a message above that fails and is not drawn. Braze leaves \
            \(grouped(size.budget)) bytes to the campaign; its line is drawn after the \
            \(grouped(size.bytes - size.share, "byte")) of the placeholder for Braze's own data.
            """
        return [
            "description": described.map { "\($0) \(grouped($1))" }.joined(separator: ", "),
            "limit": SizeBudget.limit,
            "bin_width": BatchReport.binWidth,
            "bins": bins,
            "axis": (0...4).map { grouped(SizeBudget.limit * $0 / 4) },
            "lines": lines.map { limit, at in ["at": at, "name": "\(limit.name) \(grouped(limit.most))"] as PageModel },
            "numbers": numbers(values),
            "explanation": explanation,
        ]
    }

    /// The ranges of sizes in which there is any payload, as bars.
    private var bins: [PageModel] {
        let ranges = stride(from: 0, through: SizeBudget.limit, by: BatchReport.binWidth).map { start in
            start..<min(start + BatchReport.binWidth, report.sizes.count)
        }
        let counts = ranges.map { report.sizes[$0].reduce(0, +) }
        let most = max(1, counts.max() ?? 1)
        return zip(ranges, counts).filter { $1 > 0 }.map { sizes, count in
            [
                "start": sizes.lowerBound,
                "name": "\(grouped(sizes.lowerBound)) to \(grouped(sizes.upperBound - 1))",
                // With a minimum height, the bars of rare sizes stay visible.
                "height": max(2, count * Self.height / most),
                "count": grouped(count),
                "payloads": grouped(count, "payload"),
            ]
        }
    }

    // MARK: - The largest payloads

    /// The number of bytes above which a value of a payload is shown with a scroll bar.
    private static let longLimit = 400

    private func large(_ large: BatchReport.Message) -> PageModel {
        let message = large.description
        let groups = [
            ("texts", message.texts), ("extras", message.extras), ("details", message.details),
            ("structure", message.placeholder.map { [$0] } ?? []),
        ]
        // The structure of the JSON is listed as well, so that the costs of all parts add up to the size of the
        // payload.
        var parts = groups.flatMap { kind, fields in fields.map { (kind, $0.name, $0.value as String?, $0.cost) } }
        parts.append(("structure", "brackets and names", nil, message.size.structure))
        var start = 0
        let shares = parts.map { kind, name, value, cost in
            defer { start += cost }
            return [
                "kind": kind, "name": name, "value": value, "is_long": (value ?? "").utf8.count > Self.longLimit,
                "start": start, "cost": cost, "bytes": grouped(cost), "size": grouped(cost, "byte"),
            ] as PageModel
        }
        return [
            "example": large.example,
            "size": grouped(large.size.bytes, "byte"),
            "bytes": grouped(large.size.bytes),
            "limits": large.size.limits.map { "\($0.name): \($0.text)" }.joined(separator: "; "),
            "description": parts.map { "\($1) \(grouped($3))" }.joined(separator: ", "),
            "shares": shares,
        ]
    }
}

extension KindCounts.Listing {
    /// The listed kinds as rows of a table, and the text about the kinds that are left out.
    fileprivate func shown(
        _ grouped: (Int) -> String, _ text: (Kind) -> String
    ) -> (rows: [BatchPage.Row], rest: String?) {
        let rows = entries.map { entry in
            let part = BatchPage.Row.Part(place: nil, count: entry.count, example: entry.example)
            return BatchPage.Row(text: text(entry.kind), parts: [part])
        }
        return (rows, shownRest(grouped))
    }
}
