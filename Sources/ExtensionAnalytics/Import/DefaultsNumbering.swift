// SPDX-License-Identifier: MIT

import DiagnosticSources
package import Foundation

/// Numbers for the elements in the arrays of Braze's guides, from which the ids of their records are computed, so that
/// an id always means the same element.
///
/// An element gets a number when it is first seen, in the order of the array, and the number is never used again. For
/// each array, the numbers of the remaining elements and the next number are stored. An app only appends elements at
/// the end or clears an array as a whole. So an array that is shorter than the stored one, or begins with different
/// elements, has been cleared: its elements are the first of a new generation, and ids of an older generation no longer
/// identify anything.
///
/// Elements do not contain their time, so the time at which an element was first seen is stored with its number.
package struct DefaultsNumbering: Sendable, Equatable {
    /// What is stored about one element.
    struct Element: Sendable, Equatable {
        var number: Int
        /// The time at which the element was first seen, in milliseconds since 1970.
        var milliseconds: Int
        /// The digest of the element's content, by which the element is recognized.
        var digest: UInt64
    }

    /// What is stored about one array.
    struct Series: Sendable, Equatable {
        var generation = 0
        var next = 0
        /// The elements that are still in the array, in the order of their numbers.
        var elements: [Element] = []
    }

    /// A removal of elements that was begun; the process may have ended before or after it was completed.
    struct Removal: Sendable, Equatable {
        /// The positions of the removed elements, for each array that loses some.
        var positions: [DefaultsImport.Key: Set<Int>]
        /// A text that changes whenever the stored arrays change; nil if such changes cannot be recognized.
        var source: String?
        /// The same text after the removal; nil if it is not known.
        var result: String?
    }

    /// What the id of a record identifies.
    package enum Occurrence: Sendable, Hashable {
        /// An element that is still in an array, at a position from 0.
        case element(DefaultsImport.Key, position: Int)
        /// An element that was removed.
        case removed
        /// An element of an array that the app has cleared since then.
        case cleared(DefaultsImport.Key)
        /// Nothing, because this numbering did not make the id.
        case unknown
    }

    static let originBits = 60
    private static let generationBits = 28
    private static let numberBits = 32
    static let generationLimit = 1 << generationBits
    static let numberLimit = 1 << numberBits

    /// A random number that is different for each numbering; the first part of every id.
    let origin: UInt64

    var series: [DefaultsImport.Key: Series] = [:]

    /// The last removal that was begun; nil if it is known to be completed.
    var removal: Removal?

    /// Whether any element has ever got a number.
    package var hasNumbers: Bool { series.values.contains { $0.next > 0 || $0.generation > 0 } }

    /// Creates a numbering without elements.
    package init() { self.init(origin: .random(in: 0..<1 << UInt64(Self.originBits))) }

    init(origin: UInt64) { self.origin = origin }

    /// Gives numbers to the elements that are new.
    ///
    /// - Parameters:
    ///   - elements: the current elements.
    ///   - time: the time of the new elements; the current time if it is not known.
    ///   - source: a text that changes whenever the stored arrays change, such as the digest of a file with the time of
    ///     its last change; nil if such changes cannot be recognized.
    package mutating func update(_ elements: DefaultsElements, time: Date, source: String? = nil) {
        // An earlier process completed the removal, but ended before it could store that.
        if let removal, let source, source == removal.result { finishRemoval(of: removal.positions) }
        // A time beyond the range of integers is replaced by one that every record rejects as too late.
        let milliseconds = Int(exactly: (time.timeIntervalSince1970 * 1_000).rounded()) ?? 1 << 53
        for key in DefaultsImport.Key.allCases {
            let digests = (elements.arrays[key] ?? []).map { ElementDigest($0).value }
            var series = self.series[key] ?? Series()
            let isContinued =
                series.elements.count <= digests.count && zip(series.elements, digests).allSatisfy { $0.digest == $1 }
            if !isContinued || mayBeRemoved(key, source) {
                series = Series(generation: series.generation + 1)
            }
            let added = digests.dropFirst(series.elements.count)
            guard series.generation < Self.generationLimit, series.next + added.count <= Self.numberLimit else {
                // A new numbering begins when all numbers are used up, after billions of elements.
                self = DefaultsNumbering()
                return update(elements, time: time, source: source)
            }
            for digest in added {
                series.elements.append(Element(number: series.next, milliseconds: milliseconds, digest: digest))
                series.next += 1
            }
            if series != Series() { self.series[key] = series }
        }
        removal = nil
    }

    /// Whether an earlier process may have removed elements, but ended before it could store that.
    ///
    /// In this case, the source of the elements has changed. The elements themselves do not show it, because equal
    /// elements may have been appended since.
    private func mayBeRemoved(_ key: DefaultsImport.Key, _ source: String?) -> Bool {
        guard let removal, removal.positions[key] != nil else { return false }
        return source == nil || removal.source != source
    }

    /// Notes that elements are about to be removed; save the numbering before you remove them.
    ///
    /// - Parameters:
    ///   - positions: the positions of the elements.
    ///   - source: the text that identifies the current state of the arrays.
    ///   - result: the text that ``update(_:time:source:)`` will get once the removal is completed, if known.
    package mutating func beginRemoval(
        of positions: [DefaultsImport.Key: Set<Int>],
        source: String? = nil,
        result: String? = nil
    ) {
        removal = Removal(positions: positions, source: source, result: result)
    }

    /// Notes that elements were removed, which completes the removal.
    package mutating func finishRemoval(of positions: [DefaultsImport.Key: Set<Int>]) {
        for (key, positions) in positions {
            guard let elements = series[key]?.elements else { continue }
            series[key]?.elements = elements.enumerated().lazy.filter { !positions.contains($0.offset) }.map(\.element)
        }
        removal = nil
    }

    /// What the id of a record identifies.
    package func occurrence(_ id: UUID) -> Occurrence {
        guard let name = ElementName(id), name.origin == origin, let series = series[name.key],
            name.generation <= series.generation
        else { return .unknown }
        guard name.generation == series.generation else { return .cleared(name.key) }
        guard name.number < series.next else { return .unknown }
        let position = series.elements.partitioningIndex { $0.number >= name.number }
        guard position < series.elements.count, series.elements[position].number == name.number else { return .removed }
        return .element(name.key, position: position)
    }

    /// The elements of an array, as the ids of their records and their times.
    func elements(of key: DefaultsImport.Key) -> [(id: UUID, time: Date)] {
        guard let series = series[key] else { return [] }
        return series.elements.map { element in
            let name = ElementName(origin: origin, key: key, generation: series.generation, number: element.number)
            return (name.id, Date(timeIntervalSince1970: Double(element.milliseconds) / 1_000))
        }
    }

    /// The parts of a record's id, stored in the 122 bits that a UUID of version 8 (RFC 9562) leaves free.
    private struct ElementName {
        var origin: UInt64
        var key: DefaultsImport.Key
        var generation: Int
        var number: Int

        init(origin: UInt64, key: DefaultsImport.Key, generation: Int, number: Int) {
            (self.origin, self.key, self.generation, self.number) = (origin, key, generation, number)
        }

        /// Splits an id into its parts; nil if no numbering made the id.
        init?(_ id: UUID) {
            let (high, low) = withUnsafeBytes(of: id.uuid) {
                (
                    UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                    UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
            let keys = DefaultsImport.Key.allCases
            let key = Int(low >> 60 & 0b11)
            guard high >> 12 & 0xF == 8, low >> 62 == 0b10, key < keys.count else { return nil }
            self.init(
                origin: (high >> 16) << 12 | high & 0xFFF,
                key: keys[key],
                generation: Int(low >> UInt64(numberBits)) & (generationLimit - 1),
                number: Int(low & UInt64(numberLimit - 1))
            )
        }

        var id: UUID {
            let key = UInt64(DefaultsImport.Key.allCases.firstIndex(of: key) ?? 0)
            let high = (origin >> 12) << 16 | 0x8000 | origin & 0xFFF
            let low = UInt64(0b10) << 62 | key << 60 | UInt64(generation) << UInt64(numberBits) | UInt64(number)
            return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
                UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
            }
        }
    }
}
