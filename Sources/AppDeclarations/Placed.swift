// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A value, and the place in a file where it was read.
public struct Placed<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value

    /// The place of the value; nil if the value was not read from a file.
    public var place: SourcePlace?

    /// Creates a value with its place.
    public init(_ value: Value, at place: SourcePlace? = nil) {
        self.value = value
        self.place = place
    }
}
