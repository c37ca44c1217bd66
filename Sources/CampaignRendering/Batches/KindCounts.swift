// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// The place of a profile in the input of a batch: the number of its input, and the line in that input.
///
/// It makes a batch and its merged shards agree on which of several profiles comes first.
struct ProfilePosition: Comparable, Sendable {
    var inputIndex: Int
    let line: Int

    static func < (left: Self, right: Self) -> Bool {
        left.inputIndex == right.inputIndex ? left.line < right.line : left.inputIndex < right.inputIndex
    }
}

/// Counts profiles by kind, such as a reason or a finding; the kinds are in the order in which they were first counted.
///
/// The number of kinds is limited. Kinds beyond the limit are counted together, so that the total is always right.
package struct KindCounts<Kind: Hashable & Sendable>: Sendable {
    /// A kind, the number of its profiles, and its first profile.
    package struct Entry: Sendable {
        /// The kind that is counted, as the first profile has it.
        package fileprivate(set) var kind: Kind

        /// The number of profiles.
        package fileprivate(set) var count: Int

        /// The first profile of the kind, as messages name it.
        package fileprivate(set) var example: String

        /// The place of the first profile.
        fileprivate(set) var position: ProfilePosition
    }

    /// The kinds that a report shows, and the number of kinds and profiles that it leaves out.
    package struct Listing: Sendable {
        /// The most frequent kinds; of kinds with the same frequency, the earliest come first.
        package let entries: [Entry]

        /// The number of profiles of the kinds that are left out.
        let moreCount: Int

        /// The number of kept kinds that are left out.
        let moreKinds: Int

        /// Whether there were more kinds than were kept.
        package let isCut: Bool

        /// A text about the kinds that are left out; nil if there are none.
        package var rest: String? { shownRest { String($0) } }

        /// A text about the kinds that are left out, with numbers formatted by `shown`; nil if there are none.
        package func shownRest(_ shown: (Int) -> String) -> String? {
            guard moreCount > 0 else { return nil }
            let kinds = moreKinds == 1 && !isCut ? "kind" : "kinds"
            return "and \(shown(moreCount)) more, of \(isCut ? "over " : "")\(shown(moreKinds)) other \(kinds)"
        }
    }

    /// The maximum number of kinds that a report shows.
    static var listedLimit: Int { 50 }

    /// The maximum number of kinds that are kept, as there may be a new kind for every profile.
    private static var keptLimit: Int { 1_000 }

    /// The number of entries that are compared one by one, which is faster than hashing; there are rarely more.
    private static var scannedLimit: Int { 8 }

    /// The counted kinds, at most ``keptLimit`` unless the counts are unlimited.
    private(set) var entries: [Entry] = []

    /// The indices of the entries after the first ``scannedLimit``.
    private var laterIndices: [Kind: Int] = [:]

    /// The number of profiles of kinds that were not kept.
    private(set) var unkeptCount = 0

    /// Whether all kinds are kept, as in the counts of a block, whose size limits their number.
    private let isUnlimited: Bool

    init(isUnlimited: Bool = false) { self.isUnlimited = isUnlimited }

    /// Creates empty counts for entries from another process, which kept no more kinds than a whole batch does.
    init(unkeptCount: Int) {
        isUnlimited = false
        self.unkeptCount = unkeptCount
    }

    /// Whether there are already as many kinds as a report shows.
    var isFull: Bool { entries.count >= Self.listedLimit }

    /// Counts profiles of a kind.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - example: the name of the first of these profiles in messages.
    ///   - position: the place of that profile.
    ///   - count: the number of profiles.
    mutating func note(
        _ kind: Kind, _ example: @autoclosure () -> String, at position: ProfilePosition, count: Int = 1
    ) {
        if let index = index(of: kind) {
            entries[index].count += count
            if position < entries[index].position {
                (entries[index].kind, entries[index].example) = (kind, example())
                entries[index].position = position
            }
        } else if isUnlimited || entries.count < Self.keptLimit {
            if entries.count >= Self.scannedLimit { laterIndices[kind] = entries.count }
            entries.append(Entry(kind: kind, count: count, example: example(), position: position))
        } else {
            unkeptCount += count
        }
    }

    /// The entry with the first profile of all; nil if nothing was counted.
    var first: Entry? { entries.min { $0.position < $1.position } }

    /// Adds the counts of other profiles.
    mutating func add(_ others: KindCounts) {
        for entry in others.entries { note(entry.kind, entry.example, at: entry.position, count: entry.count) }
        unkeptCount += others.unkeptCount
    }

    /// Adds an offset to the input numbers of the profiles.
    mutating func move(by offset: Int) {
        for index in entries.indices { entries[index].position.inputIndex += offset }
    }

    /// Removes all counts, and keeps the memory.
    mutating func removeAll() {
        if !laterIndices.isEmpty { laterIndices.removeAll(keepingCapacity: true) }
        entries.removeAll(keepingCapacity: true)
        unkeptCount = 0
    }

    /// The listing for a report.
    package var listing: Listing {
        let order = entries.indices.sorted { left, right in
            let (leftCount, rightCount) = (entries[left].count, entries[right].count)
            if leftCount != rightCount { return leftCount > rightCount }
            let (leftPosition, rightPosition) = (entries[left].position, entries[right].position)
            return leftPosition == rightPosition ? left < right : leftPosition < rightPosition
        }
        let rest = order.dropFirst(Self.listedLimit)
        return Listing(
            entries: order.prefix(Self.listedLimit).map { entries[$0] },
            moreCount: rest.reduce(unkeptCount) { $0 + entries[$1].count },
            moreKinds: rest.count,
            isCut: unkeptCount > 0
        )
    }

    private func index(of kind: Kind) -> Int? {
        for index in 0..<min(entries.count, Self.scannedLimit) where entries[index].kind == kind { return index }
        return laterIndices.isEmpty ? nil : laterIndices[kind]
    }
}

/// An abort reason or the name of a field, compared by bytes.
package struct TextKind: Hashable, Sendable {
    /// The text.
    package let text: String

    package static func == (left: Self, right: Self) -> Bool { left.text.sameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A finding, compared by its rule, severity, place and wording.
///
/// Numbers and quoted text in the message usually come from the profile, so they are compared only where nothing else
/// identifies the kind. A place in the input is not compared, as it differs from line to line.
package struct FindingKind: Hashable, Sendable {
    /// The finding about the first profile.
    package let diagnostic: Diagnostic

    /// Creates the kind of a finding.
    package init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

    /// The finding without its place in the input, so that the line is not kept alive in memory.
    var withoutInput: FindingKind {
        guard isOfInput, diagnostic.place != nil else { return self }
        var diagnostic = diagnostic
        diagnostic.place = nil
        return FindingKind(diagnostic)
    }

    /// Whether the finding's place is a line of the input.
    private var isOfInput: Bool { diagnostic.rule == .profileSyntax || diagnostic.rule == .profileField }

    private var place: SourcePlace? { isOfInput ? nil : diagnostic.place }

    private func hasPlace(of other: FindingKind) -> Bool {
        diagnostic.place?.range == other.diagnostic.place?.range
            && (diagnostic.place?.file === other.diagnostic.place?.file
                || diagnostic.place?.file.path == other.diagnostic.place?.file.path)
    }

    /// The message without numbers and quoted text; the whole message where the kind has no place to identify it.
    private var wording: String {
        // In messages about unread fields, the quoted text is the name of the field, which identifies the kind.
        guard diagnostic.rule != .profileField, isOfInput || diagnostic.place != nil else { return diagnostic.message }
        var wording = String.UnicodeScalarView()
        var isQuoted = false
        let scalars = Array(diagnostic.message.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            if scalar == "'" {
                // An apostrophe in a word, as in 'it's', is not a quote.
                let isInWord =
                    index > 0 && scalars[index - 1].properties.isAlphabetic
                    && index + 1 < scalars.count && scalars[index + 1].properties.isAlphabetic
                if !isInWord { isQuoted.toggle() }
            }
            if !isQuoted, !("0"..."9").contains(scalar) { wording.append(scalar) }
        }
        return String(wording)
    }

    package static func == (left: Self, right: Self) -> Bool {
        // The wording is compared last, because it has to be made, and a batch compares the findings of many messages.
        guard left.diagnostic.rule == right.diagnostic.rule, left.diagnostic.severity == right.diagnostic.severity,
            left.isOfInput || left.hasPlace(of: right)
        else { return false }
        return left.diagnostic.message.sameBytes(as: right.diagnostic.message)
            || left.wording.sameBytes(as: right.wording)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(diagnostic.rule)
        hasher.combine(place?.range)
        hasher.combine(wording)
    }
}
