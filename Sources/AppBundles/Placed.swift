// SPDX-License-Identifier: MIT

public import SourceText

/// A value with the place where it is.
public struct Placed<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value

    /// Where it is; nil where it was not read from a file.
    public var place: SourcePlace?

    /// Creates a value with its place.
    public init(_ value: Value, at place: SourcePlace? = nil) {
        self.value = value
        self.place = place
    }
}
