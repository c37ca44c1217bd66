// SPDX-License-Identifier: MIT

import AppDeclarations

/// A read of a key in a dictionary; the key, the dictionary or both may depend on parameters.
struct ReadSite: Hashable {
    var place: CodePlace
    var dictionary: PushDictionary
    var key: KeyText

    /// Whether neither the dictionary nor the key depends on a parameter.
    var isSettled: Bool { parameters.isEmpty }

    var parameters: [Parameter] { dictionary.parameters + key.parameters }
}

/// The circumstances in which code needs a pair, or in which a function is called.
struct Circumstances: Hashable {
    var condition = ReadCondition.always

    /// Whether the code is in a function that is called by other code, which continues after the function returns;
    /// false if the system calls the function.
    var isAside = false

    /// Whether leaving skips only the rest of a loop or closure.
    var isSkip = false

    /// Whether the condition is open only because pairs may be missing.
    var isOfPresence = false

    /// Whether the code is in a branch of a condition about pairs, or in the `else` of a `guard`.
    var isOfBranch = false

    /// For a call: whether it is the last thing that its function does.
    var isLast = false

    /// The circumstances of code in a function, combined with the circumstances of a call of the function.
    func called(in outer: Circumstances) -> Circumstances {
        Circumstances(
            condition: condition.intersection(outer.condition), isAside: isAside && (!outer.isLast || outer.isAside),
            isSkip: isSkip, isOfPresence: false, isOfBranch: isOfBranch || outer.isOfBranch)
    }
}

extension ReadCondition {
    /// The maximum number of keys in a condition; it keeps the time for code with many conditions proportional to its
    /// length.
    private static let keyLimit = 64

    /// Restricts the condition to pushes that also have some keys; keys beyond the limit are ignored.
    mutating func require(_ more: Set<String>) {
        guard keys.count + more.count > Self.keyLimit else { return keys.formUnion(more) }
        for key in more.sorted() where keys.count < Self.keyLimit { keys.insert(key) }
    }

    func intersection(_ other: ReadCondition) -> ReadCondition {
        var found = self
        found.categories = categories.intersection(other.categories)
        found.require(other.keys)
        found.isOpen = isOpen || other.isOpen
        return found
    }

    /// A condition for the pushes that meet either of two conditions; if only one of these is open, the other one.
    func union(_ other: ReadCondition) -> ReadCondition {
        if isOpen != other.isOpen { return isOpen ? other : self }
        return ReadCondition(
            categories: categories.union(other.categories), keys: keys.intersection(other.keys), isOpen: isOpen)
    }
}

/// The facts about a read that the statements around it show.
struct ReadFacts: Equatable {
    /// What code does if a key is missing.
    struct Demand: Hashable {
        var requirement: ReadRequirement
        var circumstances: Circumstances
        /// The function that contains the read, or for a read that a call causes, the caller.
        var owner = -1
        /// Other reads that the code can use instead of this one.
        var instead: Set<Int> = []
    }

    /// A conversion whose failure makes code leave the function or crash.
    struct Failure: Hashable {
        var conversion: Conversion
        var isExit: Bool
        /// Whether the value comes from one read, so that no other read can supply another value.
        var isOfOneRead = true
        var circumstances: Circumstances
        var owner = -1
    }

    /// The types to which the value is cast.
    var casts: Set<ReadType> = []
    /// The members of ``casts`` that fail for a value of any other type.
    var strictCasts: Set<ReadType> = []
    var conversions: Set<ReadType> = []
    /// The types to which the value is cast although no JSON value has them.
    var impossibleCasts: Set<String> = []
    /// The types that callers of a generic function expect for its result.
    var contexts: Set<ReadType> = []
    var hasOtherDates = false
    var demands: Set<Demand> = []
    var failures: Set<Failure> = []
    /// Other reads that the code can use instead of this one.
    var alternatives: Set<Int> = []
    /// Whether the read may also use other keys.
    var isOneOfMany = false
    /// Whether code uses the attachment that is made from the value.
    var isOfAttachment = false
}

/// The reads of a target and what is known about them.
struct PairFacts {
    /// A read that a call causes, made from a read in the called function.
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
    /// The reads that happen in at least one call, or in code that the system runs.
    private(set) var called: Set<Int> = []

    mutating func id(of site: ReadSite) -> Int {
        if let known = ids[site] { return known }
        sites.append(site)
        facts.append(ReadFacts())
        ids[site] = sites.count - 1
        for owner in Set(site.parameters.map(\.owner)) { sitesByOwner[owner, default: []].append(sites.count - 1) }
        return sites.count - 1
    }

    /// Records that a call in `caller`, under the given circumstances, turns the helper's read `other` into the read
    /// `site`.
    mutating func derive(_ site: Int, from other: Int, _ circumstances: Circumstances, by caller: Int) {
        called.insert(other)
        guard site != other else { return }
        derived[other, default: []].insert(Derived(site: site, circumstances: circumstances, caller: caller))
    }

    /// Copies the facts about a read in a function to the reads that calls of the function cause.
    ///
    /// - Parameter reach: returns the condition under which a function runs.
    mutating func settle(_ reach: (Int) -> ReadCondition) {
        var open = derived.keys.sorted()
        var steps = 0
        while let site = open.popLast(), steps < 200_000 {
            for target in derived[site] ?? [] {
                steps += 1
                var own = facts[site]
                own.alternatives = Set(own.alternatives.flatMap(settledSites))
                own.changeDemands { $0.instead = Set($0.instead.flatMap(settledSites)) }
                own.changeCircumstances { circumstances, owner in
                    circumstances = circumstances.called(in: target.circumstances)
                    owner = target.caller
                }
                let before = facts[target.site]
                own.formUnion(before)
                guard own != before, own.demands.count < 200 else { continue }
                facts[target.site] = own
                if derived[target.site] != nil { open.append(target.site) }
            }
        }
        for index in facts.indices where sites[index].isSettled {
            let held = sites[index].dictionary.condition
            facts[index].changeCircumstances { circumstances, owner in
                circumstances.condition = circumstances.condition.intersection(reach(owner)).intersection(held)
            }
        }
    }

    /// Follows the calls of helpers from a read to the reads that they cause, and returns those without parameters in
    /// their dictionary or key; this includes the read itself if it has none there.
    private func settledSites(from site: Int) -> Set<Int> {
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
    mutating func formUnion(_ other: ReadFacts) {
        casts.formUnion(other.casts)
        strictCasts.formUnion(other.strictCasts)
        conversions.formUnion(other.conversions)
        impossibleCasts.formUnion(other.impossibleCasts)
        contexts.formUnion(other.contexts)
        hasOtherDates = hasOtherDates || other.hasOtherDates
        demands.formUnion(other.demands)
        failures.formUnion(other.failures)
        alternatives.formUnion(other.alternatives)
        isOneOfMany = isOneOfMany || other.isOneOfMany
        isOfAttachment = isOfAttachment || other.isOfAttachment
    }

    fileprivate mutating func changeDemands(_ change: (inout Demand) -> Void) {
        demands = Set(
            demands.map { demand in
                var demand = demand
                change(&demand)
                return demand
            })
    }

    /// Changes the circumstances and the owner of every demand and failure.
    fileprivate mutating func changeCircumstances(_ change: (inout Circumstances, inout Int) -> Void) {
        changeDemands { change(&$0.circumstances, &$0.owner) }
        failures = Set(
            failures.map { failure in
                var failure = failure
                change(&failure.circumstances, &failure.owner)
                return failure
            })
    }
}
