// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Access to the members of an object that was checked against its format; nil for a member that is missing.
extension DocumentNode {
    /// The text of a member.
    package func text(_ key: String) -> String? { self[key]?.scalar?.text }

    /// The member as `true` or `false`.
    package func bool(_ key: String) -> Bool? {
        if case .bool(let bool)? = self[key]?.scalar?.value { bool } else { nil }
    }

    /// The member as an integer.
    package func integer(_ key: String) -> Int? {
        if case .integer(let integer)? = self[key]?.scalar?.value { integer } else { nil }
    }

    /// The member as a number.
    package func number(_ key: String) -> Double? { self[key]?.number }

    /// The member as a case of an enumeration with text values.
    package func choice<Choice: RawRepresentable>(_ key: String) -> Choice? where Choice.RawValue == String {
        text(key).flatMap { Choice(rawValue: $0) }
    }

    /// The elements of a list.
    package func elements(_ key: String) -> [DocumentNode] { self[key]?.elements ?? [] }

    /// The members of a mapping.
    package func members(_ key: String) -> [DocumentMember] { self[key]?.members ?? [] }

    /// The member with a key; if the key occurs twice, the last one.
    package func member(_ key: String) -> DocumentMember? {
        members?.last { $0.name.utf8.elementsEqual(key.utf8) }
    }

    /// The node as a number.
    package var number: Double? {
        switch scalar?.value {
        case .integer(let number)?: Double(number)
        case .float(let number)?: number
        default: nil
        }
    }
}
