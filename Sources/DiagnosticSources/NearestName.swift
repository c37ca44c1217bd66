// SPDX-License-Identifier: MIT

/// The candidate most similar to a misspelt name, as a suggestion; nil if none is similar enough.
///
/// A candidate is similar enough if its edit distance is at most a third of the name's length, or 1 for names of fewer
/// than three scalars. If letters differ only in case, all of them together count as one edit. If several candidates
/// have the same distance, the first is returned. The name itself is never suggested. Names of more than 256 scalars
/// and candidates after the first 1,000 are not compared.
package func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= longestComparedName else { return nil }
    let wantedFolded = folded(wanted)
    let isFolded = wantedFolded == wanted
    var bestDistance = Swift.max(1, wanted.count / 3) + 1
    var best: String?
    for candidate in candidates.prefix(mostCandidates) {
        let scalars = Array(candidate.unicodeScalars)
        guard abs(scalars.count - wanted.count) < bestDistance, scalars != wanted else { continue }
        var distance = editDistance(wanted, scalars, below: bestDistance)
        let candidateFolded = folded(scalars)
        if !isFolded || candidateFolded != scalars {
            distance = Swift.min(distance, editDistance(wantedFolded, candidateFolded, below: bestDistance) + 1)
        }
        if distance < bestDistance {
            bestDistance = distance
            best = candidate
        }
    }
    return best
}

/// The question that ends a message and suggests a name, such as `, did you mean 'size'?`.
///
/// - Parameters:
///   - name: the name to suggest; nil for none.
///   - sign: the punctuation before the question.
///   - other: the end of the message if `name` is nil.
/// - Returns: the end of the message.
package func didYouMean(
    _ name: String?, after sign: String = ",", else other: @autoclosure () -> String = ""
) -> String {
    name.map { "\(sign) did you mean '\($0)'?" } ?? other()
}

/// Whether one of two similar names, both of which exist, may be a misspelling of the other.
///
/// Names of at most three letters, such as 'vip' and 'zip', are similar by chance, unless only their case differs.
package func mayBeMisspelt(_ name: String, _ near: String) -> Bool {
    Swift.max(name.unicodeScalars.count, near.unicodeScalars.count) > 3
        || folded(Array(name.unicodeScalars)) == folded(Array(near.unicodeScalars))
}

/// Whether one of two different names is probably the other one with a typing mistake.
///
/// Such a mistake is another case or separator, or a single missing, doubled, wrong or swapped letter in a word of at
/// least four letters. Names that differ in a digit are two names, such as 'lesson_1' and 'lesson_2'.
///
/// - Parameters:
///   - name: a name.
///   - other: the other name.
///   - strictly: whether names are different if a letter is wrong, or if one of them has an additional letter at the
///     start or the end of a word, as in a plural; a doubled letter is a mistake in any case.
/// - Returns: whether the names are so similar.
package func isTypingMistake(_ name: String, of other: String, strictly: Bool) -> Bool {
    if name == other { return false }
    if plainName(name) == plainName(other) { return true }
    let (left, right) = (Array(name.unicodeScalars), Array(other.unicodeScalars))
    let (short, long) = left.count < right.count ? (left, right) : (right, left)
    guard long.count - short.count < 2, long.count <= longestComparedName else { return false }
    let start = zip(short, long).prefix { $0 == $1 }.count
    let ending = zip(short.dropFirst(start).reversed(), long.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    let changed = start..<long.count - ending
    let wordStart = long[..<start].lastIndex { !isOfWord($0) }.map { $0 + 1 } ?? 0
    let wordEnd = long[changed.upperBound...].firstIndex { !isOfWord($0) } ?? long.count
    guard wordEnd - wordStart > 3, long[changed].allSatisfy(isOfWord),
        short[start..<short.count - ending].allSatisfy(isOfWord)
    else { return false }
    if short.count == long.count {
        let isSwap = changed.count == 2 && long[start] == short[start + 1] && long[start + 1] == short[start]
        return isSwap || changed.count == 1 && !strictly
    }
    // Of a doubled letter, the second one counts as the added one.
    let isDoubled = start > 0 && long[start - 1] == long[start]
    return changed.count == 1 && (!strictly || isDoubled || start > wordStart && start + 1 < wordEnd)
}

/// A name in lower case without hyphens, underscores and spaces, in which spellings of the same name differ.
package func plainName(_ name: String) -> String {
    String(decoding: name.lowercased().utf8.filter { $0 != 0x5F && $0 != 0x2D && $0 != 0x20 }, as: UTF8.self)
}

/// The maximum number of findings that reports show for one file; the rest are only counted.
package let mostShownFindings = 1_000

/// Suggests names for the misspelt names in one file, in limited time.
///
/// Names are compared only for the first ``mostShownFindings`` findings, because later ones are not shown, and only
/// until 200,000 comparisons are made. This limits the time even for a file that consists of misspelt names.
package struct Suggestions: Sendable {
    private var findingsLeft = mostShownFindings
    private var comparisonsLeft = 200_000

    package init() {}

    /// The candidate most similar to a misspelt name; nil if none is similar enough or a limit has been reached.
    package mutating func nearest(to name: String, in candidates: @autoclosure () -> [String]) -> String? {
        if findingsLeft == 0 || comparisonsLeft <= 0 { return nil }
        let candidates = candidates()
        findingsLeft -= 1
        charge(candidates.count, with: name)
        return nearestName(to: name, in: candidates)
    }

    /// The candidates most similar to a name, in order of similarity, however different they are; nil if a limit has
    /// been reached.
    package mutating func mostSimilar(_ count: Int, to name: String, in candidates: [String]) -> [String]? {
        if findingsLeft == 0 || comparisonsLeft <= 0 { return nil }
        charge(candidates.count, with: name)
        let distances = candidates.enumerated().map { (editDistance(name, $0.element), $0.offset) }
        return distances.sorted(by: <).prefix(count).map { candidates[$0.1] }
    }

    /// Subtracts comparisons from those that are left; a comparison with a name of up to 22 bytes counts once, with a
    /// longer one more often, as its time grows with the square of the length.
    private mutating func charge(_ comparisons: Int, with name: String) {
        let length = Swift.min(name.utf8.count, longestComparedName)
        comparisonsLeft -= Swift.max(1, length * length >> 8) * Swift.min(comparisons, mostCandidates)
    }
}

/// The number of insertions, deletions, substitutions and swaps of neighbours that change one name into the other,
/// counted in Unicode scalars.
///
/// Names of more than 256 scalars are not compared: unless they are equal, their distance is the length of the longer
/// one.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.unicodeScalars)
    let right = Array(right.unicodeScalars)
    if left == right { return 0 }
    let longer = Swift.max(left.count, right.count)
    guard longer <= longestComparedName else { return longer }
    return editDistance(left, right, below: longer + 1)
}

/// The maximum number of scalars of a name that is compared: the time is quadratic, and names may come from hostile
/// input.
private let longestComparedName = 256
private let mostCandidates = 1_000

private func folded(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    if scalars.allSatisfy({ $0.isASCII && !("A"..."Z").contains($0) }) { return scalars }
    return scalars.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
}

/// The optimal string alignment distance, or `limit` once it is clear that the distance is not less.
///
/// Only the cells near the diagonal are computed, because cells further away are beyond the limit.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], below limit: Int) -> Int {
    let width = right.count
    guard abs(left.count - width) < limit else { return limit }
    var beforePrevious = [Int](repeating: limit, count: width + 1)
    var previous = (0...width).map { Swift.min($0, limit) }
    var current = previous
    var isPreviousBelow = limit > 0
    for row in 0..<left.count {
        let first = Swift.max(0, row - limit)
        let end = Swift.min(width, row + limit)
        current[first] = first == 0 ? Swift.min(row + 1, limit) : limit
        var isBelow = current[first] < limit
        for column in Swift.min(first, end)..<end {
            var cost = previous[column] + (left[row] == right[column] ? 0 : 1)
            cost = Swift.min(cost, previous[column + 1] + 1, current[column] + 1, limit)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = Swift.min(cost, beforePrevious[column - 1] + 1)
            }
            current[column + 1] = cost
            if cost < limit { isBelow = true }
        }
        if end < width { current[end + 1] = limit }
        // A swap also uses the row before the previous one, so the search ends only when two rows in a row are at the
        // limit.
        if !isBelow, !isPreviousBelow { return limit }
        isPreviousBelow = isBelow
        (beforePrevious, previous, current) = (previous, current, beforePrevious)
    }
    return Swift.min(previous[width], limit)
}

/// Whether a scalar is a letter, or an accent of the letter before it.
private func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.canonicalCombiningClass != .notReordered
}
