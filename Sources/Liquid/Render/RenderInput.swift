// SPDX-License-Identifier: MIT

/// What a template is rendered with: data, clock, zones, partials, limits, and what happens on an error.
public struct RenderInput: Sendable {
    /// What happens when a part of a template fails.
    public enum ErrorPolicy: Sendable {
        /// The first error ends the rendering.
        case throwing
        /// The reference's text of the error takes the place of the part, and rendering goes on.
        case inline
        /// The part is left out, and rendering goes on.
        case collecting
    }

    /// What happens where a variable is printed that does not exist.
    public enum UndefinedPolicy: Sendable {
        /// It prints nothing.
        case ignoring
        /// It prints nothing, and its place is kept in ``Renderer/undefined``.
        case collecting
        /// It is an error.
        case failing
    }

    /// The variables.
    public var data: LiquidObject

    /// Whether partials bound by `render` see the data too, and counters start beside it.
    ///
    /// The reference calls such data a static environment. Otherwise counters start from a variable of their name.
    public var isDataShared: Bool

    /// What `now` means.
    public var clock: Time

    /// The offsets of named time zones.
    public var timeZones: any TimeZoneProvider

    /// The zone in which times without one are read and shown.
    public var timeZone: String

    /// Where partials come from.
    public var partials: any PartialProvider

    /// The limits.
    public var limits: Limits

    /// What measures the time for ``Limits/seconds``; nil for no limit of time.
    public var stopwatch: (any Stopwatch)?

    /// What happens when a part fails.
    public var errorPolicy: ErrorPolicy

    /// What happens where a variable is printed that does not exist; to ask for one in a condition or before `default` is
    /// always allowed.
    public var undefinedPolicy = UndefinedPolicy.ignoring

    /// Whether errors name the line, which the reference does on request.
    public var showsLines = true

    /// Whatever the host keeps for its own filters and tags.
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

/// A provider that knows no zone but UTC.
public struct NoTimeZones: TimeZoneProvider {
    /// Creates the provider.
    public init() {}

    /// UTC's offset for its names.
    public func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)? {
        identifier == "UTC" || identifier == "Etc/UTC" ? (0, "UTC") : nil
    }
}

/// How a rendering ended.
public enum RenderOutcome: Sendable, Equatable {
    /// At the end of the template.
    case completed
    /// At a tag that stops the message.
    case stopped(reason: String)
}
