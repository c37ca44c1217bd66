// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A key-value pair that an app or extension is declared to read from pushes.
public struct RequiredExtra: Sendable {
    /// The key of the pair.
    public var key: String

    /// The type of the pair's text.
    public var type: ExtraType

    /// Whether campaigns must send the pair with a value that is not blank; nil if the declaration does not say, which
    /// means false.
    public var required: Placed<Bool>?

    /// The place of the declaration.
    public var place: SourcePlace

    /// Creates the declaration of a pair.
    public init(key: String, type: ExtraType, required: Placed<Bool>? = nil, place: SourcePlace) {
        self.key = key
        self.type = type
        self.required = required
        self.place = place
    }

    /// Whether campaigns must send the pair with a value that is not blank.
    public var isRequired: Bool { required?.value ?? false }

    /// The place of the declaration, for findings about the pair.
    package var related: Diagnostic.Related {
        Diagnostic.Related(isRequired ? "required here" : "declared here", at: place)
    }
}

/// The type of a key-value pair's text, as an app or extension reads it.
public enum ExtraType: String, Sendable, CaseIterable {
    /// Text of any form.
    case string
    /// A whole number: text that Swift's `Int(_:)` accepts.
    case integer
    /// Text that is a decimal number.
    case number
    /// `true` or `false`.
    case boolean
    /// A URL with a scheme.
    case url
    /// A date or a time in ISO 8601.
    case date
    /// JSON, sent with `$json:`.
    case json

    /// Whether a text of this type can also be read as the other type, as an integer can also be read as a number; JSON
    /// counts only as JSON.
    public func isNarrower(than other: ExtraType) -> Bool {
        switch (self, other) {
        case (.json, _), (_, .json): self == other
        case (_, .string), (.integer, .number): true
        default: self == other
        }
    }
}
