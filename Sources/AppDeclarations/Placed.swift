// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A value and its place in a file.
public struct Placed<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value

    /// The place; nil where the value was not read from a file.
    public var place: SourcePlace?

    /// Creates a value with its place.
    public init(_ value: Value, at place: SourcePlace? = nil) {
        self.value = value
        self.place = place
    }
}
