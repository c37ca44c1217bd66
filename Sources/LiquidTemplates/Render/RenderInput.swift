// SPDX-License-Identifier: MIT

/// The inputs of a rendering: data, clock, zones, partials, limits, and the handling of errors.
public struct RenderInput: Sendable {
    /// The handling of an error in a part of a template.
    public enum ErrorPolicy: Sendable {
        /// The first error ends the rendering.
        case throwing
        /// The reference's text of the error is printed in place of the part, and rendering continues.
        case inline
        /// The part is left out, the error is kept in ``Renderer/errors``, and rendering continues.
        case collecting
    }

    /// The handling of a printed variable that does not exist.
    public enum UndefinedPolicy: Sendable {
        /// It prints nothing.
        case ignoring
        /// It prints nothing, and its range is added to ``Renderer/undefined``.
        case collecting
        /// It is an error.
        case failing
    }

    /// The variables.
    public var data: LiquidObject

    /// Whether partials called by `render` also read the data, and counters ignore it.
    ///
    /// The reference calls such data a static environment. If false, a counter starts from the variable with its name.
    public var isDataShared: Bool

    /// The instant of `now`.
    public var clock: Time

    /// The offsets of named time zones.
    public var timeZones: any TimeZoneProvider

    /// The zone in which times without one are read and shown.
    public var timeZone: String

    /// The source of partials.
    public var partials: any PartialProvider

    /// The limits.
    public var limits: Limits

    /// The stopwatch for ``Limits/seconds``; nil for no limit of time.
    public var stopwatch: (any Stopwatch)?

    /// The handling of an error.
    public var errorPolicy: ErrorPolicy

    /// The handling of a printed variable that does not exist; conditions and `default` may always read one.
    public var undefinedPolicy = UndefinedPolicy.ignoring

    /// Whether error texts contain the line, which is an option of the reference.
    public var showsLines = true

    /// Data that the host keeps for its own filters and tags.
    public var host: (any Sendable)?

    /// Creates an input.
    public init(
        data: LiquidObject = .empty,
        isDataShared: Bool = false,
        clock: Time = Time(seconds: 0),
        timeZones: any TimeZoneProvider = NoTimeZones(),
        timeZone: String = "UTC",
        partials: any PartialProvider = NoPartials(),
        limits: Limits = Limits(),
        errorPolicy: ErrorPolicy = .throwing,
        host: (any Sendable)? = nil
    ) {
        self.data = data
        self.isDataShared = isDataShared
        self.clock = clock
        self.timeZones = timeZones
        self.timeZone = timeZone
        self.partials = partials
        self.limits = limits
        self.errorPolicy = errorPolicy
        self.host = host
    }
}

/// A provider that knows only UTC.
public struct NoTimeZones: TimeZoneProvider {
    /// Creates the provider.
    public init() {}

    /// The offset 0 for `UTC` and `Etc/UTC`; nil for any other zone.
    public func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)? {
        identifier == "UTC" || identifier == "Etc/UTC" ? (0, "UTC") : nil
    }
}

/// The way in which a rendering ended.
public enum RenderOutcome: Sendable, Equatable {
    /// The end of the template was reached.
    case completed
    /// A tag stopped the message.
    case stopped(reason: String)
}
