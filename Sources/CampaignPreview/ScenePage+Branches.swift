// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The list of branches on the page: who takes each branch, and the conditions of those that nobody takes.
extension ScenePage {
    /// The maximum number of people who are named at a branch.
    private static let namedPeople = 2

    var branches: PageModel? {
        guard let branches = scene.branches, !branches.all.isEmpty else { return nil }
        let missing = branches.all.filter { !$0.isReached }.map { branch in
            var model = model(of: branch)
            model["key"] = branch.key
            model["needs"] =
                branch.conditions.isEmpty ? nil : breakable(branch.conditions.joined(separator: ", and "))
            return model
        }
        let reached = branches.all.filter(\.isReached).map { branch in
            let named = branch.people.prefix(Self.namedPeople)
            let others = max(branch.takers, branch.people.count) - named.count
            var model = model(of: branch)
            model["people"] = named.map { person in
                ["name": person.name, "link": view.link { $0.person = person.number }] as PageModel
            }
            model["others"] = others > 0 ? (named.isEmpty ? grouped(others) : " and \(grouped(others)) more") : nil
            model["share"] =
                branch.takers > 0 && branches.profileCount > 0
                ? CoverageReport.percentage(branch.takers, of: branches.profileCount) : nil
            return model
        }
        return ["count": branches.all.count, "missing": missing, "reached": reached]
    }

    private func model(of branch: Branch) -> PageModel {
        // A place in the campaign's file is shown as its line, any other place also with its file.
        let place = branch.place
        let line = place.file.path == scene.draft.path ? "line \(place.start.line)" : place.shown
        return ["label": breakable(branch.label), "place": line]
    }

    /// The code, split after each dot and underscore, where the browser may break the line.
    private func breakable(_ code: String) -> [String] {
        var parts = [""]
        for character in code {
            parts[parts.count - 1].append(character)
            if character == "." || character == "_" { parts.append("") }
        }
        return parts.filter { !$0.isEmpty }
    }

    // MARK: - The choice of people

    /// The links that choose between all people and those who together take every branch; nil if there is no choice.
    var listChoice: PageModel? {
        guard !isStatic, scene.map != nil, scene.settings.people == nil else { return nil }
        return choice("Which people", [false, true]) { isOnePerBranch in
            let link = view.link { view in
                view.isOnePerBranch = isOnePerBranch
                view.person = nil
                view.first = 0
            }
            return (isOnePerBranch ? "One per branch" : "Files", isOnePerBranch == view.isOnePerBranch, link)
        }
    }

    /// The values that say how many profiles have been looked through; nil if none are.
    var cover: PageModel? {
        guard let cover = scene.cover else { return nil }
        let (seen, all) = (grouped(cover.seen), grouped(scene.people.count))
        let text =
            cover.seen < scene.people.count
            ? "Looked through \(seen) of \(all) profiles"
            : "These reach every branch that any of \(all) profiles reaches"
        return ["text": text, "has_more": !cover.isDone]
    }
}
