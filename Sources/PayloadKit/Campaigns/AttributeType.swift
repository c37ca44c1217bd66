// SPDX-License-Identifier: MIT

/// The type of an exported custom attribute, which an export does not contain.
public enum AttributeType: String, Sendable, CaseIterable {
    case string
    case number
    /// `true` or `false`; one that is left out is false.
    case boolean
    /// A time, exported as text.
    case time
    case array
    case object
}
