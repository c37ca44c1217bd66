// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A key-value pair that an extension reads.
public struct RequiredExtra: Sendable {
    /// The key.
    public var key: String

    /// The type that the extension reads the text as.
    public var type: ExtraType

    /// Whether the pair must be sent and must not be blank; nil where the declaration does not say, which means false.
    public var required: Placed<Bool>?

    /// The place of the requirement.
    public var place: SourcePlace

    /// Creates a requirement.
    public init(key: String, type: ExtraType, required: Placed<Bool>? = nil, place: SourcePlace) {
        self.key = key
        self.type = type
        self.required = required
        self.place = place
    }

    /// Whether the pair must be sent and must not be blank.
    public var isRequired: Bool { required?.value ?? false }

    /// The place of the requirement, for findings about the pair.
    package var related: Diagnostic.Related {
        Diagnostic.Related(isRequired ? "required here" : "declared here", at: place)
    }
}

/// The type that an extension reads the text of a key-value pair as.
public enum ExtraType: String, Sendable, CaseIterable {
    /// Any text.
    case string
    /// Text that Swift's `Int(_:)` accepts.
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

    /// Whether every text of this type is also a text of another type.
    public func isNarrower(than other: ExtraType) -> Bool {
        switch (self, other) {
        case (.json, _), (_, .json): self == other
        case (_, .string), (.integer, .number): true
        default: self == other
        }
    }
}
