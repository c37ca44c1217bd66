// SPDX-License-Identifier: MIT

/// The inputs of a rendering: data, clock, time zones, partials, limits, and the policies for errors.
public struct RenderInput: Sendable {
    /// What happens after an error in a part of a template.
    public enum ErrorPolicy: Sendable {
        /// The first error ends the rendering.
        case throwing
        /// The error text of the reference implementation is printed instead of the part, and rendering continues.
        case inline
        /// The part is left out, the error is added to ``Renderer/errors``, and rendering continues.
        case collecting
    }

    /// What happens when a variable that does not exist is printed.
    public enum UndefinedPolicy: Sendable {
        /// The variable prints nothing.
        case ignoring
        /// The variable prints nothing, and its range is added to ``Renderer/undefined``.
        case collecting
        /// The variable causes an error.
        case failing
    }

    /// The variables.
    public var data: LiquidObject

    /// Whether partials called by `render` can read the data too, and counters ignore the data.
    ///
    /// The reference implementation calls such data a static environment. If this is false, a counter starts from the
    /// variable with the same name.
    public var isDataShared: Bool

    /// The instant of `now`.
    public var clock: Time

    /// Provides the offsets of named time zones.
    public var timeZones: any TimeZoneProvider

    /// The identifier of the zone in which times without a zone are read and shown.
    public var timeZone: String

    /// Provides the sources of partials.
    public var partials: any PartialProvider

    /// The limits of the rendering.
    public var limits: Limits

    /// The stopwatch for ``Limits/seconds``; nil for no limit on time.
    public var stopwatch: (any Stopwatch)?

    /// What happens after an error in a part of the template.
    public var errorPolicy: ErrorPolicy

    /// What happens when a variable that does not exist is printed; conditions and `default` may always read one.
    public var undefinedPolicy = UndefinedPolicy.ignoring

    /// Whether error texts contain the line number, which is an option of the reference implementation.
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

/// How a rendering ended.
public enum RenderOutcome: Sendable, Equatable {
    /// The template was rendered completely.
    case completed
    /// A tag stopped the message.
    case stopped(reason: String)
}
