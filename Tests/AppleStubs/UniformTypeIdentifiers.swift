// SPDX-License-Identifier: MIT
// swift-format-ignore-file

// The signatures of UniformTypeIdentifiers that the examples use, as Apple documents them.

public struct UTType: Sendable {
    public init?(filenameExtension: String) { identifier = filenameExtension }
    public let identifier: String
}
