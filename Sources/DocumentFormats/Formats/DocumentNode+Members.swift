// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Reads values of an object that was already checked against its format; the result is nil if the key is missing.
extension DocumentNode {
    /// The value of a key as text.
    package func text(_ key: String) -> String? { self[key]?.scalar?.text }

    /// The value of a key as `true` or `false`.
    package func bool(_ key: String) -> Bool? {
        if case .bool(let bool)? = self[key]?.scalar?.value { bool } else { nil }
    }

    /// The value of a key as an integer.
    package func integer(_ key: String) -> Int? {
        if case .integer(let integer)? = self[key]?.scalar?.value { integer } else { nil }
    }

    /// The value of a key as a number.
    package func number(_ key: String) -> Double? { self[key]?.number }

    /// The value of a key as the case of an enumeration with that raw value.
    package func choice<Choice: RawRepresentable>(_ key: String) -> Choice? where Choice.RawValue == String {
        text(key).flatMap { Choice(rawValue: $0) }
    }

    /// The elements of the list that is the value of a key; empty if the key is missing.
    package func elements(_ key: String) -> [DocumentNode] { self[key]?.elements ?? [] }

    /// The members of the mapping that is the value of a key; empty if the key is missing.
    package func members(_ key: String) -> [DocumentMember] { self[key]?.members ?? [] }

    /// The key with its value, the last one if the key occurs twice.
    package func member(_ key: String) -> DocumentMember? {
        members?.last { $0.name.utf8.elementsEqual(key.utf8) }
    }

    /// The node itself as a number; nil if it is not one.
    package var number: Double? {
        switch scalar?.value {
        case .integer(let number)?: Double(number)
        case .float(let number)?: number
        default: nil
        }
    }
}
