// SPDX-License-Identifier: MIT

/// A value of a property list, whatever format the list has: XML, binary or OpenStep.
///
/// Unlike Foundation's values, it keeps the types of the file: a boolean is not a number, and a reference in a keyed
/// archive stays a reference.
package enum PlistValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// An integer greater than `Int.max`.
    case largeInteger(UInt64)
    case real(Double)
    /// A date, in seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference (UID) to an object of a keyed archive: the index of the object in the archive.
    case reference(Int)
    /// The elements of an array, or of a set in the order of the file.
    case array([PlistValue])
    /// The members in the order of the file, repeated keys included.
    case dictionary([(key: String, value: PlistValue)])

    /// The value of a key in a dictionary, the last one if the key repeats; nil if the key is missing or this is not a
    /// dictionary.
    package subscript(_ key: String) -> PlistValue? {
        guard case .dictionary(let members) = self else { return nil }
        return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}
