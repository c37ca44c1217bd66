// SPDX-License-Identifier: MIT

import PayloadKit

/// Adds invented people to the page, each of whom takes a branch that nobody takes yet.
struct Addition {
    let project: PreviewProject
    let draft: CampaignDraft
    let renderer: CampaignRenderer
    let map: CoverageMap
    let people: People
    let trigger: LiquidObject

    /// The maximum number of profiles in files that the search starts from, besides the given person's.
    ///
    /// It also starts from the people who were added, and from an empty profile.
    private static let others = 3

    /// Adds a person who takes a branch: a copy of an existing person with a few values changed.
    ///
    /// - Parameters:
    ///   - key: the key of the branch.
    ///   - number: the number of the person to start from; nil if none is given.
    /// - Returns: the number of the added person.
    /// - Throws: the reason that nobody is added.
    func add(_ key: String, like number: Int?) throws(PreviewProblem) -> Int {
        guard let branch = Branches.branch(key, in: map) else {
            throw PreviewProblem("the templates no longer have this branch: load the page again")
        }
        let text = map.text(ofBranch: branch)
        let label = text.label(ofBranch: branch)
        let numbers = [number].compactMap(\.self) + people.numbers(from: 0, limit: Self.others)
        let bases = numbers.compactMap { number in
            try? people.profile(number).get().context.laid(
                overTriggerProperties: people[number].trigger(trigger), eventProperties: .empty)
        }
        var search = BranchSearch(map, renderer, bases: bases)
        guard var json = search.example(of: branch, isReduced: false)?.profile,
            let found = json.withUTF8({ try? Profile(json: $0) })
        else {
            let place = text.place(ofBranch: branch)
            throw PreviewProblem(
                "no profile was found that reaches '\(label)' (\(place.shown)), which needs: "
                    + text.conditions(ofBranch: branch).joined(separator: ", and "))
        }
        // Properties that are equal to those of the page are left out, so that the person follows later changes on the
        // page.
        let namespace = "api_trigger_properties"
        let properties = found.context.members(of: namespace)
        let follows = properties.holdsSame(as: trigger)
        let profile = follows ? found.replacing(properties.keys.map { Profile.Entry(namespace, $0, nil) }) : found
        let number = project.add(to: draft.path) { number in
            Person(added: number, profile, hasOwnTrigger: !follows, for: label)
        }
        guard let number else { throw PreviewProblem("no more test persons can be added: remove some") }
        return number
    }
}

extension LiquidObject {
    /// Whether both objects have the same values, compared as the texts in a form; empty values are ignored.
    fileprivate func holdsSame(as other: LiquidObject) -> Bool {
        let filled = zip(keys, values).filter { $1.shown != "" }
        let others = zip(other.keys, other.values).filter { $1.shown != "" }
        guard filled.count == others.count else { return false }
        return filled.allSatisfy { key, value in other[key]?.shown == value.shown }
    }
}
