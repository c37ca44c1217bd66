// SPDX-License-Identifier: MIT

public import AppDeclarations
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
