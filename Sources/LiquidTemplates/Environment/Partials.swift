// SPDX-License-Identifier: MIT

/// Finds the sources of the partials that `include` and `render` name.
public protocol PartialProvider: Sendable {
    /// The source of a partial.
    ///
    /// - Throws: `fileSystem`, or an error of the dialect, when the partial does not exist.
    func source(ofPartial name: String) throws(LiquidError) -> [UInt8]
}

/// A provider without any partial.
public struct NoPartials: PartialProvider {
    /// Creates the provider.
    public init() {}

    /// Always fails.
    public func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        throw LiquidError(
            .fileSystem,
            "there is no partial '\(name)': this place allows none",
            referenceText: "This liquid context does not allow includes."
        )
    }
}

/// Partials that are held in memory.
public struct MemoryPartials: PartialProvider {
    private let sources: [String: String]

    /// Creates a provider of named sources.
    public init(_ sources: [String: String]) { self.sources = sources }

    /// The source of the partial with the given name.
    public func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        guard let source = sources[name] else {
            throw LiquidError(
                .fileSystem,
                "there is no partial '\(name)'",
                referenceText: "No such template '\(name)'"
            )
        }
        return Array(source.utf8)
    }
}
