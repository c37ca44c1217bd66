// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// Finds a few profiles that together take every branch that any profile takes.
///
/// Of several profiles that take the same branches, only the first is kept. The choice is greedy: it always takes the
/// profile with the most branches that are still missing, and the first of several such profiles. The smallest possible
/// set cannot be found in reasonable time; the greedy set has at most about ln(branches) times as many profiles. In the
/// end, profiles that the rest make superfluous are removed.
package struct BranchSample: Sendable {
    /// A set of branches, with one bit for each.
    private struct ArmSet: Hashable {
        var words: [UInt64]

        init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

        mutating func insert(_ arm: Int) { words[arm / 64] |= 1 << UInt64(arm % 64) }

        mutating func formUnion(_ other: ArmSet) { for index in words.indices { words[index] |= other.words[index] } }

        /// The number of branches that are not in another set.
        func count(without other: ArmSet) -> Int {
            var count = 0
            for index in words.indices { count += (words[index] & ~other.words[index]).nonzeroBitCount }
            return count
        }
    }

    /// A profile, with its position in the input.
    private struct Candidate {
        let block: Int
        let line: Int
        let text: [UInt8]

        func isBefore(_ other: Candidate) -> Bool { (block, line) < (other.block, other.line) }
    }

    /// The number of profiles that are kept; after that, only profiles with a branch that no earlier one takes are
    /// added.
    static let limit = 100_000

    private let isArm: [Bool]
    private var candidates: [ArmSet: Candidate] = [:]
    private var all: ArmSet

    package init(_ map: CoverageMap) {
        var isArm = Array(repeating: false, count: map.armCount)
        for arm in map.arms { isArm[arm] = true }
        self.isArm = isArm
        all = ArmSet(count: map.armCount)
    }

    /// Adds a profile with the branches that it takes.
    package mutating func note(_ text: UnsafeBufferPointer<UInt8>, arms: [Int], block: Int, line: Int) {
        var set = ArmSet(count: isArm.count)
        for arm in arms where isArm[arm] { set.insert(arm) }
        if let known = candidates[set] {
            guard (block, line) < (known.block, known.line) else { return }
        } else if candidates.count >= Self.limit, set.count(without: all) == 0 {
            return
        }
        all.formUnion(set)
        candidates[set] = Candidate(block: block, line: line, text: Array(text))
    }

    /// Adds the profiles of another sample.
    package mutating func add(_ other: BranchSample) {
        for (set, candidate) in other.candidates {
            if let known = candidates[set], !candidate.isBefore(known) { continue }
            candidates[set] = candidate
            all.formUnion(set)
        }
    }

    /// A profile of the sample.
    package struct Choice: Sendable {
        /// The number of the profile's line, as passed to ``note(_:arms:block:line:)``.
        package let line: Int

        /// The text of the profile.
        package let text: [UInt8]
    }

    /// The chosen profiles in the order of the input, and the number of branches that they take.
    package func smallest() -> (profiles: [Choice], armCount: Int) {
        let sorted = candidates.sorted { $0.value.isBefore($1.value) }
        var taken = ArmSet(count: isArm.count)
        var chosen: [(key: ArmSet, value: Candidate)] = []
        // The gain of a profile never grows. If its gain was below the best so far, it need not be counted again until
        // it could be the best.
        var gains = sorted.map { $0.key.count(without: taken) }
        while true {
            var best: Int?
            for index in sorted.indices where gains[index] > best.map({ gains[$0] }) ?? 0 {
                gains[index] = sorted[index].key.count(without: taken)
                if gains[index] > best.map({ gains[$0] }) ?? 0 { best = index }
            }
            guard let best else { break }
            taken.formUnion(sorted[best].key)
            chosen.append(sorted[best])
        }
        // Profiles that were chosen later may together take everything that an earlier one takes.
        for index in chosen.indices.reversed() {
            var others = ArmSet(count: isArm.count)
            for other in chosen.indices where other != index { others.formUnion(chosen[other].key) }
            if chosen[index].key.count(without: others) == 0 { chosen.remove(at: index) }
        }
        let profiles = chosen.map(\.value).sorted { $0.isBefore($1) }.map { Choice(line: $0.line, text: $0.text) }
        return (profiles, taken.count(without: ArmSet(count: isArm.count)))
    }
}
