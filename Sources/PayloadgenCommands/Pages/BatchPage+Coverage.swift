// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The branches of the templates, with the share of users that each is for.
extension BatchPage {
    func writeCoverage(_ coverage: CoverageReport, to html: inout HTMLWriter) {
        section("coverage", "Branches", to: &html) { html in
            let summary = "\(coverage.share) with \(count(coverage.messages, "user"))"
            html.element("p", text: "\(summary). Branches that no user reaches are marked.")
            for file in coverage.files where !file.arms.isEmpty {
                table(
                    "\(file.source.path): \(file.share)",
                    ["branch", "users"],
                    to: &html
                ) { html in
                    for arm in file.arms { write(arm, of: file, to: &html) }
                }
            }
        }
    }

    private func write(_ arm: CoverageReport.Arm, of file: CoverageReport.File, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("th", ("scope", "row"), ("class", arm.takers == 0 ? "unseen" : "seen")) { html in
                html.foreign(arm.label)
                html.markup("<br>")
                html.element("small") { html in
                    let start = arm.place.start
                    html.element("code") { $0.foreign("\(file.source.path):\(start.line):\(start.column)") }
                    if arm.takers == 0 {
                        html.markup("<br>")
                        html.text("nobody; needs: ")
                        html.foreign(arm.conditions.isEmpty ? "any user" : arm.conditions.joined(separator: "; "))
                    }
                }
            }
            html.element("td", ("class", "number")) { html in
                let part = CoverageReport.percentage(arm.takers, of: file.messages)
                html.text("\(RenderMessages.grouped(arm.takers)) (\(part))")
                html.element("svg", ("class", "part"), ("aria-hidden", "true")) { html in
                    html.element("rect", ("width", percent(arm.takers, of: file.messages)), ("height", "6")) { _ in }
                }
            }
        }
        html.markup("\n")
    }
}
