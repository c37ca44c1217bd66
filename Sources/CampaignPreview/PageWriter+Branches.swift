// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The branches of the templates: who takes each, and what is missing for those that nobody takes.
extension PageWriter {
    /// The most people who are named at a branch.
    private static let namedPeople = 2

    func writeBranches(to html: inout HTMLWriter) {
        guard let branches = scene.branches, !branches.all.isEmpty else { return }
        let missing = branches.all.filter { !$0.isReached }
        let reached = branches.all.filter(\.isReached)
        html.block("section", ("class", "fold"), ("aria-labelledby", "branches-title")) { html in
            html.element("div", ("class", "cap")) { html in
                html.element("h2", ("id", "branches-title"), text: "Branches")
                html.element(
                    "span", ("class", "num"), ("id", "reached"),
                    text: "\(reached.count) of \(branches.all.count) reached")
            }
            if !missing.isEmpty {
                html.block("ul", ("class", "arms")) { html in
                    for branch in missing { writeMissing(branch, to: &html) }
                }
            }
            guard !reached.isEmpty else { return }
            html.element("details", ("class", "arms"), ("id", "reached-list")) { html in
                html.element("summary", text: missing.isEmpty ? "Who reaches them" : "Who reaches the others")
                html.block("ul") { html in
                    for branch in reached { writeReached(branch, of: branches.profileCount, to: &html) }
                }
            }
        }
    }

    private func writeMissing(_ branch: Branch, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element("span", ("class", "n"), ("aria-hidden", "true"), text: "○")
            writeLabel(branch, isReached: false, to: &html)
            if !branch.conditions.isEmpty {
                html.element("span", ("class", "soft")) { html in
                    html.text("needs: ")
                    html.breakable(branch.conditions.joined(separator: ", and "))
                }
            }
            guard canEdit else { return }
            html.element("span") { html in
                html.element(
                    "button", ("class", "btn sm"), ("form", "draft"), ("name", "add"), ("value", branch.key)
                ) { html in
                    html.text("Add a person")
                    html.element("span", ("class", "sr")) { html in
                        html.text(" who reaches ")
                        html.exact(branch.label)
                    }
                }
            }
        }
        html.markup("\n")
    }

    private func writeReached(_ branch: Branch, of count: Int, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element("span", ("class", "y"), ("aria-hidden", "true"), text: "✓")
            writeLabel(branch, isReached: true, to: &html)
            html.element("span", ("class", "soft")) { html in
                let named = branch.people.prefix(Self.namedPeople)
                for (index, person) in named.enumerated() {
                    if index > 0 { html.text(", ") }
                    if isStatic {
                        html.foreign(person.name)
                    } else {
                        html.element("a", ("href", view.link { $0.person = person.number })) {
                            $0.foreign(person.name)
                        }
                    }
                }
                let others = max(branch.takers, branch.people.count) - named.count
                if others > 0 { html.text(named.isEmpty ? grouped(others) : " and \(grouped(others)) more") }
                if branch.takers > 0, count > 0 {
                    html.text(" · ")
                    html.element("span", ("class", "num"), text: Self.share(branch.takers, of: count))
                }
            }
        }
        html.markup("\n")
    }

    private func writeLabel(_ branch: Branch, isReached: Bool, to html: inout HTMLWriter) {
        html.element("span") { html in
            html.element("span", ("class", "sr"), text: isReached ? "Reached: " : "Not reached: ")
            html.element("span", ("class", "mono")) { $0.breakable(branch.label) }
            html.element("span", ("class", "soft at"), text: " " + shown(branch.place))
        }
    }

    /// The line of a place in the campaign, and the file of another place.
    private func shown(_ place: SourcePlace) -> String {
        place.file.path == scene.draft.path ? "line \(place.start.line)" : place.shown
    }

    /// A part of profiles in percent.
    static func share(_ takers: Int, of count: Int) -> String {
        let percent = takers * 100 / count
        if takers == count { return "100 %" }
        return percent == 0 ? "under 1 %" : "\(percent) %"
    }

    // MARK: - The choice of people

    /// Writes the links to all people and to those who together reach every branch.
    func writeListChoice(to html: inout HTMLWriter) {
        guard !isStatic, scene.map != nil, scene.settings.people == nil else { return }
        choice("Which people", [false, true], to: &html) { isOnePerBranch in
            let link = view.link { view in
                view.isOnePerBranch = isOnePerBranch
                view.person = nil
                view.first = 0
            }
            return (isOnePerBranch ? "One per branch" : "Files", isOnePerBranch == view.isOnePerBranch, link)
        }
    }

    /// Writes how many profiles were looked through.
    func writeCover(to html: inout HTMLWriter) {
        guard let cover = scene.cover else { return }
        html.element(
            "p", with: [("class", "pages"), ("id", "cover"), ("data-more", cover.isDone ? nil : "1")]
        ) { html in
            html.element("span") { html in
                let (seen, all) = (grouped(cover.seen), grouped(scene.people.count))
                if cover.seen < scene.people.count {
                    html.text("Looked through \(seen) of \(all) profiles")
                } else {
                    html.text("These reach every branch that any of \(all) profiles reaches")
                }
            }
            if !cover.isDone, !isStatic {
                html.element("button", ("class", "btn sm js"), ("type", "button"), ("id", "stop"), text: "Stop")
            }
        }
    }
}

extension HTMLWriter {
    /// Writes code whose lines may break after the dots and underscores of its names.
    fileprivate mutating func breakable(_ code: String) {
        var rest = code[...]
        while let end = rest.firstIndex(where: { $0 == "." || $0 == "_" }) {
            exact(String(rest[...end]))
            markup("<wbr>")
            rest = rest[rest.index(after: end)...]
        }
        exact(String(rest))
    }
}
