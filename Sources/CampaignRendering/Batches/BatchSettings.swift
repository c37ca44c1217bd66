// SPDX-License-Identifier: MIT

public import AppDeclarations
import DiagnosticSources
public import LiquidTemplates

/// The settings of a batch, the same for all profiles.
public struct BatchSettings: Sendable {
    /// `api_trigger_properties`; a property of the profile takes precedence.
    public var triggerProperties = LiquidObject.empty

    /// The apps that every payload is checked against; without any, payloads are not checked.
    public var apps: [App] = []

    /// The part of the profiles that is rendered; nil to render all.
    public var shard: Shard?

    /// The top-level field of an export that gives the record's id; nil to use `external_id` or, without it,
    /// `braze_id`.
    public var idField: String?

    /// The branches of the campaign's templates that are counted; nil to count none.
    public var coverageMap: CoverageMap?

    /// Whether to find a small set of profiles that together take every branch; requires ``coverageMap``.
    package var seeksOnePerBranch = false

    /// The number of profiles that are rendered at once; it does not change the records.
    public var jobs = 1

    /// Creates the default settings.
    public init() {}
}

/// One of several parts of a batch.
///
/// Each profile belongs to exactly one part, the same on every machine.
public struct Shard: Sendable, Hashable {
    /// The number of this part, from 1.
    public let index: Int

    /// The number of parts.
    public let count: Int

    /// Creates a part; nil if its number or the number of parts is not valid.
    public init?(_ index: Int, of count: Int) {
        guard count >= 1, (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Whether an id belongs to the part.
    func contains(_ id: String) -> Bool {
        var hash = StableHash()
        hash.add(id)
        return contains(hash)
    }

    /// Whether a line belongs to the part.
    func contains(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var hash = StableHash()
        hash.add(bytes)
        return contains(hash)
    }

    /// Whether a profile with this hash belongs to the part.
    func contains(_ hash: StableHash) -> Bool { hash.value % UInt64(count) == UInt64(index - 1) }
}
