// SPDX-License-Identifier: MIT

import AppDeclarations

/// A read of a key in a dictionary, either or both of which callers may pass.
struct ReadSite: Hashable {
    var place: CodePlace
    var dictionary: PushDictionary
    var key: KeyText

    /// Whether the dictionary and the key depend on no parameter.
    var isSettled: Bool { parameters.isEmpty }

    var parameters: [Parameter] { dictionary.parameters + key.parameters }
}

/// The circumstances in which code needs a pair, or is called.
struct Circumstances: Hashable {
    var condition = ReadCondition.always

    /// Whether a function that the system does not call itself is run, so that code goes on where it returns.
    var isAside = false

    /// Whether only the rest of a loop or closure is skipped.
    var isSkip = false

    /// Whether the condition is open only because pairs may be missing.
    var isOfPresence = false

    /// For a call: whether it is the last thing that its function does.
    var isLast = false

    /// Those of a function that is called in given circumstances.
    func called(in outer: Circumstances) -> Circumstances {
        Circumstances(
            condition: condition.intersection(outer.condition), isAside: isAside && (!outer.isLast || outer.isAside),
            isSkip: isSkip, isOfPresence: false)
    }
}

extension ReadCondition {
    func intersection(_ other: ReadCondition) -> ReadCondition {
        ReadCondition(
            categories: categories.intersection(other.categories), keys: keys.union(other.keys),
            isOpen: isOpen || other.isOpen)
    }

    /// A condition that pushes of both conditions meet.
    func union(_ other: ReadCondition) -> ReadCondition {
        if isOpen != other.isOpen { return isOpen ? other : self }
        return ReadCondition(
            categories: categories.union(other.categories), keys: keys.intersection(other.keys), isOpen: isOpen)
    }
}

/// What the statements around reads say about them.
struct ReadFacts {
    /// What code does without a key.
    struct Demand: Hashable {
        var requirement: ReadRequirement
        var circumstances: Circumstances
        /// The function that has the read, and then that which calls it.
        var owner = -1
        /// Reads of which one is enough instead.
        var instead: Set<Int> = []
    }

    /// A conversion at which code leaves or crashes where it fails.
    struct Failure: Hashable {
        var conversion: Conversion
        var isExit: Bool
        var circumstances: Circumstances
        var owner = -1
    }

    /// The types to which the value is cast.
    var casts: Set<ReadType> = []
    /// Those of ``casts`` that the value must have, and not only may have.
    var strictCasts: Set<ReadType> = []
    var conversions: Set<ReadType> = []
    /// The types that no value of JSON has, to which it is cast.
    var impossibleCasts: Set<String> = []
    /// The types that callers of a generic function take the value for.
    var contexts: Set<ReadType> = []
    var hasOtherDates = false
    var demands: Set<Demand> = []
    var failures: Set<Failure> = []
    /// Reads of which one is enough.
    var alternatives: Set<Int> = []
    /// Whether the key may be another too.
    var isOneOfMany = false
}

/// The reads of a target and what is known about them.
struct PairFacts {
    /// A read that a call of a function makes of one in it.
    private struct Derived: Hashable {
        var site: Int
        var circumstances: Circumstances
        var caller: Int
    }

    private(set) var sites: [ReadSite] = []
    private var ids: [ReadSite: Int] = [:]
    var facts: [ReadFacts] = []
    /// The reads that depend on the parameters of each function or closure.
    private(set) var sitesByOwner: [Int: [Int]] = [:]
    private var derived: [Int: Set<Derived>] = [:]
    /// The reads that some call settles, or that none needs to.
    private(set) var called: Set<Int> = []

    mutating func id(of site: ReadSite) -> Int {
        if let known = ids[site] { return known }
        sites.append(site)
        facts.append(ReadFacts())
        ids[site] = sites.count - 1
        for owner in Set(site.parameters.map(\.owner)) { sitesByOwner[owner, default: []].append(sites.count - 1) }
        return sites.count - 1
    }

    /// Records that a call makes one read of another, in some circumstances.
    mutating func derive(_ site: Int, from other: Int, _ circumstances: Circumstances, by caller: Int) {
        called.insert(other)
        guard site != other else { return }
        derived[other, default: []].insert(Derived(site: site, circumstances: circumstances, caller: caller))
    }

    /// Passes what is known of reads in functions on to the reads that calls make of them.
    ///
    /// - Parameter reach: the pushes for which a function is run.
    mutating func settle(_ reach: (Int) -> ReadCondition) {
        var open = derived.keys.sorted()
        var steps = 0
        while let site = open.popLast(), steps < 200_000 {
            for target in derived[site] ?? [] {
                steps += 1
                let before = facts[target.site]
                var found = before
                let own = facts[site]
                found.casts.formUnion(own.casts)
                found.strictCasts.formUnion(own.strictCasts)
                found.conversions.formUnion(own.conversions)
                found.contexts.formUnion(own.contexts)
                found.impossibleCasts.formUnion(own.impossibleCasts)
                found.hasOtherDates = found.hasOtherDates || own.hasOtherDates
                found.isOneOfMany = found.isOneOfMany || own.isOneOfMany
                found.alternatives.formUnion(own.alternatives.flatMap(settled))
                for demand in own.demands {
                    var demand = demand
                    demand.circumstances = demand.circumstances.called(in: target.circumstances)
                    demand.owner = target.caller
                    demand.instead = Set(demand.instead.flatMap(settled))
                    found.demands.insert(demand)
                }
                for failure in own.failures {
                    var failure = failure
                    failure.circumstances = failure.circumstances.called(in: target.circumstances)
                    failure.owner = target.caller
                    found.failures.insert(failure)
                }
                guard found.count != before.count, found.demands.count < 200 else { continue }
                facts[target.site] = found
                if derived[target.site] != nil { open.append(target.site) }
            }
        }
        for index in facts.indices where sites[index].isSettled {
            let held = sites[index].dictionary.condition
            facts[index].demands = Set(
                facts[index].demands.map { demand in
                    var demand = demand
                    demand.circumstances.condition = demand.circumstances.condition.intersection(reach(demand.owner))
                        .intersection(held)
                    return demand
                })
            facts[index].failures = Set(
                facts[index].failures.map { failure in
                    var failure = failure
                    failure.circumstances.condition = failure.circumstances.condition.intersection(reach(failure.owner))
                        .intersection(held)
                    return failure
                })
        }
    }

    /// The settled reads that calls make of a read.
    private func settled(_ site: Int) -> Set<Int> {
        var found: Set<Int> = []
        var open = [site]
        var seen: Set<Int> = []
        while let next = open.popLast(), seen.count < 64 {
            guard seen.insert(next).inserted else { continue }
            if sites[next].isSettled { found.insert(next) }
            open += (derived[next] ?? []).map(\.site)
        }
        return found
    }
}

extension ReadFacts {
    /// The number of facts, by which more facts are noticed.
    fileprivate var count: Int {
        casts.count + strictCasts.count + conversions.count + contexts.count + impossibleCasts.count + demands.count
            + failures.count
            + alternatives.count + (hasOtherDates ? 1 : 0) + (isOneOfMany ? 1 : 0)
    }
}
