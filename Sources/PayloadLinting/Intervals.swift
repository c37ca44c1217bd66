// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A set of byte ranges, in which overlapping and adjacent ranges are joined.
struct Intervals {
    /// The ranges, ascending and disjoint.
    private var ranges: [Range<Int>] = []

    init(_ ranges: [Range<Int>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = self.ranges.last, last.upperBound >= range.lowerBound {
                self.ranges[self.ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    /// Whether an offset is in one of the ranges.
    func contains(_ offset: Int) -> Bool { last(from: offset).map { $0.contains(offset) } ?? false }

    /// Whether a range is inside one of the ranges.
    func covers(_ range: SourceRange) -> Bool {
        last(from: Int(range.start)).map { Int(range.end) <= $0.upperBound } ?? false
    }

    /// Whether a range shares a byte with one of the ranges.
    func overlaps(_ range: Range<Int>) -> Bool {
        !range.isEmpty && last(from: range.upperBound - 1).map { $0.upperBound > range.lowerBound } ?? false
    }

    /// The last range that begins at an offset or before it.
    private func last(from offset: Int) -> Range<Int>? {
        let next = ranges.partitioningIndex { $0.lowerBound > offset }
        return next > 0 ? ranges[next - 1] : nil
    }
}
