// SPDX-License-Identifier: MIT

/// A value of a property list, whatever the format.
///
/// Unlike Foundation's, the values keep the types of the file: a boolean is not a number, and a reference inside a
/// keyed archive is shown.
package enum PlistValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// An integer beyond `Int.max`.
    case largeInteger(UInt64)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference to an object of a keyed archive.
    case reference(Int)
    /// An array, or a set in the order of the file.
    case array([PlistValue])
    /// The members in the order of the file, repeated keys included.
    case dictionary([(key: String, value: PlistValue)])

    /// The value of a key of a dictionary, the last of several; nil for other values.
    package subscript(_ key: String) -> PlistValue? {
        guard case .dictionary(let members) = self else { return nil }
        return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}
