// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation

/// The name of a record's file: the time of saving and the record's id, so that sorting by name gives the order of
/// saving.
struct FileName {
    /// The offset of the id, after sixteen hexadecimal digits and a hyphen.
    private static let idOffset = 17
    private static let count = idOffset + 36 + Self.suffix.utf8.count
    static let suffix = ".json"

    /// The time of saving, in nanoseconds since 1970.
    let instant: UInt64

    /// The id of the record.
    let id: UUID

    /// The name as text.
    var text: String {
        instant.hexadecimal(digits: 16) + "-" + id.uuidString + Self.suffix
    }

    init(instant: UInt64, id: UUID) {
        self.instant = instant
        self.id = id
    }

    /// Reads a name; nil for a name that the store did not create.
    init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count == Self.count, text.hasSuffix(Self.suffix),
            let instant = UInt64(text.prefix(16), radix: 16),
            let id = UUID(uuidString: String(text.dropFirst(Self.idOffset).dropLast(Self.suffix.utf8.count)))
        else { return nil }
        self.init(instant: instant, id: id)
        guard self.text.utf8.elementsEqual(bytes) else { return nil }
    }
}
