// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources

/// Pass 5: the reads of each key, merged.
extension TargetCode {
    static func reads(_ pairs: PairFacts, _ places: CodePlaces) -> [Read] {
        struct Name: Hashable {
            var path: [String]
            var key: String
        }
        var sitesByName: [Name: [Int]] = [:]
        for (number, site) in pairs.sites.enumerated() where site.dictionary.root == .push && site.isSettled {
            let path = site.dictionary.path.compactMap(\.literal)
            sitesByName[Name(path: path, key: site.key.literal ?? ""), default: []].append(number)
        }
        var found: [(read: Read, place: CodePlace)] = []
        for (name, sites) in sitesByName {
            let all = sites.map { (facts: pairs.facts[$0], place: places.place(pairs.sites[$0].place)) }
            let joined = all.reduce(into: ReadFacts()) { $0.formUnion($1.facts) }
            // If code tries several types, a failed conversion counts as a crash only if it certainly is one.
            let triesTypes = joined.knownCasts.count > 1
            let certain = Set(all.flatMap(\.facts.certainCasts))
            let casts = triesTypes && !certain.isEmpty ? certain : joined.knownCasts
            let conversions = joined.contexts.isEmpty ? joined.conversions : []
            let (strict, impossible) = (joined.strictCasts, joined.impossibleCasts)
            let types = Set(impossible.compactMap { ReadType(.named($0, [])) })
            let isImpossible = conversions.isEmpty && casts.isSubset(of: types) && !impossible.isEmpty
            let crashes = all.flatMap { facts, place in
                facts.failures.filter {
                    (isImpossible || !$0.conversion.isImpossible) && (!triesTypes || facts.isCertain($0))
                }.map { failure in
                    var condition = failure.circumstances.condition
                    condition.isOpen = condition.isOpen || facts.isOneOfMany || !facts.alternatives.isEmpty
                    return Crash(
                        conversion: failure.conversion, at: place, isExit: failure.isExit, condition: condition)
                }
            }
            for need in Need.all(of: sites, in: pairs) {
                // Attachments that code can do without say nothing about the image.
                let isOptionalAttachment = joined.isOfAttachment && casts.isEmpty && conversions.isEmpty
                if isOptionalAttachment, need.requirement == .optional { continue }
                guard let first = need.sites.map({ pairs.sites[$0].place }).min(by: <) else { continue }
                let others = Set(sites.map { pairs.sites[$0].place }).subtracting([first]).sorted(by: <)
                var read = Read(
                    key: name.key, path: name.path, type: ReadType(casts: casts, conversions: conversions),
                    requirement: need.requirement, place: places.place(first))
                if joined.hasOtherDates {
                    read.sentType = ReadType(casts: casts, conversions: conversions.subtracting([.date]))
                }
                read.otherPlaces = others.map(places.place)
                read.literals = places.literals(need.sites.map { pairs.sites[$0] }, usedAt: read.place)
                read.alternatives = need.alternatives.sorted()
                read.isCast =
                    (conversions.isEmpty || !strict.isDisjoint(with: ReadType.notText)) && !casts.contains(.string)
                read.isTextCast = strict == [.string] && casts == [.string]
                read.impossibleCast = isImpossible ? impossible.min() : nil
                read.crashes = crashes
                read.isGate = need.isGate
                read.condition = need.condition
                found.append((read, first))
            }
        }
        return found.sorted { left, right in
            if left.place != right.place { return left.place < right.place }
            return (left.read.path.count, left.read.key, left.read.requirement)
                < (right.read.path.count, right.read.key, right.read.requirement)
        }.map(\.read)
    }
}

extension ReadFacts {
    /// The types to which the value is cast.
    ///
    /// If callers expect types for the result of a generic function, only these count.
    fileprivate var knownCasts: Set<ReadType> { contexts.isEmpty ? casts : contexts }

    /// Whether code crashes if a conversion of this read fails, whatever types other reads of the key try.
    fileprivate func isCertain(_ failure: Failure) -> Bool {
        failure.isOfOneRead && !failure.isExit && !failure.circumstances.condition.isOpen
            && !failure.circumstances.isOfBranch && !isOneOfMany
            && alternatives.isEmpty && knownCasts.count == 1
    }

    /// The types for which code certainly crashes if the value has any other type.
    fileprivate var certainCasts: [ReadType] {
        failures.filter(isCertain).compactMap { if case .cast(let type) = $0.conversion { type } else { nil } }
    }
}

/// What code does if a key is missing, and for which pushes.
private struct Need {
    var requirement: ReadRequirement
    var isGate: Bool
    var condition: ReadCondition
    /// Other keys that the code can use instead of this one.
    var alternatives: Set<String>
    var sites: [Int]

    /// The needs of all reads of one key, without those that another need covers.
    ///
    /// If the code works without the key, there is a single need.
    static func all(of sites: [Int], in pairs: PairFacts) -> [Need] {
        func alternatives(to site: Int, adding others: Set<Int> = []) -> Set<String> {
            let own = pairs.sites[site]
            let keys = others.union(pairs.facts[site].alternatives).map { pairs.sites[$0] }
                .filter { $0.dictionary.path == own.dictionary.path && $0.key != own.key }
            return Set(keys.compactMap(\.key.literal))
        }
        var found: [Need] = []
        for site in sites {
            let facts = pairs.facts[site]
            for demand in facts.demands where demand.requirement > .default {
                var condition = demand.circumstances.condition
                condition.isOpen = condition.isOpen || facts.isOneOfMany
                if condition.categories == .none { continue }
                if let key = pairs.sites[site].key.literal, pairs.sites[site].dictionary.path.isEmpty {
                    condition.keys.remove(key)
                }
                let isGate =
                    demand.requirement == .return && (demand.circumstances.isAside || demand.circumstances.isSkip)
                let others = alternatives(to: site, adding: demand.instead)
                let same = found.firstIndex {
                    $0.requirement == demand.requirement && $0.condition.keys == condition.keys
                        && $0.condition.isOpen == condition.isOpen && $0.alternatives == others
                }
                guard let same else {
                    found.append(
                        Need(
                            requirement: demand.requirement, isGate: isGate, condition: condition,
                            alternatives: others, sites: [site]))
                    continue
                }
                found[same].condition.categories.formUnion(condition.categories)
                if !isGate { found[same].isGate = false }
                if !found[same].sites.contains(site) { found[same].sites.append(site) }
            }
        }
        let needs = found.indices.filter { index in
            !found.indices.contains { other in
                other != index && found[other].covers(found[index])
                    && (other < index || !found[index].covers(found[other]))
            }
        }
        guard needs.isEmpty else { return needs.map { found[$0] } }
        let requirement = sites.flatMap { pairs.facts[$0].demands.map(\.requirement) }.max() ?? .optional
        let kept = Swift.min(requirement, .default)
        let deciding = sites.filter { site in
            kept == .optional || pairs.facts[site].demands.contains { $0.requirement == kept }
        }
        return [
            Need(
                requirement: kept, isGate: false, condition: .always,
                alternatives: sites.reduce(into: []) { $0.formUnion(alternatives(to: $1)) },
                sites: deciding.isEmpty ? sites : deciding)
        ]
    }

    private func covers(_ other: Need) -> Bool {
        condition.covers(other.condition) && alternatives.isSubset(of: other.alternatives)
            && (requirement > other.requirement || requirement == other.requirement && (!isGate || other.isGate))
    }
}
