// SPDX-License-Identifier: MIT

public import AppBundles
public import DiagnosticSources

/// The `requires` of a campaign: what the app must offer, and what its extension reads.
public struct Requirements: Sendable {
    /// What `UNNotificationExtensionUserInteractionEnabled` has to be; nil where it is not checked.
    public var userInteraction: Placed<Bool>?

    /// Whether the extension asks for text.
    public var textInput: Placed<Bool>?

    /// The key-value pairs that the extension reads, in the order of the file.
    public var extras: [RequiredExtra] = []

    /// The place of the whole part.
    public var place: SourcePlace

    /// Whether the campaign has a `requires`; false for requirements that only an app has.
    public internal(set) var isStated = true
}
