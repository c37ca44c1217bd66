// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The distribution of the sizes of payloads.
extension BatchPage {
    /// A range of sizes, with its number of payloads.
    private struct Bin {
        let sizes: Range<Int>
        let count: Int

        var name: String {
            "\(RenderMessages.grouped(sizes.lowerBound)) to \(RenderMessages.grouped(sizes.upperBound - 1))"
        }
    }

    /// The width of a bin in bytes; the limit of APNs is a multiple.
    private static let binWidth = 64

    /// The base line of the bars and the height of the highest bar, in pixels.
    private static let floor = 210
    private static let height = 150

    private var bins: [Bin] {
        stride(from: 0, through: SizeBudget.limit, by: Self.binWidth).map { start in
            let sizes = start..<min(start + Self.binWidth, report.sizes.count)
            return Bin(sizes: sizes, count: report.sizes[sizes].reduce(0, +))
        }
    }

    func writeSizes(to html: inout HTMLWriter) {
        section("sizes", "Payload sizes", to: &html) { html in
            guard let largest = report.largest.first else {
                return html.element("p", text: "No message is sent.")
            }
            let numbers = [
                ("least", report.least), ("mean", report.mean), ("p50", report.percentile(50)),
                ("p95", report.percentile(95)), ("p99", report.percentile(99)), ("most", largest.size.bytes),
            ]
            let bins = bins
            let filled = bins.filter { $0.count > 0 }
            html.drawing(
                "distribution",
                "distribution",
                title: "Payloads by their size in bytes",
                description: (numbers + largest.size.limits.map { ("limit of \($0.name)", $0.most) })
                    .map { "\($0) \(RenderMessages.grouped($1))" }.joined(separator: ", ")
            ) { html in
                draw(bins, to: &html)
                draw(largest.size, to: &html)
            }
            html.block("dl", ("class", "totals")) { html in
                for (name, number) in numbers {
                    html.element("div") { html in
                        html.element("dt", text: name)
                        html.element("dd", text: RenderMessages.grouped(number))
                    }
                    html.markup("\n")
                }
            }
            html.element("p", text: explanation(of: largest.size))
            html.block("details") { html in
                html.element("summary", text: "The distribution in numbers")
                table("Payloads by their size", ["bytes", "payloads"], to: &html) { html in
                    for bin in filled {
                        html.element("tr") { html in
                            html.element("th", ("scope", "row"), text: bin.name)
                            html.element("td", ("class", "number"), text: RenderMessages.grouped(bin.count))
                        }
                        html.markup("\n")
                    }
                }
            }
        }
    }

    private func explanation(of size: SizeBudget) -> String {
        let limit = RenderMessages.grouped(SizeBudget.limit)
        let budget = RenderMessages.grouped(size.budget)
        let placeholderSize = count(size.bytes - size.share, "byte")
        return """
            APNs accepts \(limit) bytes: a message above that fails and is not drawn. Braze leaves \(budget) bytes to the \
            campaign; its line is drawn after the \(placeholderSize) of the placeholder for Braze's own data.
            """
    }

    private func draw(_ bins: [Bin], to html: inout HTMLWriter) {
        let most = bins.map(\.count).max() ?? 0
        for bin in bins where bin.count > 0 {
            // Bars of rare sizes stay visible.
            let height = max(2, bin.count * Self.height / most)
            html.element(
                "rect",
                ("class", "bar"),
                ("x", across(bin.sizes.lowerBound)),
                ("y", "\(Self.floor - height)"),
                ("width", across(Self.binWidth)),
                ("height", "\(height)")
            ) { html in
                html.element("title", text: "\(bin.name) bytes: \(count(bin.count, "payload"))")
            }
            html.markup("\n")
        }
        html.element("line", ("class", "axis"), ("x2", "100%"), ("y1", "\(Self.floor)"), ("y2", "\(Self.floor)")) { _ in
        }
        for quarter in 0...4 {
            let size = SizeBudget.limit * quarter / 4
            let anchor = quarter == 0 ? "start" : quarter == 4 ? "end" : "middle"
            html.element(
                "text",
                ("x", across(size)),
                ("y", "\(Self.floor + 18)"),
                ("text-anchor", anchor),
                text: RenderMessages.grouped(size)
            )
        }
        html.markup("\n")
    }

    /// Draws both limits, with their names at different heights.
    private func draw(_ size: SizeBudget, to html: inout HTMLWriter) {
        for (index, limit) in size.limits.enumerated() {
            // The line of the budget is moved by the bytes that do not count towards it.
            let position = limit.most + size.bytes - limit.used
            guard position <= SizeBudget.limit else { continue }
            let top = 18 * index
            html.element(
                "line",
                ("class", index == 0 ? "limit" : "limit budget"),
                ("x1", across(position)),
                ("x2", across(position)),
                ("y1", "\(top)"),
                ("y2", "\(Self.floor)")
            ) { _ in }
            html.element(
                "text",
                ("x", across(position)),
                ("dx", position > SizeBudget.limit / 2 ? "-6" : "6"),
                ("y", "\(top + 12)"),
                ("text-anchor", position > SizeBudget.limit / 2 ? "end" : "start"),
                text: "\(limit.name) \(RenderMessages.grouped(limit.most))"
            )
            html.markup("\n")
        }
    }

    private func across(_ size: Int) -> String { percent(size, of: SizeBudget.limit) }
}
