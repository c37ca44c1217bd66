// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import PayloadKit

/// The page that `render --report` writes about a batch.
///
/// The page is complete: it loads no script, font or picture, and its content security policy forbids the browser to
/// load or run anything.
struct BatchPage {
    /// The name of the campaign, or its file.
    let campaign: String

    /// The path of the campaign.
    let path: String

    /// The names of the profiles: the arguments of `--profiles`, or the files of merged parts.
    let profiles: [String]

    /// How many of them are named.
    private static let namedLimit = 10

    /// The part of them; nil for all.
    let shard: Shard?

    /// How many records an earlier run wrote, which are not in the report.
    let resumedAfter: Int

    /// The time that templates read; nil where none read it.
    let now: String?

    /// The findings about the campaign itself.
    let findings: [Diagnostic]

    /// The counts of the batch.
    let report: BatchReport

    /// The branches that users reach; nil where they were not counted.
    let coverage: CoverageReport?

    /// The page.
    func html() -> HTMLWriter {
        var html = HTMLWriter()
        html.page(title: "\(campaign): \(count(report.profiles, "profile"))", style: Self.style) { html in
            html.block("header", body: writeHeader)
            html.block("main") { html in
                writeTotals(to: &html)
                writeSizes(to: &html)
                writeKinds(to: &html)
                writeWarnings(to: &html)
                writeCalls(to: &html)
                if let coverage { writeCoverage(coverage, to: &html) }
                writeLargest(to: &html)
            }
        }
        return html
    }

    private func writeHeader(to html: inout HTMLWriter) {
        html.element("h1") { $0.foreign(campaign) }
        html.element("p") { html in
            html.element("code") { $0.foreign(path) }
            html.text(" rendered for ")
            for (index, name) in profiles.prefix(Self.namedLimit).enumerated() {
                if index > 0 { html.text(", ") }
                if name == "-" { html.text("standard input") } else { html.element("code") { $0.foreign(name) } }
            }
            if profiles.count > Self.namedLimit {
                html.text(" and \(count(profiles.count - Self.namedLimit, "other"))")
            }
            if let shard {
                html.text(", part \(RenderMessages.grouped(shard.index)) of \(RenderMessages.grouped(shard.count))")
            }
        }
        if let now { html.element("p", text: "Templates used the current time, which was \(now).") }
        if resumedAfter > 0 {
            let earlier = count(resumedAfter, "record")
            html.element(
                "p",
                ("class", "note"),
                text: "This run resumed after \(earlier) of an earlier one: they are not counted here."
            )
        }
        html.markup("\n")
    }

    // MARK: - Totals

    private func writeTotals(to html: inout HTMLWriter) {
        section("totals", "Totals", to: &html) { html in
            html.block("dl", ("class", "totals")) { html in
                let totals = [
                    ("profiles", report.profiles), ("rendered", report.rendered), ("aborted", report.aborted),
                    ("failed", report.failed), ("without id", report.withoutID), ("over budget", report.overBudget),
                ]
                for (name, number) in totals {
                    html.element("div") { html in
                        html.element("dt", text: name)
                        html.element("dd", text: RenderMessages.grouped(number))
                    }
                    html.markup("\n")
                }
            }
        }
    }

    // MARK: - Kinds

    private func writeKinds(to html: inout HTMLWriter) {
        section("blanks", "Blank fields", to: &html) { html in
            let listing = report.blanks.listing
            let rows = listing.entries.map { Row($0.kind.text, count: $0.count, example: $0.example) }
            let caption = "Titles, bodies and key-value pairs that are sent empty or as white space"
            table(caption, "field", rows, "No message has a blank field.", to: &html)
            writeRest(listing.shownRest(RenderMessages.grouped), to: &html)
        }
        section("aborts", "Aborted", to: &html) { html in
            let listing = report.reasons.listing
            let rows = listing.entries.map { Row($0.kind.text, count: $0.count, example: $0.example) }
            let caption = "Why messages were aborted"
            table(caption, "reason", rows, "No message was aborted.", to: &html)
            writeRest(listing.shownRest(RenderMessages.grouped), to: &html)
        }
        section("failures", "Failed", to: &html) { html in
            let listing = report.errors.listing
            let rows = Self.rows(listing.entries)
            let caption = "Why messages cannot be sent, with the first error message of each kind"
            table(caption, "error", rows, "No message failed.", to: &html)
            writeRest(listing.shownRest(RenderMessages.grouped), to: &html)
        }
    }

    private func writeWarnings(to html: inout HTMLWriter) {
        section("warnings", "Warnings", to: &html) { html in
            let own = findings.filter { $0.severity == .warning }
            if !own.isEmpty {
                html.element("p", text: "About the campaign, whoever gets it:")
                html.block("ul") { html in
                    for finding in own {
                        html.element("li") { html in
                            html.foreign("\(finding.message) (\(finding.rule.name))")
                            if let place = Self.place(of: finding) {
                                html.text(" ")
                                html.element("code") { $0.foreign(place) }
                            }
                        }
                        html.markup("\n")
                    }
                }
            }
            let none = own.isEmpty ? "No message has a warning." : "No message has a further warning."
            table("What messages were warned about", "warning", Self.rows(report.warnings), none, to: &html)
        }
    }

    private func writeCalls(to html: inout HTMLWriter) {
        let listing = report.calls.listing
        guard !listing.entries.isEmpty else { return }
        section("calls", "Connected content", to: &html) { html in
            let rows = listing.entries.map { Row($0.kind.text, count: $0.count, example: $0.example) }
            table("The calls that messages made, answered by fixtures", "call", rows, "", to: &html)
            writeRest(listing.shownRest(RenderMessages.grouped), to: &html)
        }
    }

    /// A row of a table: a text, with a count for each of its places.
    private struct Row {
        /// A place of the text with its number of profiles.
        struct Part {
            let place: String?
            let count: Int
            let example: String
        }

        let text: String
        var parts: [Part]

        init(_ text: String, place: String? = nil, count: Int, example: String) {
            self.text = text
            parts = [Part(place: place, count: count, example: example)]
        }
    }

    /// A row for each message, with the places that have it.
    private static func rows(_ entries: [KindCounts<FindingKind>.Entry]) -> [Row] {
        var rows: [Row] = []
        var indices: [String: Int] = [:]
        for entry in entries {
            let finding = entry.kind.diagnostic
            let text = "\(finding.message) (\(finding.rule.name))"
            let row = Row(text, place: place(of: finding), count: entry.count, example: entry.example)
            if let index = indices[text] {
                rows[index].parts += row.parts
            } else {
                indices[text] = rows.count
                rows.append(row)
            }
        }
        return rows
    }

    private static func place(of finding: Diagnostic) -> String? {
        finding.place.map { "\($0.file.path):\($0.start.line):\($0.start.column)" }
    }

    private func table(
        _ caption: String,
        _ name: String,
        _ rows: [Row],
        _ none: String,
        to html: inout HTMLWriter
    ) {
        guard !rows.isEmpty else { return html.element("p", text: none) }
        table(caption, [name, "profiles"], to: &html) { html in
            for row in rows {
                for (index, part) in row.parts.enumerated() {
                    html.element("tr") { html in
                        html.element("th", ("scope", "row")) { html in
                            if index == 0 { html.foreign(row.text) }
                            if let place = part.place {
                                if index == 0 { html.markup("<br>") }
                                html.element("code") { $0.foreign(place) }
                            }
                            html.markup("<br>")
                            html.element("small") { html in
                                html.text("first in ")
                                html.foreign(part.example)
                            }
                        }
                        html.element("td", ("class", "number")) { html in
                            let share = percent(part.count, of: report.profiles)
                            html.text("\(RenderMessages.grouped(part.count)) (\(share))")
                            html.element("svg", ("class", "part"), ("aria-hidden", "true")) { html in
                                html.element("rect", ("width", share), ("height", "6")) { _ in }
                            }
                        }
                    }
                    html.markup("\n")
                }
            }
        }
    }

    /// Writes the numbers of what a table leaves out.
    private func writeRest(_ rest: String?, to html: inout HTMLWriter) {
        if let rest { html.element("p", text: rest) }
    }

    // MARK: - Parts

    func section(_ id: String, _ title: String, to html: inout HTMLWriter, body: (inout HTMLWriter) -> Void) {
        html.block("section", ("aria-labelledby", id)) { html in
            html.element("h2", ("id", id), text: title)
            html.markup("\n")
            body(&html)
        }
    }

    func table(_ caption: String, _ columns: [String], to html: inout HTMLWriter, body: (inout HTMLWriter) -> Void) {
        html.block("table") { html in
            html.element("caption", text: caption)
            html.element("thead") { html in
                html.element("tr") { html in
                    for column in columns { html.element("th", ("scope", "col"), text: column) }
                }
            }
            html.markup("\n")
            html.block("tbody", body: body)
        }
    }

    func count(_ number: Int, _ noun: String) -> String {
        "\(RenderMessages.grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }
}
