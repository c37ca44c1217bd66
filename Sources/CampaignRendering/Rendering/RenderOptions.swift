// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import DiagnosticSources
public import LiquidTemplates
import PlatformLibc

/// How a campaign is rendered, the same for every user.
public struct RenderOptions: Sendable {
    /// The instant that templates see as `now`.
    public var now: Time

    /// Whether ``now`` takes precedence over the `now` of a profile or a context.
    public var overridesNow = false

    /// The seed of `{% random %}`.
    public var seed = 0

    /// How strictly Liquid is read; in all modes except lax, an unknown filter is an error.
    public var errorMode = ErrorMode.lax

    /// What happens where a text prints a variable or attribute that does not exist; by default a warning.
    public var missingPolicy = RenderInput.UndefinedPolicy.collecting

    /// The values of every user; a user's own values take precedence.
    public var context = RenderContext.empty

    /// `event_properties` of every user.
    public var eventProperties = LiquidObject.empty

    /// The rules whose findings get a severity other than the default.
    ///
    /// A finding that becomes an error prevents the message from being sent; one that is no longer an error becomes a
    /// warning of the payload. Whatever cannot be read or rendered at all stays an error.
    public var rules = RuleLevels()

    /// Whether a comment in the campaign suppresses a warning about a message; nil to suppress none.
    package var isSuppressed: (@Sendable (Diagnostic) -> Bool)?

    /// The number of bytes above which the campaign causes a warning.
    public var budget = SizeBudget.brazeShare

    /// Categories that are known to need no extension of the app.
    public var externalCategories: [String] = []

    /// The attributes that every user has, in addition to the ones that the campaign names.
    public var givenAttributes: Set<String> = []

    /// What is done with the calls of connected content that a message makes.
    public var connectedContentTrace = ConnectedContentTrace.none

    /// What is done with the calls of connected content that a message makes.
    public enum ConnectedContentTrace: Sendable, Hashable {
        /// Nothing.
        case none
        /// The calls are listed in payloads and in the reports of batches.
        case collected
        /// The calls are listed in records too.
        case recorded
    }

    /// The offsets of named time zones.
    public var timeZones: any TimeZoneProvider = NoTimeZones()

    /// The limits of output, work and memory for the texts of one message.
    public var limits = Limits()

    /// Measures the time that counts towards the limit of seconds; nil for no such limit.
    public var stopwatch: (any Stopwatch)?

    /// Creates the default options.
    ///
    /// - Parameter now: the instant that templates see as `now`, as no clock is read.
    public init(now: Time) { self.now = now }
}

/// Measures the processor time of the calling thread.
///
/// A message is rendered by one thread, so the time of other programs and other messages does not count.
public struct ProcessorStopwatch: Stopwatch {
    /// Creates a stopwatch.
    public init() {}

    /// The nanoseconds that the thread has used.
    public func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
