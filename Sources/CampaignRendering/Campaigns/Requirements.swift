// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources

/// The `requires` of a campaign: what the app has to support, and what its extension reads.
public struct Requirements: Sendable {
    /// What `UNNotificationExtensionUserInteractionEnabled` has to be; nil where it is not checked.
    public var userInteraction: Placed<Bool>?

    /// Whether the extension has to ask for text; nil where it is not checked.
    public var textInput: Placed<Bool>?

    /// The key-value pairs that the extension reads, in the order of the file.
    public var extras: [RequiredExtra] = []

    /// The place of all requirements together.
    public var place: SourcePlace

    /// Whether the campaign itself has a `requires`; false where the requirements come only from an app.
    public internal(set) var isStated = true
}
