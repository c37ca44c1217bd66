// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import Liquid
public import SourceText

/// How a campaign is rendered, the same for every user.
public struct RenderOptions: Sendable {
    /// What `now` means.
    public var now: Time

    /// Whether ``now`` goes before the `now` of a profile or a context.
    public var overridesNow = false

    /// What `{% random %}` starts from.
    public var seed = 0

    /// How strictly Liquid is read; beyond lax a filter that Braze does not know is an error.
    public var errorMode = ErrorMode.lax

    /// What happens where a text prints a variable or attribute that does not exist; by default it is warned about.
    public var missingPolicy = RenderInput.UndefinedPolicy.collecting

    /// What is under every profile.
    public var context = RenderContext.empty

    /// `event_properties` of every user.
    public var eventProperties = LiquidObject.empty

    /// The rules whose findings have another severity than their own.
    ///
    /// A finding that becomes an error keeps the message from being sent; one that is no longer an error is a warning of
    /// the payload. What cannot be read or rendered at all stays an error.
    public var rules = RuleLevels()

    /// The bytes that the campaign may take before it is warned about.
    public var budget = SizeBudget.brazeShare

    /// Categories that are known to need no extension of the app.
    public var externalCategories: [String] = []

    /// The offsets of named time zones.
    public var timeZones: any TimeZoneProvider = NoTimeZones()

    /// How much the texts of one message may print, do and hold.
    public var limits = Limits()

    /// What measures the time for the limit of seconds; nil for no such limit.
    public var stopwatch: (any Stopwatch)?

    /// Creates the default options.
    ///
    /// - Parameter now: what `now` means; nothing here reads a clock.
    public init(now: Time) { self.now = now }
}
