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
    private struct BranchSet: Hashable {
        var words: [UInt64]

        init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

        mutating func insert(_ branch: Int) { words[branch / 64] |= 1 << UInt64(branch % 64) }

        mutating func formUnion(_ other: BranchSet) {
            for index in words.indices { words[index] |= other.words[index] }
        }

        /// The number of branches that are not in another set.
        func count(without other: BranchSet) -> Int {
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

    /// Once this many profiles are kept, a profile is added only if it takes a branch that no earlier profile takes.
    static let limit = 100_000

    private let isBranch: [Bool]
    private var candidates: [BranchSet: Candidate] = [:]
    private var all: BranchSet

    package init(_ map: CoverageMap) {
        var isBranch = Array(repeating: false, count: map.branchCount)
        for branch in map.branches { isBranch[branch] = true }
        self.isBranch = isBranch
        all = BranchSet(count: map.branchCount)
    }

    /// Adds a profile with the branches that it takes.
    package mutating func note(_ text: UnsafeBufferPointer<UInt8>, branches: [Int], block: Int, line: Int) {
        var set = BranchSet(count: isBranch.count)
        for branch in branches where isBranch[branch] { set.insert(branch) }
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
        /// The number of the profile's line, as passed to ``note(_:branches:block:line:)``.
        package let line: Int

        /// The text of the profile.
        package let text: [UInt8]
    }

    /// The chosen profiles in the order of the input, and the number of branches that they take.
    package func smallest() -> (profiles: [Choice], branchCount: Int) {
        let sorted = candidates.sorted { $0.value.isBefore($1.value) }
        var taken = BranchSet(count: isBranch.count)
        var chosen: [(key: BranchSet, value: Candidate)] = []
        // The gain of a profile, which is the number of branches that it adds, never grows. If its gain was below the
        // best so far, it need not be counted again until it could be the best.
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
            var others = BranchSet(count: isBranch.count)
            for other in chosen.indices where other != index { others.formUnion(chosen[other].key) }
            if chosen[index].key.count(without: others) == 0 { chosen.remove(at: index) }
        }
        let profiles = chosen.map(\.value).sorted { $0.isBefore($1) }.map { Choice(line: $0.line, text: $0.text) }
        return (profiles, taken.count(without: BranchSet(count: isBranch.count)))
    }
}
