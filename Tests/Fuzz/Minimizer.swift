// SPDX-License-Identifier: MIT

import Foundation

/// Makes an input smaller as long as it still fails in the same way.
struct Minimizer {
    private let isFailing: ([UInt8]) -> Bool
    private let deadline: Date
    private var triesLeft = 600

    /// Creates a minimizer.
    ///
    /// - Parameters:
    ///   - seconds: the longest time that it may take.
    ///   - isFailing: returns whether an input fails as the first one does.
    init(seconds: Double, isFailing: @escaping ([UInt8]) -> Bool) {
        self.isFailing = isFailing
        deadline = Date().addingTimeInterval(seconds)
    }

    /// The smallest input found that still fails.
    mutating func smallest(_ input: [UInt8]) -> [UInt8] {
        var input = input
        var piece = max(1, input.count / 2)
        while piece >= 1, !isExhausted {
            let count = input.count
            var start = 0
            while start < input.count, !isExhausted {
                let end = min(input.count, start + piece)
                let candidate = Array(input[..<start] + input[end...])
                triesLeft -= 1
                if isFailing(candidate) { input = candidate } else { start = end }
            }
            // If parts were removed, parts of the same size are tried again, because others may be removable now.
            if piece == 1, input.count == count { break }
            piece = input.count < count ? min(piece, max(1, input.count / 2)) : piece / 2
        }
        return input
    }

    private var isExhausted: Bool { triesLeft <= 0 || Date() > deadline }
}
