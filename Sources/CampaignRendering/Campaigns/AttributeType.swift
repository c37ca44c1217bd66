// SPDX-License-Identifier: MIT

/// The declared type of a custom attribute; Braze's export does not contain its type.
public enum AttributeType: String, Sendable, CaseIterable {
    case string
    case number
    /// `true` or `false`; an attribute that is left out is false.
    case boolean
    /// A time, exported as text.
    case time
    case array
    case object
}
