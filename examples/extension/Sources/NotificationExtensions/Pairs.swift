// SPDX-License-Identifier: MIT

import Foundation

/// The key-value pairs of a push.
///
/// A pair that is missing, blank or of another type gives nil, and what is shown instead is up to the view: a push is
/// written by people, and a view that ends with its process is an empty view.
struct Pairs {
    private let userInfo: [AnyHashable: Any]

    init(_ userInfo: [AnyHashable: Any]) { self.userInfo = userInfo }

    func text(_ key: String) -> String? {
        guard let text = userInfo[key] as? String else { return nil }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    /// An integer within a range; the pairs of a push are strings, also those of numbers.
    func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        text(key).flatMap { Int($0) }.map { min(max($0, range.lowerBound), range.upperBound) }
    }

    /// A day, `yyyy-MM-dd`, which a time may follow.
    func day(_ key: String) -> Date? {
        guard let text = text(key) else { return nil }
        return try? Date(String(text.prefix(10)), strategy: .iso8601.year().month().day())
    }
}
