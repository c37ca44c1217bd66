// SPDX-License-Identifier: MIT

/// The candidate that is most likely meant by a misspelt name, for a did-you-mean; nil when none is near.
///
/// Near is an edit distance of a third of the name's length, and at least 1. Letters that differ by case alone count as
/// one edit altogether. Of candidates that are equally near the first wins; the name itself is no suggestion.
package func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= longestComparedName else { return nil }
    let wantedFolded = folded(wanted)
    var bestDistance = Swift.max(1, wanted.count / 3) + 1
    var best: String?
    for candidate in candidates {
        let scalars = Array(candidate.unicodeScalars)
        guard abs(scalars.count - wanted.count) < bestDistance, scalars != wanted else { continue }
        let distance = Swift.min(
            editDistance(wanted, scalars, below: bestDistance),
            editDistance(wantedFolded, folded(scalars), below: bestDistance) + 1
        )
        if distance < bestDistance {
            bestDistance = distance
            best = candidate
        }
    }
    return best
}

/// The number of insertions, removals, substitutions and swaps of neighbours that turn one name into the other,
/// counted in Unicode scalars.
///
/// Names beyond 256 scalars are not compared: their distance is the length of the longer one unless they are equal.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.unicodeScalars)
    let right = Array(right.unicodeScalars)
    if left == right { return 0 }
    let longer = Swift.max(left.count, right.count)
    guard longer <= longestComparedName else { return longer }
    return editDistance(left, right, below: longer + 1)
}

/// Keeps the quadratic comparison cheap where names come from hostile input.
private let longestComparedName = 256

private func folded(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    scalars.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
}

/// The distance as optimal string alignment, or `limit` as soon as it cannot stay below it.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], below limit: Int) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in 0..<left.count {
        var current = [row + 1]
        current.reserveCapacity(right.count + 1)
        for column in 0..<right.count {
            let isSame = left[row] == right[column]
            var cost = Swift.min(
                previous[column] + (isSame ? 0 : 1),
                previous[column + 1] + 1,
                current[column] + 1
            )
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = Swift.min(cost, beforePrevious[column - 1] + 1)
            }
            current.append(cost)
        }
        // A swap reaches back two rows, so that both have to be out of reach.
        if (current.min() ?? 0) >= limit, (previous.min() ?? 0) >= limit { return limit }
        beforePrevious = previous
        previous = current
    }
    return Swift.min(previous[right.count], limit)
}
