// SPDX-License-Identifier: MIT

public import AppBundles
public import LiquidTemplates

/// The settings of a batch, the same for all profiles.
public struct BatchSettings: Sendable {
    /// `api_trigger_properties`; those of the profile take precedence.
    public var triggerProperties = LiquidObject.empty

    /// The apps that every payload is checked against; none leaves them unchecked.
    public var apps: [App] = []

    /// The part of the profiles that is rendered; nil for all.
    public var shard: Shard?

    /// The top-level field of an export that gives the record's id; nil for `external_id`, else `braze_id`.
    public var idField: String?

    /// The arms of the campaign's templates, to be counted; nil to count none.
    public var coverageMap: CoverageMap?

    /// Whether a smallest set of profiles is sought that takes every arm; needs ``coverageMap``.
    package var seeksOnePerBranch = false

    /// How many profiles are rendered at once; the records are the same for any number.
    public var jobs = 1

    /// Creates the default settings.
    public init() {}
}
