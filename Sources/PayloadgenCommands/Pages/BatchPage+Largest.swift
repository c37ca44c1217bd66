// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The largest payloads, with the bytes of their fields.
extension BatchPage {
    /// One part of a payload; its kind gives the colour.
    private struct Share {
        let kind: String
        let name: String
        let value: String?
        let cost: Int
    }

    func writeLargest(to html: inout HTMLWriter) {
        guard let most = report.largest.first?.size.bytes else { return }
        let title = report.largest.count == 1 ? "The largest payload" : "The \(report.largest.count) largest payloads"
        section("largest", title, to: &html) { html in
            html.block("ul", ("class", "legend")) { html in
                for (kind, words) in [
                    ("texts", "texts"), ("extras", "pairs"), ("details", "other fields"),
                    ("structure", "Braze's own data, and structure"),
                ] {
                    html.element("li", ("class", kind), text: words)
                }
            }
            for (index, large) in report.largest.enumerated() { write(large, number: index + 1, most, to: &html) }
        }
    }

    private func write(_ large: BatchReport.Large, number: Int, _ most: Int, to html: inout HTMLWriter) {
        let shares = shares(of: large.description)
        let limits = large.size.limits.map { "\($0.name): \($0.text)" }.joined(separator: "; ")
        html.block("article", ("aria-labelledby", "large-\(number)")) { html in
            html.element("h3", ("id", "large-\(number)")) { html in
                html.foreign(large.example)
                html.text(": \(count(large.size.bytes, "byte"))")
            }
            html.element("p", text: limits)
            html.drawing(
                "cost-\(number)",
                "costs",
                title: "The bytes of the fields",
                description: shares.map { "\($0.name) \(RenderMessages.grouped($0.cost))" }.joined(separator: ", ")
            ) { html in
                var start = 0
                for share in shares {
                    html.element(
                        "rect",
                        ("class", share.kind),
                        ("x", percent(start, of: most)),
                        ("width", percent(share.cost, of: most)),
                        ("height", "24")
                    ) { html in
                        html.element("title", text: "\(share.name): \(count(share.cost, "byte"))")
                    }
                    start += share.cost
                }
                html.markup("\n")
            }
            html.block("details") { html in
                html.element("summary", text: "The message, field by field")
                writeTable(shares, large.size.bytes, to: &html)
            }
        }
    }

    private func writeTable(_ shares: [Share], _ bytes: Int, to html: inout HTMLWriter) {
        table("Each field with its key, value and punctuation", ["field", "value", "bytes"], to: &html) { html in
            for share in shares {
                html.element("tr") { html in
                    html.element("th", ("scope", "row"), ("class", "name \(share.kind)")) { $0.foreign(share.name) }
                    html.element("td") { html in
                        if let value = share.value { write(value, of: share.name, to: &html) }
                    }
                    html.element("td", ("class", "number"), text: RenderMessages.grouped(share.cost))
                }
                html.markup("\n")
            }
            html.element("tr") { html in
                html.element("th", ("scope", "row"), text: "all")
                html.element("td") { _ in }
                html.element("td", ("class", "number"), text: RenderMessages.grouped(bytes))
            }
            html.markup("\n")
        }
    }

    /// Writes a value; a long one can be scrolled, also from the keyboard.
    private func write(_ value: String, of name: String, to html: inout HTMLWriter) {
        guard value.utf8.count > 400 else { return html.element("div", ("class", "value")) { $0.foreign(value) } }
        html.element("div", ("class", "long value"), ("tabindex", "0"), ("role", "region"), ("aria-label", name)) {
            $0.foreign(value)
        }
    }

    /// All parts of a message; their costs add up to its payload.
    private func shares(of message: MessageDescription) -> [Share] {
        let groups = [
            ("texts", message.texts), ("extras", message.extras), ("details", message.details),
            ("structure", message.placeholder.map { [$0] } ?? []),
        ]
        let fields = groups.flatMap { kind, parts in
            parts.map { Share(kind: kind, name: $0.name, value: $0.value, cost: $0.cost) }
        }
        return fields + [Share(kind: "structure", name: "structure", value: nil, cost: message.size.structure)]
    }
}
